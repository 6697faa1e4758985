"""The checksum of a function: of all code that it runs and of the data beside that code.

The code is found without running it. A function reaches everything that it names: in its own module and,
through imports anywhere in the code, in other modules of nbyk and of its own package. The checksum covers
everything reached, but not comments, docstrings or layout. If anything in a module is reached, the checksum
also covers the module's statements that bind no name, and functions that a decorator registers.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from nbyk.errors import NbykError
from nbyk.files import replacing

LIBRARY = "nbyk"
EVERYTHING = "*"
_MODULE = re.compile(r"[a-z_]\w*(\.\w+)+(:\w+)?")
_FILE = re.compile(r"\w[\w.-]{0,99}")
_REGISTERS = ("register", "command", "callback")
"""Decorators that register a function, so that other code finds it without its name."""


@dataclass(frozen=True)
class _Piece:
    """A statement of a module.

    Attributes
    ----------
    binds, uses
        The names that it binds, and the names in it.
    imports
        Its imports: a module, or a module and a name in it, as "nbyk.data.ratings:Ratings".
    texts
        Strings in it that may name a file beside the module.
    checksum
        Checksum of its code.
    always
        Whether it counts if anything in its module does.
    """

    binds: list[str]
    uses: list[str]
    imports: list[str]
    texts: list[str]
    checksum: str
    always: bool


class Code:
    """Checksums of the code of functions.

    Parameters
    ----------
    memory
        A file that caches the findings about each module while the module's size and time stamp stay the
        same. It is written if its folder exists. Without the file, every module is read anew.
    """

    def __init__(self, memory: Path | None = None) -> None:
        self._memory = memory
        self._kept: dict[str, tuple[list[int], list[_Piece]]] = {}
        self._is_new = False
        if memory is not None and memory.is_file():
            try:
                kept = json.loads(memory.read_text(encoding="utf-8"))
                self._kept = {
                    path: (stamp, [_Piece(**piece) for piece in pieces])
                    for path, (stamp, pieces) in kept.items()
                }
            except (ValueError, TypeError):  # cut off, or another version's
                self._kept = {}

    def checksum(self, *functions: str) -> str:
        """Return the checksum of the code that functions run, each given as "package.module:function"."""
        parts: dict[str, str] = {}
        for function in functions:
            parts |= self.parts(function)
        digest = hashlib.sha256()
        for name, found in sorted(parts.items()):
            digest.update(f"{name} {found}\n".encode())
        self._keep()
        return digest.hexdigest()[:16]

    def parts(self, function: str) -> dict[str, str]:
        """Return the checksums of everything a function reaches, by module or by path of a package's file.

        Raises
        ------
        NbykError
            If there is no such function.
        """
        root, _, name = function.partition(":")
        packages = {LIBRARY, root.partition(".")[0]}
        if name not in self._names(root):
            raise NbykError(f"{function}: no such function; expected package.module:function")
        reached: dict[str, set[int]] = defaultdict(set)
        files: dict[str, str] = {}
        waiting, asked = [(root, name)], set[tuple[str, str]]()
        while waiting:
            module, name = waiting.pop()
            path = _path(module)
            if (module, name) in asked or path is None or module.partition(".")[0] not in packages:
                continue
            asked.add((module, name))
            if "." in module:
                waiting.append((module.rpartition(".")[0], ""))
            if _path(f"{module}.{name}") is not None:
                waiting.append((f"{module}.{name}", EVERYTHING))
            pieces = self._pieces(path)
            for place in self._reached(pieces, name) - reached[module]:
                reached[module].add(place)
                piece = pieces[place]
                waiting += [_asked(text) for text in piece.imports]
                for text in piece.texts:
                    files |= {_shown(file): _sha256(file) for file in _named(path.parent, text)}
                    if "." in module and _MODULE.fullmatch(text):
                        waiting.append(_asked(text))
        found = {}
        for module, places in reached.items():
            path = _path(module)
            assert path is not None
            pieces = self._pieces(path)
            sums = "".join(pieces[place].checksum for place in sorted(places))
            found[module] = hashlib.sha256(sums.encode()).hexdigest()
        return found | files

    @staticmethod
    def _reached(pieces: list[_Piece], name: str) -> set[int]:
        """Return the pieces that a name of a module reaches within it."""
        if name == EVERYTHING:
            return set(range(len(pieces)))
        by_name: dict[str, list[int]] = defaultdict(list)
        for place, piece in enumerate(pieces):
            for bound in piece.binds:
                by_name[bound].append(place)
        found = {place for place, piece in enumerate(pieces) if piece.always} | set(by_name[name])
        waiting = list(found)
        while waiting:
            for used in pieces[waiting.pop()].uses:
                new = set(by_name.get(used, ())) - found
                found |= new
                waiting += new
        return found

    def _names(self, module: str) -> set[str]:
        path = _path(module)
        return set() if path is None else {name for piece in self._pieces(path) for name in piece.binds}

    def _pieces(self, path: Path) -> list[_Piece]:
        status = path.stat()
        stamp = [status.st_mtime_ns, status.st_size]
        kept = self._kept.get(str(path))
        if kept is None or kept[0] != stamp:
            kept = self._kept[str(path)] = (stamp, list(_pieces_of(path)))
            self._is_new = True
        return kept[1]

    def _keep(self) -> None:
        if self._memory is None or not self._is_new or not self._memory.parent.is_dir():
            return
        kept = {
            path: (stamp, [asdict(piece) for piece in pieces]) for path, (stamp, pieces) in self._kept.items()
        }
        try:
            with replacing(self._memory, noted=False) as scratch:
                scratch.write_text(json.dumps(kept), encoding="utf-8")
            self._is_new = False
        except (OSError, NbykError):  # nothing can be written there: every start reads anew
            self._memory = None


def _asked(text: str) -> tuple[str, str]:
    module, colon, name = text.partition(":")
    return module, name if colon else EVERYTHING


@cache
def _root(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    return None if found is None or found.origin is None else Path(found.origin).parent


@cache
def _path(module: str) -> Path | None:
    """Return a module's file; None if it is not a module of an installed package."""
    package, *parts = module.split(".")
    root = _root(package) if package.isidentifier() else None
    if root is None or not all(part.isidentifier() for part in parts):
        return None
    place = root.joinpath(*parts)
    paths = (place / "__init__.py", *([place.with_suffix(".py")] if parts else []))
    return next((path for path in paths if path.is_file()), None)


