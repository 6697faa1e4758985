"""Recording: what a command's records say, and every state that a stopped command can leave."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import nbyk
from nbyk import provenance
from nbyk.data import load_source, read_ratings
from nbyk.errors import NbykError
from nbyk.files import read_json, read_parquet, replacing, sha256, write_json, write_parquet, write_text
from nbyk.lineage import VERSIONED, recording
from nbyk.metrics import load_file
from nbyk.provenance import Record, read_record, record_path

METRIC = """
import numpy as np
from nbyk.metrics import register

@register(direction="lower")
def error_of_mine(system, gold):
    return float(np.abs(system - gold).max())
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(path: str) -> Record:
    found = read_record(path)
    assert found is not None
    return found


def test_a_record_says_what_was_read_and_written_and_how_to_do_it_again(folder: Path) -> None:
    write_json("in.json", {})
    with recording(["make it", "--seed", "7", "--semantics=published", "--out", "out/a.parquet"]):
        read_json("in.json")
        read_json(folder / "in.json")
        write_parquet("out/a.parquet", pa.table({"x": [1]}), {"M": 40, "null": None})
        write_text(folder / "out/b.txt", "b")
    a, b = record("out/a.parquet"), record("out/b.txt")
    assert a.output == "out/a.parquet"
    assert (a.sha256, a.bytes) == (sha256("out/a.parquet"), os.path.getsize("out/a.parquet"))
    assert a.command == "nbyk 'make it' --seed 7 --semantics=published --out out/a.parquet"
    assert b.command == a.command
    assert a.inputs == b.inputs == {"in.json": sha256("in.json")}
    assert (a.versions["nbyk"], a.versions["numpy"]) == (nbyk.__version__, np.__version__)
    assert set(a.versions) == {"python", "nbyk", *VERSIONED}


def test_records_are_the_same_on_any_number_of_threads() -> None:
    said = set()
    for words in (["x", "--threads", "1"], ["x", "--threads", "8"], ["x"], ["x", "--threads=3"]):
        with recording(words):
            write_text("a.txt", "a")
        said.add(record_path("a.txt").read_bytes())
    assert len(said) == 1


@pytest.mark.quick
def test_every_kind_of_input_is_noted(folder: Path) -> None:
    rows = "item,rater,value\n1,x,0.5\n2,x,0.25\n"
    Path("a.csv").write_text(rows)
    Path("a.tsv").write_text(rows.replace(",", "\t"))
    Path("a.jsonl").write_text('{"item": 1, "rater": 2, "value": 3}\n{"item": 2, "rater": 2, "value": 3}\n')
    np.save("a.npy", np.ones((3, 2)))
    np.savez("a.npz", np.ones((3, 2)))
    write_parquet("a.parquet", pa.table({"item": [1, 2], "rater": [1, 1], "value": [0.0, 1.0]}), {})
    Path("mine.py").write_text(METRIC)
    Path("toxicity.json").write_text(
        "".join(f'{{"comment_id": {n}, "ratings": [{{"toxic_score": 1, "worker_id": 2}}]}}\n' for n in (1, 2))
    )
    tables = ["a.csv", "a.tsv", "a.jsonl", "a.npy", "a.npz", "a.parquet"]
    with recording(["x"]):
        for name in tables:
            read_ratings(name)
        load_source("toxicity", "toxicity.json")
        load_source("convabuse")
        load_file("mine.py")
        write_text("out.txt", "")
    inputs = dict(record("out.txt").inputs)
    own = "nbyk:data/embedded/convabuse.csv"
    assert inputs.pop(own) == sha256(Path(nbyk.__file__).parent / own.removeprefix("nbyk:"))
    assert inputs == {name: sha256(name) for name in [*tables, "mine.py", "toxicity.json"]}


def test_a_path_outside_the_folder_is_noted_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    write_json("../in.json", {})
    with recording(["x"]):
        read_json("../in.json")
        write_text("a.txt", "")
    assert list(record("a.txt").inputs) == ["../in.json"]


def test_what_a_command_wrote_itself_is_no_input_and_what_it_read_before_is() -> None:
    write_json("a.json", {"old": 1})
    before = sha256("a.json")
    with recording(["x"]):
        read_json("a.json")
        write_json("a.json", {"new": 1})
        read_json("a.json")
        write_json("b.json", {})
        read_json("b.json")
    assert record("a.json").inputs == record("b.json").inputs == {"a.json": before}


