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
    ("errors", "files", "progress", "compiled", "provenance", "sums", "yaml_text"),
    ("data",),
    ("priors",),
    ("metrics",),
    ("resampling",),
    ("inference",),
    ("labels",),
    ("studies",),
    ("report",),
    ("config", "health"),
    ("cli",),
)
FLOOR = {package: floor for floor, packages in enumerate(FLOORS) for package in packages}


def package_of(module: str) -> str:
    """Return "data" for nbyk.data.ratings, and "" for nbyk itself."""
    return module.partition(".")[2].partition(".")[0]


def imported(path: Path) -> Iterator[str]:
    """Yield the nbyk packages that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "nbyk":
            names = [f"nbyk.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}, line {node.lineno}: imports are absolute"
            names = [node.module or ""]
        else:
            continue
        yield from (package_of(name) for name in names if name.partition(".")[0] == "nbyk")


@pytest.mark.parametrize(
    "path",
    sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py"),
    ids=lambda path: path.relative_to(SOURCE).as_posix(),
)
def test_a_module_imports_from_its_own_package_or_those_below(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    above = {name for name in imported(path) if name and FLOOR[name] > FLOOR[own]}
    assert above == set()


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
