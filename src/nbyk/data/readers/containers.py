"""Tables in containers: an Excel workbook, and a data set that Hugging Face's datasets saved."""

from __future__ import annotations

import io
import os
import re
import struct
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nbyk.bounded import MOST_BYTES, TimedBytes, counted, refuse_bomb, refuse_more
from nbyk.data.readers.recording import Recording, Unusable, library, message_of
from nbyk.data.text import json_content
from nbyk.errors import NbykError
from nbyk.files import read_bytes

_SHEET = 2**20  # rows of the largest sheet
_MOST_BYTES, _MOST_BESIDE = (
    10**8,
    10**7,
)  # of XML, and of that beside sheets; openpyxl takes a minute for 10**8
_SHEETS = ("xl/worksheets/", "xl/sharedStrings.xml", "xl/media/")
_HIDDEN = re.compile(rb"<(?:\w+:)?(row|col) [^>]*hidden=\"(?:1|true)\"")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell [^>]*ref=\"([A-Z0-9:$]+)\"")


def is_workbook(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is named as workbooks are."""
    return Path(path).suffix.lower() in (".xlsx", ".xlsm") and os.path.isfile(path)


def read_workbook(path: str | os.PathLike[str]) -> Recording:
    """Return the columns of the sheet, named by its first filled row; formulas are their saved values."""
    openpyxl = library("openpyxl", path, "an Excel workbook")
    content = read_bytes(path)
    refuse_bomb(path, content, _MOST_BYTES)
    refuse_bomb(path, content, _MOST_BESIDE, unread=_SHEETS)
    notes: list[str] = []
    try:
        sheets = _sheets(openpyxl, content, path, notes)
    except NbykError:
        raise
    except Exception as error:  # a damaged workbook makes zipfile and the XML parser raise nearly anything
        if isinstance(error.__context__, NbykError):  # openpyxl says of any that it cannot read strings
            raise error.__context__ from None
        raise NbykError(
            f"openpyxl cannot read it ({message_of(error)}); save it as .xlsx again", file=path
        ) from None
    filled = {
        name: numbered
        for name, rows in sheets.items()
        if (numbered := [(number, row) for number, row in enumerate(rows, start=1) if _is_filled(row)])
    }
    if len(filled) != 1:
        named = ", ".join(map(repr, filled)) or "none"
        raise NbykError(
            f"found filled sheets {named}, expected one; save the one of the ratings alone", file=path
        )
    (first, header), *rows = next(iter(filled.values()))
    width = max(
        place + 1
        for _, row in filled[next(iter(filled))]
        for place, cell in enumerate(row)
        if cell is not None
    )
    names = [
        "" if cell is None or isinstance(cell, Unusable) else str(cell)
        for cell in (*header, *[None] * width)[:width]
    ]
    if len(set(names)) < len(names) or not all(map(str.strip, names)):
        raise NbykError(
            f"the columns are named {names}, expected a name of its own for each; mend row {first}", file=path
        )
    return Recording(
        "an Excel workbook",
        {
            name: [row[place] if place < len(row) else None for _, row in rows]
            for place, name in enumerate(names)
        },
        {},
        numbers=[number for number, _ in rows],
        notes=tuple(notes),
    )


def _sheets(
    openpyxl: Any, content: bytes, path: str | os.PathLike[str], notes: list[str]
) -> dict[str, list[list[Any]]]:
    """Return the rows of each sheet; merged cells, and formulas without a saved value, are unusable."""

    def opened(is_value: bool) -> Any:
        return openpyxl.load_workbook(TimedBytes(path, content), read_only=True, data_only=is_value)

    book = opened(True)
    sheets: dict[str, list[list[Any]]] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in book.sheetnames:
            sheet = book[name]
            if not hasattr(sheet, "reset_dimensions"):  # a sheet of charts
                continue
            rows = _rows(sheet, path)
            source = archive.read(sheet._worksheet_path)
            if any(map(_is_filled, rows)):
                merged = [ref.decode() for ref in _MERGED.findall(source)]
                if merged:
                    raise NbykError(
                        f"sheet {name!r}: the cells {merged[0]} are merged, so one value stands for several; "
                        "unmerge them, and write the value into each",
                        file=path,
                    )
                if n_hidden := len(_HIDDEN.findall(source)):
                    notes.append(f"hidden rows and columns of sheet {name!r} were read too: {n_hidden}")
            if b"<f" in source:
                for row, row_of_formulas in zip(rows, _rows(opened(False)[name], path), strict=False):
                    for place, formula in enumerate(row_of_formulas):
                        if formula is not None and row[place] is None:
                            text = getattr(formula, "text", formula)
                            row[place] = Unusable(f"the formula {text!s:.40} without a saved value")
            sheets[name] = rows
    return sheets


def _rows(sheet: Any, path: str | os.PathLike[str]) -> list[list[Any]]:
    sheet.reset_dimensions()  # what a file says of its own size may be old
    rows = counted(sheet.iter_rows(values_only=True), path, lambda row: (1, len(row), 0), _SHEET)
    return [list(row) for row in rows]


def _is_filled(row: Sequence[Any]) -> bool:
    return any(cell is not None for cell in row)


def is_dataset(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder holds a data set, or the splits of one."""
    return any((Path(path) / name).is_file() for name in ("dataset_info.json", "dataset_dict.json"))


def read_dataset(path: str | os.PathLike[str]) -> Recording:
    """Return the columns of a data set; they are recognised by their names, as in any table."""
    import pyarrow as pa

    folder = Path(path)
    try:
        if (folder / "dataset_dict.json").is_file():
            splits = json_content(folder / "dataset_dict.json")["splits"]
            raise NbykError(
                f"holds the splits {', '.join(splits)}; give the folder of one: {folder / splits[0]}",
                file=path,
            )
        files = [
            folder / Path(of["filename"]).name for of in json_content(folder / "state.json")["_data_files"]
        ]
        features = json_content(folder / "dataset_info.json").get("features") or {}
        batches = (batch for file in files for batch in _batches(file))
        table = pa.Table.from_batches(
            counted(
                batches,
                path,
                lambda batch: (batch.num_rows, batch.num_rows * batch.num_columns, batch.nbytes),
            )
        )
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        notes = [
            f"{name} holds numbers of the classes {', '.join(map(str, features[name]['names']))}, from 0"
            for name in table.column_names
            if "names" in features.get(name, {})
        ]
    except NbykError:
        raise
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OSError, pa.ArrowException) as error:
        raise NbykError(
            f"is no data set that `save_to_disk` wrote ({message_of(error)}); save it again", file=path
        ) from None
    return Recording("a data set of Hugging Face", columns, {}, notes=tuple(notes))


