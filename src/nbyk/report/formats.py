"""Tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.files import write_text

if TYPE_CHECKING:
    import pandas as pd


def write_table(table: pd.DataFrame, path: Path, caption: str) -> None:
    """Write a table as `path`.csv (full precision), .md and .tex (rounded, with the caption)."""
    write_text(path.with_name(f"{path.name}.csv"), table.to_csv(index=False, lineterminator="\n"))
    write_text(path.with_name(f"{path.name}.md"), markdown(table, caption))
    write_text(path.with_name(f"{path.name}.tex"), latex(table, caption))


def markdown(table: pd.DataFrame, caption: str) -> str:
    """Return a GitHub-flavoured Markdown table under its caption."""
    rule = ["---" if _is_text(table, name) else "---:" for name in table.columns]
    rows = [list(table.columns), rule, *_cells(table)]
    body = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return f"**{caption}**\n\n{body}\n"


def latex(table: pd.DataFrame, caption: str) -> str:
    """Return a LaTeX table that needs the booktabs package."""
    columns = "".join("l" if _is_text(table, name) else "r" for name in table.columns)
    header = " & ".join(_escaped(name) for name in table.columns)
    body = "\n".join(" & ".join(_escaped(cell) for cell in row) + r" \\" for row in _cells(table))
    return (
        "\\begin{table}\n\\centering\n\\caption{" + _escaped(caption) + "}\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{header} \\\\\n\\midrule\n{body}\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


def _cells(table: pd.DataFrame) -> list[list[str]]:
    return [[_shown(value) for value in row] for row in table.itertuples(index=False)]


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        return f"{value:.2e}" if 0.0 < abs(value) < 1e-4 else f"{value:.4f}"
    return str(value)


def _is_text(table: pd.DataFrame, name: str) -> bool:
    return bool(table[name].map(lambda value: isinstance(value, str)).any())


def _escaped(text: str) -> str:
    plain = re.sub(r"([&%$#_{}])", r"\\\1", text)
    for symbol, command in (
        ("α", r"$\alpha$"),
        ("ε", r"$\varepsilon$"),
        ("Δ", r"$\Delta$"),
        ("·", r"$\cdot$"),
        ("−", "$-$"),
        ("±", r"$\pm$"),
        ("≥", r"$\geq$"),
        ("×", r"$\times$"),
    ):
        plain = plain.replace(symbol, command)
    return plain
