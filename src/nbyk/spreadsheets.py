"""Tables for spreadsheets: CSV in which no cell is a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbyk.errors import on_one_line

if TYPE_CHECKING:
    import pandas as pd


def csv_text(table: pd.DataFrame, *, separator: str = ",", index: bool = False) -> str:
    """Return a table for spreadsheets, in full precision, its index as the first column if asked for."""
    return for_spreadsheets(table).to_csv(sep=separator, index=index, lineterminator="\n")


def for_spreadsheets(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which no text is a formula: an apostrophe stands before =, +, - or @."""
    text = table.select_dtypes(exclude="number").columns
    safe = table.assign(**{name: table[name].map(_no_formula) for name in text})
    return safe.rename(columns=_no_formula, index=_no_formula)


def _no_formula(cell: object) -> object:
    """Return a cell as a spreadsheet shows it; a cell that is not text stays unchanged."""
    if not isinstance(cell, str):
        return cell
    plain = on_one_line(cell)
    return f"'{plain}" if plain.lstrip()[:1] in tuple("=+-@") and not _is_number(plain) else plain


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
