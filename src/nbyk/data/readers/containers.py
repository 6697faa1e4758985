"""Tables in containers: an Excel workbook, and a data set that Hugging Face's datasets saved."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbyk.data.readers.recording import Recording, library, message_of
from nbyk.errors import NbykError
from nbyk.files import read_bytes


def is_workbook(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is named as workbooks are."""
    return Path(path).suffix.lower() in (".xlsx", ".xlsm") and os.path.isfile(path)


def read_workbook(path: str | os.PathLike[str]) -> Recording:
    """Return the columns of the sheet, named by its first filled row; formulas are their saved values."""
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


def is_dataset(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder holds a data set, or the splits of one."""
    return any((Path(path) / name).is_file() for name in ("dataset_info.json", "dataset_dict.json"))


def read_dataset(path: str | os.PathLike[str]) -> Recording:
    """Return the columns of a data set; they are recognised by their names, as in any table."""
    datasets = library("datasets", "datasets", path, "a data set of Hugging Face")
    for file in sorted(Path(path).glob("*.*")):
        read_bytes(file)  # notes the file as an input
    try:
        found = datasets.load_from_disk(os.fspath(path))
    except Exception as error:  # the errors of its reader depend on its version
        raise NbykError(f"datasets cannot read it ({message_of(error)})", file=path) from None
    if isinstance(found, datasets.DatasetDict):
        splits = ", ".join(found)
        raise NbykError(
            f"holds the splits {splits}; give the folder of one: {Path(path) / next(iter(found))}", file=path
        )
    table = found.with_format("arrow")[:]
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    return Recording("a data set of Hugging Face", columns, {})
