"""The chain from a file to its sources, and what has changed along it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nbyk.errors import NbykError
from nbyk.files import read_json, sha256, write_json
from nbyk.lineage import Origin, recording, trace
from nbyk.provenance import record_path


def make(out: str, *inputs: str, words: str = "") -> None:
    with recording([*words.split(), *inputs, "--out", out]):
        write_json(out, [read_json(path) for path in inputs])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a run: own.json → results/a, b → results/c → results/d."""
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("own.json").write_text("1")
    make("results/a.json", "own.json", words="fit --seed 7")
    make("results/b.json", "own.json", words="true --semantics published --draws 200")
    make("results/x=1/c.json", "results/a.json", "results/b.json", words="pvalues --seed 10 --draws 1000")
    make("results/d.json", "results/x=1/c.json", words="tables")
    return folder


def names(origin: Origin) -> list[str]:
    return [each.name for each in origin.chain()]


CHAIN = ["results/d.json", "results/x=1/c.json", "results/a.json", "results/b.json", "own.json"]


def test_the_chain_goes_back_to_the_sources_and_names_each_file_once(run: Path) -> None:
    (origin,) = trace("results/d.json")
    assert names(origin) == CHAIN
    assert [source.name for source in origin.sources()] == ["own.json"]
    assert {each.state for each in origin.chain()} == {"unchanged"}
    assert origin.folder == run
    (shared,) = {id(part.inputs[0]) for part in origin.inputs[0].inputs}
    assert shared == id(origin.sources()[0])


@pytest.mark.parametrize("asked", ["results/d.json", "run/results/d.json", "moved/results/d.json"])
def test_a_file_is_traced_from_any_folder_and_after_its_run_was_moved(
    asked: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not asked.startswith("results"):
        monkeypatch.chdir(run.parent)
        Path("run").rename(asked.split("/")[0])
    for path in (asked, Path(asked).absolute()):
        (origin,) = trace(path)
        assert names(origin)[1:] == CHAIN[1:]
        assert {each.state for each in origin.chain()} == {"unchanged"}
        assert origin.folder == Path(asked).absolute().parents[1]


def test_what_was_changed_or_is_missing_is_marked(run: Path) -> None:
    Path("own.json").write_text("2")
    Path("results/b.json").unlink()
    (origin,) = trace("results/d.json")
    states = {each.name: each.state for each in origin.chain()}
    assert states == {**dict.fromkeys(CHAIN, "unchanged"), "own.json": "changed", "results/b.json": "missing"}
    assert origin.sources()[0].found == sha256("own.json")


def test_an_input_that_was_made_again_is_another_than_the_one_that_was_read(run: Path) -> None:
    Path("own.json").write_text("2")
    make("results/a.json", "own.json", words="fit --seed 7")
    (origin,) = trace("results/x=1/c.json")
    a, b = origin.inputs
    assert (a.state, a.inputs[0].state) == ("changed", "unchanged")
    assert (b.state, b.inputs[0].state) == ("unchanged", "changed")


def test_a_deleted_result_still_says_what_made_it(run: Path) -> None:
    Path("results/d.json").unlink()
    (origin,) = trace("results/d.json")
    assert (origin.state, origin.found) == ("missing", None)
    assert origin.record is not None
    assert origin.record.command.startswith("nbyk tables ")


def test_a_folder_gives_every_file_in_it(run: Path) -> None:
    assert [origin.name for origin in trace("results")] == sorted(CHAIN[:-1])
    assert [origin.name for origin in trace("results/x=1")] == ["results/x=1/c.json"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("own.json", r"^own\.json: has no record of what made it: .*run the command"),
        ("nope.json", r"^nope\.json: no such file; expected a file that an nbyk command wrote"),
        ("empty", r"^empty: nothing in it has a record"),
        ("results/a.json", r"^results/\.nbyk/a\.json\.json: not a record"),
    ],
)
def test_a_file_that_cannot_be_traced_is_one_error(path: str, message: str, run: Path) -> None:
    Path("empty").mkdir()
    if path == "results/a.json":
        record_path(path).write_text("no")
    with pytest.raises(NbykError, match=message):
        trace(path)


def test_a_single_file_that_was_copied_away_without_its_record_is_unknown(run: Path) -> None:
    shutil.copy("results/d.json", "copy.json")
    with pytest.raises(NbykError, match="has no record"):
        trace("copy.json")
