"""Text and JSON in files of users; errors name the line that cannot be read."""

from __future__ import annotations

import io
import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from nbyk.bounded import Deadline, refuse_document
from nbyk.data.cells import ArrowCells, blocks
from nbyk.errors import DataPlace, NbykError, no_such_file
from nbyk.files import read_bytes

# First bytes of other files that people take for text, and advice on each.
_NOT_TEXT = (
    (b"\xff\xfe", "UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16", "save it as UTF-8"),
    (b"\x1f\x8b", "compressed with gzip", "decompress it first"),
    (b"PK\x03\x04", "a zip file or a workbook", "save the sheet as CSV"),
    (b"PAR1", "a Parquet file", "rename it to .parquet"),
    (b"\x93NUMPY", "a NumPy array", "rename it to .npy"),
)

_START_OF_NUMBER = "+-.0123456789inIN"

_NO_NUMBERS = re.compile(r"(?:^|\0)(?:[-+.0-9]|inf(?:inity)?(?:\0|$)|nan(?:\0|$))")

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Signs without a look of their own that are no format signs to Unicode: fillers, selectors of variants."""

_COUNTED = re.compile(r"(?:0|[1-9][0-9]{0,14})(?:\0(?:0|[1-9][0-9]{0,14}))*")


def reason(error: BaseException) -> str:
    """Return an error's message on one line."""
    said = getattr(error, "strerror", None) or str(error).strip()
    return str(said).splitlines()[0] if said else type(error).__name__


@contextmanager
def readable(path: str | os.PathLike[str], what: str, way_out: str) -> Iterator[None]:
    """Raise NbykError for any error of a library that reads a file: a damaged one makes it raise anything."""
    try:
        yield
    except NbykError:
        raise
    except Exception as error:
        if isinstance(error.__context__, NbykError):  # openpyxl says of any that it cannot read strings
            raise error.__context__ from None
        # Python's own errors say nothing of the file
        is_own = isinstance(error, LookupError | TypeError | AttributeError)
        why = "" if is_own else f" ({reason(error)[:200]})"
        raise DataPlace(path).error(
            f"not a readable {what}{why}; get it again if it was cut off, or {way_out}"
        ) from None


def shown(value: Any) -> str:
    """Return a value as an error shows it: on one line, cut if long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or an integer of too many digits
        text = f"a value too large to show ({type(value).__name__})"
    return text if len(text) <= 60 else f"{text[:59]}…"


def some(names: Sequence[Any], show: Callable[[Any], str] = repr, most: int = 12) -> str:
    """Return the first of some names, as in a list."""
    return ", ".join(map(show, names[:most])) + (", …" if len(names) > most else "")


def seen(name: str) -> str:
    """Return a name as people see it: without further spaces and invisible signs, accents in one form."""
    if not name.isascii():
        composed = unicodedata.normalize("NFC", name)
        shown = (sign for sign in composed if unicodedata.category(sign) != "Cf")
        name = _UNSEEN.sub("", "".join(shown))
    return " ".join(name.split())


def are_plain(names: Sequence[str]) -> bool:
    """Return whether no name is empty, and all are ASCII without spaces: `seen` returns each as it is."""
    return all(map(_are_plain, blocks(names)))


def _are_plain(names: Sequence[str]) -> bool:
    joined = "\0".join(names)
    return joined.isascii() and joined.split() == [joined] and "" not in names


def simplified(name: str) -> str:
    """Return a name without the usual differences of two spellings: as seen, of one case, 1.0 and 01 as 1."""
    if name.isascii() and name.split() == [name] and name[0] not in _START_OF_NUMBER:
        return name.lower()
    text = unicodedata.normalize("NFKC", seen(name)).casefold()
    try:
        return f"{float(text):.17g}"
    except ValueError:
        return text


def _differ_simplified(names: Sequence[str]) -> bool:
    """Return whether these are such names that none of many takes a look: small letters, or whole numbers."""
    if all(_COUNTED.fullmatch("\0".join(block)) for block in blocks(names)):
        return True
    return all(
        _are_plain(block) and joined == joined.lower() and not _NO_NUMBERS.search(joined)
        for block in blocks(names)
        for joined in ["\0".join(block)]
    )


def look_alikes(names: Iterable[str]) -> tuple[str, str] | None:
    """Return, quoted, the first two of distinct names that look alike; None if no two do."""
    names = names if isinstance(names, ArrowCells) else list(names)
    if _differ_simplified(names):
        return None
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(simplified(name), name)
        if other != name:
            # signs that cannot be seen, and two forms of an accent, are spelt out
            show = repr if seen(other) != seen(name) else ascii
            return show(other), show(name)
    return None


def notes_on_look_alikes(names: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield a note on names that look alike, of each kind of names, such as "items"."""
    for what, every in names.items():
        if alike := look_alikes(every if isinstance(every, ArrowCells) else dict.fromkeys(every)):
            yield f"the {what} {alike[0]} and {alike[1]} look alike, and nbyk tells them apart"


