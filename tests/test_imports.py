"""Imports: a cheap `import nbyk`, a complete public API, and packages that build on those below only."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import nbyk

SOURCE = Path(nbyk.__file__).parent
HEAVY = {"matplotlib", "numba", "pandas", "scipy", "pyarrow", "jinja2", "snakemake"}
FLOORS = (
    ("errors", "progress", "compiled"),
    ("validation", "yaml_text", "provenance"),
    ("files",),
    ("lineage",),
    ("health",),
    ("data",),
    ("priors",),
    ("metrics",),
    ("resampling",),
    ("testing",),
    ("testing/engine", "testing/scores"),
    ("testing/systems",),
    ("planning/power", "planning/sizes"),
    ("planning",),
    ("planning/settling",),
    ("labels",),
    ("labels/designs",),
    ("studies/published",),
    ("studies",),
    ("studies/calibration", "studies/cartpole"),
    ("report",),
    ("report/comparison", "report/labels", "report/scores"),
    ("report/boostsa2022", "report/calibration", "report/homan2025", "report/ulmer2022", "report/wein2023"),
    ("report/datasets",),
    ("config",),
    ("cli",),
)
"""Every folder of the package, and every module that lies in none, from the ground up."""

FLOOR = {folder: floor for floor, folders in enumerate(FLOORS) for folder in folders}


def folder_of(module: str) -> str | None:
    """Return "data" for nbyk.data.ratings or one of its names, "errors" for nbyk.errors, None for nbyk."""
    parts = module.split(".")[1:]
    while parts:
        path = SOURCE.joinpath(*parts)
        if path.is_dir():
            return "/".join(parts)
        if path.with_suffix(".py").exists():
            return "/".join(parts[:-1]) or parts[0]
        parts.pop()
    return None


def imported(path: Path) -> Iterator[str]:
    """Yield the folders of nbyk that a module imports from, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}, line {node.lineno}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        folders = (folder_of(name) for name in names if name.partition(".")[0] == "nbyk")
        yield from (folder for folder in folders if folder is not None)


MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_module_imports_from_its_own_folder_or_those_below(path: Path) -> None:
    relative = path.relative_to(SOURCE)
    own = relative.parent.as_posix() if len(relative.parts) > 1 else relative.stem
    not_below = {name for name in imported(path) if name != own and FLOOR[name] >= FLOOR[own]}
    assert not_below == set()


def test_every_folder_has_a_floor() -> None:
    folders = {path.relative_to(SOURCE).parent.as_posix() for path in MODULES}
    assert folders - {"."} <= set(FLOOR)


@pytest.mark.parametrize("module", ["nbyk", "nbyk.cli", "nbyk.errors", "nbyk.files"])
def test_importing_is_cheap(module: str) -> None:
    code = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in json.loads(loaded.stdout)} & HEAVY == set()


def test_every_public_name_resolves_and_is_listed() -> None:
    assert set(nbyk.__all__) <= set(dir(nbyk))
    for name in nbyk.__all__:
        assert getattr(nbyk, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        nbyk.nothing  # noqa: B018


@pytest.mark.parametrize(
    "package", sorted(name for _, name, is_package in pkgutil.iter_modules([str(SOURCE)]) if is_package)
)
def test_every_package_exports_what_it_lists(package: str) -> None:
    module = importlib.import_module(f"nbyk.{package}")
    missing = [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)]
    assert missing == []
