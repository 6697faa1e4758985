"""The code behind a function: what counts as a change of it, and what does not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nbyk.errors import NbykError
from nbyk.studies import code

FILES = {
    "__init__.py": "",
    "cells.py": '''"""Cells."""
from pkg.maths import double, unused
from pkg import names


LIMIT = 3


def step(x, *, helper=None):
    """Step."""
    from pkg.late import last
    return double(x) + last(x) + LIMIT + names.ONE


def other(x):
    from pkg.only_other import y
    return unused(x) + y
''',
    "maths.py": """import json


def double(x):
    return _twice(x)


def _twice(x):
    return 2 * x


def unused(x):
    return x


def helper(x):
    return x
""",
    "names.py": "ONE = 1\nTABLE = {'a': 'pkg.by_name:found'}\n",
    "by_name.py": "def found():\n    return 1\n\n\ndef not_found():\n    return 2\n",
    "late.py": "from importlib import resources\n\n\ndef last(x):\n"
    "    return (resources.files('pkg') / 'table.csv').read_text()\n",
    "only_other.py": "y = 1\n",
    "table.csv": "a,b\n1,2\n",
    "other.csv": "a\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "pkg"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for cached in (code._root, code._path):
        cached.cache_clear()
    yield folder
    sys.modules.pop("pkg", None)
    for cached in (code._root, code._path):
        cached.cache_clear()


def edited(package: Path, name: str, old: str, new: str) -> bool:
    """Return whether an edit changes the checksum of the step."""
    path = package / name
    before, text = code.checksum("pkg.cells:step"), path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return code.checksum("pkg.cells:step") != before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cells.py", "+ LIMIT", "- LIMIT"),
        ("cells.py", "LIMIT = 3", "LIMIT = 4"),
        ("maths.py", "2 * x", "3 * x"),
        ("names.py", "ONE = 1", "ONE = 2"),
        ("by_name.py", "return 1", "return 3"),
        ("late.py", "table.csv", "other.csv"),
        ("table.csv", "1,2", "1,3"),
        ("maths.py", "import json\n", "import json\nprint(1)\n"),
        ("__init__.py", "", "print(1)"),
    ],
)
def test_what_a_function_runs_counts(name: str, old: str, new: str, package: Path) -> None:
    assert edited(package, name, old, new)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cells.py", '"""Step."""', '"""Another text."""'),
        ("cells.py", "LIMIT = 3", "LIMIT = 3  # a comment"),
        ("cells.py", "return unused(x) + y", "return y"),
        ("maths.py", "def unused(x):\n    return x", "def unused(x):\n    return -x"),
        ("maths.py", "def helper(x):\n    return x", "def helper(x):\n    return -x"),
        ("maths.py", "return 2 * x", "return (2\n        * x)"),
        ("by_name.py", "return 2", "return 3"),
        ("only_other.py", "y = 1", "y = 2"),
        ("other.csv", "a", "b"),
    ],
)
def test_what_it_does_not_run_does_not(name: str, old: str, new: str, package: Path) -> None:
    assert not edited(package, name, old, new)


def test_relative_imports_reach_what_absolute_ones_do(package: Path) -> None:
    absolute = code.parts("pkg.cells:step")
    cells = (package / "cells.py").read_text(encoding="utf-8")
    relative = cells.replace("from pkg.", "from .").replace("from pkg import", "from . import")
    (package / "cells.py").write_text(relative, encoding="utf-8")
    (package / "maths.py").write_text(f"from . import names\n{FILES['maths.py']}", encoding="utf-8")
    assert relative != cells
    assert code.parts("pkg.cells:step").keys() == absolute.keys()
    assert edited(package, "late.py", "table.csv", "other.csv")


def test_a_study_may_be_one_module(package: Path) -> None:
    lone = package.parent / "lone.py"
    lone.write_text("TABLE = 'pkg'\n\n\ndef step():\n    return 1\n", encoding="utf-8")
    before = code.parts("lone:step")
    lone.write_text("TABLE = 'pkg'\n\n\ndef step():\n    return 2, TABLE\n", encoding="utf-8")
    assert {*before} == {*code.parts("lone:step")} == {"lone"}
    assert before != code.parts("lone:step")


def test_a_function_that_is_not_there_is_an_error(package: Path) -> None:
    for name in ("pkg.cells:nothing", "pkg.nothing:step", "nothing.at:all"):
        with pytest.raises(NbykError, match="no such function"):
            code.checksum(name)


def test_cells_know_what_draws_their_numbers() -> None:
    stages = {
        name: set(code.parts(f"nbyk_papers.wein2023.steps:{name}"))
        for name in ("simulate", "true_p", "estimate_p")
    }
    assert "nbyk.data.response_set" in stages["simulate"] & stages["estimate_p"]
    assert "nbyk.resampling.samplers" in stages["estimate_p"]
    assert "nbyk_papers.histograms" in stages["true_p"] & stages["estimate_p"]
    assert "nbyk_papers.histograms" not in stages["simulate"]
    names = ("nbyk.cli.ratings:prior", "nbyk.cli.fit:fit")
    reached = {name: set(code.parts(name)) for name in names}
    everywhere = set.union(*stages.values(), *reached.values())
    assert not any(name.startswith(("nbyk.report", "nbyk.config")) for name in everywhere)
    assert "nbyk_papers.homan2025.design" not in everywhere
