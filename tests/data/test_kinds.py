"""What the cells are decides the kind of data, in every form of file; `kind` says otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.special
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal

import nbyk
from nbyk.cli.labels import read_labels
from nbyk.data.columns import Columns
from nbyk.data.layouts import Mending
from nbyk.errors import NbykError

GOLD = ["yes", "no", "no", "yes", "no"]
LABELS = {"a": ["yes", "no", "yes", "yes", "no"], "b": ["no", "no", "no", "yes", "no"]}
SOFT = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.125, 0.375, 0.5], [1.0, 0.0, 0.0], [0.25, 0.25, 0.5]]
FORMS = (
    "wide.csv",
    "long.csv",
    "long.tsv",
    "long.jsonl",
    "long.parquet",
    "objects.json",
    "columns.json",
    "frame",
)
NAMELESS = ("bare.txt", "bare.csv", "list.json", "array.npy", "array")


def laid(folder: Path, name: str, form: str, cells: list[Any]) -> Any:
    """Write one cell for each item in a form, and return the path, the frame or the array."""
    path = folder / f"{name}_{form}"
    frame = pd.DataFrame({"item": [f"q{row}" for row in range(len(cells))], "value": cells})
    match form:
        case "frame":
            return frame
        case "array":
            return np.array(cells)
        case "array.npy":
            np.save(path, np.array(cells))
        case "bare.txt" | "bare.csv":
            path.write_text("".join(f"{cell}\n" for cell in cells))
        case "list.json":
            path.write_text(json.dumps(cells))
        case "columns.json":
            path.write_text(json.dumps(frame.to_dict(orient="list")))
        case "objects.json":
            path.write_text(frame.to_json(orient="records"))
        case "long.jsonl":
            frame.to_json(path, orient="records", lines=True)
        case "long.parquet":
            frame.to_parquet(path)
        case "wide.csv":
            frame.rename(columns={"value": "output"}).to_csv(path, index=False)
        case _:
            frame.to_csv(path, index=False, sep="\t" if form.endswith("tsv") else ",")
    return path


@pytest.mark.parametrize("form", [*FORMS, *NAMELESS])
def test_classes_are_classes_in_every_form(form: str, tmp_path: Path) -> None:
    systems = {name: laid(tmp_path, name, form, cells) for name, cells in LABELS.items()}
    read = nbyk.read_systems(systems, laid(tmp_path, "gold", form, GOLD))
    assert (read.kind, read.classes) == ("classes", ("no", "yes"))
    assert_array_equal(read.gold, [[1], [0], [0], [1], [0]])
    assert_array_equal(read.responses["a"], [[1], [0], [1], [1], [0]])
    assert read.taken_as == "classes no, yes, of 5 items, gold"
    assert_array_equal(read.pair("a", "b").b, read.responses["b"])
    assert nbyk.compare(read.pair("a", "b")).pair.scores[0] == 0.8


@pytest.mark.parametrize("form", [*FORMS, *NAMELESS])
def test_whole_numbers_are_numbers_unless_classes_are_asked_for(form: str, tmp_path: Path) -> None:
    cells = {name: [int(cell == "yes") for cell in of] for name, of in (*LABELS.items(), ("gold", GOLD))}
    given = {name: laid(tmp_path, name, form, of) for name, of in cells.items()}
    gold = given.pop("gold")
    numbers = nbyk.read_systems(given, gold)
    assert numbers.kind == "numbers"
    assert_array_equal(numbers.responses["b"].ravel(), cells["b"])
    classes = nbyk.read_systems(given, gold, kind="classes")
    assert classes.classes == ("0", "1")
    assert_array_equal(classes.responses["b"], numbers.responses["b"])
    scores = nbyk.read_systems(given, kind="scores")
    assert (scores.kind, scores.paired) == ("scores", form in FORMS)
    assert_array_equal(scores.responses["b"], cells["b"])


def soft(folder: Path, name: str, form: str, rows: list[list[float]]) -> Any:
    path = folder / f"{name}_{form}"
    items = [f"q{row}" for row in range(len(rows))]
    of_class = [dict(zip("xyz", row, strict=True)) for row in rows]
    wide = pd.DataFrame(rows, columns=list("xyz"))
    match form:
        case "array":
            return np.array(rows)
        case "array.npy":
            np.save(path, np.array(rows))
        case "bare.txt":
            path.write_text("".join(f"{' '.join(map(str, row))}\n" for row in rows))
        case "bare.csv":
            wide.to_csv(path, index=False, header=False)
        case "lists.json":
            path.write_text(json.dumps(rows))
        case "wide.csv":
            wide.assign(item=items).to_csv(path, index=False)
        case "runs.csv":
            wide.assign(item=items, seed=1).to_csv(path, index=False)
        case "objects.jsonl":
            lines = zip(items, of_class, strict=True)
            path.write_text("\n".join(json.dumps({"id": item, "label": cell}) for item, cell in lines))
        case "lists.parquet":
            pd.DataFrame({"item": items, "label": rows}).to_parquet(path)
    return path


@pytest.mark.parametrize(
    "form",
    [
        *("array", "array.npy", "bare.txt", "bare.csv", "lists.json", "wide.csv", "runs.csv"),
        *("objects.jsonl", "lists.parquet"),
    ],
)
def test_rows_that_sum_to_one_are_distributions_in_every_form(form: str, tmp_path: Path) -> None:
    systems = {name: soft(tmp_path, name, form, rows) for name, rows in (("a", SOFT), ("b", SOFT[::-1]))}
    read = nbyk.read_systems(systems, soft(tmp_path, "gold", form, SOFT[1:] + SOFT[:1]))
    named = form in ("wide.csv", "runs.csv", "objects.jsonl")
    assert (read.kind, read.classes) == ("distributions", tuple("xyz" if named else "012"))
    assert read.categories is not None
    for places, rows in (
        (read.responses["a"], SOFT),
        (read.responses["b"], SOFT[::-1]),
        (read.gold, SOFT[1:] + SOFT[:1]),
    ):
        assert places is not None
        assert_allclose(read.categories.table[places[:, 0].astype(int)], rows, atol=1e-15)


def test_classes_of_people_beside_distributions_keep_their_people(tmp_path: Path) -> None:
    systems = {
        name: soft(tmp_path, name, "wide.csv", rows) for name, rows in (("a", SOFT), ("b", SOFT[::-1]))
    }
    people = [["x", "x", "y", "z"], ["y"] * 4, ["z", "y", "y", "x"], ["x"] * 4, ["z", "z", "x", "y"]]
    gold = pd.DataFrame(people, columns=["ann", "bo", "cy", "di"]).assign(
        item=[f"q{row}" for row in range(5)]
    )
    read = nbyk.read_systems(systems, gold)
    assert read.kind == "distributions"
    assert_array_equal(read.gold, [["xyz".index(name) for name in row] for row in people])
    assert read.gold_units is not None
    assert read.gold_units.names == ("ann", "bo", "cy", "di")
    shares = np.array([[row.count(name) / 4 for name in "xyz"] for row in people])
    predicted = np.array(SOFT)
    found = nbyk.compare(read.pair("a", "b"), metric="js_divergence", n_resamples=99)
    middle = 0.5 * (shares + predicted)
    terms = (scipy.special.rel_entr(of, middle) for of in (shares, predicted))
    assert found.pair.scores[0] == pytest.approx(
        float(np.mean([0.5 * term.sum(1) for term in terms], axis=0).mean() * 2)
    )


def test_several_people_and_runs_are_held_with_their_names(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("item,ann,bo\nq1,a,b\nq2,b,b\nq3,a,\n")
    for name in "st":
        rows = "".join(f"q{item},{seed},{'ab'[(item + seed) % 2]}\n" for item in (1, 2, 3) for seed in (1, 2))
        (tmp_path / f"{name}.csv").write_text(f"item,seed,prediction\n{rows}".replace("prediction", "label"))
    read = nbyk.read_systems([tmp_path / "s.csv", tmp_path / "t.csv"], gold)
    assert read.gold_units is not None
    assert (read.kind, read.gold_units.names) == ("classes", ("ann", "bo"))
    assert_array_equal(read.gold, [[0, 1], [1, 1], [0, np.nan]])
    assert_array_equal(read.responses["s"], [[0, 1], [1, 0], [0, 1]])
    assert read.units["s"].names == ("seed 1", "seed 2")
    assert read.recognised[str(gold)] == "items = item (3), raters = ann, bo, classes = a, b"


def test_scores_of_runs_need_no_items(tmp_path: Path) -> None:
    for name, text in (("a", "seed,f1\n1,0.5\n2,0.75\n"), ("b", "run,f1\n1,0.25\n2,0.5\n3,1\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    read = nbyk.read_systems([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert (read.kind, read.paired, read.items, read.gold) == ("scores", False, (), None)
    assert [scores.tolist() for scores in read.responses.values()] == [[0.5, 0.75], [0.25, 0.5, 1.0]]
    assert read.taken_as == "scores of runs, not paired: 2 of a, 3 of b"


@pytest.mark.parametrize("role", ["itme", "post"])
def test_a_column_that_may_hold_items_is_no_column_of_scores(role: str, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"{role},f1\n1,0.5\n2,0.75\n")
    with pytest.raises(NbykError, match=rf"a\.csv: no column 'item'; found '{role}', 'f1'"):
        nbyk.read_systems([tmp_path / "a.csv", tmp_path / "b.csv"])


BAD: dict[str, tuple[dict[str, str], dict[str, Any], str]] = {
    "a typing error is no class": (
        {"a": "item,value\nq1,1\nq2,o\nq3,1\n"},
        {},
        r"a\.csv:3: column 'value': found 'o', expected a finite number",
    ),
    "a class that gold lacks": (
        {"gold": "item,value\nq1,x\nq2,y\nq3,x\n", "a": "item,value\nq1,x\nq2,z\nq3,y\n"},
        {"kind": "classes"},
        r"a\.csv:3: column 'value': found 'z', expected one of the classes x and y",
    ),
    "the mean of classes": (
        {"gold": "item,value\nq1,x\nq2,y\nq3,x\n"},
        {"kind": "classes", "on_duplicates": "mean"},
        "on_duplicates: found mean, and classes have none; choose first or last",
    ),
    "a sum above one": (
        {"a": "item,x,y\nq1,0.5,0.5\nq2,0.5,0.6\nq3,0,1\n"},
        {"kind": "distributions"},
        r"a\.csv:3: sums to 1.1, 0.1 more than one",
    ),
    "an unknown kind": ({}, {"kind": "votes"}, "expected numbers, classes, distributions or scores"),
    "gold of scores": (
        {"gold": "item,value\nq1,1\nq2,0\nq3,1\n"},
        {"kind": "scores"},
        "found gold beside scores of runs",
    ),
    "a scale of classes": (
        {"gold": "item,value\nq1,x\nq2,y\nq3,x\n"},
        {"kind": "classes", "scale": (1, 5)},
        "scale: found .*, and classes have none; leave it out",
    ),
    "clusters of runs": ({}, {"kind": "scores", "cluster": "post"}, "cluster: found post, and scores have"),
    "classes without gold": ({}, {"kind": "classes"}, "gold: found classes, and no gold"),
    "a named column that a file lacks": (
        {},
        {"value": "pred"},
        r"a\.csv: no column 'pred'; found 'item', 'value'; .*, as in `value=.value.`",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_does_not_fit_its_kind_is_refused_by_its_place(case: str, tmp_path: Path) -> None:
    files, options, expected = BAD[case]
    good = {"a": "item,value\nq1,1\nq2,0\nq3,1\n", "b": "item,value\nq1,1\nq2,0\nq3,1\n"}
    if options.get("kind") == "distributions":
        good["b"] = "item,x,y\nq1,0.5,0.5\nq2,0.4,0.6\nq3,0,1\n"
    for name, text in {**good, **files}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    gold = tmp_path / "gold.csv" if "gold" in files else None
    with pytest.raises(NbykError, match=expected):
        nbyk.read_systems([tmp_path / "a.csv", tmp_path / "b.csv"], gold, **options)


@pytest.mark.parametrize("choice", ["first", "last"])
def test_duplicates_are_taken_as_asked_in_every_kind(choice: str, tmp_path: Path) -> None:
    place = 0 if choice == "first" else 1
    texts = {
        "classes": "item,rater,value\nq1,r,x\nq1,r,y\nq2,r,y\n",
        "distributions": "item,run,x,y\nq1,1,0.5,0.5\nq1,1,0.25,0.75\nq2,1,0.1,0.9\n",
        "scores": "item,score\nq1,1\nq1,2\nq2,3\n",
    }
    expected: dict[str, list[Any]] = {"classes": [0, 1], "distributions": [0.5, 0.25], "scores": [1, 2]}
    for kind, text in texts.items():
        path = tmp_path / f"{kind}.csv"
        path.write_text(text)
        gold = path if kind == "classes" else None
        systems = {"a": path, "b": path}
        read = nbyk.read_systems(systems, gold, kind=kind, on_duplicates=choice)  # type: ignore[arg-type]
        first = read.responses["a"].ravel()[0]
        if kind == "distributions":
            assert read.categories is not None
            first = read.categories.table[int(first), 0]
        assert first == expected[kind][place]
        assert any("1 further rating of an item" in note for note in read.notes)
        with pytest.raises(NbykError, match=r"has already rated item|is already on"):
            nbyk.read_systems(systems, gold, kind=kind)  # type: ignore[arg-type]


def test_runs_that_all_say_one_class_are_no_counts(tmp_path: Path) -> None:
    """Columns of a system are its runs, whatever the sums of their classes are; gold may count labels."""
    (tmp_path / "gold.csv").write_text("item,0,2\nq1,3,2\nq2,4,1\nq3,1,4\n")
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("item,run1,run2\nq1,2,2\nq2,2,2\nq3,2,2\n")
    files = [str(tmp_path / f"{name}.csv") for name in "ab"]
    read = nbyk.read_systems(files, str(tmp_path / "gold.csv"), kind="classes")
    assert read.classes == ("0", "2")
    assert read.responses["a"].tolist() == [[1.0, 1.0]] * 3
    assert read.gold is not None
    assert (read.gold == 1).sum(axis=1).tolist() == [2, 1, 4]


def test_classes_are_named_as_python_writes_them(tmp_path: Path) -> None:
    for name, cells in (("gold", "True True False"), ("a", "True False False"), ("b", "False True False")):
        lines = [f"q{row},{cell}" for row, cell in enumerate(cells.split())]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,label", *lines]))
    files = [str(tmp_path / f"{name}.csv") for name in "ab"]
    read = nbyk.read_systems(files, str(tmp_path / "gold.csv"), kind="classes", classes=["True", "False"])
    assert read.classes == ("1", "0")
    assert read.responses["a"].ravel().tolist() == [0, 1, 1]
    in_memory = nbyk.compare(
        ["True", "True", "False"], ["True", "False", "False"], ["False", "True", "False"]
    )
    assert nbyk.compare(read).pair.scores == in_memory.pair.scores


@pytest.mark.parametrize("raters", [1, 2])
def test_a_column_of_clusters_is_no_rater_who_gives_classes(tmp_path: Path, raters: int) -> None:
    people = [f"ann{place}" for place in range(raters)]
    rows = [[f"q{i}", f"text {i // 3}", *["yes" if i % 2 else "no"] * raters] for i in range(12)]
    gold, system = tmp_path / "gold.csv", tmp_path / "a.csv"
    gold.write_text("\n".join(",".join(row) for row in [["item", "passage", *people], *rows]))
    system.write_text("\n".join(["item,label", *(f"q{i},yes" for i in range(12))]))
    given = {"a": system, "b": system}
    said = r"gold.csv: column 'passage' has none of the classes of all others; .* it with `cluster=.passage.`"
    with pytest.raises(NbykError, match=said):
        nbyk.read_systems(given, gold)
    systems = nbyk.read_systems(given, gold, cluster="passage")
    assert systems.gold is not None
    assert systems.gold.shape == (12, raters)
    assert systems.clusters is not None
    assert len(set(systems.clusters)) == 4
    by_name = nbyk.read_systems(given, gold, classes=["yes", "no", *sorted({row[1] for row in rows})])
    assert by_name.gold is not None  # whoever names the classes says that a rater may alone give one
    with pytest.raises(NbykError, match="has none of the classes of all others"):
        read_labels(gold, Columns(), Mending())


@pytest.mark.parametrize("form", ["wide.csv", "columns.json", "frame", "array"])
def test_distributions_go_by_the_names_of_their_columns(form: str, tmp_path: Path) -> None:
    """Frames, and files, may have the columns of the classes in other orders; scipy's distance has none."""
    rng = np.random.default_rng(2)
    names, items = ["neg", "neu", "pos"], [f"q{row}" for row in range(30)]
    shares = {name: rng.dirichlet(np.ones(3), 30) for name in ("gold", "a", "b")}
    orders = {"gold": [0, 1, 2], "a": [2, 0, 1], "b": [1, 0, 2]}
    data = {name: pd.DataFrame(of, items, names).iloc[:, orders[name]] for name, of in shares.items()}

    def effect(metric: str, **how: Any) -> float:
        if form == "frame":
            return nbyk.compare(data["gold"], data["a"], data["b"], metric=metric, **how).effect
        if form == "array":
            return nbyk.compare(*shares.values(), metric=metric, **how).effect
        if form == "wide.csv":
            given = {name: of.rename_axis("item").reset_index() for name, of in data.items()}
        else:
            given = {
                name: pd.DataFrame({"item": items, "value": of.to_dict("records")})
                for name, of in data.items()
            }
        for name, frame in given.items():
            if form == "wide.csv":
                frame.to_csv(tmp_path / f"{name}.csv", index=False)
        files = {name: tmp_path / f"{name}.csv" if form == "wide.csv" else of for name, of in given.items()}
        gold = files.pop("gold")
        return nbyk.compare(nbyk.read_systems(files, gold, **how), metric=metric).effect

    by_system = [
        np.mean(
            [
                scipy.stats.wasserstein_distance(range(3), range(3), p, q)
                for p, q in zip(shares["gold"], of, strict=True)
            ]
        )
        for of in (shares["a"], shares["b"])
    ]
    assert effect("emd_levels", classes=names) == pytest.approx(by_system[1] - by_system[0])
    by_system = [np.abs(shares["gold"] - of).sum(axis=1).mean() for of in (shares["a"], shares["b"])]
    assert effect("tv_sum") == pytest.approx(by_system[1] - by_system[0])
    if form != "array":
        with pytest.raises(NbykError, match="nothing says how"):
            effect("emd_levels")


