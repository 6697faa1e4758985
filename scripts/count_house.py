"""Count what a house says more than once: `python scripts/count_house.py [FOLDER] [--names]`.

It counts, in the packages below FOLDER (default: src): functions with eight or more parameters; lines that
only hand a name on (`x=x,`); class names that two modules define; kernels that draw with replacement; and
lines of code per package, blank lines, comments and docstrings left out. With --names it names each.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

MANY = 8
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
    """Return how many lines hold code: neither blank nor comment nor docstring."""
    prose: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return sum(
        number not in prose and bool(line.strip()) and not line.lstrip().startswith("#")
        for number, line in enumerate(text.splitlines(), start=1)
    )


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("src"))
    parser.add_argument("--names", action="store_true", help="name each")
    asked = parser.parse_args()
    counted: dict[str, list[str]] = defaultdict(list)
    classes: dict[str, list[str]] = defaultdict(list)
    lines: Counter[str] = Counter()
    for path in sorted(asked.folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        place = path.relative_to(asked.folder)
        lines["/".join(place.parts[:2] if len(place.parts) > 2 else place.parts[:1])] += code_lines(
            text, tree
        )
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
    print(f"{sum(lines.values()):5}  lines of code")
    for package, number in sorted(lines.items()):
        print(f"{number:9}  {package}")


if __name__ == "__main__":
    main()
