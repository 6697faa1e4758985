"""Cells of numbers or text as Arrow holds them, in a tenth of the room of Python's objects."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import eq
from typing import TYPE_CHECKING, Any

import numpy as np

from nbyk.arrays import Array, Floats, Integers

if TYPE_CHECKING:
    import pyarrow as pa


BLOCK = 2**16
"""Cells that are Python's objects at one time."""


class ArrowCells(Sequence[Any]):
    """The cells of a column of numbers or text; they become Python's objects one block after the other."""

    def __init__(self, array: pa.Array) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, place: Any) -> Any:
        return ArrowCells(self.array[place]) if isinstance(place, slice) else self.array[int(place)].as_py()

    def __iter__(self) -> Iterator[Any]:
        for block in blocks(self):
            yield from block

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ArrowCells):
            return bool(self.array.equals(other.array))
        return isinstance(other, tuple | list) and len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash((len(self), *self[:8]))

    def taken(self, rows: Any) -> ArrowCells:
        """Return the cells of some rows, in their order."""
        return ArrowCells(self.array.take(rows))

    @property
    def are_text(self) -> bool:
        """Whether the cells are text."""
        return str(self.array.type) == "string"

    @property
    def are_whole(self) -> bool:
        """Whether the cells are whole numbers."""
        return "int" in str(self.array.type)

    def places_of(self, names: ArrowCells) -> Integers:
        """Return the place of each of some names among these cells, -1 where it is none."""
        import pyarrow.compute as pc

        places = pc.index_in(names.array, value_set=self.array).fill_null(-1)
        return np.asarray(places.to_numpy(), dtype=np.int64)

    @cached_property
    def are_distinct(self) -> bool:
        """Whether no two cells are equal."""
        return len(self.array.unique()) == len(self)

    def numbered(self) -> tuple[ArrowCells, Integers]:
        """Return the distinct cells in order of first appearance, and each cell's place among them."""
        if self.are_distinct:
            return self, np.arange(len(self))
        encoded = self.array.dictionary_encode()
        return ArrowCells(encoded.dictionary), encoded.indices.to_numpy().astype(np.int64)

    def without_digits(self) -> list[int]:
        """Return the rows whose text has no digit: few, unless the text is words."""
        import pyarrow.compute as pc

        has_digit = pc.match_substring_regex(self.array, "[0-9]").fill_null(False)
        return np.flatnonzero(~has_digit.to_numpy(zero_copy_only=False)).tolist()

    def as_text(self) -> ArrowCells:
        """Return whole numbers as text."""
        import pyarrow as pa

        return ArrowCells(self.array.cast(pa.string()))

    def numbers(self) -> Floats:
        """Return the numbers, NaN for an empty cell."""
        import pyarrow as pa

        floats = self.array.cast(pa.float64(), safe=False)
        return np.array((floats.fill_null(np.nan) if floats.null_count else floats).to_numpy())


def is_compact(kind: pa.DataType) -> bool:
    """Return whether `ArrowCells` hold columns of a kind: text, whole numbers and floats."""
    import pyarrow.types as of

    known = (of.is_string, of.is_large_string, of.is_integer, of.is_float32, of.is_float64)
    return any(is_such(kind) for is_such in known)


def column_cells(column: Any) -> Any:
    """Return a column of Arrow as cells if it holds text, whole numbers or floats, and otherwise itself."""
    import pyarrow as pa

    if pa.types.is_float32(column.type) or pa.types.is_float16(column.type):
        return ArrowCells(pa.array(in_full(column.to_numpy()), from_pandas=True))
    if not is_compact(column.type):
        return column
    kind = pa.string() if pa.types.is_large_string(column.type) else column.type
    try:
        cells = column.cast(kind).combine_chunks()
        cells.validate(full=True)
    except pa.ArrowInvalid:  # the bytes are no text
        return column
    return ArrowCells(cells)


def read_fields(body: bytes, delimiter: str, width: int) -> tuple[ArrowCells, ...] | None:
    """Return the columns of lines without quotes; None if a line has not so many fields, or is long."""
    import pyarrow as pa
    from pyarrow import csv as of

    names = list(map(str, range(width)))
    try:
        table = of.read_csv(
            pa.BufferReader(body),
            of.ReadOptions(column_names=names, use_threads=False, block_size=csv.field_size_limit()),
            of.ParseOptions(delimiter=delimiter, quote_char=False, double_quote=False),
            of.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), null_values=[]),
        )
    except pa.ArrowInvalid:
        return None
    return tuple(ArrowCells(column.combine_chunks()) for column in table.columns)


def in_full(numbers: Array) -> Array:
    """Return narrow floats as the doubles of their decimals, as in a file of text: 0.1 is no 0.10000000149.

    Else differences that are equal in decimals would not tie. Whole numbers stay as they are.
    """
    if numbers.dtype.kind != "f" or numbers.dtype.itemsize >= 8:
        return numbers
    flat = numbers.ravel()
    doubles, left = flat.astype(np.float64), np.arange(flat.size)
    for n_decimals in range(13):
        with np.errstate(over="ignore"):
            rounded = np.rint(doubles[left] * 10.0**n_decimals) / 10.0**n_decimals
            shown = rounded.astype(numbers.dtype) == flat[left]
        doubles[left[shown]] = rounded[shown]
        left = left[~shown & np.isfinite(rounded)]
    doubles[left] = flat[left].astype(str).astype(np.float64)
    return doubles.reshape(numbers.shape)


def number_cells(numbers: Any) -> Sequence[Any]:
    """Return numbers as cells; few of them as Python's, without Arrow, which takes long to load."""
    if len(numbers) <= BLOCK:
        return numbers.tolist()  # type: ignore[no-any-return]
    import pyarrow as pa

    return ArrowCells(pa.array(numbers))


def picked(cells: Sequence[Any] | Integers, rows: Sequence[int] | Integers) -> Sequence[Any]:
    """Return some cells, by their rows."""
    if isinstance(cells, ArrowCells):
        return cells.taken(np.asarray(rows, dtype=np.int64))
    return [cells[row] for row in rows]


def joined(columns: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """Return the cells of columns, one below the other."""
    arrays = [column.array for column in columns if isinstance(column, ArrowCells)]
    if len(arrays) == len(columns) and len({array.type for array in arrays}) == 1:
        import pyarrow as pa

        return ArrowCells(pa.concat_arrays(arrays))
    return [cell for column in columns for cell in column]


def blocks(cells: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield Arrow's cells as lists, one block after the other, and others as they are."""
    if not isinstance(cells, ArrowCells):
        yield cells
        return
    for start in range(0, len(cells), BLOCK):
        yield cells.array[start : start + BLOCK].to_pylist()


def are_distinct(names: Sequence[Any]) -> bool:
    """Return whether no name comes twice."""
    return names.are_distinct if isinstance(names, ArrowCells) else len(set(names)) == len(names)


def union(of: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the distinct names in several sequences, in order of first appearance."""
    if all(names is of[0] or names == of[0] for names in of):
        return of[0] if of else ()
    if all(isinstance(names, ArrowCells) for names in of):
        import pyarrow as pa

        return ArrowCells(
            pa.concat_arrays([names.array for names in of if isinstance(names, ArrowCells)]).unique()
        )
    return tuple(dict.fromkeys(name for names in of for name in names))
