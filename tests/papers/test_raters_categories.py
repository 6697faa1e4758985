"""Raters' labels as categories: a closed form, the samplers, the verdict, and the missing batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbyk.data.ratings import Ratings
from nbyk.data.response_set import ResponseSet
from nbyk.data.units import FRESH, Units
from nbyk.files import write_parquet
from nbyk.studies.steps import Work
from nbyk_papers.raters.categories import (
    batches_of,
    categories,
    category_verdicts,
    read_categories,
    samplers_of,
)
from nbyk_papers.raters.design import ACROSS, ALONE, BATCHES
from nbyk_papers.raters.multilevel import resample

PEOPLE = np.array([[0, 1], [1, 0], [2, -1], [2, 3], [3, 2], [0, 2]], np.int32)
CODES = np.array([[0.0, 1.0], [2.0, 2.0], [1.0, np.nan], [0.0, 0.0], [1.0, 2.0], [1.0, 0.0]])
LABELS = (CODES[..., None] == np.arange(3)).astype(np.int64)


def test_one_label_each_has_its_closed_form(tmp_path: Path) -> None:
    """A repeats the only label of an item, and B misses it with the chance ε (1 − 1/M), by noise."""
    items = [f"item {place}" for place in range(300)]
    ratings = Ratings.from_columns(
        items=items,
        raters=[f"rater {place % 5}" for place in range(300)],
        values=[float(place % 3) for place in range(300)],
    )
    path = tmp_path / "source=made/labels.parquet"
    write_parquet(path, ratings.to_table(), {})
    table, _ = categories(path, epsilon=0.3, n_sets=60, seed=4, work=Work("a test"))
    out = tmp_path / "source=made/cell.parquet"
    write_parquet(out, table, {})
    found = read_categories([out])
    assert set(found["sampler"]) == {ALONE, ACROSS, BATCHES}
    assert found[["people", "batches", "classes"]].drop_duplicates().to_numpy().tolist() == [[5, 5, 3]]
    missed = 0.3 * (1.0 - 1.0 / 3.0)
    for sampler in (ALONE, BATCHES):
        of = found[(found["sampler"] == sampler) & (found["n_items"] == 1000)].set_index("metric")["delta"]
        error = (missed * (1.0 - missed) / 60_000) ** 0.5
        assert of["plurality_first"] == pytest.approx(missed, abs=4.5 * error)
        assert of["wins(tv_mean)"] == pytest.approx(of["plurality_first"])
        assert of["tv_mean"] == pytest.approx(2.0 / 3.0 * of["plurality_first"])


def test_labels_across_people_are_those_where_items_and_people_meet() -> None:
    """The same items and people, drawn before, give the same labels by the study's other sampler."""
    items, counts = samplers_of(LABELS, PEOPLE)[ACROSS](200, np.random.default_rng(5))
    draw = np.random.default_rng(5)
    rows, people = draw.integers(6, size=200), draw.integers(4, size=4)
    data = ResponseSet(
        CODES, CODES, CODES, {"gold": Units("ids", tuple("abcd"), PEOPLE), "a": FRESH, "b": FRESH}
    )
    met = resample(data, rows, people)
    expected = (met.gold[..., None] == np.arange(3)).sum(axis=1)
    assert np.array_equal(counts, expected)
    assert np.array_equal(CODES[items], met.a, equal_nan=True)
    assert len(items) < 200


def test_items_alone_keep_their_number_of_labels_and_shares() -> None:
    items, counts = samplers_of(LABELS, PEOPLE)[ALONE](6000, np.random.default_rng(1))
    assert np.array_equal(counts.sum(axis=1), LABELS.sum(axis=(1, 2))[items])
    first = counts[items == 0] / 2.0
    assert first.mean(axis=0) == pytest.approx([0.5, 0.5, 0.0], abs=0.06)


def test_batches_come_whole_with_all_of_their_labels() -> None:
    batch, sizes = batches_of(PEOPLE)
    assert sizes.tolist() == np.bincount(batch).tolist()
    assert batch[0] == batch[1] != batch[3] == batch[4]
    items, counts = samplers_of(LABELS, PEOPLE)[BATCHES](501, np.random.default_rng(2))
    assert len(items) == 501
    assert np.array_equal(counts, LABELS.sum(axis=1)[items])
    pairs = zip(items[:-2].tolist(), items[1:-1].tolist(), strict=True)
    assert {after for before, after in pairs if before in (0, 3)} == {1, 4}
    same_people = np.zeros((5, 2), np.int32)
    assert set(samplers_of(LABELS[:5], same_people)) == {ALONE, ACROSS}


def test_the_sequels_finding_is_judged_by_pairs() -> None:
    common: dict[str, Any] = {"source": "made", "epsilon": 0.1, "metric": "tv_mean", "standard_error": 0.01}
    rows = [
        {"sampler": sampler, "n_items": n, "p": p}
        for n in (200, 1000)
        for sampler, p in ((ALONE, 0.2), (ACROSS, 0.3), (BATCHES, 0.21 if n == 200 else 0.1))
    ]
    verdicts = category_verdicts(pd.DataFrame(rows).assign(**common))
    found = {verdict.semantics: verdict.outcome for verdict in verdicts}
    assert found == {f"published, {ACROSS}": "holds", f"published, {BATCHES}": "does not hold"}
    assert category_verdicts(read_categories([])) == []
