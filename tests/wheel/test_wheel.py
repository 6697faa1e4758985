"""`pip install` into an empty environment, and the first answers there: `make test-wheel` runs these."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES_OF_EXTRAS = {"snakemake", "pytest", "deepsig", "sacrebleu", "gymnasium", "sphinx", "scikit-learn"}
OFFLINE = """
import socket

def refused(*_):
    raise OSError("this test has no network")

socket.socket.connect = socket.socket.connect_ex = refused
socket.getaddrinfo = refused
"""


class Place:
    """An empty environment with nbyk in it, a folder to work in, and no network."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        self.home = folder / "home"
        self.home.mkdir()
        run(sys.executable, "-m", "venv", folder / "env")
        self.bin = folder / "env" / "bin"

    def install(self, *what: object) -> None:
        run(self.bin / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what)

    @property
    def packages(self) -> Path:
        (found,) = self.bin.parent.glob("lib/python*/site-packages")
        return found

    def files(self) -> set[str]:
        """Return nbyk's own files."""
        found = [path for name in ("nbyk", "nbyk_papers") for path in (self.packages / name).rglob("*")]
        return {str(path.relative_to(self.packages)) for path in found if path.suffix != ".pyc"}

    def compiled(self) -> dict[Path, int]:
        """Return when each function that numba keeps was written."""
        found = [path for folder in (self.packages, self.home) for path in folder.rglob("*.nb[ic]")]
        return {path: path.stat().st_mtime_ns for path in found}

    def go_offline(self) -> None:
        (self.packages / "sitecustomize.py").write_text(OFFLINE)

    def nbyk(self, line: str) -> tuple[str, float]:
        """Return what a command prints, and its seconds on a processor."""
        env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("NBYK", "NUMBA", "PYTHON"))
        }
        before = seconds()
        printed = run(self.bin / "nbyk", *line.split(), cwd=self.work, env=env | {"HOME": str(self.home)})
        return printed, seconds() - before


def seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(*words: object, **options: object) -> str:
    ended = subprocess.run([*map(str, words)], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return str(ended.stdout)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the source; builds leave files behind."""
    folder = tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", source / "dist", source)
    (built,) = source.glob("dist/*.whl")
    return built


@pytest.fixture(scope="module")
def place(source: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return where nbyk was installed from the source with all that it needs, and then from the wheel."""
    place = Place(tmp_path_factory.mktemp("place"))
    place.install("--constraint", ROOT / "envs/requirements.lock", source)
    from_source = place.files()
    place.install("--no-deps", "--force-reinstall", wheel)
    assert place.files() == from_source
    place.go_offline()
    place.nbyk("example")
    return place


def test_the_wheel_holds_the_data_and_the_types(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "src").rglob("*"):
        if path.suffix in {".py", ".csv", ".parquet", ".json", ".html", ".typed"} and path.is_file():
            assert str(path.relative_to(ROOT / "src")) in names


def test_the_command_has_the_name_of_the_package(wheel: Path) -> None:
    """`uvx` and `pipx run` look for a command of the package's name."""
    package = wheel.name.partition("-")[0]
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        commands = archive.read(name).decode()
    assert f"[console_scripts]\n{package} = " in commands


def test_nothing_of_an_extra_is_installed(place: Place) -> None:
    listed = json.loads(run(place.bin / "python", "-m", "pip", "list", "--format", "json"))
    assert {package["name"].lower() for package in listed} & PACKAGES_OF_EXTRAS == set()


def test_what_the_first_answer_compiles_serves_the_next(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "compare --gold example/gold.csv example/sim_a.csv example/sim_c.csv"
    (first, compiling), kept = place.nbyk(line), place.compiled()
    again, answering = place.nbyk(line)
    with capsys.disabled():
        print(f"\nnbyk compare: {compiling:.1f} s of a processor at first, {answering:.1f} s from then on")
    assert first == again
    assert first.startswith("sim_a is better than sim_c ")
    assert kept
    assert place.compiled() == kept


def test_plans_scores_and_classes_are_answered(place: Place) -> None:
    for name, scores in {"new": "0.74 0.76 0.75 0.78", "old": "0.7 0.71 0.74 0.69"}.items():
        (place.work / f"{name}.txt").write_text("\n".join(scores.split()))
    assert place.nbyk("compare new.txt old.txt")[0].startswith("Undecided: new or old ")
    size = "plan convabuse --items 200 --responses 5 --epsilon 0.2 --precision 0.05 --out plan"
    assert "power" in place.nbyk(size)[0]
    assert (place.work / "plan/plan.json").stat().st_size
    runs = ROOT / "docs/examples/classes"
    classes = f"--gold {runs / 'gold.txt'} bert={runs / 'runs/bert'} baseline={runs / 'runs/baseline'}"
    assert "bert" in place.nbyk(f"compare {classes} --out classes")[0]
