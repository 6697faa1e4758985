"""Labels in every format are the same labels, and designs find the files that they name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.data.tables import named_rows
from nbyk.errors import NbykError
from nbyk.labels import soft_labels
from nbyk.labels.designs import design_files, read_design, read_labels
from nbyk.labels.designs.columns import LabelColumn, in_order_of

HARD = ["2", "0", "1", "1"]
SOFT = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.125, 0.375, 0.5], [1.0, 0.0, 0.0]]


def write_hard(path: Path) -> None:
    numbers = np.array(HARD, dtype=int)
    match path.name:
        case "bare.txt" | "bare.csv" | "bare.tsv":
            path.write_text("\n".join(HARD) + "\n\n")
        case "crlf.txt":
            path.write_bytes("\r\n".join(HARD).encode())
        case "named.csv":
            path.write_text("item,label\n" + "".join(f"i{n},{label}\n" for n, label in enumerate(HARD)))
        case "named.tsv":
            path.write_text("label\titem\n" + "".join(f"{label}\ti{n}\n" for n, label in enumerate(HARD)))
        case "whole.npy":
            np.save(path, numbers)
        case "column.npy":
            np.save(path, numbers[:, np.newaxis].astype(float))
        case "text.npy":
            np.save(path, np.array(HARD))
        case "rows.jsonl":
            path.write_text("\n".join(json.dumps({"item": n, "label": int(x)}) for n, x in enumerate(HARD)))
        case "rows.parquet":
            pd.DataFrame({"label": numbers}).to_parquet(path)


@pytest.mark.parametrize(
    "name",
    [
        *("bare.txt", "bare.csv", "bare.tsv", "crlf.txt", "named.csv", "named.tsv", "whole.npy"),
        *("column.npy", "text.npy", "rows.jsonl", "rows.parquet"),
    ],
)
def test_hard_labels_are_the_same_in_every_format(name: str, tmp_path: Path) -> None:
    write_hard(tmp_path / name)
    column = read_labels(tmp_path / name, "hard")
    assert column.values.tolist() == HARD
    assert (column.items is not None) == (name in ("named.csv", "named.tsv", "rows.jsonl"))


@pytest.mark.parametrize(
    "name", ["a.txt", "b.txt", "a.csv", "a.tsv", "named.csv", "a.npy", "a.jsonl", "b.jsonl", "a.parquet"]
)
def test_soft_labels_are_the_same_in_every_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    between = {"a.txt": " ", "b.txt": ", ", "a.tsv": "\t"}.get(name, ",")
    rows = "\n".join(between.join(map(str, row)) for row in SOFT)
    if path.suffix in (".txt", ".csv", ".tsv"):
        path.write_text(f"x,y,z\n{rows}" if name == "named.csv" else rows)
    elif name == "a.npy":
        np.save(path, np.array(SOFT, dtype=np.float32))
    elif name == "a.parquet":
        pd.DataFrame({"label": SOFT}).to_parquet(path)
    else:
        cells = SOFT if name == "a.jsonl" else [dict(zip("xyz", row, strict=True)) for row in SOFT]
        path.write_text("\n".join(json.dumps({"label": cell}) for cell in cells))
    column = read_labels(path, "soft")
    assert column.values.tolist() == SOFT
    assert column.classes == (("x", "y", "z") if name in ("named.csv", "b.jsonl") else None)


def test_whole_numbers_are_the_same_class_whatever_they_are_written_as() -> None:
    for values in (np.array([3, 0]), np.array([3.0, 0.0]), np.array([3, "0"], dtype=object)):
        assert LabelColumn(values, named_rows("x")).as_text().values.tolist() == ["3", "0"]
    assert LabelColumn(np.array(["007", "7"]), named_rows("x")).as_text().values.tolist() == ["007", "7"]
    assert LabelColumn(np.array([2**63 + 1], dtype=np.uint64), named_rows("x")).as_text().values[0] == str(
        2**63 + 1
    )


def test_items_and_classes_are_matched_by_name() -> None:
    target = LabelColumn(np.eye(2), named_rows("t"), items=np.array(["x", "y"]), classes=("a", "b"))
    other = LabelColumn(
        np.array([[0.1, 0.9], [0.2, 0.8]]), named_rows("p"), items=np.array(["y", "x"]), classes=("b", "a")
    )
    matched = in_order_of(other, target)
    assert matched.values.tolist() == [[0.8, 0.2], [0.9, 0.1]]
    assert matched.rows.shown(0) == "row 1"
    nameless = LabelColumn(other.values, named_rows("p"))
    assert in_order_of(nameless, target) is nameless
    assert in_order_of(target, nameless) is target


def lay(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_txt", ".txt").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_runs_are_found_by_folder_pattern_list_and_name(tmp_path: Path) -> None:
    labels = "a\nb\n"
    lay(
        tmp_path,
        gold_txt=labels,
        runs__base__run10_txt=labels,
        runs__base__run2_txt=labels,
        runs__one_txt=labels,
        runs__two_txt=labels,
        d_yaml=(
            "kind: hard\ntargets: gold.txt\nfolder: runs\ncontrols: base\n"
            "treatments: {listed: [one.txt, base/run2.txt], all: 't*.txt', one: one}\n"
        ),
    )
    (arm,) = read_design(tmp_path / "d.yaml")[0].arms
    assert [run.name for run in arm.control.runs] == ["run2", "run10"]
    assert {each.name: [run.name for run in each.runs] for each in arm.treatments} == {
        "listed": ["one", "run2"],
        "all": ["two"],
        "one": ["one"],
    }
    files = [Path(file).relative_to(tmp_path).as_posix() for file in design_files(tmp_path / "d.yaml")]
    assert files[0] == "d.yaml"
    assert set(files[1:]) == {
        *("gold.txt", "runs/base/run2.txt", "runs/base/run10.txt", "runs/one.txt", "runs/two.txt"),
    }


def test_without_treatments_all_else_in_the_folder_is_one(tmp_path: Path) -> None:
    labels = "a\nb\n"
    lay(
        tmp_path,
        runs__gold_txt=labels,
        runs__base__s1_txt=labels,
        runs__bert__s1_txt=labels,
        runs__bert__s2_txt=labels,
        runs__plain_txt=labels,
        d_yaml="kind: hard\ntargets: runs/gold.txt\nfolder: runs\ncontrols: [base]\n",
    )
    (arm,) = read_design(tmp_path / "d.yaml")[0].arms
    assert [(each.name, len(each.runs)) for each in arm.treatments] == [("bert", 2), ("plain", 1)]
    lay(tmp_path, runs__plain__s1_txt=labels)
    with pytest.raises(NbykError, match=r"d.yaml:3: folder: .*would both be 'plain'"):
        read_design(tmp_path / "d.yaml")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_runs_are_columns_of_a_table(suffix: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"item": ["i", "j"], "gold": [1, 0], "base": [1, 1], "bert_1": [1, 0], "bert_2": [0, 0]}
    )
    path = tmp_path / f"t.{suffix}"
    if suffix == "csv":
        frame.to_csv(path, index=False)
    elif suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    text = f"kind: hard\ntable: t.{suffix}\ntargets: gold\ncontrols: base\n"
    lay(tmp_path, d_yaml=text + "treatments: {bert: bert_*}\n", e_yaml=text)
    (arm,) = read_design(tmp_path / "d.yaml")[0].arms
    assert [run.prediction.values.tolist() for run in arm.treatments[0].runs] == [["1", "0"], ["0", "0"]]
    assert arm.control.runs[0].target.values.tolist() == ["1", "0"]
    assert [each.name for each in read_design(tmp_path / "e.yaml")[0].arms[0].treatments] == [
        "bert_1",
        "bert_2",
    ]


def test_targets_are_made_of_ratings_and_matched_to_items(tmp_path: Path) -> None:
    ratings = "item,rater,value\nx,1,1\nx,2,2\ny,1,2\ny,2,2\nz,1,1\nz,2,1\n"
    (tmp_path / "r.csv").write_text(ratings)
    (tmp_path / "p.csv").write_text("item,2,1\nz,0.1,0.9\ny,0.8,0.2\nx,0.5,0.5\n")
    text = "kind: soft\nratings: {path: r.csv, scale: '1,2', smoothing: 1}\ncontrols: {c: p.csv}\n"
    lay(tmp_path, d_yaml=text + "treatments: {t: [p.csv]}\n")
    (arm,) = read_design(tmp_path / "d.yaml")[0].arms
    run = arm.control.runs[0]
    expected = soft_labels([[1, 2], [2, 2], [1, 1]], (1.0, 2.0), smoothing=1.0)
    np.testing.assert_array_equal(run.target.values, expected)
    assert run.prediction.values.tolist() == [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]


def test_ratings_of_a_data_set_become_targets(tmp_path: Path) -> None:
    text = "kind: soft\nratings: {source: convabuse}\ncontrols: {c: p.npy}\ntreatments: {t: p.npy}\n"
    lay(tmp_path, d_yaml=text)
    np.save(tmp_path / "p.npy", np.full((4185, 5), 0.2))
    design, _ = read_design(tmp_path / "d.yaml")
    target = design.arms[0].control.runs[0].target
    assert target.values.shape == (4185, 5)
    np.testing.assert_allclose(target.values.sum(axis=1), 1.0)
    assert target.classes == ("-3", "-2", "-1", "0", "1")


COUNTS = [[2, 1, 1], [0, 4, 0], [1, 3, 4], [8, 0, 0]]  # SOFT of 4, 4, 8 and 8 people


@pytest.mark.parametrize("name", ["counts.txt", "counts.csv", "counts.jsonl", "counts.npy"])
def test_targets_are_made_of_counts(name: str, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    np.save(tmp_path / "runs/plain.npy", SOFT)
    np.save(tmp_path / "runs/other.npy", np.array(SOFT)[::-1])
    path = tmp_path / "runs" / name
    match path.suffix:
        case ".txt":
            path.write_text("\n".join(" ".join(map(str, row)) for row in COUNTS))
        case ".csv":
            path.write_text("a,b,c\n" + "\n".join(",".join(map(str, row)) for row in COUNTS))
        case ".jsonl":
            path.write_text(
                "\n".join(json.dumps({"label": dict(zip("abc", row, strict=True))}) for row in COUNTS)
            )
        case ".npy":
            np.save(path, COUNTS)
    text = f"kind: soft\ncounts: {{path: runs/{name}}}\nfolder: runs\ncontrols: [plain]\n"
    (tmp_path / "design.yaml").write_text(text)
    design, _ = read_design(tmp_path / "design.yaml")
    ((control, treatment),) = design.pairs
    np.testing.assert_array_equal(control.runs[0].target.values, SOFT)
    assert treatment.name == "other"
    assert [Path(file).name for file in design_files(tmp_path / "design.yaml")][1] == name


def test_counts_are_refused_where_they_are_none(tmp_path: Path) -> None:
    (tmp_path / "counts.txt").write_text("2 1\n0.5 3\n")
    np.save(tmp_path / "plain.npy", SOFT)
    text = "kind: soft\ncounts: {path: counts.txt}\ncontrols: [plain]\ntreatments: [plain.npy]\n"
    (tmp_path / "design.yaml").write_text(text)
    with pytest.raises(NbykError, match=r"counts.txt:2: class 0 is 0.5; expected a count of ratings"):
        read_design(tmp_path / "design.yaml")
    (tmp_path / "design.yaml").write_text(text.replace("soft", "hard"))
    with pytest.raises(NbykError, match="counts: makes soft targets, and the kind is hard; write kind: soft"):
        read_design(tmp_path / "design.yaml")
    (tmp_path / "design.yaml").write_text(text + "targets: counts.txt\n")
    with pytest.raises(NbykError, match="counts: is given beside targets; keep one of them"):
        read_design(tmp_path / "design.yaml")
