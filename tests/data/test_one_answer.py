"""The same data give one answer, whatever holds them: columns of clusters, masks, Arrow, other numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nbyk
from nbyk.cli.labels import read_labels
from nbyk.cli.pilot import read_rated
from nbyk.data import layouts, read_ratings, reading, responses, scale_from_text
from nbyk.data.columns import Columns
from nbyk.data.kinds import counts_in
from nbyk.data.layouts import Mending
from nbyk.data.reading import table_of
from nbyk.data.responses import as_systems
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
    assert counts_in(table_of(counts), Columns()) is not None
    assert counts_in(table_of(counts.assign(group_id=range(N))), Columns()) is not None


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
    with pytest.raises(NbykError, match="found 48 ratings of 24 items"):
        nbyk.agreement(nbyk.read_ratings(pd.DataFrame({"item": ITEMS * 2, "value": [0, 1] * N}), rater=None))


@pytest.mark.parametrize("form", [list, tuple, pd.Series, pa.array, lambda of: pa.chunked_array([of])])
def test_numbers_one_after_the_other_are_scores_in_every_form(form: Any) -> None:
    a, b = (np.random.default_rng(seed).normal(size=9).tolist() for seed in (1, 2))
    expected = nbyk.compare(None, np.array(a), np.array(b))
    found = nbyk.compare(None, form(a), form(b))
    assert (found.p, found.effect, found.sentence) == (expected.p, expected.effect, expected.sentence)


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


def written(folder: Path, form: str, numbers: list[float]) -> Any:
    """Return numbers, one after the other, in a file or an object of Python."""
    path = folder / form.replace(" ", "_")
    frame = pd.DataFrame({"score": numbers})
    match form:
        case "lines.txt" | "no header.csv":
            path.write_text("".join(f"{number}\n" for number in numbers))
        case "value.csv" | "accuracy.csv":
            frame.rename(columns={"score": form.removesuffix(".csv")}).to_csv(path, index=False)
        case "score.jsonl":
            frame.to_json(path, orient="records", lines=True)
        case "score.parquet":
            frame.to_parquet(path)
        case "score.xlsx":
            frame.to_excel(path, index=False)
        case "list.json":
            path.write_text(json.dumps(numbers))
        case "array.npy":
            np.save(path, np.array(numbers))
        case "array":
            return np.array(numbers)
        case "series":
            return pd.Series(numbers)
        case "frame":
            return frame
    return path


PLAIN = (
    *("lines.txt", "no header.csv", "value.csv", "score.jsonl", "score.parquet", "score.xlsx", "list.json"),
    *("array.npy", "array", "accuracy.csv", "series", "frame"),
)


@pytest.mark.parametrize("form", PLAIN)
def test_one_column_of_few_numbers_is_of_runs_in_every_form(form: str, tmp_path: Path) -> None:
    """So say `nbyk.compare` of the same lists, and the test of the scores by themselves."""
    numbers = {
        name: np.random.default_rng(seed).random(9).round(3).tolist() for seed, name in enumerate("ab")
    }
    folders = {name: tmp_path / name for name in numbers}
    for folder in folders.values():
        folder.mkdir()
    given = {name: written(folders[name], form, of) for name, of in numbers.items()}
    read = nbyk.read_systems(given)
    assert (read.kind, read.paired) == ("scores", False)
    assert nbyk.compare(read).p == nbyk.score_test("permutation_and_welch", *numbers.values()).p
    assert nbyk.compare(read).p == nbyk.compare(numbers).p


@pytest.mark.parametrize("form", PLAIN[:9])
@pytest.mark.parametrize(
    ("levels", "n", "how"),
    [([0, 1], 9, {}), ([0.2, 0.4, 0.6], 40, {}), ([1, 2, 3], 9, {"scale": (1, 3)})],
    ids=["right or wrong", "many", "on a scale"],
)
def test_one_column_of_answers_is_of_items_in_every_form(
    form: str, levels: list[float], n: int, how: dict[str, Any], tmp_path: Path
) -> None:
    given = {}
    for seed, name in enumerate("ab"):
        (tmp_path / name).mkdir()
        given[name] = written(tmp_path / name, form, np.random.default_rng(seed).choice(levels, n).tolist())
    read = nbyk.read_systems(given, **how)
    assert (read.kind, read.n_items) == ("numbers", n)
    alone = nbyk.read_systems({"a": given["a"]}, fewest=1, **how)
    np.testing.assert_array_equal(alone.responses["a"], read.responses["a"])
    assert nbyk.read_systems(given, given["a"], **how).kind == "numbers"


def test_files_of_one_column_in_a_folder_are_runs_of_items(tmp_path: Path) -> None:
    for name in "ab":
        for run, form in enumerate(("lines.txt", "value.csv", "array.npy")):
            (tmp_path / name / f"seed{run}").mkdir(parents=True)
            path = written(
                tmp_path / name / f"seed{run}", form, np.random.default_rng(run).random(9).tolist()
            )
            path.rename(tmp_path / name / f"seed{run}{path.suffix}")
            (tmp_path / name / f"seed{run}").rmdir()
    read = nbyk.read_systems([str(tmp_path / name) for name in "ab"])
    assert (read.kind, read.responses["a"].shape) == ("numbers", (9, 3))


def test_the_name_of_the_only_column_may_be_said(tmp_path: Path) -> None:
    paths = {
        name: written(tmp_path, "value.csv", [0.1, 0.2]).rename(tmp_path / name)
        for name in ("a.csv", "b.csv")
    }
    assert nbyk.read_systems(paths, value="value").kind == "scores"
    for path in paths.values():
        path.write_text("score\n0.5\n0.7\n")
    np.testing.assert_array_equal(nbyk.read_systems(paths, value="score").responses["a.csv"], [0.5, 0.7])
    with pytest.raises(NbykError, match="has no columns"):
        nbyk.read_systems(paths, value="loss")


def ballots(*models: str) -> pd.DataFrame:
    """Return votes on prompts by voters, of three models."""
    rng = np.random.default_rng(4)
    shown = np.array([rng.permutation(3)[:2] for _ in range(90)])
    names = np.array(models)[shown]
    winners = rng.choice(["model_a", "tie", "model_b"], 90)
    columns = {"prompt": np.arange(90) % 15, "voter": np.arange(90) // 9}
    return pd.DataFrame({**columns, "model_a": names[:, 0], "model_b": names[:, 1], "winner": winners})


def test_votes_with_other_columns_are_the_same_once_these_are_named() -> None:
    table = ballots("m1", "m2", "m3")
    plain = nbyk.compare(nbyk.read_votes(table))
    other = table.rename(columns={"prompt": "question", "voter": "who"})
    unnamed = nbyk.compare(nbyk.read_votes(other))
    assert unnamed.warnings[0].startswith(
        "not used: question and who; if one names prompts (`item`) or voters"
    )
    named = nbyk.compare(nbyk.read_votes(other, item="question", rater="who"))
    assert [pair.p for pair in named.pairs] == [pair.p for pair in plain.pairs]
    assert [pair.p for pair in unnamed.pairs] != [pair.p for pair in plain.pairs]
    assert named.warnings == plain.warnings
    with pytest.raises(NbykError, match=r"no column .asked.*; name prompts by `item`"):
        nbyk.read_votes(other, item="asked")


@pytest.mark.parametrize("names", [("model_b", "model_a", "x"), ("b", "a", "x"), ("tie", "y", "x")])
def test_a_winner_that_may_be_two_models_is_refused(names: tuple[str, str, str]) -> None:
    """A model that is called as a place is: "model_a" may have been shown first, or be a model's name."""
    table = ballots(*names)
    if "a" in names:
        table["winner"] = table.winner.str.removeprefix("model_")
    with pytest.raises(NbykError, match="a model's name that says another outcome too; rename the model"):
        nbyk.read_votes(table)


