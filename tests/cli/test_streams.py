"""Standard output and error in any encoding, or closed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NBYK = str(Path(sys.executable).with_name("nbyk"))


def run_in_shell(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env={**os.environ, "NBYK": NBYK, **variables},
        capture_output=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("0.7\n0.72\n0.71\n0.74\n0.69\n")
    (tmp_path / "b.txt").write_text("0.6\n0.61\n0.59\n0.66\n0.62\n")
    return tmp_path


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_any_encoding_of_the_output_takes_every_character(scores: Path, encoding: str) -> None:
    line = '"$NBYK" compare é≥😀=a.txt b.txt --kind scores --format json'
    done = run_in_shell(line, scores, PYTHONIOENCODING=encoding, PYTHONUTF8="1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "é≥😀" in json.dumps(json.loads(done.stdout.decode(encoding)), ensure_ascii=False)


def test_an_error_in_ascii_is_one_line(scores: Path) -> None:
    done = run_in_shell('"$NBYK" compare ≥.txt b.txt', scores, PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: \\u2265.txt: no such file")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_a_closed_stream_loses_what_goes_to_it_and_nothing_else(scores: Path, closed: str) -> None:
    done = run_in_shell(f'"$NBYK" compare a.txt b.txt --out answer {closed}', scores)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert (done.stdout == b"") == (">&-" in closed.replace("2>&-", ""))
    assert json.loads((scores / "answer/compare.json").read_text("utf-8"))["title"]
    assert run_in_shell(f'"$NBYK" compare a.txt none.txt {closed}', scores).returncode == 2


def test_an_error_that_quotes_line_ends_and_escape_codes_stays_on_one_line(scores: Path) -> None:
    done = run_in_shell("\"$NBYK\" compare $'a\\nerror: all is well\\e[2J.txt' b.txt", scores)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr
    assert b"a\\nerror: all is well\\x1b[2J" in done.stderr