def text_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, with their ends and without a byte-order mark."""
    yield from io.StringIO(whole_text(path), newline="\n")


def content_of(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file."""
    try:
        return read_bytes(path)
    except FileNotFoundError:
        raise no_such_file(path) from None
    except OSError as error:
        raise DataPlace(path).error(
            f"cannot be read ({reason(error)}); check that it is a file that you may read"
        ) from None


def whole_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a UTF-8 file, without a byte-order mark."""
    content = content_of(path)
    try:
        text = content.decode()
        if "\0" not in text:
            return text.removeprefix("\ufeff")
        place, what = content.index(0), "NUL"
    except UnicodeDecodeError as error:
        place, what = error.start, "not UTF-8"
    for magic, kind, way_out in _NOT_TEXT:
        if content.startswith(magic):
            raise DataPlace(path).error(f"is {kind}, expected text in UTF-8; {way_out}")
    *lines, last = content[:place].split(b"\n")
    raise DataPlace(path, len(lines) + 1).error(f"byte {len(last) + 1} is {what}; save the file as UTF-8")


def json_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of each line of a JSON-lines file; blank lines are skipped."""
    decode = json.JSONDecoder(object_pairs_hook=distinct_keys).decode
    for number, line in enumerate(text_lines(path), start=1):
        if line.strip():
            yield number, _object(_decoded(decode, line, path, number), path, number)


def json_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the one object that a JSON file holds."""
    return _object(json_content(path), path, None)


def _object(content: Any, path: str | os.PathLike[str], line: int | None) -> dict[str, Any]:
    if isinstance(content, dict):
        return content
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    expected = "one object in braces"
    if line is not None:
        expected = 'one object per line, like {"item": "a", "rater": "r1", "value": 1}'
    raise DataPlace(path, line).error(f"found {names.get(type(content), 'a number')}; expected {expected}")


def json_content(path: str | os.PathLike[str]) -> Any:
    """Return the content of a JSON file."""
    return document(path, whole_text(path), Deadline(path))


def document(path: str | os.PathLike[str], text: str, deadline: Deadline) -> Any:
    """Return the content of a JSON document in a file, which must be read by some time."""
    refuse_document(path, text)

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        deadline.check()
        return distinct_keys(pairs)

    return _decoded(json.JSONDecoder(object_pairs_hook=members).decode, text, path, None)


def _decoded(decode: Callable[[str], Any], text: str, path: str | os.PathLike[str], line: int | None) -> Any:
    """Return the content of JSON text, which is a line of a file, or all of it."""
    try:
        return decode(text)
    except NbykError:
        raise
    except (ValueError, RecursionError) as error:
        # the decoder's own message has a line number too, which is always 1 in a line
        where = f": character {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        way_out = "mend it" if line is None else "mend the line, call the file .json if it is one document"
        raise DataPlace(path, line or getattr(error, "lineno", None)).error(
            f"not JSON ({getattr(error, 'msg', error)}{where}); {way_out}, or get it again if it was cut off"
        ) from None


def distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's members; Python's own reader would keep the last of those with the same key."""
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"the key {shown(twice)} comes twice in one object")
    return members
