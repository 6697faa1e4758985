"""Tables in containers: Parquet, Excel, a data set of Hugging Face, a zipped log of Inspect."""

from __future__ import annotations

import importlib
import io
import os
import struct
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nbyk.bounded import (
    MOST_BYTES,
    MOST_CELLS,
    Deadline,
    TimedBytes,
    counted,
    refuse_beyond_memory,
    refuse_bomb,
    refuse_more,
)
from nbyk.data.cells import column_cells, is_compact
from nbyk.data.exports import layout_of
from nbyk.data.layouts import LARGEST_ID
from nbyk.data.tables import Table, Unusable, made_table
from nbyk.data.text import content_of, document, json_content, readable
from nbyk.errors import DataPlace

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH, _BATCH_OF_LISTS = 2**16, 2**9  # rows of Parquet read at once: a list or object can be long
_BATCH_CELLS = 2**20
_MOST_BYTES, _MOST_BESIDE = (
    10**8,
    10**7,
)  # of XML, and of that beside sheets; openpyxl takes a minute for 10**8
_SHEETS = ("xl/worksheets/", "xl/sharedStrings.xml", "xl/media/")
_ZSTD = 93
"""The number of zstd in a zip file; Python reads it from 3.14 on."""
_OF_A_SAMPLE = ("id", "epoch", "input", "target", "scores", "metadata", "error")


def read_parquet(path: str | os.PathLike[str]) -> Table:
    """Return the table in a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = content_of(path)  # pyarrow's own errors for a file that cannot be opened say less
    with readable(path, "Parquet file", "give the file the suffix of its format"):
        schema = pq.read_schema(pa.BufferReader(content))
        # a long text can be in all rows, so texts are counted before they are written out
        texts = [at.name for at in schema if _is_text(at.type)]
        with pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts) as source:
            names = source.schema_arrow.names
            refuse_beyond_memory(path, source.metadata.num_rows, len(names))
            groups = [source.metadata.row_group(place) for place in range(source.metadata.num_row_groups)]
            refuse_more(path, sum(group.total_byte_size for group in groups), MOST_BYTES, "bytes")
            chunks = (group.column(place) for group in groups for place in range(group.num_columns))
            inside = [of.num_values for of in chunks if "." in of.path_in_schema]  # of lists and objects
            refuse_more(path, sum(inside), MOST_CELLS, "cells")
            is_flat = all(_is_text(at.type) or pa.types.is_primitive(at.type) for at in schema)
            most = _BATCH if is_flat else _BATCH_OF_LISTS
            n_rows = max(1, min(most, _BATCH_CELLS // max(1, len(names))))
            table = _counted(source.iter_batches(batch_size=n_rows, use_threads=False), path)
    columns = tuple(map(column_cells, table.columns))
    return Table(DataPlace(path), tuple(table.column_names), columns, range(table.num_rows))


def _counted(batches: Iterable[pa.RecordBatch], path: str | os.PathLike[str]) -> pa.Table:
    """Return the table in batches, which are counted before their texts are written out."""
    import pyarrow as pa

    decoded = [_decoded(batch) for batch in counted(batches, path, _size_of_decoded)]
    return pa.Table.from_batches(decoded) if decoded else pa.table({})


def _is_text(kind: pa.DataType) -> bool:
    """Return whether a column holds text or bytes, or a dictionary of them."""
    import pyarrow.types as of

    kind = kind.value_type if of.is_dictionary(kind) else kind
    return any(
        is_such(kind) for is_such in (of.is_string, of.is_large_string, of.is_binary, of.is_large_binary)
    )


def _size_of_decoded(batch: pa.RecordBatch) -> tuple[int, int, int]:
    """Return the rows of a batch, the cells that become Python's, and the bytes without dictionaries."""
    import pyarrow as pa
    import pyarrow.compute as pc

    n_bytes, n_columns = 0, 0
    for column in batch.columns:
        is_dictionary = pa.types.is_dictionary(column.type)
        n_bytes += column.indices.nbytes if is_dictionary else column.nbytes
        if is_dictionary and _is_text(column.type):
            n_bytes += pc.sum(pc.take(pc.binary_length(column.dictionary), column.indices)).as_py() or 0
        n_columns += not is_compact(column.type.value_type if is_dictionary else column.type)
    return batch.num_rows, batch.num_rows * n_columns, n_bytes