def test_votes_are_said_to_be_votes_wherever_ratings_are_expected() -> None:
    for read in (nbyk.read_systems, nbyk.read_ratings, nbyk.compare):
        with pytest.raises(NbykError, match=r"holds votes between two outputs.*nbyk\.read_votes"):
            read(ballots("m1", "m2", "m3"))


JUDGED = pd.DataFrame({"item": [f"q{row}" for row in range(12)], "value": [0, 1, 1] * 4})
PEOPLE = pd.DataFrame(
    [(f"q{row}", rater, (row + place) % 2) for row in range(8) for place, rater in enumerate(["ann", "bo"])],
    columns=["item", "rater", "value"],
)


@pytest.mark.parametrize(
    "kind", [int, float, bool, str, lambda cell: str(bool(cell)), lambda cell: f"{cell}.0"]
)
def test_numbers_count_alike_however_they_are_written(kind: Any) -> None:
    written_so = [table.assign(value=[kind(cell) for cell in table.value]) for table in (PEOPLE, JUDGED)]
    found = nbyk.read_judged(*written_so, counts={"1": 1, "0": -1})
    np.testing.assert_array_equal(found.values, 2 * PEOPLE.value.to_numpy() - 1)
    np.testing.assert_array_equal(found.judge[:3, 0], [-1, 1, 1])