def _shown(path: Path) -> str:
    """Return the path of a package's file relative to the package's folder, the same on every machine."""
    top = path.parent
    while (top.parent / "__init__.py").is_file() or not (top / "__init__.py").is_file():
        top = top.parent
    return f"{top.name}/{path.relative_to(top).as_posix()}"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _named(folder: Path, text: str) -> Iterator[Path]:
    """Yield the file of a name in a folder, or the files in a folder of that name, except code."""
    if not _FILE.fullmatch(text) or text == "__pycache__":
        return
    place = folder / text
    if place.is_dir() and not (place / "__init__.py").exists():
        yield from (file for file in sorted(place.rglob("*")) if file.is_file())
    elif place.suffix not in ("", ".py") and place.is_file():
        yield place


def _pieces_of(path: Path) -> Iterator[_Piece]:
    tree = ast.parse(path.read_bytes(), filename=str(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    for node in tree.body:
        if _is_for_types(node) or isinstance(node, ast.Pass):
            continue
        binds = list(_bound(node))
        if isinstance(node, ast.Import | ast.ImportFrom):
            # Follow each name by itself: in a package that gathers others' names, only those asked for are
            # reached.
            for alias, bound in zip(node.names, binds, strict=True):
                imports = list(_imported(node, alias))
                yield _Piece([bound], [], imports, [], f"{bound} = {imports[0]}" if imports else bound, False)
            continue
        inside = list(_run(node))
        yield _Piece(
            binds,
            sorted({each.id for each in inside if isinstance(each, ast.Name)} - _parameters(node)),
            sorted(
                {
                    name
                    for each in inside
                    if isinstance(each, ast.Import | ast.ImportFrom)
                    for alias in each.names
                    for name in _imported(each, alias)
                }
            ),
            sorted(
                {
                    each.value
                    for each in inside
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                    if _MODULE.fullmatch(each.value) or _FILE.fullmatch(each.value)
                }
            ),
            hashlib.sha256(ast.dump(node, annotate_fields=False).encode()).hexdigest(),
            not binds or _registers(node),
        )


def _is_text(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or a string by itself such as an attribute's docs."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and those below it, except code that only a type checker reads."""
    yield node
    for each in ast.iter_child_nodes(node):
        if not _is_for_types(each):
            yield from _run(each)


def _registers(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return False
    decorators = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    return any(getattr(each, "attr", getattr(each, "id", "")) in _REGISTERS for each in decorators)


def _parameters(node: ast.stmt) -> set[str]:
    """Return the names of a function's parameters, which hide the module's names in it."""
    if not isinstance(node, ast.FunctionDef):
        return set()
    given = node.args
    return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            # An assignment into an object, such as NAMES["x"] = 1, belongs to the object's name.
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


def _imported(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield alias.name
    elif node.module is not None:
        yield f"{node.module}:{alias.name}"
