"""A full disk and a read-only folder: one line that names the file, and later the same bytes."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import sys
from pathlib import Path

import pytest

from nbyk.data import source
from nbyk.provenance import record_path
from tests.data.server import serving
from tests.faults.mounts import PAGE, READ_ONLY, SMALL, Mounted, fill, mounted, pages_of, refusal
from tests.faults.runs import (
    WRITERS,
    check_same_bytes,
    copy,
    differing,
    outputs,
    scratch_files,
    undone,
)
from tests.workflow.runs import results

pytestmark = pytest.mark.skipif(
    refusal() != "", reason=f"no file system may be mounted here: {refusal() or 'none'}"
)

FULL = "No space left on device; make room there and run again"
FETCH = """
import dataclasses, sys
from nbyk.cli import main
from nbyk.data import RemoteFile, source, sources
url, sha256, size = sys.argv[1:]
pin = RemoteFile("one.json", url, sha256, int(size))
sources._SOURCES["hs_brexit"] = dataclasses.replace(source("hs_brexit"), remote=(pin,))
sys.argv = ["nbyk", "data", "fetch", "hs_brexit", "--folder", "downloads"]
main()
"""
"""Fetches one file in place of those of HS-Brexit."""
READ = "Read-only file system; make its folder writable, or write elsewhere"


def move_onto(disk: Mounted, directory: Path) -> None:
    """Copy the results of a run onto the disk that is mounted in their place."""
    shutil.copytree(directory / "results", disk.seen(directory / "results"), dirs_exist_ok=True)


def disk_size(shared: Path) -> str:
    return str(2 * PAGE * pages_of(list(results(shared / "run").values())))


def check_one_line(output: str, message: str, names: list[str]) -> None:
    """Assert that nbyk printed one error: `message` after one of the names, or its record's."""
    (error,) = errors_in(output)
    found = re.fullmatch(rf"error: (\S+): cannot be written: {re.escape(message)}", error)
    assert found, error
    assert found[1] in [*names, *(os.path.relpath(record_path(name)) for name in names)]


def errors_in(output: str) -> list[str]:
    """Return the lines in which nbyk says what is wrong."""
    assert "Traceback" not in output
    return [line for line in output.splitlines() if line.startswith("error: ")]


@pytest.mark.parametrize("rule", WRITERS)
def test_a_full_disk_is_one_line_and_with_room_the_bytes_are_the_same(
    rule: str, jobs: dict[str, list[str]], shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    directory, words = copy(shared, tmp_path), jobs[rule]
    contents = {name: (directory / name).read_bytes() for name in outputs(jobs[rule], shared)}
    for name in contents:
        (directory / name).unlink()
    with mounted(SMALL, directory / "results", disk_size(shared)) as disk:
        move_onto(disk, directory)
        seen = disk.seen(directory)
        filler = fill(seen / "results", moment.randrange(pages_of(list(contents.values()))))
        code, output = disk.nbyk(words, directory)
        assert code == 2, output[-3000:]
        check_one_line(output, FULL, list(contents))
        assert differing(shared, seen) == []
        assert scratch_files(seen) == []
        filler.unlink()
        code, output = disk.nbyk(words, directory)
        assert code == 0, output[-3000:]
        check_same_bytes(shared, seen)


@pytest.mark.faults
def test_a_run_on_a_full_disk_names_the_file_and_with_room_goes_on_to_the_same_bytes(
    shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    directory = undone(shared, tmp_path, moment)
    expected = results(shared / "run")
    lacking = sorted(expected.keys() - results(directory).keys())
    with mounted(SMALL, directory / "results", disk_size(shared)) as disk:
        move_onto(disk, directory)
        seen = disk.seen(directory)
        filler = fill(seen / "results", moment.randrange(pages_of([expected[name] for name in lacking])))
        code, output = disk.snakemake(shared / "checkout", directory)
        assert code != 0
        failed = re.findall(r"^Error in rule (\w+):", output, flags=re.MULTILINE)
        errors = errors_in(output)
        assert len(errors) == len(failed) > 0, output[-3000:]
        for error in errors:
            check_one_line(error, FULL, lacking)
        assert differing(shared, seen) == []
        assert scratch_files(seen) == []
        filler.unlink()
        code, output = disk.snakemake(shared / "checkout", directory)
        assert code == 0, output[-3000:]
        check_same_bytes(shared, seen)


@pytest.mark.parametrize("rule", WRITERS)
def test_a_read_only_folder_is_one_line(
    rule: str, jobs: dict[str, list[str]], shared: Path, tmp_path: Path
) -> None:
    directory = copy(shared, tmp_path)
    with mounted(READ_ONLY, directory / "results") as disk:
        code, output = disk.nbyk(jobs[rule], directory)
        assert code == 2, output[-3000:]
        check_one_line(output, READ, outputs(jobs[rule], shared))
    check_same_bytes(shared, directory)


@pytest.mark.faults
def test_a_run_in_a_read_only_folder_ends_before_its_first_job(
    shared: Path, tmp_path: Path, moment: random.Random
) -> None:
    directory = undone(shared, tmp_path, moment)
    shutil.rmtree(directory / "results/pvalues")  # Snakemake itself names outputs to be made anew
    before = results(directory)
    with mounted(READ_ONLY, directory / "results") as disk:
        code, output = disk.snakemake(shared / "checkout", directory)
    assert code != 0
    (error,) = (line for line in output.splitlines() if "cannot be written" in line)
    assert error == "results: cannot be written: read-only; make it writable, or run in another folder"
    assert "Traceback" not in output
    assert "Error in rule" not in output
    assert results(directory) == before


@pytest.mark.parametrize(
    "from_folder",
    [pytest.param(False, id="address"), pytest.param(True, id="folder", marks=pytest.mark.faults)],
)
def test_a_full_disk_during_a_download_is_one_line_and_with_room_it_is_fetched(
    from_folder: bool, tmp_path: Path, moment: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = moment.randbytes(40 * PAGE)
    (tmp_path / "downloads").mkdir()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("NBYK_MIRROR", raising=False)
    if from_folder:
        (tmp_path / "mirror/hs_brexit").mkdir(parents=True)
        (tmp_path / "mirror/hs_brexit/one.json").write_bytes(content)
        monkeypatch.setenv("NBYK_MIRROR", "mirror")
    with serving() as server, mounted(SMALL, tmp_path / "downloads", str(80 * PAGE)) as disk:
        server.files["/one.json"] = content
        pin = [f"{server.url}/one.json", hashlib.sha256(content).hexdigest(), str(len(content))]
        seen = disk.seen(tmp_path) / "downloads"
        filler = fill(seen, moment.randrange(40))
        code, output = disk.run([sys.executable, "-c", FETCH, *pin], tmp_path)
        assert code == 2, output[-3000:]
        check_one_line(output, FULL, ["downloads/hs_brexit/one.json"])
        assert source("hs_brexit").licence in output
        assert [path for path in seen.rglob("*") if path.is_file()] == [filler]
        filler.unlink()
        code, output = disk.run([sys.executable, "-c", FETCH, *pin], tmp_path)
        assert code == 0, output[-3000:]
        assert (seen / "hs_brexit/one.json").read_bytes() == content
        assert [path for path in seen.rglob("*") if path.is_file()] == [seen / "hs_brexit/one.json"]
