"""Labels of several people, by name: read from wide and long tables, and made into targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.errors import NbykError
from nbyk.labels import label_bootstrap, majority_labels, rated_targets, soft_labels
from nbyk.labels.designs import compare_design, read_class_ratings, read_design

CLASSES = ("neg", "neutral", "pos")
ROWS = [["pos", "pos", "neg"], ["neutral", None, "neutral"], ["neg", "neg", "neg"], ["neg", "pos", "pos"]]
CODES = np.array([[2, 2, 0], [1, np.nan, 1], [0, 0, 0], [0, 2, 2]])


def wide() -> str:
    rows = (f"q{row},{','.join(name or '' for name in names)}" for row, names in enumerate(ROWS))
    return "item,ann,bo,cy\n" + "\n".join(rows) + "\n"


def long() -> str:
    entries = (
        f"q{row},{rater},{name}"
        for row, names in enumerate(ROWS)
        for rater, name in zip(("ann", "bo", "cy"), names, strict=True)
        if name
    )
    return "id,annotator,label\n" + "\n".join(entries) + "\n"


@pytest.mark.parametrize("table", [wide(), long()], ids=["wide", "long"])
def test_either_layout_gives_the_same_ratings(table: str, tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text(table)
    ratings, classes = read_class_ratings(path)
    assert classes == CLASSES
    assert ratings.items == ("q0", "q1", "q2", "q3")
    assert set(ratings.raters) == {"ann", "bo", "cy"}
    assert rated_targets(ratings, classes).raters.n_shared == 3
    np.testing.assert_array_equal(soft_labels(ratings, classes), soft_labels(CODES, [0, 1, 2]))
    assert majority_labels(ratings, classes).labels.tolist() == ["pos", "neutral", "neg", "pos"]


def test_a_frame_and_classes_in_another_order(tmp_path: Path) -> None:
    frame = pd.DataFrame({"item": ["a", "b"], "x": [10, 9], "y": [9, 9]})
    assert read_class_ratings(frame)[1] == ("9", "10")
    ratings, classes = read_class_ratings(frame, classes=["10", "9", "8"])
    assert classes == ("10", "9", "8")
    np.testing.assert_array_equal(soft_labels(ratings, classes), [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])


def test_names_and_their_places_are_the_same_targets() -> None:
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, (80, 5))
    names = np.array(CLASSES, dtype=object)[codes]
    a, b = (np.array(CLASSES)[rng.integers(0, 3, 80)] for _ in "ab")
    target = majority_labels(names, CLASSES, ties="lowest").labels
    by_name = rated_targets(names, CLASSES, ties="lowest")
    by_place = rated_targets(codes, [0, 1, 2], ties="lowest")
    np.testing.assert_array_equal(by_name.codes, by_place.codes)
    of_name = label_bootstrap(target, a, b, "accuracy", rated=by_name, n_resamples=200)
    place_of = {name: str(place) for place, name in enumerate(CLASSES)}
    numbers = [np.array([place_of[name] for name in labels]) for labels in (target, a, b)]
    of_place = label_bootstrap(*numbers, "accuracy", rated=by_place, n_resamples=200)
    assert [claim.p for claim in of_name.parts[0].claims] == [claim.p for claim in of_place.parts[0].claims]
    assert len(of_name.parts[0].claims) == 2


@pytest.mark.parametrize(
    ("table", "classes", "found"),
    [
        (
            wide(),
            ["pos", "neg"],
            ":3: column 'ann': found 'neutral', expected one of the classes pos, neg",
        ),
        ("item,ann,bo\na,x,x\nb,x,x\n", None, "'x' is the only class, expected two or more"),
        (
            "id,annotator,label\na,ann,x\na,bo,\nb,ann,y\n",
            None,
            ":3: column 'label': found no value, exp",
        ),
        (
            "id,annotator,label\na,ann,x\na,ann,y\nb,ann,x\n",
            None,
            ":3: .*'ann'.*'a'|:3: .*'a'.*'ann'",
        ),
    ],
)
def test_a_bad_table_is_refused(table: str, classes: list[str] | None, found: str, tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text(table)
    with pytest.raises(NbykError, match=found):
        read_class_ratings(path, classes=classes)


def test_names_off_the_classes_and_repeated_classes_are_refused() -> None:
    with pytest.raises(
        NbykError, match="ratings, item 1: found 'neutral'; expected one of the classes neg, pos"
    ):
        soft_labels(ROWS, ["neg", "pos"])
    with pytest.raises(NbykError, match="found the classes neg, neg; expected two or more, each once"):
        soft_labels(ROWS, ["neg", "neg"])


def test_a_design_makes_targets_of_classes_by_name(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 3, (60, 3))
    predictions = {name: rng.integers(0, 3, 60) for name in ("new", "old")}

    def laid(names: tuple[str, ...], key: str) -> Path:
        folder = tmp_path / names[0]
        folder.mkdir()
        text = "".join(f"q{i},{','.join(names[code] for code in row)}\n" for i, row in enumerate(codes))
        (folder / "r.csv").write_text(f"item,ann,bo,cy\n{text}")
        for system, labels in predictions.items():
            (folder / f"{system}.txt").write_text("".join(f"{names[code]}\n" for code in labels))
        (folder / "design.yaml").write_text(
            f"kind: hard\nratings: {{path: r.csv{key}, ties: lowest}}\ncontrols: {{old: old.txt}}\n"
            "treatments: {new: new.txt}\nmetric: [accuracy, f1_macro]\nn_resamples: 99\n"
        )
        return folder / "design.yaml"

    by_name = compare_design(*read_design(laid(CLASSES, "")))
    by_level = compare_design(*read_design(laid(("1", "2", "3"), ', scale: "1,2,3"')))
    assert [finding.found for finding in by_name.findings] == [finding.found for finding in by_level.findings]
