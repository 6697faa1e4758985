"""Reading a file of any supported format into named columns that remember their line or row."""

from __future__ import annotations

import csv
import difflib
import io
import json
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbyk.errors import NbykError
from nbyk.files import read_bytes

DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
TABLE_SUFFIXES = (*DELIMITERS, *JSON_LINES, ".parquet")

# How other files begin that people take for text, and what to do with them.
_NOT_TEXT = (
    (b"\xff\xfe", "UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16", "save it as UTF-8"),
    (b"\x1f\x8b", "compressed with gzip", "decompress it first"),
    (b"PK\x03\x04", "a zip file or a workbook", "save the sheet as CSV"),
    (b"PAR1", "a Parquet file", "rename it to .parquet"),
    (b"\x93NUMPY", "a NumPy array", "rename it to .npy"),
)


@dataclass(frozen=True)
class Table:
    """The columns of a file, cell by cell as they were read.

    Attributes
    ----------
    path
        The file.
    names
        Column names in the file's order; a name may come twice.
    columns
        One list of cells per name (or a Parquet column, which becomes a list when asked for); text in CSV
        and TSV, whatever JSON or Parquet hold otherwise. A cell that is not there is None. The list of a
        column that was not read is empty.
    unit
        What `numbers` counts: "line" (from 1) in a text file, "row" (from 0) otherwise.
    numbers
        Where each row begins.
    """

    path: str
    names: tuple[str, ...]
    columns: tuple[Any, ...]
    unit: str
    numbers: Sequence[int]

    def at(self, row: int) -> str:
        """Return the file and the line or row, for an error."""
        return f"{self.path}, {self.unit} {self.numbers[row]}"

    def column(self, name: str, hint: str) -> list[Any]:
        """Return the cells of a column.

        Parameters
        ----------
        name
            The column's name.
        hint
            The way out when there is no such column.

        Raises
        ------
        NbykError
            If no column or more than one has that name.
        """
        found = self.names.count(name)
        if found == 1:
            cells = self.columns[self.names.index(name)]
            return cells if isinstance(cells, list) else list(cells.to_pylist())
        if found:
            raise NbykError(f"{self.path}: {found} columns are named {name!r}; rename all but one")
        near = difflib.get_close_matches(name, self.names, n=1, cutoff=0.6)
        nearest = f" (nearest: {near[0]!r})" if near else ""
        found_names = ", ".join(map(repr, self.names[:12])) + (", …" if len(self.names) > 12 else "")
        raise NbykError(f"{self.path}: no column {name!r}; found {found_names}{nearest}; {hint}")


def read_table(path: str | os.PathLike[str], only: Collection[str] | None = None) -> Table:
    """Return the table in a CSV, TSV, JSON-lines or Parquet file.

    Parameters
    ----------
    path
        The file.
    only
        The columns to read, where others, such as texts, would only take memory.

    Raises
    ------
    NbykError
        If the file is missing, unreadable, of an unknown suffix or empty, or a line does not fit the rest.
    """
    suffix = Path(path).suffix.lower()
    if suffix in DELIMITERS:
        table = _read_delimited(path, DELIMITERS[suffix], only)
    elif suffix in JSON_LINES:
        table = _read_json_lines(path)
    elif suffix == ".parquet":
        table = _read_parquet(path, only)
    else:
        raise unknown_suffix(path, TABLE_SUFFIXES)
    if not table.numbers:
        raise NbykError(f"{path}: has columns but no rows; expected at least one rating or score per row")
    return table


def unknown_suffix(path: str | os.PathLike[str], known: Sequence[str]) -> NbykError:
    """Return the error for a file whose suffix is none of `known`."""
    return NbykError(
        f"{path}: unknown suffix {Path(path).suffix!r}; expected one of {', '.join(known)}: "
        "rename the file to what it is, or convert it"
    )


def unreadable(path: str | os.PathLike[str], error: BaseException) -> NbykError:
    """Return the error for a file that the system does not let us read."""
    if isinstance(error, FileNotFoundError):
        return NbykError(f"{path}: no such file; check the path")
    return NbykError(f"{path}: cannot be read ({reason(error)}); check that it is a file that you may read")


