"""Count what a house says more than once: `python scripts/count_house.py [FOLDER] [--names]`.

It counts, in the packages below FOLDER (default: src): functions with eight or more parameters; lines that
only hand a name on (`x=x,`); class names that two modules define; kernels that draw with replacement; names
that say nothing (`found`, `of_…`) where they are assigned; and, per package, files, folders, lines, and lines
of code: no docstring, comment, blank line or import. Beside nbyk's stand the most that it may have. With
--names it names each.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

MANY = 8
MOST = {"files": 220, "folders": 18, "lines": 40_000, "code": 23_000}
"""The most that the library, `nbyk`, may have of each."""

_HANDS_ON = re.compile(r"^\s*(\w+)=\1,?$")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> Iterator[Function]:
    """Yield the functions and methods of a module."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def n_parameters(function: Function) -> int:
    """Return how many parameters a function has, `self` and `cls` not counted."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in every)


def is_command(function: Function) -> bool:
    """Return whether a function's parameters are options of the command line."""
    every = [*function.args.args, *function.args.kwonlyargs]
    return any("Annotated" in ast.unparse(a.annotation) for a in every if a.annotation is not None)


def is_kernel(function: Function) -> bool:
    """Return whether a function is compiled."""
    return any("compiled" in text or "njit" in text for text in map(ast.unparse, function.decorator_list))


def draws_with_replacement(function: Function) -> bool:
    """Return whether a kernel draws indices, but for shuffles, which add one to a position."""
    shuffled = {
        id(side)
        for node in ast.walk(function)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        for side in (node.left, node.right)
    }
    draws = any(
        isinstance(node, ast.Call) and ast.unparse(node.func) == "index_below" and id(node) not in shuffled
        for node in ast.walk(function)
    )
    return is_kernel(function) and (draws or "with replacement" in (ast.get_docstring(function) or ""))


def code_lines(text: str, tree: ast.Module) -> int:
    """Return how many lines hold code: neither blank nor comment nor docstring nor import."""
    other: set[int] = set()
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and (is_text or isinstance(node, ast.Import | ast.ImportFrom)):
            other.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return sum(
        number not in other and bool(line.strip()) and not line.lstrip().startswith("#")
        for number, line in enumerate(text.splitlines(), start=1)
    )


def empty_names(tree: ast.Module) -> Iterator[ast.Name]:
    """Yield the names that are assigned and do not say what they name: `found`, `of_…`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and (node.id == "found" or node.id.startswith("of_")):
            yield from [node] if isinstance(node.ctx, ast.Store) else []


def sizes_table(sizes: dict[str, Counter[str]]) -> Iterator[str]:
    """Yield the lines of the table of packages; folders are counted in the package that holds them."""
    yield f"{'files':>7}{'folders':>9}{'lines':>8}{'code':>8}"
    for package, size in sorted(sizes.items()):
        yield f"{size['files']:7,}{size['folders']:9,}{size['lines']:8,}{size['code']:8,}  {package}"
        if package == "nbyk":
            most = f"{MOST['files']:7,}{MOST['folders']:9,}{MOST['lines']:8,}{MOST['code']:8,}"
            over = ", ".join(what for what, number in MOST.items() if size[what] > number)
            yield f"{most}  at most{f'; too many {over}' if over else ''}"


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("src"))
    parser.add_argument("--names", action="store_true", help="name each")
    asked = parser.parse_args()
    counted: dict[str, list[str]] = defaultdict(list)
    classes: dict[str, list[str]] = defaultdict(list)
    sizes: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(asked.folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        place = path.relative_to(asked.folder)
        size: Counter[str] = Counter(files=1, lines=text.count("\n"), code=code_lines(text, tree))
        size["folders"] = int(place.name == "__init__.py" and len(place.parts) > 2)
        inner = place.parts[1] if len(place.parts) > 2 else "(modules)"
        for package in ("all", place.parts[0], f"{place.parts[0]}/{inner}"):
            sizes[package] += size
        for empty in empty_names(tree):
            kind = "`found`" if empty.id == "found" else "`of_…`"
            counted[f"names {kind} assigned"].append(f"{place}:{empty.lineno} {empty.id}")
        for number, line in enumerate(text.splitlines(), start=1):
            if _HANDS_ON.match(line):
                counted["lines that only hand a name on"].append(f"{place}:{number} {line.strip()}")
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(str(place))
        for function in functions(tree):
            name = f"{place}:{function.lineno} {function.name}"
            if n_parameters(function) >= MANY:
                kind = "kernels" if is_kernel(function) else "commands" if is_command(function) else "others"
                counted[f"functions with {MANY} or more parameters, {kind}"].append(
                    f"{name} ({n_parameters(function)})"
                )
            if draws_with_replacement(function):
                counted["kernels that draw with replacement"].append(name)
    counted["class names that two modules define"] = [
        f"{name}: {', '.join(places)}" for name, places in sorted(classes.items()) if len(places) > 1
    ]
    for what in sorted(counted):
        print(f"{len(counted[what]):5}  {what}")
        if asked.names:
            print(*(f"         {name}" for name in counted[what]), sep="\n")
    print(*sizes_table(sizes), sep="\n")


if __name__ == "__main__":
    main()
