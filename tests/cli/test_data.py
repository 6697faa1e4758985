"""`nbyk data`: the catalogue on the command line, and ratings that it brought."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nbyk.data import RemoteFile, source, source_names, sources
from nbyk.files import read_parquet
from tests.cli.conftest import Run
from tests.data.server import Server, serving

FILE = "HS-Brexit_test.json"
CONTENT = json.dumps({str(n): {"annotations": "0,1,1", "annotators": "a,b,c"} for n in range(1, 6)}).encode()


@pytest.fixture
def nbyk(run_words: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs nbyk with these words in an empty folder, with downloads in another."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("NBYK_DATA", str(tmp_path / "downloads"))
    monkeypatch.delenv("NBYK_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return run_words


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Serve a small file that stands in for HS-Brexit, pinned in the catalogue."""
    with serving() as running:
        running.files[f"/hs_brexit/{FILE}"] = CONTENT
        pin = RemoteFile(
            FILE, f"{running.url}/hs_brexit/{FILE}", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT)
        )
        stand_in = dataclasses.replace(source("hs_brexit"), remote=(pin,))
        monkeypatch.setitem(sources._SOURCES, "hs_brexit", stand_in)
        yield running


def rows(table: str) -> dict[str, str]:
    """Return the lines of a printed table by their first word."""
    return {line.split()[0]: line for line in table.splitlines() if line.split()}


def test_the_list_names_every_source_with_its_licence_and_state(nbyk: Run) -> None:
    code, out, _ = nbyk("data", "list")
    assert code == 0
    listed = rows(out)
    assert set(source_names()) <= set(listed)
    for name in source_names():
        entry = source(name)
        assert entry.title in listed[name]
        assert f"{entry.n_items:,} × {entry.n_ratings:,}" in listed[name]
        state = "embedded" if entry.embedded else "to fetch" if entry.fetchable else "yours to get"
        assert listed[name].rstrip().endswith(state)
        assert entry.licence in listed[name]


def test_fetching_makes_a_source_at_hand(nbyk: Run, server: Server, tmp_path: Path) -> None:
    entry, path = source("hs_brexit"), tmp_path / "downloads/hs_brexit" / FILE
    code, out, errors = nbyk("data", "fetch", "hs_brexit")
    assert (code, out) == (0, f"{path}\n")
    for part in (entry.licence, entry.terms, entry.citation):
        assert part in errors
    assert nbyk("data", "fetch", "hs_brexit") == (0, f"{path}\n", "")
    assert len(server.requests) == 1
    assert rows(nbyk("data", "list")[1])["hs_brexit"].rstrip().endswith("at hand")
    code, out, _ = nbyk("data", "show", "hs_brexit")
    assert code == 0
    assert "5 items, 15 ratings by 3 raters, 3 to 3 per item" in out
    assert f"is at {path}" in out
    code, _, errors = nbyk("study", "normalise", "hs_brexit", "--out", "ratings.parquet")
    assert (code, errors) == (0, f"hs_brexit: 15 ratings of 5 items from {path}\n")
    made = read_parquet("ratings.parquet")[1]
    assert made["files"] == {FILE: hashlib.sha256(CONTENT).hexdigest()}
    assert made["scale"] == "binary"


def test_a_copy_can_be_asked_for(nbyk: Run, server: Server, tmp_path: Path) -> None:
    code, out, _ = nbyk("data", "fetch", "hs_brexit", "--file", FILE, "--copy-to", "copies")
    assert (code, out) == (0, f"copies/hs_brexit/{FILE}\n")
    assert Path(f"copies/hs_brexit/{FILE}").read_bytes() == CONTENT
    assert (tmp_path / "downloads/hs_brexit" / FILE).read_bytes() == CONTENT


def test_a_configuration_names_mirror_and_folder(nbyk: Run, server: Server) -> None:
    Path("config.yaml").write_text(f"downloads: {{folder: mine, mirror: {server.url}/of/mine}}\n")
    server.files[f"/of/mine/hs_brexit/{FILE}"] = CONTENT
    assert nbyk("data", "fetch", "hs_brexit")[:2] == (0, f"mine/hs_brexit/{FILE}\n")
    assert server.requests == [(f"/of/mine/hs_brexit/{FILE}", "")]
    assert nbyk("data", "fetch", "hs_brexit", "--folder", "other", "--mirror", server.url)[0] == 0
    assert server.requests[1:] == [(f"/hs_brexit/{FILE}", "")]
    Path("config.yaml").write_text("downloads: {mirrors: x}\n")
    code, _, errors = nbyk("data", "fetch", "hs_brexit")
    assert code == 2
    assert errors.startswith("error: config.yaml:1: unknown key 'mirrors'; did you mean mirror")


