"""A malformed input: one bad file beside good ones, or files that do not go together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from nbyk.data import SampleChoice, Systems, read_systems, scale_from_text
from tests.data.lm_eval_log import runs

LONG = "item,rater,value\n"
GOOD = LONG + "a,r1,0.5\na,r2,0.25\nb,r1,1\nc,r1,0\n"


@dataclass(frozen=True)
class Arguments:
    """What a user types: gold, if any, the systems, and options."""

    gold: Path | None
    systems: tuple[str, ...]
    options: tuple[str, ...] = ()

    @property
    def argv(self) -> list[str]:
        """The words that follow ``nbyk compare``."""
        gold = [] if self.gold is None else ["--gold", str(self.gold)]
        return [*gold, *self.systems, *self.options]

    def read(self) -> Systems:
        """Read them as ``nbyk compare`` does."""
        given = dict(zip(self.options[::2], self.options[1::2], strict=True))
        return read_systems(
            self.systems,
            self.gold,
            scale=scale_from_text(given["--scale"]) if "--scale" in given else None,
            on_missing=given.get("--on-missing", "refuse"),  # type: ignore[arg-type]
            samples=SampleChoice(given.get("--task"), given.get("--filter")),
            value=given.get("--value", "value"),
        )


@dataclass(frozen=True)
class Case:
    """One malformed input.

    Attributes
    ----------
    name
        What is wrong.
    build
        Writes the files into a folder and returns the arguments.
    expected
        Regular expression that the library's error matches somewhere; it has arguments in backticks.
    in_one_file
        Whether one file by itself is at fault, so that `nbyk compare` says the same.
    """

    name: str
    build: Callable[[Path], Arguments]
    expected: str
    in_one_file: bool = False

    def __str__(self) -> str:
        return self.name


def good(folder: Path, *names: str) -> list[str]:
    for name in names:
        (folder / name).write_text(GOOD)
    return [str(folder / name) for name in names]


def one_bad(folder: Path, path: Path, role: str, options: Sequence[str]) -> Arguments:
    """Return the arguments with the bad file as gold, or as system B, and good files beside it."""
    if role == "gold":
        return Arguments(path, tuple(good(folder, "good_a.csv", "good_b.csv")), tuple(options))
    gold, system = good(folder, "good_gold.csv", "good_a.csv")
    return Arguments(Path(gold), (system, str(path)), tuple(options))


def file(
    name: str, file_name: str, content: str | bytes, expected: str, *, role: str = "b", options: str = ""
) -> Case:
    """Return a case of one malformed file."""

    def build(folder: Path) -> Arguments:
        path = folder / file_name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return one_bad(folder, path, role, options.split())

    return Case(name, build, rf"{file_name}\b.*{expected}", in_one_file=not options)


def array(name: str, values: object, expected: str) -> Case:
    """Return a case of one .npy file of these values."""

    def build(folder: Path) -> Arguments:
        np.save(folder / "bad.npy", np.asarray(values), allow_pickle=True)
        return one_bad(folder, folder / "bad.npy", "b", ())

    return Case(name, build, rf"bad\.npy\b.*{expected}", in_one_file=True)


def arrays(name: str, expected: str, **named: object) -> Case:
    """Return a case of one .npz file of these arrays."""

    def build(folder: Path) -> Arguments:
        np.savez(folder / "bad.npz", **{key: np.asarray(value) for key, value in named.items()})
        return one_bad(folder, folder / "bad.npz", "b", ())

    return Case(name, build, rf"bad\.npz\b.*{expected}", in_one_file=True)


def parquet(name: str, columns: dict[str, object], expected: str, *, role: str = "b") -> Case:
    """Return a case of one Parquet file of these columns."""

    def build(folder: Path) -> Arguments:
        pq.write_table(pa.table(columns), folder / "bad.parquet")
        return one_bad(folder, folder / "bad.parquet", role, ())

    return Case(name, build, rf"bad\.parquet\b.*{expected}", in_one_file=True)


def files(
    name: str,
    contents: dict[str, str | np.ndarray],
    expected: str,
    *,
    options: str = "",
    systems: Sequence[str] = (),
) -> Case:
    """Return a case of files that do not go together; gold.… is gold, the others the systems."""

    def build(folder: Path) -> Arguments:
        paths = {}
        for file_name, content in contents.items():
            path = folder / file_name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, np.ndarray):
                np.save(path, content)
            else:
                path.write_text(content)
            paths[file_name] = path
        gold = next((path for key, path in paths.items() if key.startswith("gold.")), None)
        given = [words.format(folder=folder) for words in systems] or [
            str(path) for key, path in paths.items() if not key.startswith("gold.")
        ]
        return Arguments(gold, tuple(given), tuple(options.split()))

    return Case(name, build, expected)


def logs(name: str, write: Callable[[Path], Path], expected: str, *, options: str = "") -> Case:
    """Return a case of a lm-evaluation-harness log, written by `write`, beside a good one."""

    def build(folder: Path) -> Arguments:
        good = runs(folder / "good", [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]], model="good")
        return Arguments(None, (str(good), f"bad={write(folder / 'bad')}"), tuple(options.split()))

    return Case(name, build, expected)


def built(
    name: str, make: Callable[[Path], Path], expected: str, *, role: str = "b", in_one_file: bool = True
) -> Case:
    """Return a case of a path that `make` prepares and returns."""
    return Case(name, lambda folder: one_bad(folder, make(folder), role, ()), expected, in_one_file)