def reason(error: BaseException) -> str:
    """Return what an error says, on one line."""
    said = getattr(error, "strerror", None) or str(error).strip()
    return str(said).splitlines()[0] if said else type(error).__name__


def shown(value: Any) -> str:
    """Return a value as an error shows it: on one line, cut if long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def text_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, with their ends and without a byte-order mark.

    Raises
    ------
    NbykError
        If the file is missing or unreadable, or a line is not UTF-8 or holds a NUL.
    """
    return _lines(path, _content(path))


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        return read_bytes(path)
    except OSError as error:
        raise unreadable(path, error) from None


def _lines(path: str | os.PathLike[str], content: bytes) -> Iterator[str]:
    for number, raw in enumerate(io.BytesIO(content), start=1):
        # A byte-order mark is no part of the first column's name.
        encoding = "utf-8-sig" if number == 1 else "utf-8"
        try:
            if b"\0" in raw:
                raise _not_text(path, number, content, f"byte {raw.index(0) + 1} is NUL")
            yield raw.decode(encoding)
        except UnicodeDecodeError as error:
            raise _not_text(path, number, content, f"byte {error.start + 1} is not UTF-8") from None


def _not_text(path: str | os.PathLike[str], number: int, content: bytes, found: str) -> NbykError:
    """Return the error for a file whose line `number` is no text."""
    for magic, what, way_out in _NOT_TEXT:
        if content.startswith(magic):
            return NbykError(f"{path}: is {what}, expected text in UTF-8; {way_out}")
    return NbykError(f"{path}, line {number}: {found}; save the file as UTF-8")