@pytest.mark.parametrize("kind", [None, "distributions"])
def test_gold_beside_distributions_may_be_the_place_of_a_class(kind: str | None) -> None:
    """As scikit-learn's classifiers number theirs: the same as one-hot rows."""
    rng = np.random.default_rng(0)
    gold, a, b = rng.integers(0, 3, 20), rng.dirichlet(np.ones(3), 20), rng.dirichlet(np.ones(3), 20)
    expected = nbyk.compare(np.eye(3)[gold], a, b, kind="distributions").effect
    assert nbyk.compare(gold, a, b, kind=kind).effect == pytest.approx(expected)
    assert nbyk.compare(gold, a, b, metric="cross_entropy").effect == pytest.approx(expected)
    named = [
        pd.DataFrame(of, columns=["2", "0", "1"])[["0", "1", "2"]]
        for of in (a[:, [2, 0, 1]], b[:, [2, 0, 1]])
    ]
    assert nbyk.compare(pd.Series(gold), *named, kind=kind).effect == pytest.approx(expected)


def test_frames_of_other_classes_are_refused() -> None:
    a = pd.DataFrame(SOFT, columns=["x", "y", "z"])
    with pytest.raises(NbykError, match="the classes are x, y, w, elsewhere x, y, z"):
        nbyk.compare(a, a, a.rename(columns={"z": "w"}), metric="brier")