def test_raters_with_a_column_each_are_not_said_to_be_one() -> None:
    long = nbyk.read_judged(PEOPLE, JUDGED)
    wide = nbyk.read_judged(PEOPLE.pivot(index="item", columns="rater", values="value").reset_index(), JUDGED)
    assert (wide.raters, wide.notes) == (long.raters, long.notes) == (("ann", "bo"), ())
    unnamed = nbyk.read_judged(PEOPLE.drop_duplicates("item").drop(columns="rater"), JUDGED)
    assert "no column of raters" in unnamed.notes[0]


def test_a_judges_column_called_judge_is_not_said_to_be_missing() -> None:
    with pytest.raises(NbykError, match="column 'judge' is of no rater or run by its name"):
        nbyk.read_judged(PEOPLE, JUDGED.rename(columns={"value": "judge"}))


@pytest.mark.parametrize("kind", ["numbers", "labels"])
def test_a_pilot_gives_one_plan_in_any_order_of_rows_and_columns(kind: str, tmp_path: Path) -> None:
    """Draws take items by their place, so that the order of a file would count like a seed."""
    table = drawn(5, [1, 2, 3] if kind == "numbers" else ["yes", "no"], "r2", "r10", "r1")
    long = table.melt("item", var_name="rater", value_name="value")
    tables = [table, table[::-1], table[["item", "r1", "r2", "r10"]], long]
    read = []
    for number, of in enumerate([*tables, long.sample(frac=1, random_state=1)]):
        path = tmp_path / f"{number}.csv"
        of.to_csv(path, index=False)
        scale = scale_from_text("1,2,3")
        read.append(
            read_rated(path, scale, Columns(), Mending())[0]
            if kind == "numbers"
            else read_labels(path, Columns(), Mending())[0]
        )
    assert all(other == read[0] for other in read)
    assert (read[0].raters, read[0].items[:3]) == (("r1", "r2", "r10"), ("q0", "q1", "q2"))
    cells = table[["r1", "r2", "r10"]].to_numpy()
    expected = (cells - 1) / 3 if kind == "numbers" else cells == "yes"
    np.testing.assert_allclose(read[0].matrix(), expected)


def test_clusters_go_with_their_items_into_the_order_of_ids() -> None:
    table = drawn(5, [1, 2, 3], "r2", "r1").assign(text=CLUSTERS["of text"])
    assert read_ratings(table[::-1], cluster="text").in_order().clusters == tuple(CLUSTERS["of text"])


