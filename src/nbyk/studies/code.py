"""The checksum of a function: of all code that it reaches by its imports, and of the data beside that code.

The code is found without running it. A function reaches everything that it names: in its own module and,
through imports anywhere in the code, in other modules of nbyk and of its own package. The checksum covers
everything reached, but not comments, docstrings or layout. If anything in a module is reached, the checksum
also covers the module's statements that bind no name.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from nbyk.errors import NbykError

LIBRARY = "nbyk"
EVERYTHING = "*"
_MODULE = re.compile(r"[a-z_]\w*(\.\w+)+(:\w+)?")
_FILE = re.compile(r"\w[\w.-]{0,99}")

Statements = tuple[tuple[ast.stmt, frozenset[str]], ...]


def checksum(function: str) -> str:
    """Return the checksum of the code that a function runs, given as "package.module:function"."""
    lines = "".join(f"{name} {part_checksum}\n" for name, part_checksum in sorted(parts(function).items()))
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def parts(function: str) -> dict[str, str]:
    """Return the checksums of everything a function reaches, by module or by path of a package's file."""
    root, _, name = function.partition(":")
    packages = {LIBRARY, root.partition(".")[0]}
    if not any(name in binds for _, binds in _statements(root)):
        raise NbykError(f"{function}: no such function; expected package.module:function")
    reached: dict[str, set[int]] = defaultdict(set)
    statements: dict[str, Statements] = {}
    files: dict[str, str] = {}
    waiting, asked = [(root, name)], set[tuple[str, str]]()
    while waiting:
        module, name = waiting.pop()
        path = _path(module)
        if (module, name) in asked or path is None or module.partition(".")[0] not in packages:
            continue
        asked.add((module, name))
        if module not in statements:
            statements[module] = _statements(module)
            waiting.append((module.rpartition(".")[0], ""))
        for place, (statement, binds) in enumerate(statements[module]):
            if place in reached[module] or not (name == EVERYTHING or name in binds or "" in binds):
                continue
            reached[module].add(place)
            named, texts = _inside(statement, module)
            waiting += named
            files |= {
                _shown(file): _sha256(file.read_bytes()) for text in texts for file in _files(path, text)
            }
    return files | {
        module: _sha256("\n".join(_text(statements[module][place][0]) for place in sorted(places)).encode())
        for module, places in reached.items()
    }


@cache
def _inside(statement: ast.stmt, module: str) -> tuple[set[tuple[str, str]], set[str]]:
    """Return the modules, with names in them, that a statement of a module names, and its strings."""
    named, texts = set[tuple[str, str]](), set[str]()
    path = _path(module)
    package = module if path and path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            named.add((module, node.id))
        elif isinstance(node, ast.Import):
            named |= {(alias.name, EVERYTHING) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                named |= {(source, alias.name), (f"{source}.{alias.name}", EVERYTHING)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
            if "." in module and _MODULE.fullmatch(node.value):
                module_text, colon, name = node.value.partition(":")
                named.add((module_text, name if colon else EVERYTHING))
    return named, texts


def _statements(module: str) -> Statements:
    """Return a module's statements, each with the names that it binds, and "" if it always counts."""
    path = _path(module)
    return () if path is None else _read(path.read_bytes())


@cache
def _read(content: bytes) -> Statements:
    tree = ast.parse(content)
    blocks: list[Any] = [tree]
    for block in blocks:
        if isinstance(getattr(block, "body", None), list):
            block.body = [each for each in block.body if not _is_for_readers(each)] or [ast.Pass()]
            blocks += block.body
    return tuple((each, frozenset(_bound(each))) for node in tree.body for each in _one_by_one(node))


def _is_for_readers(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or only a type checker reads it."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _one_by_one(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield a statement, or an import of several names as one of each: only names in use are followed."""
    if isinstance(node, ast.Import):
        yield from (ast.Import([alias]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)
    else:
        yield node


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module binds; "" if it counts without them."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        # An assignment into an object, such as NAMES["x"] = 1, belongs to the object's name.
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (each.id for to in targets for each in ast.walk(to) if isinstance(each, ast.Name))
    else:
        yield ""


_text = cache(ast.unparse)


@cache
def _root(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


@cache
def _path(module: str) -> Path | None:
    """Return a module's file; None if it is not a module of an installed package, nor one by itself."""
    package, *parts = module.split(".")
    root = _root(package) if package.isidentifier() else None
    if root is None or not all(part.isidentifier() for part in parts):
        return None
    place = root.joinpath(*parts)
    paths = (place / "__init__.py", place.with_suffix(".py") if parts else root / f"{package}.py")
    return next((path for path in paths if path.is_file()), None)


def _files(path: Path, text: str) -> Iterator[Path]:
    """Yield the file of a name beside a module, or the files in a folder of that name, except code."""
    place = path.parent / text
    if not _FILE.fullmatch(text) or text == "__pycache__" or not (path.parent / "__init__.py").is_file():
        return
    if place.is_dir() and not (place / "__init__.py").exists():
        yield from (file for file in sorted(place.rglob("*")) if file.is_file())
    elif place.suffix not in ("", ".py") and place.is_file():
        yield place


def _shown(path: Path) -> str:
    """Return the path of a package's file relative to the package's folder, the same on every machine."""
    top = path.parent
    while (top.parent / "__init__.py").is_file() or not (top / "__init__.py").is_file():
        top = top.parent
    return f"{top.name}/{path.relative_to(top).as_posix()}"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
