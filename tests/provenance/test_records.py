"""Records: where they lie, what they hold, and what a reader says of a file that is not as they say."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest

from nbyk import files
from nbyk.data import read_ratings
from nbyk.errors import NbykError
from nbyk.files import read_bytes, read_json, read_parquet, write_json, write_parquet, write_text
from nbyk.lineage import recording
from nbyk.provenance import files_with_records, read_record, record_path, recorded_file

TABLE = pa.table({"item": ["a", "b"] * 50, "rater": ["x", "x", *map(str, range(98))], "value": [0.5] * 100})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "record"),
    [
        ("a.json", ".nbyk/a.json.json"),
        ("results/ratings/x.parquet", "results/ratings/.nbyk/x.parquet.json"),
        ("results/pvalues/s=1/t=2/x.parquet", "results/.nbyk/pvalues/s=1/t=2/x.parquet.json"),
        ("results/a=b/plain/x.csv", "results/a=b/plain/.nbyk/x.csv.json"),
    ],
)
def test_records_lie_beside_their_file_or_beside_its_dataset(file: str, record: str, folder: Path) -> None:
    assert record_path(file) == record_path(folder / file) == folder / record
    assert recorded_file(folder / record) == folder / file


def test_the_files_of_a_folder_that_have_records_are_found_from_every_height(folder: Path) -> None:
    names = ["top.csv", "results/ratings/x.csv", "results/pvalues/s=1/x.csv", "results/pvalues/s=2/x.csv"]
    with recording(["command"]):
        for name in names:
            write_text(name, name)
    (folder / "results/pvalues/s=1/.nbyk").mkdir()
    (folder / "results/pvalues/s=1/.nbyk/x.csv.json").write_text("not where records of a dataset lie")
    (folder / ".hidden").mkdir()
    for place, expected in {
        ".": set(names),
        "results/ratings": {names[1]},
        "results/pvalues": set(names[2:]),
        "results/pvalues/s=2": {names[3]},
        "nowhere": set(),
    }.items():
        found = list(files_with_records(folder / place if place != "." else folder))
        assert {str(file.relative_to(folder)) for file in found} == expected
        assert len(found) == len(expected)


def cut(content: bytes) -> bytes:
    return content[:-1]


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def grown(content: bytes) -> bytes:
    return content + b"\n"


READERS = {
    "ratings.parquet": (lambda path: write_parquet(path, TABLE, {}), read_parquet),
    "ratings of a user's.parquet": (lambda path: write_parquet(path, TABLE, {}), read_ratings),
    "prior.json": (lambda path: write_json(path, {"a": [1, 2, 3]}), read_json),
    "ratings.csv": (lambda path: write_text(path, "item,rater,value\n1,x,0.5\n2,x,0.25\n"), read_ratings),
    "figure.svg": (lambda path: write_text(path, "<svg/>"), read_bytes),
}


@pytest.mark.parametrize("damage", [cut, flipped, grown])
@pytest.mark.parametrize("name", READERS)
def test_a_file_that_was_damaged_or_edited_is_one_error_and_never_read(
    name: str, damage, folder: Path
) -> None:  # type: ignore[no-untyped-def]
    write, read = READERS[name]
    path = folder / name
    with recording(["command"]):
        write(path)
    read(path)
    original = path.read_bytes()
    path.write_bytes(damage(original))
    with pytest.raises(NbykError) as caught:
        read(path)
    said = str(caught.value)
    size, was = len(damage(original)), len(original)
    assert said.startswith(f"{path}: found {size} bytes of SHA-256 ")
    assert f"expected the {was} of " in said
    assert f"it was {'cut off' if size < was else 'changed'} since" in said
    assert said.endswith(f"names the command, or delete its record .nbyk/{name}.json if that was meant")
    assert "\n" not in said


def test_an_edit_that_was_meant_counts_once_the_record_is_deleted(folder: Path) -> None:
    with recording(["command"]):
        write_json("prior.json", {"mu": 0.2})
    Path("prior.json").write_text('{"mu": 0.3}')
    record_path("prior.json").unlink()
    assert read_json("prior.json") == {"mu": 0.3}


def test_a_file_without_a_record_is_read_as_it_is(folder: Path) -> None:
    write_json("own.json", {"mu": 0.2})
    assert not (folder / ".nbyk").exists()
    Path("own.json").write_text('{"mu": 0.3}')
    assert read_json("own.json") == {"mu": 0.3}


def test_a_name_that_leaves_no_room_for_a_record_is_read_as_it_is(folder: Path) -> None:
    name = "x" * (os.pathconf(folder, "PC_NAME_MAX") - 1)
    Path(name).write_text("{}")
    assert read_json(name) == {}


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"sha256": 1}', "\xff"])
def test_a_damaged_record_is_named(content: str, folder: Path) -> None:
    with recording(["command"]):
        write_json("a.json", {})
    record_path("a.json").write_text(content, encoding="latin-1")
    with pytest.raises(
        NbykError, match=r"^\.nbyk/a\.json\.json: not a record .* delete it and a\.json"
    ) as caught:
        read_json("a.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["output", "sha256", "bytes", "command", "inputs", "versions"])
def test_a_record_with_a_wrong_value_is_named(key: str, folder: Path) -> None:
    with recording(["command"]):
        write_json("a.json", {})
    record = json.loads(record_path("a.json").read_text())
    record_path("a.json").write_text(json.dumps({**record, key: None}))
    with pytest.raises(NbykError, match=rf"{key} is None"):
        read_record("a.json")


def test_a_record_without_its_file_says_nothing_of_a_missing_one(folder: Path) -> None:
    with recording(["command"]):
        write_json("a.json", {})
    Path("a.json").unlink()
    with pytest.raises(NbykError, match=r"^a\.json: no such file$"):
        read_json("a.json")


def test_a_reader_that_another_writer_overtakes_reads_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(["command"]):
        write_json("a.json", {"new": 1})
    read, times = files.content_of, []

    def overtaken(path: str) -> bytes:
        times.append(path)
        return b'{"old": 1}' if len(times) == 1 else read(path)

    monkeypatch.setattr(files, "content_of", overtaken)
    assert read_json("a.json") == {"new": 1}
    assert len(times) == 2
