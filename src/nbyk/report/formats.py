"""Tables as CSV, Markdown and LaTeX.

The writers of pandas leave some text as it is: a | in a cell ends the cell in Markdown, and <, > and | print
as other characters in LaTeX's first fonts. Cells hold names that people chose, so all of it is escaped here.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from nbyk.errors import on_one_line
from nbyk.words import csv_text

if TYPE_CHECKING:
    import pandas as pd

_SMALL = 0.05

_LATEX = str.maketrans(
    {
        **{sign: rf"\{sign}" for sign in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "|": r"\textbar{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "α": r"$\alpha$",
        "ε": r"$\varepsilon$",
        "Δ": r"$\Delta$",
        "·": r"$\cdot$",
        "−": "$-$",
        "±": r"$\pm$",
        "≥": r"$\geq$",
        "≤": r"$\leq$",
        "→": r"$\to$",
        "κ": r"$\kappa$",
        "μ": r"$\mu$",
        "σ": r"$\sigma$",
        "τ": r"$\tau$",
        "×": r"$\times$",
    }
)

# Characters that are markup in Markdown with GitHub's mathematics; an _ within a word is not.
_MARKUP = re.compile(r"[\\`*~$|]|<(?=[a-zA-Z/!?])|(?<=\])\(|(?<![^\W_])_|_(?![^\W_])")


def table_texts(table: pd.DataFrame, caption: str) -> dict[str, str]:
    """Return a table as .csv (full precision), .md and .tex (rounded, with the caption), by suffix."""
    return {
        ".csv": csv_text(table),
        ".md": markdown(table, caption),
        ".tex": latex(table, caption),
    }


def markdown(table: pd.DataFrame, caption: str) -> str:
    """Return a GitHub-flavoured Markdown table under its caption."""
    rule = ["---" if is_text(table, name) else "---:" for name in table.columns]
    header = [on_one_line(str(name)) for name in table.columns]
    rows = [[markdown_text(cell) for cell in row] for row in (header, *cells(table))]
    rows.insert(1, rule)
    body = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return f"{markdown_strong(on_one_line(caption))}\n\n{body}\n"


def latex(table: pd.DataFrame, caption: str) -> str:
    """Return a LaTeX table that needs the booktabs package."""
    columns = "".join("l" if is_text(table, name) else "r" for name in table.columns)
    header = " & ".join(latex_text(name) for name in table.columns)
    body = "\n".join(" & ".join(latex_text(cell) for cell in row) + r" \\" for row in cells(table))
    return (
        "\\begin{table}\n\\centering\n\\caption{" + latex_text(caption) + "}\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{header} \\\\\n\\midrule\n{body}\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


def cells(table: pd.DataFrame) -> list[list[str]]:
    """Return a table's cells for display: rounded, on one line, and a dash for an empty cell.

    Numbers have four decimals, or three digits in a column whose numbers are all small.
    """
    small = [_is_small(column) for _, column in table.items()]
    return [
        [_shown(value, is_small) for value, is_small in zip(row, small, strict=True)]
        for row in table.itertuples(index=False)
    ]


def _is_small(column: pd.Series[Any]) -> bool:
    numbers = [abs(value) for value in column if isinstance(value, float) and math.isfinite(value)]
    return bool(numbers) and max(numbers) < _SMALL


def _shown(value: object, small: bool) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        if small:
            return f"{value:#.3g}" if value else "0"
        return f"{value:.2e}" if 0.0 < abs(value) < 1e-4 else f"{value + 0.0:.4f}"
    return on_one_line(str(value))


def is_text(table: pd.DataFrame, name: str) -> bool:
    """Return whether a column holds text, which is aligned to the left."""
    return bool(table[name].map(lambda value: isinstance(value, str)).any())


def markdown_text(text: str) -> str:
    """Return a text on one line in which Markdown sees no markup."""
    return _MARKUP.sub(r"\\\g<0>", text)


def markdown_strong(text: str) -> str:
    """Return a text in bold."""
    return f"**{markdown_text(text)}**"


def latex_text(text: str) -> str:
    """Return a text on one line in which LaTeX sees no commands."""
    return on_one_line(text).translate(_LATEX)