SINGLES = {
    "pandas": lambda frame: frame,
    "nullable": lambda frame: frame.astype({"value": "Float32"}),
    "Arrow in pandas": lambda frame: frame.astype({"value": pd.ArrowDtype(pa.float32())}),
    "polars": pl.from_pandas,
    "Arrow": pa.Table.from_pandas,
    "a batch": pa.RecordBatch.from_pandas,
}


@pytest.mark.parametrize("form", [*SINGLES, "parquet", "array.npy", "array", "list", "series"])
def test_single_floats_are_the_decimals_that_they_show(form: str, tmp_path: Path) -> None:
    """Differences that are equal in decimals tie: else p is too small, by the chance of what ties with it.

    The oracle counts all swaps of whole numbers of tenths.
    """
    rng = np.random.default_rng(5)
    levels = np.array([1, 2, 3, 7])
    tenths = {name: rng.choice(levels, 30) for name in "ab"}
    singles = {name: (of / 10).astype(np.float32) for name, of in tenths.items()}
    given: dict[str, Any] = {}
    for name, of in singles.items():
        frame = pd.DataFrame({"item": [f"q{row}" for row in range(30)], "value": of})
        match form:
            case "parquet":
                frame.to_parquet(tmp_path / f"{name}.parquet")
                given[name] = tmp_path / f"{name}.parquet"
            case "array.npy":
                np.save(tmp_path / f"{name}.npy", of)
                given[name] = tmp_path / f"{name}.npy"
            case "array" | "list" | "series":
                given[name] = {"array": of, "list": [*of], "series": pd.Series(of)}[form]
            case _:
                given[name] = SINGLES[form](frame)
    if form not in ("list", "series"):
        given = nbyk.read_systems(given, kind="numbers")  # type: ignore[assignment]
    found = nbyk.compare(
        given, **({"kind": "numbers"} if isinstance(given, dict) else {}), n_resamples=99_999
    )
    differences = tenths["a"] - tenths["b"]
    sums = {0: 1.0}
    for size in np.abs(differences).tolist():
        shares: dict[int, float] = {}
        for so_far, share in sums.items():
            for sign in (-size, size):
                shares[so_far + sign] = shares.get(so_far + sign, 0.0) + share / 2
        sums = shares
    exact = sum(share for total, share in sums.items() if abs(total) >= abs(differences.sum()))
    assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 99_999))
    if not isinstance(given, dict):
        assert set(given.responses["a"].ravel().tolist()) <= {0.1, 0.2, 0.3, 0.7}


def test_a_named_column_of_raters_must_be_in_a_table_that_it_is_about(tmp_path: Path) -> None:
    """A wide table has none, so that the name would be ignored; beside gold the systems' runs may have it."""
    wide = drawn(1, [0.0, 1.0], "ann", "bo")
    long = wide.melt("item", var_name="run", value_name="value")
    systems = {"a": long, "b": long.assign(value=1 - long.value)}
    absent = r"no column 'rr'; found 'item', 'ann', 'bo'; name the column of raters or runs with "
    with pytest.raises(NbykError, match=absent + "`rater`"):
        nbyk.read_systems({"a": wide, "b": wide}, rater="rr")
    with pytest.raises(NbykError, match=absent + "`rater`"):
        read_ratings(wide, rater="rr")
    with pytest.raises(NbykError, match=absent + r"`gold_columns\.rater`"):
        nbyk.read_systems(systems, wide, rater="run", gold_columns=Columns(rater="rr"))
    wide.to_csv(tmp_path / "wide.csv", index=False)
    for read in (
        lambda columns: read_rated(tmp_path / "wide.csv", scale_from_text("0..1"), columns, Mending()),
        lambda columns: read_labels(tmp_path / "wide.csv", columns, Mending()),
    ):
        with pytest.raises(NbykError, match=absent + "`rater`"):
            read(Columns(rater="rr"))
    read_both = nbyk.read_systems(systems, wide, rater="run")
    assert read_both.gold_units is not None
    assert (read_both.gold_units.names, read_both.units["a"].names) == (("ann", "bo"), ("run ann", "run bo"))