def test_the_last_of_two_commands_is_the_one_that_is_recorded() -> None:
    for number in ("1", "2"):
        with recording(["x", "--seed", number]):
            write_text("a.txt", number)
            write_text("a.txt", number * 2)
    assert record("a.txt").command == "nbyk x --seed 2"
    assert record("a.txt").sha256 == sha256("a.txt")


def test_a_file_written_outside_of_any_command_loses_its_record() -> None:
    with recording(["x"]):
        write_json("a.json", {"mu": 1})
    write_json("a.json", {"mu": 2})
    assert read_record("a.json") is None
    assert read_json("a.json") == {"mu": 2}


@pytest.mark.parametrize("code", [2, "error", True])
def test_a_command_that_fails_leaves_no_record(code: object) -> None:
    with pytest.raises(SystemExit), recording(["x"]):  # noqa: PT012
        write_text("a.txt", "")
        sys.exit(code)  # type: ignore[arg-type]
    with pytest.raises(NbykError), recording(["x"]):  # noqa: PT012
        write_text("b.txt", "")
        raise NbykError("no")
    assert read_record("a.txt") is read_record("b.txt") is None
    assert not Path(".nbyk").exists()


@pytest.mark.parametrize("code", [0, None])
def test_a_command_line_that_ends_well_is_recorded(code: int | None) -> None:
    with pytest.raises(SystemExit), recording(["x"]):  # noqa: PT012
        write_text("a.txt", "")
        sys.exit(code)
    assert record("a.txt").command == "nbyk x"


class Killed(BaseException):
    """The process ends here: nothing that it would still have done is done."""


def killed(*args: object, **kwargs: object) -> None:
    raise Killed


STOPPED = {
    "before the old record is deleted": ("nbyk.provenance.will_replace", "old", True),
    "before the file is replaced": ("os.replace", "old", False),
    "before the new record is written": ("nbyk.lineage._write", "new", False),
}


@pytest.mark.parametrize(("where", "content", "recorded"), STOPPED.values(), ids=list(STOPPED))
def test_wherever_a_command_is_stopped_its_file_is_whole_and_read_and_the_next_run_heals(
    where: str, content: str, recorded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def command(text: str) -> None:
        with recording(["x", "--text", text]):
            write_json("a.json", text)

    command("new")
    expected = {path: path.read_bytes() for path in (Path("a.json"), record_path("a.json"))}
    command("old")
    with monkeypatch.context() as patch:
        patch.setattr(where, killed)
        with pytest.raises(Killed):
            command("new")
    assert read_json("a.json") == content
    assert (read_record("a.json") is not None) is recorded
    command("new")
    assert {path: path.read_bytes() for path in expected} == expected


def test_the_record_left_behind_by_a_deleted_file_makes_no_false_alarm() -> None:
    with recording(["x"]):
        write_json("a.json", "old")
    Path("a.json").unlink()  # as Snakemake does before it runs a job
    with recording(["x"]):
        write_json("a.json", "new")
        assert read_json("a.json") == "new"
        with pytest.raises(NbykError, match="no such file"):
            read_json("b.json")
    assert read_json("a.json") == "new"


def test_the_slower_of_two_writers_records_nothing_that_is_not_there() -> None:
    with recording(["slow"]):
        for name in ("overtaken.txt", "deleted.txt", "kept.txt"):
            write_text(name, "slow")
        Path("scratch").write_text("slow")
        os.replace("scratch", "overtaken.txt")  # as another process does, be it with the same bytes
        Path("deleted.txt").unlink()
    assert read_record("overtaken.txt") is read_record("deleted.txt") is None
    assert record("kept.txt").sha256 == sha256("kept.txt")


def test_records_of_records_are_not_made() -> None:
    with recording(["x"]):
        write_text("a.txt", "")
    assert sorted(path.name for path in Path().rglob("*")) == [".nbyk", "a.txt", "a.txt.json"]


def test_a_read_of_parquet_is_of_the_bytes_that_were_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    with recording(["x"]):
        write_parquet("a.parquet", pa.table({"x": [1]}), {})
    checked = provenance.was_read

    def replaced_after_the_check(path: str, content: bytes) -> None:
        checked(path, content)
        with replacing(path) as scratch:
            scratch.write_bytes(b"other")

    monkeypatch.setattr(provenance, "was_read", replaced_after_the_check)
    assert read_parquet("a.parquet")[0]["x"].to_pylist() == [1]
