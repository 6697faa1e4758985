"""The rank of a published estimate among ours: what counts as inside, and how often chance says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbyk_papers.wein2023.comparison import (
    INSIDE,
    OUTSIDE,
    OUTSIDE_ALL,
    TRIVIAL,
    Cells,
    agreement_by_rank,
    place_among,
    rank_counts,
    rank_sentence,
)

ROOT = Path(__file__).parents[2]
HUNDRED = np.arange(1, 101) / 1000


@pytest.mark.parametrize(
    ("published", "place"),
    [
        (0.0505, INSIDE),
        (0.0055, INSIDE),  # 5 of ours below and itself: 6/101 > .05
        (0.0045, OUTSIDE),  # 4 of ours below and itself: 5/101 < .05
        (0.0965, OUTSIDE),
        (0.0, OUTSIDE_ALL),
        (0.2, OUTSIDE_ALL),
        (0.001, OUTSIDE),  # level with the least of ours
    ],
)
def test_places_among_a_hundred_sets(published: float, place: str) -> None:
    assert place_among(HUNDRED, published) == place


def test_ties_speak_for_a_number_and_few_sets_for_any() -> None:
    assert place_among(np.full(100, 0.2), 0.2) == INSIDE
    assert place_among(HUNDRED[:18], 0.9) == INSIDE
    assert place_among(HUNDRED[:19], 0.9) == OUTSIDE_ALL  # 1/20 is 5 %, not more


def test_zero_against_zero_is_trivial_and_zero_against_more_is_not() -> None:
    zeros = np.zeros(100)
    assert place_among(zeros, 0.0) == TRIVIAL
    assert place_among(zeros, 9e-6) == TRIVIAL
    assert place_among(zeros, 2e-5) == OUTSIDE_ALL
    assert place_among(HUNDRED, 0.0) == OUTSIDE_ALL
    mixed = np.where(np.arange(100) < 40, 0.0, 0.01)
    assert place_among(mixed, 0.0) == INSIDE


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=20, max_size=120), st.integers(1, 12))
def test_a_place_depends_on_order_alone(ours: list[int], published: int) -> None:
    values = np.array(ours) + 1.0
    place = place_among(values, published + 1.0)
    assert place == place_among(np.exp(values), np.exp(published + 1.0))
    mirrored = place_among(20.0 - values, 19.0 - published)
    assert place == mirrored
    at_most, at_least = (values <= published + 1.0).sum(), (values >= published + 1.0).sum()
    assert (place == OUTSIDE_ALL) == (min(at_most, at_least) == 0 and len(ours) >= 20)


def test_a_draw_of_the_same_law_is_inside_nine_times_in_ten() -> None:
    """5000 draws beside 100 others: 90/101 = .891 by counting ranks; a standard error of .0044."""
    draws = np.random.default_rng(4).uniform(1e-3, 1.0, (5000, 101))
    inside = np.mean([place_among(row[1:], float(row[0])) == INSIDE for row in draws])
    assert inside == pytest.approx(1 - 2 * 5 / 101, abs=3 * 0.0044)


def cells_of(ours: np.ndarray, published: np.ndarray) -> Cells:
    """Return cells of one source and ε: ours, shape (cells, sets), beside the published numbers."""
    n_cells, n_sets = ours.shape
    cell = pd.DataFrame(
        {
            "semantics": "published",
            "source": "toxicity",
            "epsilon_b": 0.3,
            "sampler": "bootstrap_items/all",
            "metric": [f"m{index}" for index in range(n_cells)],
            "n_references": n_sets,
            "published_place": [place_among(row, p) for row, p in zip(ours, published, strict=True)],
        }
    )
    sets = pd.concat(
        [cell.assign(reference=reference, estimated_p=ours[:, reference]) for reference in range(n_sets)]
    )
    return Cells(cell, sets, tuple(cell["metric"]), ("bootstrap_items/all",))


def test_counts_by_test_set_on_made_up_numbers() -> None:
    ours = np.stack([HUNDRED, HUNDRED, HUNDRED, np.zeros(100)])
    cells = cells_of(ours, np.array([0.05, 0.0045, 0.9, 0.0]))
    (row,) = agreement_by_rank(cells).to_dict("records")
    assert [row[name] for name in ("sets", "compared", "inside", "outside all", "0 against 0")] == [
        100,
        3,
        1,
        1,
        1,
    ]
    # The sets 0, …, 4 and 95, …, 99 lie outside by their own rank, in all three cells at once.
    assert row["share of our sets"] == pytest.approx(0.9)
    assert row["chance"] == pytest.approx((1 + 10) / 101)
    counts = rank_counts(cells.table["published_place"])
    assert rank_sentence(counts, 100) == (
        "1 of 3 estimated p-values lie in the middle 90% of our 100 test sets, 1 outside all of them (1 more "
        "are 0 on both sides)"
    )


def test_the_chance_of_a_row_is_one_of_its_own_sets() -> None:
    """Cells that one test set moves together: the chance is uniform at 1/101 steps, as that of a rank is."""
    rng = np.random.default_rng(7)
    chances = []
    for _ in range(200):
        shared = rng.normal(size=101)
        values = 1.0 / (1.0 + np.exp(-(shared + 0.5 * rng.normal(size=(30, 101)))))
        chances.append(agreement_by_rank(cells_of(values[:, 1:], values[:, 0]))["chance"].iloc[0])
    assert np.mean(np.array(chances) <= 0.1) < 0.1 + 3 * np.sqrt(0.09 / 200)


def test_cells_without_published_numbers_have_no_place() -> None:
    empty = cells_of(np.stack([HUNDRED]), np.array([0.05]))
    none = Cells(empty.table.assign(published_place=None), empty.by_reference, empty.columns, empty.samplers)
    assert len(agreement_by_rank(none)) == 0


def test_the_docs_say_what_the_file_of_cells_says() -> None:
    """Method notes and README count the cells of the file that stands beside them."""
    rows = pd.read_csv(ROOT / "docs/wein2023-ranks.csv")
    counts = rank_counts(rows["place"])
    assert (counts["compared"] + counts["trivial"], set(rows["sets"])) == (432, {100})
    method, readme = (" ".join((ROOT / path).read_text().split()) for path in ("docs/method.md", "README.md"))
    said = f"{counts['inside']} of {counts['compared']} are inside and {counts['outside_all']} outside all"
    assert f"In all, {said}" in method
    assert f"{counts['inside']} in the middle 90 % of 100 ({counts['trivial']} more are 0" in readme
    for (source, epsilon), of_row in rows.groupby(["source", "ε"]):
        own = rank_counts(of_row["place"])
        numbers = " | ".join(str(own[name]) for name in ("compared", "inside", "outside_all", "trivial"))
        assert f"| {source} | {f'{epsilon:g}'.removeprefix('0') or '0'} | {numbers} | " in method
