"""Every malformed input of the corpus gives its one-line error, and leaves no file."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from nbyk.cli import main
from nbyk.errors import NbykError
from tests.data.malformed.case import Case
from tests.data.malformed.corpus import CASES


def test_the_corpus_is_as_large_as_promised_and_no_name_comes_twice() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_is_refused_in_one_line(case: Case, tmp_path: Path) -> None:
    with pytest.raises(NbykError) as refusal:
        case.build(tmp_path).read()
    message = str(refusal.value)
    assert "\n" not in message
    assert re.search(case.expected, message), message


@pytest.mark.parametrize("case", [case for case in CASES if case.in_one_file], ids=str)
def test_compare_refuses_it_with_the_same_words(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given, out = case.build(tmp_path), tmp_path / "out"
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(sys, "argv", ["nbyk", "compare", *given.argv, "--out", str(out)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert printed.err.endswith("\n")
    assert printed.err.count("\n") == 1
    assert re.search(case.expected, printed.err), printed.err
    assert sorted(tmp_path.rglob("*")) == before