def test_a_quoted_home_folder_is_the_users(
    nbyk: Run, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / "dl/hs_brexit" / FILE
    assert nbyk("data", "fetch", "hs_brexit", "--folder", "~/dl")[:2] == (0, f"{path}\n")
    assert path.read_bytes() == CONTENT
    code, out, _ = nbyk("data", "fetch", "hs_brexit", "--mirror", "~/dl")
    assert (code, out) == (0, f"{tmp_path}/downloads/hs_brexit/{FILE}\n")
    assert len(server.requests) == 1


def test_a_file_that_is_not_the_pinned_one_is_not_used_silently(nbyk: Run, server: Server) -> None:
    (path,) = nbyk("data", "fetch", "hs_brexit")[1].splitlines()
    Path(path).write_bytes(CONTENT.replace(b"0,1,1", b"1,1,1"))
    code, _, errors = nbyk("study", "normalise", "hs_brexit", "--out", "ratings.parquet")
    assert code == 2
    assert "found sha256" in errors
    assert nbyk("study", "normalise", "hs_brexit", "--path", path, "--out", "ratings.parquet")[0] == 0
    code, out, errors = nbyk("data", "show", "hs_brexit")
    assert (code, out) == (2, "")
    assert f"{path}: found sha256" in errors
    assert "give it as --path of `nbyk study normalise` if you want this file" in errors


def test_only_the_downloads_of_a_configuration_need_be_right(nbyk: Run, server: Server) -> None:
    Path("config.yaml").write_text(
        "ratings: {hs_brexit: data/hs_brexit}\nseeds: 1\ndownloads: {folder: data}\n"
    )
    assert rows(nbyk("data", "list")[1])["hs_brexit"].rstrip().endswith("to fetch")
    assert nbyk("data", "fetch", "hs_brexit")[:2] == (0, f"data/hs_brexit/{FILE}\n")
    assert nbyk("study", "normalise", "hs_brexit", "--out", "ratings.parquet")[0] == 0
    assert rows(nbyk("data", "list")[1])["hs_brexit"].rstrip().endswith("your own copy")


@pytest.mark.parametrize("words", [(), ("--question", "insult")])
def test_the_question_that_was_taken_is_recorded(words: tuple[str, ...], nbyk: Run) -> None:
    Path("mhs.csv").write_text("comment_id,annotator_id,respect,insult\n1,5,4,0\n2,6,3,1\n")
    assert nbyk("study", "normalise", "mhs", "--path", "mhs.csv", *words, "--out", "mhs.parquet")[0] == 0
    assert read_parquet("mhs.parquet")[1]["question"] == (words[1] if words else "respect")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("data fetch hs_brexi", "did you mean hs_brexit?"),
        ("data show hs_brexi", "did you mean hs_brexit?"),
        ("data fetch toxicity", "its authors give the password"),
        ("data fetch toxicity", "toxicity_ratings.json: as --path of `nbyk study normalise`, or as toxicity"),
        ("data fetch armis --mirror nowhere", "nowhere/armis/ArMIS_train.json: no such file"),
        ("study normalise mhs --question x --out x", "unknown question of mhs 'x'"),
        (
            "study normalise mine --scale 0..1 --out x",
            "--scale 0..1 is for a table of your own; give its --path",
        ),
        ("study normalise mine --scale 0-1 --path mine.csv --out x", "found '0-1', expected levels"),
        (
            'study report datasets sources=["a","b"] seed=1 --out x --all-from ratings=r --all-from priors=p'
            " --all-from checks=c --all-from pvalues=p",
            "expected one file of ratings, one prior and one check for each source",
        ),
    ],
)
def test_bad_input_is_one_error(words: str, says: str, nbyk: Run) -> None:
    code, _, errors = nbyk(*words.split())
    assert code == 2
    assert says in errors
    assert "Traceback" not in errors
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("name", ["toxicity", "convabuse", "mhs"])
def test_a_source_is_shown_with_all_that_the_catalogue_has(name: str, nbyk: Run) -> None:
    entry = source(name)
    code, out, _ = nbyk("data", "show", name)
    assert code == 0
    for part in (entry.title, entry.version, entry.url, entry.licence, entry.terms, entry.citation):
        assert part in out
    for file in entry.remote:
        assert file.url in out
        assert file.sha256 in out
    assert ("not recorded" in out) == (name == "mhs")
    assert ("4185 items, 12411 ratings by 8 raters, 2 to 7 per item" in out) == (name == "convabuse")


def test_a_table_of_ones_own_has_a_declared_scale(nbyk: Run) -> None:
    Path("mine.csv").write_text("item,rater,value\na,r,1\na,s,5\nb,r,3\n")
    line = "study normalise mine --path mine.csv --scale 1,2,3,4,5 --out mine.parquet"
    assert nbyk(*line.split())[0] == 0
    table, made = read_parquet("mine.parquet")
    assert table["value"].to_pylist() == [0, 0.8, 0.4]
    assert made["scale"] == "1,2,3,4,5"