def test_frames_of_probabilities_are_distributions() -> None:
    """Their means over classes are all alike, so that as numbers all systems would be equally good."""
    rng = np.random.default_rng(0)
    arrays = [rng.dirichlet(np.ones(3), 20) for _ in range(3)]
    frames = [pd.DataFrame(of, columns=["x", "y", "z"]) for of in arrays]
    assert nbyk.compare(*frames).effect == pytest.approx(nbyk.compare(*arrays).effect)


@pytest.mark.parametrize(
    "metric", ["accuracy", "f1_macro", "recall(2)", "quadratic_kappa", "emd_levels", "brier"]
)
def test_numbers_of_named_classes_are_classes(metric: str, tmp_path: Path) -> None:
    """`classes` is never left unheard: numbers would have been cut at .5."""
    rng = np.random.default_rng(4)
    gold, a, b = rng.integers(1, 4, (3, 40))
    expected = nbyk.compare(gold, a, b, metric=metric, kind="classes").effect
    assert nbyk.compare(gold, a, b, metric=metric, classes=[1, 2, 3]).effect == expected != 0.0
    frames = {
        name: pd.DataFrame({"item": range(40), "value": of})
        for name, of in zip("gab", (gold, a, b), strict=True)
    }
    read = nbyk.read_systems(
        {"a": frames["a"], "b": frames["b"]},
        frames["g"],
        classes=["1", "2", "3"],
        scored="distributions" if metric in ("emd_levels", "brier") else None,
    )
    assert nbyk.compare(read, metric=metric).effect == expected
    with pytest.raises(NbykError, match="numbers have none"):
        nbyk.compare(gold, a, b, kind="numbers", classes=[1, 2, 3])


