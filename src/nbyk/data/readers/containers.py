"""Tables in containers: an Excel workbook, and a data set that Hugging Face's datasets saved."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbyk.bounded import TimedBytes, counted, refuse_bomb
from nbyk.data.readers.recording import Recording, Unusable, library, message_of
from nbyk.errors import NbykError
from nbyk.files import read_bytes

_SHEET = 2**20  # rows of the largest sheet
_MOST_BYTES, _MOST_BESIDE = (
    10**8,
    10**7,
)  # of XML, and of that beside sheets; openpyxl takes a minute for 10**8
_SHEETS = ("xl/worksheets/", "xl/sharedStrings.xml", "xl/media/")
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
    try:
        sheets = _sheets(openpyxl, content, path)
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
    )


def _sheets(openpyxl: Any, content: bytes, path: str | os.PathLike[str]) -> dict[str, list[list[Any]]]:
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
    datasets = library("datasets", path, "a data set of Hugging Face")
    try:
        for file in filter(Path.is_file, sorted(Path(path).glob("*.*"))):
            read_bytes(file)  # notes the file as an input
        found = datasets.load_from_disk(os.fspath(path))
    except NbykError:
        raise
    except Exception as error:  # the errors of its reader depend on its version
        raise NbykError(f"datasets cannot read it ({message_of(error)})", file=path) from None
    if isinstance(found, datasets.DatasetDict):
        splits = ", ".join(found)
        raise NbykError(
            f"holds the splits {splits}; give the folder of one: {Path(path) / next(iter(found))}", file=path
        )
    batches = found.with_format("arrow").iter(batch_size=4096)
    table = [
        *counted(
            batches, path, lambda batch: (batch.num_rows, batch.num_rows * batch.num_columns, batch.nbytes)
        )
    ]
    columns = {
        name: [cell for batch in table for cell in batch.column(name).to_pylist()]
        for name in found.column_names
    }
    return Recording("a data set of Hugging Face", columns, {})
