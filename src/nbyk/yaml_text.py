"""YAML as users write it, bounded and with the lines of its keys, and pydantic's errors about it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from nbyk.bounded import content_of
from nbyk.errors import NbykError, unknown_name

MOST_BYTES = 200_000
"""A larger file is refused: no configuration or design is so long, and reading one takes many seconds."""

MOST_VALUES = 100_000
"""A file with more keys and values is refused; each use of an alias counts all that the alias stands for."""

MOST_DIGITS = 400
"""A longer number is refused."""

_EXPECTED = {
    "bool": "true or false",
    "dict": "keys and values",
    "float": "a number",
    "greater_than_equal": "a number of at least {ge}",
    "int": "a whole number",
    "less_than_equal": "a number of at most {le}",
    "list": "a list, as in [a, b]",
    "model": "keys and values",
    "string": "text",
}
"""What a value should be, by the start of the name of what pydantic found wrong."""

_LONGEST = 60
_QUOTE = "put it in quotes"
_KINDS = {
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "null": "nothing",
    "timestamp": "a date",
}
_WHOLE = re.compile("-?(0|[1-9][0-9]*)")


class _RefusedError(yaml.MarkedYAMLError):
    """An error in a file that is valid YAML but that nbyk refuses."""


class _Loader(yaml.SafeLoader):
    """A loader that refuses values that YAML's own loader silently turns into something else."""

    def get_single_node(self) -> yaml.Node | None:
        """Return the whole document, checked before any value is made from it."""
        document: yaml.Node | None = super().get_single_node()
        if document is not None:
            _check_size(document, {})
        return document