def test_scores_of_runs_have_no_clusters_to_leave_out() -> None:
    runs = pd.DataFrame({"seed": [1, 2, 3], "cluster": [1, 1, 2], "ours": [0.1, 0.2, 0.4]})
    runs["base"] = 1 - runs.ours
    with pytest.raises(NbykError, match="'cluster' is of none by its name; leave it out"):
        nbyk.read_systems(runs)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("form", ["pandas", "Arrow", "parquet", "array", "masked array"])
def test_narrow_floats_are_the_same_decimals_in_every_form(form: str, kind: Any, tmp_path: Path) -> None:
    decimals = np.array([0.1, 0.3, 0.7, 0.2])
    frame = pd.DataFrame({"item": list("abcd"), "value": decimals.astype(kind)})
    if form.endswith("array"):
        narrow = frame.value.to_numpy()
        given = np.ma.array(narrow, mask=False) if "masked" in form else narrow
        found = as_systems(None, {"a": given, "b": given}).responses["a"].ravel()
    else:
        table: Any = frame if form == "pandas" else pa.table(dict(frame.items()))
        if form == "parquet":
            pq.write_table(table, tmp_path / "r.parquet")
            table = tmp_path / "r.parquet"
        found = read_ratings(table).values
    np.testing.assert_array_equal(found, decimals)


def test_a_class_that_is_called_like_clusters_keeps_its_probabilities_if_it_is_named() -> None:
    rng = np.random.default_rng(0)
    names = ["document_id", "b", "c"]
    shares = {name: rng.dirichlet(np.ones(3), N) for name in ("gold", "a", "b")}
    frames = {name: pd.DataFrame(of, columns=names).assign(item=ITEMS) for name, of in shares.items()}
    gold = frames.pop("gold")
    read = nbyk.read_systems(frames, gold, kind="distributions", classes=names)
    expected = nbyk.compare(*shares.values(), kind="distributions", classes=names)
    assert nbyk.compare(read).effect == pytest.approx(expected.effect)


WORDS, PEOPLE_OF = ["no", "so", "yes"], ["ann", "bo", "cy"]
LABELS = {
    name: np.random.default_rng(seed).choice(WORDS, (N, 3)) for seed, name in enumerate(("gold", *"ab"))
}
SHARES = {
    name: np.random.default_rng(seed).dirichlet([1] * 3, N) for seed, name in enumerate(("gold", *"ab"))
}


def holed(labels: np.ndarray, nothing: Any) -> np.ndarray:
    """Return labels of which every fifth, but for the first of an item, is missing."""
    cells = labels.astype(object)
    cells.ravel()[4::5] = nothing
    cells[:, 0] = labels[:, 0]
    return cells


def answers(systems: nbyk.data.Systems) -> list[Any]:
    """Return what systems hold, by place and by name."""
    assert systems.categories is not None
    matrices = [systems.gold, *systems.responses.values()]
    units = [(of.known_by, of.names) for of in systems.all_units.values()]
    of_categories = (systems.categories.names, systems.categories.ordered, systems.categories.table.tolist())
    return [systems.kind, of_categories, units, [np.nan_to_num(of, nan=-1).tolist() for of in matrices]]