def test_text_is_classes_for_a_metric_of_distributions() -> None:
    """As arrays of text are."""
    frames = {
        name: pd.DataFrame({"item": range(5), "value": of}) for name, of in {"gold": GOLD, **LABELS}.items()
    }
    read = nbyk.read_systems({"a": frames["a"], "b": frames["b"]}, frames["gold"], scored="distributions")
    assert read.kind == "classes"
    expected = nbyk.compare(GOLD, LABELS["a"], LABELS["b"], metric="brier").effect
    assert nbyk.compare(read, metric="brier").effect == expected


@pytest.mark.parametrize("metric", ["quadratic_kappa", "emd_levels"])
def test_the_order_of_an_ordered_type_is_that_of_the_classes(metric: str) -> None:
    """That of pandas' ordered categories and of polars' Enum, as series and in frames, is `classes`."""
    import polars as pl

    rng = np.random.default_rng(1)
    levels = ["low", "mid", "high"]
    gold, a, b = (rng.choice(levels, 40).tolist() for _ in range(3))
    expected = nbyk.compare(gold, a, b, metric=metric, classes=levels).effect

    def category(of: list[str], *, ordered: bool = True) -> pd.Series:
        return pd.Series(pd.Categorical(of, levels, ordered=ordered))

    assert nbyk.compare(*map(category, (gold, a, b)), metric=metric).effect == expected
    enums = [pl.Series(of, dtype=pl.Enum(levels)) for of in (gold, a, b)]
    assert nbyk.compare(*enums, metric=metric).effect == expected
    for column in (category, lambda of: pl.Series(of, dtype=pl.Enum(levels))):
        make = pl.DataFrame if column is not category else pd.DataFrame
        of_gold, *systems = (make({"item": range(40), "value": column(of)}) for of in (gold, a, b))
        read = nbyk.read_systems(dict(zip("ab", systems, strict=True)), of_gold)
        assert nbyk.compare(read, metric=metric).effect == expected
    with pytest.raises(NbykError, match="nothing says how high, low, mid are ordered"):
        nbyk.compare(*(category(of, ordered=False) for of in (gold, a, b)), metric=metric)


