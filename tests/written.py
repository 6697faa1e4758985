"""Figures and tables of the report, written to files as tests read them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from nbyk.report.drawing import pictures
from nbyk.report.formats import table_texts


def save(figure: Figure, path: Path) -> None:
    """Write a figure as `path`.png and .svg."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix, picture in pictures(figure).items():
        path.with_name(path.name + suffix).write_bytes(picture)


def write_table(table: pd.DataFrame, path: Path, caption: str) -> None:
    """Write a table as `path`.csv, .md and .tex."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix, text in table_texts(table, caption).items():
        path.with_name(path.name + suffix).write_text(text, encoding="utf-8", newline="")