@pytest.mark.parametrize(
    ("data", "how"),
    [
        (LABELS, {}),
        ({name: holed(of, None) for name, of in LABELS.items()}, {"kind": "classes"}),
        ({name: holed(of, "") for name, of in LABELS.items()}, {"kind": "classes"}),
        ({name: of[:, 0] for name, of in LABELS.items()}, {"classes": WORDS}),
        ({name: np.searchsorted(WORDS, of) for name, of in LABELS.items()}, {"classes": [0, 1, 2]}),
        (SHARES, {"kind": "distributions"}),
        (SHARES | {"gold": LABELS["gold"]}, {"kind": "distributions", "classes": WORDS}),
        (SHARES | {"gold": np.searchsorted(WORDS, LABELS["gold"][:, :2])}, {"kind": "distributions"}),
    ],
    ids=["text", "None", "blank", "one label", "whole numbers", "shares", "chosen", "chosen numbers"],
)
def test_arrays_are_read_as_tables_of_the_same_cells_are(
    data: dict[str, np.ndarray], how: dict[str, Any], tmp_path: Path
) -> None:
    """Matrices once were numbers to one intake, and classes to the other, which refused blanks."""
    gold, *systems = data.values()
    given = dict(zip("ab", systems, strict=True))
    found = answers(as_systems(gold, given, **how))
    assert found == answers(nbyk.read_systems(given, gold, **how))
    names = {len(of): of for of in (["value"], PEOPLE_OF[:2], PEOPLE_OF)}
    wide = {}
    for name, cells in data.items():
        matrix = cells.reshape(N, -1)
        columns = how.get("classes", ["0", "1", "2"]) if cells.dtype.kind == "f" else names[matrix.shape[1]]
        wide[name] = tmp_path / f"{name}.csv"
        pd.DataFrame(matrix, ITEMS, columns).rename_axis("item").to_csv(wide[name])
    of_gold = wide.pop("gold")
    in_files = answers(nbyk.read_systems(wide, of_gold, **how))
    assert [found[0], found[1][:2], found[3]] == [in_files[0], in_files[1][:2], in_files[3]]


def test_a_column_of_clusters_is_no_raters_in_arrays_either() -> None:
    gold = np.column_stack([LABELS["gold"][:, 0], CLUSTERS["of text"]]).astype(object)
    for read in (as_systems, lambda gold, systems: nbyk.read_systems(systems, gold)):
        with pytest.raises(NbykError, match=r"gold: column 'column 1' has none of the classes of all others"):
            read(gold, {"a": LABELS["a"], "b": LABELS["b"]})


def test_probabilities_without_names_have_those_of_the_frame_beside_them_by_place() -> None:
    """The names were sorted, and the array's columns were not: other classes, and a wrong score."""
    names = ["late", "early", "none"]
    frame = pd.DataFrame(SHARES["a"], columns=names)
    expected = nbyk.compare(*SHARES.values(), kind="distributions", classes=names)
    mixed = nbyk.compare(SHARES["gold"], frame, SHARES["b"], kind="distributions")
    assert mixed.effect == pytest.approx(expected.effect)
    turned = nbyk.compare(
        pd.DataFrame(SHARES["gold"], columns=names), frame[names[::-1]], SHARES["b"], kind="distributions"
    )
    assert turned.effect == pytest.approx(expected.effect)


def test_runs_of_frames_go_by_their_index() -> None:
    """Frames in a list went by their place, whatever their index said, and the effect was wrong."""
    rng = np.random.default_rng(7)
    frames = {name: pd.DataFrame(of, ITEMS, WORDS) for name, of in SHARES.items()}
    gold, a, b = frames.values()
    other = pd.DataFrame(rng.dirichlet([1] * 3, N), ITEMS, WORDS)
    order = rng.permutation(N)
    expected = nbyk.compare(gold, [a, other], b, kind="distributions", n_resamples=99)
    moved = nbyk.compare(gold, [a.iloc[order], other.iloc[order]], b, kind="distributions", n_resamples=99)
    assert (moved.effect, moved.p) == (expected.effect, expected.p)
    with pytest.raises(NbykError, match="have different indices"):
        nbyk.compare(gold, [a, other.iloc[order]], b, kind="distributions")


def test_a_response_off_the_scale_has_its_item_in_arrays_too() -> None:
    rated = np.full((N, 2), 3.0)
    rated[4, 1] = 9.0
    with pytest.raises(NbykError, match="B, item 4: found 9, expected a number from 1 to 5"):
        nbyk.compare(None, np.full((N, 2), 2.0), rated, scale=(1, 5))