def _decoded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch without dictionaries, which take the room of a long text only later."""
    import pyarrow as pa

    columns = [
        column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def read_workbook(path: str | os.PathLike[str]) -> Table:
    """Return the columns of the sheet, named by its first filled row; formulas are their saved values."""
    openpyxl = library("openpyxl", path, "an Excel workbook")
    content = content_of(path)
    refuse_bomb(path, content, _MOST_BYTES)
    refuse_bomb(path, content, _MOST_BESIDE, unread=_SHEETS)
    notes: list[str] = []
    with readable(path, "Excel workbook", "save it as .xlsx again"):
        filled = _sheets(openpyxl, content, path, notes)
    if len(filled) != 1:
        named = ", ".join(map(repr, filled)) or "none"
        raise DataPlace(path).error(
            f"found filled sheets {named}, expected one; save the one of the ratings alone"
        )
    numbered = next(iter(filled.values()))
    width = max(place for row in numbered.values() for place, cell in row.items() if cell is not None)
    refuse_more(path, width * len(numbered), MOST_CELLS, "cells")
    (first, header), *rows = [
        (number, [row.get(place) for place in range(1, width + 1)]) for number, row in numbered.items()
    ]
    names = ["" if cell is None or isinstance(cell, Unusable) else str(cell) for cell in header]
    if len(set(names)) < len(names) or not all(map(str.strip, names)):
        raise DataPlace(path).error(
            f"the columns are named {names}, expected a name of its own for each; mend row {first}"
        )
    columns = {name: [row[place] for _, row in rows] for place, name in enumerate(names)}
    return made_table(path, columns, [number for number, _ in rows], notes=tuple(notes))


def _sheets(
    openpyxl: Any, content: bytes, path: str | os.PathLike[str], notes: list[str]
) -> dict[str, dict[int, dict[int, Any]]]:
    """Return the filled rows of each filled sheet, by number, and the cells of each, by column, from 1."""
    parser_of = library("openpyxl.worksheet._reader", path, "an Excel workbook").WorkSheetParser
    book = openpyxl.load_workbook(TimedBytes(path, content), read_only=True, data_only=True)
    sheets: dict[str, dict[int, dict[int, Any]]] = {}
    for name in book.sheetnames:
        sheet = book[name]
        if not hasattr(sheet, "reset_dimensions"):  # a sheet of charts
            continue
        with sheet._get_source() as source:
            formats = (book.epoch, book._date_formats, book._timedelta_formats)
            parser = parser_of(source, sheet._shared_strings, True, *formats)
            parser.parse_cell = partial(_cell, parser.parse_cell)
            every = counted(parser.parse(), path, _size_of_row)
            rows = {number: row for number, row in _in_order(every, path, name) if any(map(_is_there, row))}
        if not rows:
            continue
        if parser.merged_cells:
            raise DataPlace(path).error(
                f"sheet {name!r}: the cells {parser.merged_cells.mergeCell[0].ref} are merged, so one value "
                "stands for several; unmerge them, and write the value into each"
            )
        sizes = (*parser.row_dimensions.values(), *parser.column_dimensions.values())
        if n_hidden := sum(of.get("hidden") in ("1", "true") for of in sizes):
            notes.append(f"hidden rows and columns of sheet {name!r} were read too: {n_hidden}")
        sheets[name] = {
            number: {cell["column"]: cell["value"] for cell in row} for number, row in rows.items()
        }
    return sheets


def _cell(parse: Callable[[Any], dict[str, Any]], element: Any) -> dict[str, Any]:
    """Return a cell as openpyxl parses it; two values, and a formula without a saved one, are unusable."""
    cell = parse(element)
    n_values = sum(of.tag.endswith(("}v", "}is")) for of in element)
    formulas = [f"={of.text or ''}" for of in element if of.tag.endswith("}f")]
    if n_values > 1:
        cell["value"] = Unusable(f"{n_values} values in one cell")
    elif isinstance(cell["value"], int) and abs(cell["value"]) >= LARGEST_ID:
        cell["value"] = float(cell["value"])  # Excel has no other numbers
    elif formulas and cell["value"] is None:
        cell["value"] = Unusable(f"the formula {formulas[0]:.40} without a saved value")
    return cell


def _size_of_row(row: tuple[int, Sequence[Mapping[str, Any]]]) -> tuple[int, int, int]:
    return 1, max((cell["column"] for cell in row[1]), default=0), 0


def _in_order(
    rows: Iterable[tuple[int, list[dict[str, Any]]]], path: str | os.PathLike[str], sheet: str
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield the rows of a sheet; openpyxl takes the last of two cells or rows of one place."""
    last = 0
    for number, row in rows:
        places = [0, *(cell["column"] for cell in row)]
        are_here = all(cell["row"] == number for cell in row)
        if number <= last or not are_here or any(after <= before for before, after in pairwise(places)):
            raise DataPlace(path).error(
                f"sheet {sheet!r}, row {number}: found a row or cell out of order, or two of one place, "
                "expected each once; save it again"
            )
        last = number
        yield number, row


