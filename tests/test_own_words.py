"""No program logic reads the English that nbyk writes: results carry the fact, and `report` words it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = ("src/nbyk", "src/nbyk_papers", "scripts")
READS = (
    *("startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "count"),
    *("split", "rsplit", "partition", "rpartition"),
)
PATTERNS = ("compile", "sub", "search", "match", "fullmatch", "findall")
ALLOWED = {
    "Object arrays": "numpy's error about an array that holds Python objects has no code",
    "Directory cannot be locked": "Snakemake's error about a folder that another run has locked has none",
    "runs of ": "the name of a source of variance, as a key",
    "runs of _": "the same",
    "with replacement": "the count of kernels reads their docstrings",
}

WORDS = re.compile(r"[A-Za-z]\w* \w|\w [A-Za-z]|^[;:] $")


def texts(node: ast.expr, constants: dict[str, str]) -> Iterator[str]:
    """Yield the text of a literal, with _ for values in it, or of a constant of the module."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "_" for part in node.values)
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.Name) and part.id in constants:
            yield constants[part.id]


def sentences_read(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the words wherever a text is taken apart, or searched, by words."""
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }
    for node in ast.walk(tree):
        words: list[str] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, is_pattern = node.func.attr, ast.unparse(node.func.value) == "re"
            if name in (PATTERNS if is_pattern else READS):
                words = [text for argument in node.args[:1] for text in texts(argument, constants)]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            is_of_names = isinstance(node.comparators[0], ast.Tuple | ast.Set | ast.List | ast.Dict)
            words = [] if is_of_names else list(texts(node.left, constants))
        yield from ((node.lineno, text) for text in words if WORDS.search(text))


def test_the_search_finds_what_reads_sentences() -> None:
    lines = (
        'SAFE = "To be safe"',
        "x = line.startswith(SAFE)",
        'y = "for new ones" in text',
        'z = re.sub(r" (draws|more draws)", "", text)',
        'w = text.partition(": ")[0]',
        'v = f"{a} and {b}" in notes',
        'fine = name.startswith("runs_"), "a b" in ("a b", "c"), text.split(",")',
    )
    assert sorted(line for line, _ in sentences_read(ast.parse("\n".join(lines)))) == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_decides_by_its_own_words(package: str) -> None:
    read = [
        f"{path}:{line} {text!r}"
        for path in sorted(Path(package).rglob("*.py"))
        for line, text in sentences_read(ast.parse(path.read_text(encoding="utf-8")))
        if text not in ALLOWED
    ]
    assert read == []
