"""Files of other tools, as the tools themselves write them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nbyk.data import Levels, containers, makers, read_ratings, read_systems
from nbyk.errors import NbykError


def as_json(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def helm(instance: str, trial: int, match: float, **further: Any) -> dict[str, Any]:
    """Return an entry as HELM 0.5 writes them (`helm.benchmark.metrics.metric.PerInstanceStats`)."""
    stat = {"count": 1, "sum": match, "sum_squared": match, "min": match, "max": match, "mean": match}
    named = {"name": {"name": "exact_match", "split": "test"}, **stat}
    return {"instance_id": instance, "train_trial_index": trial, "stats": [named], **further}


def test_helms_statistics_per_instance(tmp_path: Path) -> None:
    entries = [helm(f"id{i}", trial, (i + trial) % 2) for i in range(3) for trial in range(2)]
    path = as_json(tmp_path / "per_instance_stats.json", entries)
    ratings = read_ratings(path, cluster="instance_id")
    said = "items = instance (3), runs = train_trial_index (2), values = exact_match"
    assert ratings.recognised == said
    assert ratings.matrix().tolist() == [[0, 1], [1, 0], [0, 1]]
    entries.append(helm("id0", 0, 1.0, perturbation={"name": "dialect", "prob": 1.0}))
    perturbed = read_ratings(as_json(path, entries), cluster="instance_id")
    assert perturbed.items[-1] == "id0 (dialect)"
    assert perturbed.clusters == ("id0", "id1", "id2", "id0")


def instance(number: int, text: str, **further: Any) -> dict[str, Any]:
    """Return an instance as HELM writes it into instances.json."""
    return {"input": {"text": text}, "references": [], "split": "test", "id": f"id{number}", **further}


def test_helms_instances_of_one_id_with_different_texts_are_refused(tmp_path: Path) -> None:
    dialect = {"perturbation": {"name": "dialect", "prob": 1.0}}
    entries = [helm(f"id{i}", 0, i % 2, **copy) for i in range(3) for copy in ({}, dialect)]
    paths = {}
    for name, word, copied in (
        ("a", "root", "rut"),
        ("b", "root", "rut"),
        ("c", "cube", "rut"),
        ("d", "root", ""),
    ):
        (tmp_path / name).mkdir()
        paths[name] = as_json(tmp_path / name / "per_instance_stats.json", entries)
        of_copies = [instance(i, f"{copied} {i}", **dialect) for i in range(3)]
        as_json(
            tmp_path / name / "instances.json", [*(instance(i, f"{word} {i}") for i in range(3)), *of_copies]
        )
    assert read_systems({name: paths[name] for name in "ab"}).n_items == 6
    for other, item in (("c", "id0"), ("d", r"id0 \(dialect\)")):
        with pytest.raises(
            NbykError, match=rf"item '{item}' has input_hash \w+, elsewhere \w+; expected one"
        ):
            read_systems({"a": paths["a"], other: paths[other]})
    for node in ([], {}, [None, 7, {}, {"id": None}, {"id": ["x"], "input": "x", "perturbation": 3}]):
        as_json(tmp_path / "c" / "instances.json", node)
        assert read_systems({"a": paths["a"], "c": paths["c"]}).n_items == 6
    (tmp_path / "c" / "instances.json").write_text("[{")
    with pytest.raises(NbykError, match=r"c/instances\.json:1: not JSON"):
        read_ratings(paths["c"])


def test_several_scores_of_a_tool_are_asked_for(tmp_path: Path) -> None:
    entries = [helm("id0", 0, 1), helm("id1", 0, 0)]
    for entry in entries:
        entry["stats"].append({"name": {"name": "f1_score", "split": "test"}, "count": 1, "mean": 0.5})
    path = as_json(tmp_path / "stats.json", entries)
    with pytest.raises(NbykError, match=r"found the scores 'exact_match', 'f1_score'.*`value="):
        read_ratings(path)
    assert read_ratings(path, value="f1_score").values.tolist() == [0.5, 0.5]


def annotation(who: Any, rating: int, **further: Any) -> dict[str, Any]:
    """Return an annotation as Label Studio 1.x exports them."""
    result = {"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": rating}}
    free = {"from_name": "why", "to_name": "text", "type": "textarea", "value": {"text": ["it is so"]}}
    return {"id": 7, "completed_by": who, "was_cancelled": False, "result": [result, free], **further}


def test_label_studios_export(tmp_path: Path) -> None:
    tasks = [
        {"id": 1, "data": {"text": "a", "post": "p"}, "annotations": [annotation(3, 5), annotation(4, 1)]},
        {
            "id": 2,
            "data": {"text": "b", "post": "q"},
            "annotations": [annotation({"id": 3}, 2), annotation(4, 1, was_cancelled=True)],
        },
    ]
    ratings = read_ratings(
        as_json(tmp_path / "export.json", tasks), scale=Levels((1, 2, 3, 4, 5)), cluster="post"
    )
    assert ratings.recognised == (
        "items = task (2), raters = completed_by (2), values = quality; not used: why, text"
    )
    assert ratings.items == ("1", "2")
    assert ratings.values.tolist() == [0.8, 0.0, 0.2]
    assert ratings.clusters == ("p", "q")


def test_argillas_records(tmp_path: Path) -> None:
    rg = pytest.importorskip("argilla", reason="argilla is no part of the lock")
    users = ["6f2a", "9b1c"]
    uuid = {user: f"00000000-0000-0000-0000-00000000{user}" for user in users}
    records = [
        rg.Record(
            id=name,
            fields={"text": "x"},
            metadata={"post": name[0]},
            responses=[rg.Response("quality", value, user_id=uuid[user]) for user, value in given.items()],
        ).to_dict()
        for name, given in {"p1": {"6f2a": 1, "9b1c": 3}, "q1": {"6f2a": 2}}.items()
    ]
    path = tmp_path / "records.json"
    path.write_text(json.dumps(records, default=str), encoding="utf-8")
    ratings = read_ratings(path, cluster="post")
    assert ratings.recognised == "items = id (2), raters = user_id (2), values = quality"
    assert ratings.matrix()[0].tolist() == [1, 3]
    assert ratings.clusters == ("p", "q")


def test_a_saved_data_set_of_hugging_face(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is no part of the lock")
    columns = {"item": ["a", "b", "a"], "annotator": ["x", "x", "y"], "value": [1.0, 0.0, 0.5]}
    made = datasets.Dataset.from_dict(columns)
    made.save_to_disk(tmp_path / "gold")
    ratings = read_ratings(tmp_path / "gold")
    assert ratings.recognised == "items = item (2), raters = annotator (2), values = value"
    assert ratings.values.tolist() == [1.0, 0.0, 0.5]
    assert read_systems([tmp_path / "gold", f"b={tmp_path / 'gold'}"]).n_items == 2
    kinds = datasets.Features(
        {"item": datasets.Value("string"), "value": datasets.ClassLabel(names=["n", "y"])}
    )
    several = datasets.Dataset.from_dict({"item": list("abcd"), "value": [0, 1, 1, 0]}, features=kinds)
    several.select([3, 1, 2]).save_to_disk(tmp_path / "shards", num_shards=2)
    ratings = read_ratings(tmp_path / "shards")
    assert dict(zip(ratings.items, ratings.values, strict=True)) == {"b": 1, "c": 1, "d": 0}
    assert ratings.mended[0].endswith("value holds numbers of the classes n, y, from 0")
    datasets.DatasetDict({"test": made, "dev": made}).save_to_disk(tmp_path / "both")
    with pytest.raises(NbykError, match=r"holds the splits test, dev; give the folder of one: .*both/test"):
        read_ratings(tmp_path / "both")
    assert read_ratings(tmp_path / "both" / "test").n_ratings == 3


def test_an_excel_workbook(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["item", "ann", "bo"], ["q1", 1, 0], ["q2", 0.5, None], [None, None, None]):
        sheet.append(row)
    book.create_sheet("empty")
    path = tmp_path / "gold.xlsx"
    book.save(path)
    ratings = read_ratings(path)
    assert (ratings.items, ratings.raters) == (("q1", "q2"), ("ann", "bo"))
    assert ratings.values.tolist() == [1.0, 0.0, 0.5]
    book["empty"].append(["item", "x"])
    book.save(path)
    with pytest.raises(NbykError, match="found filled sheets 'Sheet', 'empty', expected one"):
        read_ratings(path)
    path.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(NbykError, match="not a readable Excel workbook"):
        read_ratings(path)


def test_an_error_names_the_row_of_the_sheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    for row in ([], ["item", "rater", "value"], ["a", "r", 1], [], ["b", "r", "x"]):
        book.active.append(row)
    path = tmp_path / "gold.xlsx"
    book.save(path)
    with pytest.raises(NbykError, match=r"gold\.xlsx, row 5: column 'value': found 'x'"):
        read_ratings(path)
    book.active["B2"] = "item"
    book.save(path)
    with pytest.raises(NbykError, match=r"\['item', 'item', 'value'\], .*; mend row 2"):
        read_ratings(path)


def test_a_list_of_objects_is_a_table_and_other_json_is_refused(tmp_path: Path) -> None:
    rows = [{"item": "a", "rater": "r", "value": 1}, {"item": "b", "rater": "r", "value": 0}]
    assert read_ratings(as_json(tmp_path / "a.json", rows)).values.tolist() == [1, 0]
    with pytest.raises(NbykError, match="is JSON, but not of a tool that nbyk knows"):
        read_ratings(as_json(tmp_path / "b.json", {"a": {"x": 1}}))


def test_a_reader_that_is_not_installed_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gold.xlsx"
    path.write_bytes(b"PK\x03\x04")

    def missing(module: str) -> None:
        raise ImportError(f"No module named {module!r}")

    monkeypatch.setattr(containers.importlib, "import_module", missing)
    with pytest.raises(NbykError, match=r"gold.xlsx: is .*install it: pip install openpyxl$"):
        read_ratings(path)


def test_a_grade_that_inspect_has_no_number_for_is_not_counted_as_0(tmp_path: Path) -> None:
    given = ["C", "P", "I", "N", "0.25", True, 0.75, "yes", "False"]
    samples = [
        {"id": f"q{i}", "epoch": 1, "input": "x", "target": "y", "scores": {"match": {"value": value}}}
        for i, value in enumerate(given)
    ]
    log = {"status": "success", "eval": {"model": "m"}, "samples": samples}
    read = read_ratings(as_json(tmp_path / "log.json", log))
    assert read.values.tolist() == [1.0, 0.5, 0.0, 0.0, 0.25, 1.0, 0.75, 1.0, 0.0]
    assert read.mended == ()
    for value in ("B+", ""):
        samples[2]["scores"] = {"match": {"value": value}}
        with pytest.raises(NbykError, match=r"sample 3: column 'match': found .*expected a finite number"):
            read_ratings(as_json(tmp_path / "log.json", log))


@pytest.mark.parametrize("head", ["header.json", "_journal/start.json"])
def test_a_zipped_log_of_inspect_is_the_same_data(head: str, tmp_path: Path) -> None:
    samples = [
        {"id": f"q{i}", "epoch": 1, "input": "x", "target": "y", "scores": {"match": {"value": "CI"[i % 2]}}}
        for i in range(4)
    ]
    log: dict[str, Any] = {"eval": {"model": "m", "dataset": {"samples": 5}}}
    log |= {"status": "success"} if head == "header.json" else {}
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(head, json.dumps(log))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps({**sample, "events": [1]}))
    plain = as_json(tmp_path / "a.json", {**log, "samples": samples})
    zipped = read_ratings(tmp_path / "a.eval")
    assert zipped == read_ratings(plain)
    assert zipped.values.tolist() == [1, 0, 1, 0]
    lacking = [] if head == "header.json" else ["the evaluation ended with the status None"]
    lacking.append("1 of 5 samples that were meant are missing")
    assert zipped.mended == tuple(f"{tmp_path / 'a.eval'}: {words}" for words in lacking)


def test_a_reader_is_one_function(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Whatever it reads, numbers or classes, as JSON or as JSON lines, every door then takes it."""
    request.addfinalizer(makers.EXPORTS.pop)

    @makers.Export("case", "case", "attempt", keys=("case", "verdict"))
    def new_tool(case: Any) -> Iterator[makers.Row]:
        yield makers.Row(case["case"], 1, [("verdict", case["verdict"])])

    for kind, verdicts in (("numbers", (1, 0, 1)), ("classes", ("pass", "fail", "pass"))):
        cases = [{"case": name, "verdict": verdict} for name, verdict in zip("abc", verdicts, strict=True)]
        lines = tmp_path / "new.jsonl"
        lines.write_text("\n".join(map(json.dumps, cases)))
        for path in (as_json(tmp_path / "new.json", cases), lines):
            read = read_systems({"x": path, "y": path}, path)
            assert read.kind == kind
            said = "items = case (3), runs = attempt (1), values = verdict"
            assert read.recognised[str(path)].startswith(said)


def test_every_reader_has_its_row_in_the_page_on_formats() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    table = page.partition("## Files of other tools")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    layouts = {layout.rows for layout in makers.EXPORTS}
    assert len(rows) == len(layouts) + 3  # lm_eval's folders, those of data sets, and workbooks