def _check_size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Return the number of keys and values in a node, aliases written out; `sizes` are the known ones."""
    if id(node) in sizes:
        if not sizes[id(node)]:
            raise _problem(node, "it is a part of itself; write it out without an alias")
        return sizes[id(node)]
    sizes[id(node)] = 0
    size = 1
    if isinstance(node, yaml.ScalarNode):
        _check_number(node)
    elif isinstance(node, yaml.SequenceNode):
        size += sum(_check_size(part, sizes) for part in node.value)
    elif isinstance(node, yaml.MappingNode):
        _check_keys(node)
        size += sum(_check_size(part, sizes) for pair in node.value for part in pair)
    if size > MOST_VALUES:
        raise _problem(
            node, f"found more than {MOST_VALUES} keys and values, aliases written out; expected fewer"
        )
    sizes[id(node)] = size
    return size


def _check_keys(node: yaml.MappingNode) -> None:
    """Refuse keys that come twice, of which YAML would keep the last, and keys that are not text to it."""
    earlier: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _problem(key, "a key is a list or has keys of its own; expected text")
        kind = key.tag.rpartition(":")[2]
        if kind not in ("str", "merge"):
            read_as = _KINDS.get(kind, kind)
            raise _problem(key, f"YAML reads the key {_shown(key.value)} as {read_as}; {_QUOTE}")
        if key.value in earlier:
            raise _problem(key, f"the key {_shown(key.value)} comes twice; keep one")
        earlier.add(key.value)


def _check_number(node: yaml.ScalarNode) -> None:
    """Refuse numbers that YAML does not read as most people do: it reads 010 as 8, and 1:30 as 90."""
    kind = node.tag.rpartition(":")[2]
    if kind not in ("int", "float"):
        return
    if len(node.value) > MOST_DIGITS:
        raise _problem(node, f"found a number of {len(node.value)} digits; expected at most {MOST_DIGITS}")
    if ":" in node.value or "_" in node.value or (kind == "int" and not _WHOLE.fullmatch(node.value)):
        raise _problem(
            node, f"YAML may read {_shown(node.value)} as another number; write its digits alone, or {_QUOTE}"
        )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _problem(node: yaml.Node, problem: str) -> _RefusedError:
    return _RefusedError(problem=problem, problem_mark=node.start_mark)


def expected(problem: Mapping[str, Any]) -> str:
    """Return what a value should be, from one of `ValidationError.errors`; "" if pydantic says it better."""
    words = next((words for kind, words in _EXPECTED.items() if problem["type"].startswith(kind)), "")
    return words.format(**problem.get("ctx", {}))


def wrong_value(problem: Mapping[str, Any]) -> str:
    """Return a sentence on the value found and the value expected, from one of `ValidationError.errors`."""
    found, words = problem["input"], expected(problem)
    message = f", expected {words}" if words else f"; {problem['msg'][0].lower()}{problem['msg'][1:]}"
    is_unquoted = problem["type"] == "string_type" and isinstance(found, bool | int | float)
    return f"found {_shown(found)}{message}{f': {_QUOTE}' if is_unquoted else ''}"


def parse_mapping(path: str | Path, content: bytes) -> dict[str, Any]:
    """Return the keys and values of a YAML file, given its content; an empty file has none."""
    if len(content) > MOST_BYTES:
        raise NbykError(
            f"found {len(content)} bytes, expected at most {MOST_BYTES} of keys and values", file=path
        )
    try:
        values = yaml.load(content.decode("utf-8"), _Loader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = where.line + 1 if where else None
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        problem = problem if isinstance(error, _RefusedError) else f"not YAML ({problem})"
        raise NbykError(problem, file=path, row=line) from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise NbykError(f"expected keys and values, found {type(values).__name__}", file=path)
    return values


def place_of(
    location: Sequence[int | str], files: Sequence[str | os.PathLike[str]]
) -> tuple[str, int] | None:
    """Return the file and line of a key or value in the last file that has it; None if no file has it.

    `location` are the keys, and places in lists, that lead there. Files that cannot be read are skipped.
    """
    for path in reversed(files):
        try:
            node = _composed(content_of(path).decode("utf-8"))
        except (OSError, NbykError, UnicodeDecodeError, yaml.YAMLError):
            continue
        line = _line(node, location)
        if line is not None:
            return os.fspath(path), line
    return None


@lru_cache(maxsize=4)
def _composed(text: str) -> yaml.Node | None:
    return yaml.compose(text)


def _line(node: yaml.Node | None, location: Sequence[int | str]) -> int | None:
    line = None
    for part in location:
        if isinstance(node, yaml.MappingNode):
            match = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            if match is None:
                return line
            line, node = match[0].start_mark.line + 1, match[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line


Location = tuple[int | str, ...]


def explained(problem: Any, model: type[BaseModel]) -> tuple[Location, NbykError]:
    """Return the keys that lead to one of `ValidationError.errors`, and the error that names them.

    The error lacks the file and line, which `place_of` finds by the keys.
    """
    # pydantic ends the place of a mapping's wrong key with this.
    location = tuple(part for part in problem["loc"] if part != "[key]")
    if problem["type"] == "value_error":
        cause = problem["ctx"]["error"]
        error = cause if isinstance(cause, NbykError) else NbykError(str(cause))
        # A rule about several keys names the key at fault itself.
        named = error.key.split(".") if error.key else []
        location += tuple(int(part) if part.isdecimal() else part for part in named)
        key = _dotted(location)
        return location, NbykError(error.problem if error.file is None else str(error), key=key)
    if problem["type"] == "extra_forbidden":
        return location, unknown_name(
            "key", str(location[-1]), _section_at(location[:-1], model).model_fields
        )
    if problem["type"] == "missing":
        return location[:-1], NbykError("is missing; expected it", key=_dotted(location))
    return location, NbykError(wrong_value(problem), key=_dotted(location))


def _dotted(location: Location) -> str | None:
    return ".".join(str(part) for part in location) or None


def _section_at(location: Location, model: type[BaseModel]) -> type[BaseModel]:
    """Return the model of a part of a model, given the keys that lead there."""
    for part in location:
        field = model.model_fields.get(str(part))
        inner = _models_in(field.annotation if field else None)
        if not inner:
            return model
        model = inner[0]
    return model


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for each in getattr(annotation, "__args__", ()) for model in _models_in(each)]
