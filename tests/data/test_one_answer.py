"""The same data give one answer, whatever holds them: columns of clusters, masks, Arrow, other numbers."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import nbyk
from nbyk.data import read_ratings
from nbyk.data.columns import Columns
from nbyk.data.kinds import counts_labels
from nbyk.data.reading import table_of
from nbyk.errors import NbykError

N = 24
ITEMS = [f"q{row}" for row in range(N)]
CLUSTERS = {"of numbers": [row // 4 for row in range(N)], "of text": [f"c{row // 4}" for row in range(N)]}


def drawn(seed: int, levels: list[Any], *names: str) -> pd.DataFrame:
    """Return a table of items with a column of each name."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"item": ITEMS, **{name: rng.choice(levels, N) for name in names}})


@pytest.mark.parametrize("clusters", CLUSTERS.values(), ids=CLUSTERS)
@pytest.mark.parametrize(
    ("gold", "systems"),
    [
        (None, [drawn(1, [0.0, 0.5, 1.0], "r1", "r2"), drawn(2, [0.0, 0.5, 1.0], "r1", "r2")]),
        (None, [drawn(1, [0.0, 1.0], "pred"), drawn(2, [0.0, 1.0], "pred")]),
        (None, [drawn(1, [0.0, 1.0], "score"), drawn(2, [0.0, 1.0], "score")]),
        (None, [drawn(1, [0, 1], "correct").assign(run=1), drawn(2, [0, 1], "correct").assign(run=1)]),
        (
            drawn(3, ["yes", "no"], "ann"),
            [drawn(1, ["yes", "no"], "label"), drawn(2, ["yes", "no"], "label")],
        ),
        (
            drawn(3, [1, 2, 3], "yes").assign(no=lambda of: 4 - of.yes),
            [drawn(1, ["yes", "no"], "label"), drawn(2, ["yes", "no"], "label")],
        ),
        (
            drawn(3, ["yes", "no"], "ann", "bo"),
            [drawn(row, [0.1, 0.4, 0.7], "yes").assign(no=lambda of: 1 - of.yes) for row in (1, 2)],
        ),
    ],
    ids=["ratings", "one rating", "scores of items", "runs", "labels", "counts", "probabilities"],
)
def test_a_column_of_clusters_is_left_out_of_every_kind_of_data(
    gold: pd.DataFrame | None, systems: list[pd.DataFrame], clusters: list[Any]
) -> None:
    """It holds no rating, label, count or probability, whether it names clusters by numbers or by text."""

    def read(tables: list[pd.DataFrame], of: pd.DataFrame | None, **how: Any) -> nbyk.data.Systems:
        return nbyk.read_systems(dict(zip("ab", tables, strict=True)), of, **how)

    def beside(table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(document_id=clusters)

    plain = nbyk.compare(read(systems, gold))
    without = read([*map(beside, systems)], None if gold is None else beside(gold))
    assert any("document_id" in note for note in without.notes)
    said = [
        [(of.effect, of.p, of.interval) for of in pair.claims]
        for pair in (nbyk.compare(without).pair, plain.pair)
    ]
    np.testing.assert_equal(said[0], said[1])
    named = read([*map(beside, systems)], gold, cluster="document_id")
    assert len({*(named.clusters or ())}) == 6
    assert nbyk.compare(named).effect == plain.effect


def test_systems_in_columns_may_stand_beside_a_column_of_clusters(tmp_path: Path) -> None:
    table = drawn(1, [0, 1], "ours", "theirs")
    plain = nbyk.compare(nbyk.read_systems(table))
    left_out = nbyk.read_systems(table.assign(cluster=CLUSTERS["of text"]))
    assert left_out.names == ("ours", "theirs")
    assert nbyk.compare(left_out).p == plain.p
    assert any("'cluster' is not used" in note for note in left_out.notes)
    alone = table[["item", "ours"]].assign(cluster=CLUSTERS["of text"])
    path = tmp_path / "alone.csv"
    alone.to_csv(path, index=False)
    assert nbyk.read_systems(path, fewest=1).names == ("alone",)


def test_labels_may_be_counted_beside_a_column_of_clusters(tmp_path: Path) -> None:
    counts = drawn(1, [0, 1, 2], "yes").assign(no=lambda of: 3 - of.yes)
    assert counts_labels(table_of(counts), Columns())
    assert counts_labels(table_of(counts.assign(group_id=range(N))), Columns())


def test_a_table_of_clusters_alone_and_one_among_ratings_are_told_so(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,cluster\na,x\nb,y\n")
    with pytest.raises(
        NbykError, match="no ratings beside 'item', 'cluster'; expected columns rater and value"
    ):
        read_ratings(path)
    path.write_text("item,topic,ann,bo\na,law,1,0\nb,art,0,0\n")
    with pytest.raises(
        NbykError, match=r"'law', expected a finite number.*if the column is of clusters.*`cluster`"
    ):
        read_ratings(path)
    assert read_ratings(path, cluster="topic").clusters == ("law", "art")
    path.write_text("item,topic,ours,theirs\na,law,1,0\nb,art,0,0\n")
    with pytest.raises(
        NbykError, match=r"the columns topic, ours and theirs.*if one is of clusters.*`cluster`"
    ):
        nbyk.read_systems(path)


def test_what_a_mask_covers_is_missing_in_agreement_and_among_clusters() -> None:
    rng = np.random.default_rng(3)
    ratings, mask = rng.integers(1, 6, (N, 3)).astype(float), rng.random((N, 3)) < 0.2
    masked, with_nan = np.ma.array(ratings, mask=mask), np.where(mask, np.nan, ratings)
    for measure in ("alpha_interval", "alpha_nominal", "kappa", "icc"):
        assert nbyk.agreement(masked, measure=measure) == nbyk.agreement(with_nan, measure=measure)
    judge = np.ma.array(ratings[:, 0], mask=mask[:, 0])
    assert nbyk.agreement(ratings, judge) == nbyk.agreement(ratings, judge.filled(np.nan))
    clusters = np.ma.array(np.arange(N) % 4, mask=np.arange(N) == 5)
    with pytest.raises(NbykError, match="item 5 has no cluster"):
        nbyk.compare(None, ratings[:, 0], ratings[:, 1], cluster=clusters)


@pytest.mark.parametrize("missing", [None, pd.NA, float("nan")])
def test_agreement_takes_every_missing_value_of_a_frame(missing: Any) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(1, 6, (N, 3)), columns=["ann", "bo", "cy"])
    with_nan = frame.astype(float)
    with_nan.iloc[4, 1] = with_nan.iloc[7, 2] = np.nan
    holes = frame.astype(object)
    holes.iloc[4, 1] = holes.iloc[7, 2] = missing
    assert nbyk.agreement(holes) == nbyk.agreement(with_nan) == nbyk.agreement(with_nan.astype("Int64"))
    with pytest.raises(NbykError, match="found Ratings"):
        nbyk.agreement(nbyk.read_ratings(pd.DataFrame({"item": ITEMS * 2, "value": [0, 1] * N}), rater=None))


@pytest.mark.parametrize("form", [list, tuple, pd.Series, pa.array, lambda of: pa.chunked_array([of])])
def test_numbers_one_after_the_other_are_scores_in_every_form(form: Any) -> None:
    a, b = (np.random.default_rng(seed).normal(size=9).tolist() for seed in (1, 2))
    expected = nbyk.compare(None, np.array(a), np.array(b))
    found = nbyk.compare(None, form(a), form(b))
    assert (found.p, found.effect, found.sentence) == (expected.p, expected.effect, expected.sentence)


def test_decimals_are_numbers() -> None:
    a, b = (np.random.default_rng(seed).normal(size=9).round(2).tolist() for seed in (1, 2))
    exact = [[Decimal(str(number)) for number in of] for of in (a, b)]
    assert nbyk.compare(None, *exact).p == nbyk.compare(None, a, b).p
    assert nbyk.score_test("permutation", *exact).p == nbyk.score_test("permutation", a, b).p


@pytest.mark.parametrize("form", [list, np.array, pd.Series, lambda of: [*map(np.str_, of)]])
def test_na_names_no_class_in_arrays_either(form: Any) -> None:
    labels = ["yes", "no", "NA", "yes"]
    with pytest.raises(NbykError, match="gold, item 2: there is no response"):
        nbyk.compare(form(labels), {"a": form(labels[::-1]), "b": form(labels)}, kind="classes")


@pytest.mark.parametrize(
    "tasks",
    [
        np.repeat(np.array([0.1, 0.2], np.float32), N // 2),
        np.repeat([1, 2], N // 2),
        np.repeat(np.array(["2024-01-01", "2024-02-02"], "M8[D]"), N // 2),
        pa.array(["law"] * (N // 2) + ["art"] * (N // 2)),
    ],
    ids=["float32", "whole numbers", "dates", "Arrow"],
)
def test_tasks_of_any_type_are_those_of_the_same_names(tasks: Any) -> None:
    systems = {name: np.random.default_rng(seed).random(N) for seed, name in enumerate("ab")}
    expected = nbyk.compare(systems, suite=nbyk.Suite.of(["x"] * (N // 2) + ["y"] * (N // 2)))
    found = nbyk.compare(systems, suite=nbyk.Suite.of(tasks))
    assert found.effect == pytest.approx(expected.effect, abs=1e-12)
    assert found.p == pytest.approx(expected.p, rel=1e-9)


def test_weights_may_name_tasks_as_they_were_given() -> None:
    suite = nbyk.Suite.of([1, 1, 2, 2], {1: 3, 2: 1})
    np.testing.assert_array_equal(suite.weights, [0.75, 0.25])