def _batches(file: Path) -> Iterator[Any]:
    """Yield the batches in a file of a data set, which are as large as the file: none is compressed."""
    import pyarrow as pa

    content = read_bytes(file)
    refuse_more(file, len(content), MOST_BYTES, "bytes")
    for message in pa.ipc.MessageReader.open_stream(content):
        if _is_compressed(message):
            raise NbykError("is compressed, as save_to_disk writes none; save it again", file=file)
    for batch in pa.ipc.open_stream(content):
        batch.validate(full=True)
        yield batch


def _is_compressed(message: Any) -> bool:
    """Return whether a message of Arrow names a codec: the fourth field of a batch (format/Message.fbs)."""
    content = message.metadata.to_pybytes()

    def inner(table: int, field: int) -> int:
        """Return the place of the table that a field holds; 0 if it is absent."""
        (offset,) = struct.unpack_from("<i", content, table)
        size, *_ = struct.unpack_from("<H", content, table - offset)
        (place,) = (
            struct.unpack_from("<H", content, table - offset + 4 + 2 * field)
            if 4 + 2 * field < size
            else (0,)
        )
        return table + place + struct.unpack_from("<I", content, table + place)[0] if place else 0

    batch = inner(struct.unpack_from("<I", content)[0], 2)
    if message.type == "dictionary":
        batch = inner(batch, 1)
    return message.type in ("dictionary", "record batch") and inner(batch, 3) > 0
