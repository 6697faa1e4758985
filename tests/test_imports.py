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

SOURCES = Path(nbyk.__file__).parents[1]
HEAVY = {"matplotlib", "numba", "pandas", "scipy", "pyarrow", "jinja2", "snakemake"}
FLOORS = (
    ("arrays", "errors", "options", "progress", "compiled", "sums"),
    ("words", "bounded"),
    ("yaml_text", "provenance"),
    ("files",),
    ("lineage",),
    ("health",),
    ("data",),
    ("priors",),
    ("metrics",),
    ("resampling",),
    ("testing",),
    ("testing/shared_units",),
    ("testing/engine",),
    ("testing/scores",),
    ("testing/systems",),
    ("testing/judged",),
    ("planning/power",),
    ("planning",),
    ("report",),
    ("report/comparison",),
    ("studies",),
    ("config",),
    ("workflow",),
    ("cli",),
)
"""Every folder of the library, and every module that lies in none, from the ground up."""

PAPERS = (
    ("agreement", "batches", "gathered", "verdicts"),
    ("histograms", "metrics", "shown"),
    ("wein2023", "homan2025", "ulmer2022/cartpole", "boostsa2022"),
    ("ulmer2022", "calibration", "datasets", "pandita2026"),
    ("raters",),
    ("papers",),
    ("study",),
)
"""Those of nbyk_papers, which build on the whole library."""

FLOORS_OF = {"nbyk": FLOORS, "nbyk_papers": PAPERS}
FLOOR = {
    (package, folder): floor
    for package, floors in FLOORS_OF.items()
    for floor, folders in enumerate(floors)
    for folder in folders
}


def folder_of(module: str) -> tuple[str, str] | None:
    """Return the package and "data" for nbyk.data.ratings or one of its names, "errors" for nbyk.errors.

    None is what belongs to no package of ours, and a package itself.
    """
    package, *parts = module.split(".")
    if package not in FLOORS_OF:
        return None
    while parts:
        path = SOURCES.joinpath(package, *parts)
        if path.is_dir():
            return package, "/".join(parts)
        if path.with_suffix(".py").exists():
            return package, "/".join(parts[:-1]) or parts[0]
        parts.pop()
    return None


WRITER = "nbyk.report."
"""What puts results in words and figures; these import it only when they are asked for them."""
RESULTS = {
    ("testing", "results.py"),
    ("judged", "agreement.py"),
    ("judged", "board.py"),
    ("judged", "stand_in.py"),
    ("systems", "sensitivity.py"),
    ("planning", "result.py"),
}


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the packages and folders of ours that a module imports from, anywhere in it.

    Results of comparisons and plans may also import their writer, within a function.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    asks = (path.parent.name, path.name) in RESULTS
    for node in ast.walk(tree):
        of_writer = isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(WRITER)
        if of_writer and asks and node not in tree.body:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}, line {node.lineno}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (folder for folder in map(folder_of, names) if folder is not None)


MODULES = sorted(
    path
    for package in FLOORS_OF
    for path in (SOURCES / package).rglob("*.py")
    if path != SOURCES / package / "__init__.py"
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_a_module_imports_from_its_own_folder_or_those_below(path: Path) -> None:
    package, *parts = path.relative_to(SOURCES).with_suffix("").parts
    own = package, "/".join(parts[:-1]) or parts[0]
    others = {folder for folder in imported(path) if folder != own}
    assert {folder for folder in others if folder[0] == package and FLOOR[folder] >= FLOOR[own]} == set()


def test_the_library_knows_no_paper() -> None:
    library = [path for path in MODULES if path.is_relative_to(SOURCES / "nbyk")]
    assert [path for path in library if any(package != "nbyk" for package, _ in imported(path))] == []


@pytest.mark.quick
def test_a_public_class_name_means_one_thing() -> None:
    homes: dict[str, set[Path]] = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(path)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_every_folder_has_a_floor() -> None:
    places = [path.relative_to(SOURCES).parent.parts for path in MODULES]
    assert {(package, "/".join(folders)) for package, *folders in places if folders} <= set(FLOOR)


@pytest.mark.quick
@pytest.mark.parametrize("module", ["nbyk", "nbyk.cli", "nbyk.errors", "nbyk.files"])
def test_importing_is_cheap(module: str) -> None:
    code = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in json.loads(loaded.stdout)} & HEAVY == set()


@pytest.mark.quick
def test_every_public_name_resolves_and_is_listed() -> None:
    assert set(nbyk.__all__) <= set(dir(nbyk))
    for name in nbyk.__all__:
        assert getattr(nbyk, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        nbyk.nothing  # noqa: B018


@pytest.mark.parametrize(
    "package",
    sorted(name for _, name, is_package in pkgutil.iter_modules([str(SOURCES / "nbyk")]) if is_package),
)
def test_every_package_exports_what_it_lists(package: str) -> None:
    module = importlib.import_module(f"nbyk.{package}")
    missing = [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)]
    assert missing == []