def _is_there(cell: Mapping[str, Any]) -> bool:
    return cell["value"] is not None


def is_dataset(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder holds a data set, or the splits of one."""
    return any((Path(path) / name).is_file() for name in ("dataset_info.json", "dataset_dict.json"))


def read_dataset(path: str | os.PathLike[str]) -> Table:
    """Return the columns of a data set; they are recognised by their names, as in any table."""
    folder = Path(path)
    with readable(path, "data set of Hugging Face", "save it by save_to_disk again"):
        if (folder / "dataset_dict.json").is_file():
            splits = json_content(folder / "dataset_dict.json")["splits"]
            raise DataPlace(path).error(
                f"holds the splits {', '.join(splits)}; give the folder of one: {folder / splits[0]}"
            )
        state = json_content(folder / "state.json")
        if state.get("_indices_data_files"):
            raise DataPlace(path).error(
                "holds a selection of rows (_indices_data_files in state.json), expected the rows; save it "
                "again after flatten_indices()"
            )
        files = [folder / Path(of["filename"]).name for of in state["_data_files"]]
        features = json_content(folder / "dataset_info.json").get("features") or {}
        table = _counted((batch for file in files for batch in _batches(file)), path)
        columns = {name: column_cells(table.column(name)) for name in table.column_names}
        notes = [
            f"{name} holds numbers of the classes {', '.join(map(str, features[name]['names']))}, from 0"
            for name in table.column_names
            if "names" in features.get(name, {})
        ]
    return made_table(path, columns, notes=tuple(notes))


def _batches(file: Path) -> Iterator[Any]:
    """Yield the batches in a file of a data set, which are as large as the file: none is compressed."""
    import pyarrow as pa

    content = content_of(file)
    refuse_more(file, len(content), MOST_BYTES, "bytes")
    for message in pa.ipc.MessageReader.open_stream(content):
        if _is_compressed(message):
            raise DataPlace(file).error("is compressed, as save_to_disk writes none; save it again")
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


def read_zipped_log(path: str | os.PathLike[str]) -> Table:
    """Return the table in a log of Inspect whose samples are documents of a zip file.

    Its summaries of them are not read: they cut long metadata, and may be older than the samples.
    """
    content = content_of(path)
    refuse_bomb(path, content, unread=("samples/",))
    deadline = Deadline(path)

    def content_of_member(member: zipfile.ZipInfo) -> Any:
        deadline.check()
        refuse_more(path, member.file_size, _MOST_BYTES, f"bytes in {member.filename}")
        if member.compress_type == _ZSTD and sys.version_info < (3, 14):
            library("zipfile_zstd", path, "compressed with zstd")
        return document(path, archive.read(member).decode(), deadline)

    with readable(path, "log of Inspect", "write it again"), zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {of.filename: of for of in archive.infolist() if of.filename.endswith(".json")}
        log = content_of_member(members.get("header.json") or members["_journal/start.json"])
        samples = (content_of_member(of) for name, of in members.items() if name.startswith("samples/"))
        # messages and events can be large, and are not needed
        log["samples"] = [{name: of[name] for name in _OF_A_SAMPLE if name in of} for of in samples]
    layout = layout_of(log)
    if layout is None:
        raise DataPlace(path).error("the log of Inspect holds no samples; evaluate with log_samples on")
    return layout.table(log, path)


def library(module: str, path: str | os.PathLike[str], what: str) -> ModuleType:
    """Return the maker's own reader."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DataPlace(path).error(
            f"is {what}, but its reader cannot be imported ({error}); install it: pip install "
            f"{module.partition('.')[0]}"
        ) from None