def test_labels_need_no_gold_for_a_metric_of_ones_own() -> None:
    labels = {name: LABELS[name][:, 0] for name in "ab"}
    found = as_systems(None, labels, kind="classes")
    assert found.classes == tuple(WORDS)
    np.testing.assert_array_equal(found.responses["a"][:, 0], np.searchsorted(WORDS, labels["a"]))
    with pytest.raises(NbykError, match=r"B, item 2: found 0\.5, expected a class"):
        nbyk.compare(None, ["x", "y", "x"], ["x", "y", 0.5], kind="classes")


def test_labels_in_lists_of_other_lengths_are_of_nobody_known() -> None:
    ragged = [["x", "y"][: 1 + row % 2] for row in range(N)]
    even = [["x", "y"]] * N
    found = as_systems(ragged, {"a": even, "b": [["y"], ["x"]] * (N // 2)}).all_units
    assert {name: of.known_by for name, of in found.items()} == {"gold": "unknown", "a": "ids", "b": "vector"}


def test_a_column_without_a_response_makes_no_people_of_the_others() -> None:
    """Names with a gap were taken for those of people, who would be the same in both systems."""
    rng = np.random.default_rng(5)
    a, b = (rng.random(5) + rng.random((N, 5)) for _ in range(2))
    expected = nbyk.compare(None, a[:, [0, 2, 3, 4]] / 2, b[:, [0, 2, 3, 4]] / 2, n_resamples=99)
    a[:, 1] = b[:, 1] = np.nan
    for given in ((None, a / 2, b / 2), (nbyk.read_systems({"A": a / 2, "B": b / 2}),)):
        found = nbyk.compare(*given, n_resamples=99)
        assert [of.population for of in found.claims] == [of.population for of in expected.claims]
        assert [of.p for of in found.claims] == [of.p for of in expected.claims]


@pytest.mark.parametrize("form", [np.array, list, pd.DataFrame, lambda of: pl.DataFrame(of, orient="row")])
def test_rows_that_sum_to_one_are_probabilities_in_every_form(form: Any) -> None:
    """Lists of rows were numbers, and each class a rater."""
    expected = nbyk.compare(*SHARES.values(), kind="distributions", n_resamples=99)
    found = nbyk.compare(*(form(of.tolist()) for of in SHARES.values()), n_resamples=99)
    assert (found.question.metric, found.effect, found.p) == (
        expected.question.metric,
        expected.effect,
        expected.p,
    )
    numbers = nbyk.compare(*SHARES.values(), metric="mae", n_resamples=99)
    assert numbers.question.metric == "mae"


def test_labels_in_lists_are_looked_at_once_for_each_class(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []

    def is_missing(cell: Any) -> bool:
        looked_at.append(cell)
        return layouts.is_missing(cell)

    monkeypatch.setattr(responses, "is_missing", is_missing)
    labels = ["yes", "no", None, "no"] * 250
    read = as_systems(["yes", "no"] * 500, {"a": [label or "yes" for label in labels], "b": ["no"] * 1000})
    assert (read.kind, read.classes) == ("classes", ("no", "yes"))
    assert len(looked_at) < 20


@pytest.mark.parametrize("on_duplicates", ["refuse", "mean"])
def test_whole_numbers_are_read_once_as_the_levels_of_a_scale(
    on_duplicates: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rows = tmp_path / "pilot.csv", []
    for item, (one, other) in enumerate([(1, 2), (3, 5), (4, 4), (2, 2)]):
        rows += [f"q{item},r1,{one}", f"q{item},r2,{other}"]
    rows += ["q0,r1,3"] * (on_duplicates == "mean")
    path.write_text("\n".join(["item,rater,value", *rows]) + "\n")
    times: list[Any] = []
    monkeypatch.setattr(reading, "table_of", lambda given: times.append(given) or table_of(given))
    scales = [scale_from_text(text) for text in ("1..5", "1,2,3,4,5")]
    by_ends, by_levels = (read_rated(path, of, Columns(), Mending(on_duplicates)) for of in scales)
    assert by_ends == by_levels
    assert [given for given in times if given == path] == [path, path]