def _text(path: str | os.PathLike[str]) -> str:
    """Return all that `text_lines` yields, in one piece."""
    content = _content(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    return "".join(_lines(path, content)) if "\0" in text else text


def json_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of each line of a JSON-lines file; blank lines are skipped.

    Raises
    ------
    NbykError
        If the file is missing or unreadable, or a line is not UTF-8, not JSON or not an object, or an
        object has a key twice.
    """
    decode = json.JSONDecoder(object_pairs_hook=_distinct_keys).decode
    for number, line in enumerate(text_lines(path), start=1):
        if not line.strip():
            continue
        try:
            content = decode(line)
        except (ValueError, RecursionError) as error:
            if line.lstrip().startswith("["):
                raise _not_an_object(path, number, []) from None
            # The decoder's own message counts lines too, always 1.
            where = f": character {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
            raise NbykError(
                f"{path}, line {number}: not JSON ({getattr(error, 'msg', error)}{where}); "
                "expected one whole object per line: mend the line, or get the file again if it was cut off"
            ) from None
        if not isinstance(content, dict):
            raise _not_an_object(path, number, content)
        yield number, content


def _not_an_object(path: str | os.PathLike[str], number: int, content: Any) -> NbykError:
    return NbykError(
        f"{path}, line {number}: found {_kind(content)}; expected one object per line, "
        'like {"item": "a", "rater": "r1", "value": 1}'
    )


def json_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the one object that a JSON file holds.

    Raises
    ------
    NbykError
        As `json_content`, or if it is no object.
    """
    content = json_content(path)
    if not isinstance(content, dict):
        raise NbykError(f"{path}: found {_kind(content)}; expected one object in braces")
    return content


def json_content(path: str | os.PathLike[str]) -> Any:
    """Return what a JSON file holds.

    Raises
    ------
    NbykError
        If the file is missing or unreadable, not UTF-8 or not JSON, or an object has a key twice.
    """
    text = _text(path)
    try:
        return json.loads(text, object_pairs_hook=_distinct_keys)
    except (ValueError, RecursionError) as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise NbykError(
            f"{path}{where}: not JSON ({getattr(error, 'msg', error)}); "
            "mend the file, or get it again if it was cut off"
        ) from None


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's members; Python's own reader would keep the last of those with the same key."""
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise ValueError(f"the key {shown(twice)} comes twice in one object")
    return members


def _read_delimited(path: str | os.PathLike[str], delimiter: str, only: Collection[str] | None) -> Table:
    text = _text(path)
    header, columns, numbers = _split(text, delimiter, only) or _parsed(path, text, delimiter, only)
    return Table(str(path), tuple(header), columns, "line", numbers)


def _split(
    text: str, delimiter: str, only: Collection[str] | None
) -> tuple[list[str], tuple[list[str], ...], Sequence[int]] | None:
    """Return what `_parsed` does, several times as fast, or None for what needs its care."""
    # Without quotes every delimiter and line end is one, and the fields are all there is between them.
    lines = text.replace("\r\n", "\n").split("\n")
    if '"' in text or any("\r" in line for line in lines):
        return None
    filled = [line for line in lines if line]
    widths = {line.count(delimiter) + 1 for line in filled}
    if len(widths) != 1 or widths == {1} or max(map(len, filled)) > csv.field_size_limit():
        return None
    width = widths.pop()
    cells = delimiter.join(filled).split(delimiter)
    header = cells[:width]
    columns = tuple(
        cells[width + at :: width] if only is None or name in only else [] for at, name in enumerate(header)
    )
    return header, columns, [number for number, line in enumerate(lines, start=1) if line][1:]


def _parsed(
    path: str | os.PathLike[str], text: str, delimiter: str, only: Collection[str] | None
) -> tuple[list[str], tuple[list[str], ...], Sequence[int]]:
    """Return the header, the columns and the line on which each row begins.

    Raises
    ------
    NbykError
        If there is no header, or it has another delimiter, a row has more or fewer fields, or quotes or
        line ends are not CSV's.
    """
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, strict=True)
    cells: list[str] = []
    numbers: list[int] = []
    header: list[str] | None = None
    read: list[int] = []
    begins = 1
    try:
        for row in reader:
            if row and header is None:
                header = row
                for other in "\t;|,":
                    if len(header) == 1 and other in header[0]:
                        raise NbykError(
                            f"{path}: the header {header[0]!r} is one field, and looks separated by "
                            f"{other!r}; expected {delimiter!r}: save the file so"
                        )
                read = [at for at, name in enumerate(header) if only is None or name in only]
            elif row:
                # Cells of a row that does not fit would end up in other columns.
                if header is not None and len(row) != len(header):
                    raise NbykError(
                        f"{path}, line {begins}: found {len(row)} fields, expected {len(header)} as in the "
                        "header; mend the line, or get the file again if it was cut off"
                    )
                cells += [row[at] for at in read]
                numbers.append(begins)
            begins = reader.line_num + 1
    except csv.Error as error:
        found = "a carriage return ends no line" if "new-line" in str(error) else str(error)
        raise NbykError(
            f"{path}, line {begins}: cannot be split into fields ({found}); mend the quotes and line ends, "
            "or get the file again if it was cut off"
        ) from None
    if header is None:
        raise NbykError(f"{path}: is empty; expected a header line and one line per rating, item or run")
    cells_of = {at: cells[place :: len(read)] for place, at in enumerate(read)}
    return header, tuple(cells_of.get(at, []) for at in range(len(header))), numbers


def _read_json_lines(path: str | os.PathLike[str]) -> Table:
    columns: dict[str, list[Any]] = {}
    numbers: list[int] = []
    for number, content in json_lines(path):
        for name, cell in content.items():
            if name not in columns:
                columns[name] = [None] * len(numbers)
            columns[name].append(cell)
        numbers.append(number)
        if len(content) < len(columns):
            for cells in columns.values():
                if len(cells) < len(numbers):
                    cells.append(None)
    if not numbers:
        raise NbykError(f"{path}: is empty; expected one JSON object per line")
    return Table(str(path), tuple(columns), tuple(columns.values()), "line", numbers)


def _read_parquet(path: str | os.PathLike[str], only: Collection[str] | None) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        content = read_bytes(path)  # pyarrow's own errors for a file that cannot be opened say less
    except OSError as error:
        raise unreadable(path, error) from None
    try:
        with pq.ParquetFile(pa.BufferReader(content)) as source:
            names = source.schema_arrow.names
            table = source.read(None if only is None else [name for name in names if name in only])
    except (pa.ArrowException, OSError) as error:
        raise NbykError(
            f"{path}: not a readable Parquet file ({reason(error)}); "
            "get it again if it was cut off, or rename it to what it is"
        ) from None
    kept = iter(table.columns)
    columns = tuple(next(kept) if only is None or name in only else [] for name in names)
    return Table(str(path), tuple(names), columns, "row", range(table.num_rows))


def _kind(content: Any) -> str:
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(content), "a number")