def test_whole_numbers_below_zero_have_their_order() -> None:
    rng = np.random.default_rng(1)
    gold, a, b = rng.integers(-2, 3, (3, 60))
    expected = nbyk.compare(gold + 3, a + 3, b + 3, metric="quadratic_kappa").effect
    assert nbyk.compare(gold, a, b, metric="quadratic_kappa").effect == expected


def test_runs_of_frames_go_by_the_names_of_their_columns() -> None:
    rng = np.random.default_rng(6)
    shares = [rng.dirichlet(np.ones(3), 20) for _ in range(5)]
    gold, *runs = (pd.DataFrame(of, columns=["x", "y", "z"]) for of in shares)
    moved = [of[["z", "x", "y"]] for of in runs]
    expected = nbyk.compare(shares[0], shares[1:3], shares[3:], metric="brier").effect
    for a, b in ((runs[:2], moved[2:]), (moved[:2], moved[2:]), ([runs[0], moved[1]], runs[2:])):
        assert nbyk.compare(gold, a, b, metric="brier").effect == pytest.approx(expected)
    with pytest.raises(NbykError, match="the runs have other columns"):
        nbyk.compare(gold, [runs[0], runs[1].rename(columns={"z": "w"})], runs[2:], metric="brier")


def test_an_ordered_type_of_numbers_has_its_own_order() -> None:
    rng = np.random.default_rng(1)
    gold, a, b = rng.integers(1, 4, (3, 40))
    expected = nbyk.compare(gold, a, b, metric="quadratic_kappa", classes=[3, 1, 2]).effect
    for kind in (int, float):
        levels = [*map(kind, (3, 1, 2))]
        given = (pd.Series(pd.Categorical(of.astype(kind), levels, ordered=True)) for of in (gold, a, b))
        assert nbyk.compare(*given, metric="quadratic_kappa").effect == expected
