"""The one filled sheet of an Excel workbook."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbyk.data.readers.recording import Recording, library, message_of
from nbyk.errors import NbykError
from nbyk.files import read_bytes


def recognises(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is named as workbooks are."""
    return Path(path).suffix.lower() in (".xlsx", ".xlsm") and os.path.isfile(path)


def read(path: str | os.PathLike[str]) -> Recording:
    """Return the columns of the sheet, named by its first filled row; formulas are their saved values.

    Raises
    ------
    NbykError
        If openpyxl is not installed or cannot read the file, not exactly one sheet is filled, or a column
        has no name or another's.
    """
    openpyxl = library("openpyxl", "excel", path, "an Excel workbook")
    content = io.BytesIO(read_bytes(path))
    try:
        book = openpyxl.load_workbook(content, read_only=True, data_only=True)
        sheets = {name: list(book[name].iter_rows(values_only=True)) for name in book.sheetnames}
        book.close()
    except Exception as error:  # a damaged workbook makes zipfile and the XML parser raise nearly anything
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
    width = max((place + 1 for place, cell in enumerate(header) if cell is not None), default=0)
    names = ["" if cell is None else str(cell) for cell in header[:width]]
    if len(set(names)) < len(names) or not all(map(str.strip, names)):
        raise NbykError(
            f"the columns are named {names}, expected a name of its own for each; mend row {first}", file=path
        )
    return Recording(
        "an Excel workbook",
        {name: [row[place] for _, row in rows] for place, name in enumerate(names)},
        {},
        numbers=[number for number, _ in rows],
    )


def _is_filled(row: Sequence[Any]) -> bool:
    return any(cell is not None for cell in row)
