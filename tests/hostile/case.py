"""A hostile input: the files that a command is given, and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Words = list[str]
GOOD = "item,rater,value\n" + "".join(f"i{i},r{r},{(i * r) % 5 / 4}\n" for i in range(6) for r in (1, 2, 3))
SCORES = "0.5\n0.75\n0.25\n1\n0\n0.4\n"
LABELS = "a\nb\na\nb\na\nb\n"
SOFT = "0.6,0.4\n0.3,0.7\n" * 3
QUICK = ["--quick", "--resamples", "99", "--max-resamples", "99"]


@dataclass(frozen=True)
class Case:
    """One input: `build` writes its files into a folder and returns the words behind ``nbyk``.

    `says` is a pattern in the one line that refuses it; without one, it may be refused or answered.
    """

    name: str
    build: Callable[[Path], Words]
    says: str = ""

    def __str__(self) -> str:
        return self.name


def write(folder: Path, name: str, content: str | bytes) -> str:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    return name


def compare(folder: Path, name: str, content: str | bytes, *options: str) -> Words:
    write(folder, "good.csv", GOOD)
    return ["compare", *QUICK, *options, "good.csv", f"b={write(folder, name, content)}"]


def scores(folder: Path, name: str, content: str | bytes, *options: str) -> Words:
    write(folder, "good.txt", SCORES)
    return ["compare", "--test", "permutation", *options, "good.txt", f"b={write(folder, name, content)}"]


def labels(folder: Path, name: str, content: str | bytes, kind: str = "classes", *options: str) -> Words:
    write(folder, name, content)
    return labels_in(folder, name, kind, *options)


def labels_in(folder: Path, name: str, kind: str = "classes", *options: str) -> Words:
    """Return the words that compare the classes or distributions of a file that is there already."""
    gold = write(folder, "t.txt", LABELS if kind == "classes" else SOFT)
    return ["compare", *QUICK, f"--kind={kind}", "--gold", gold, *options, "c=t.txt", f"x={name}"]
