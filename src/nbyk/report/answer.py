"""The common form of all commands' answers: on the terminal, and as JSON, tables, figures and a page."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.errors import on_one_line
from nbyk.files import json_bytes, parquet_bytes, write_together
from nbyk.provenance import present
from nbyk.report.drawing import NARROW, pictures
from nbyk.report.formats import (
    cells,
    is_text,
    latex,
    latex_text,
    markdown,
    markdown_strong,
    markdown_text,
    table_texts,
)
from nbyk.report.html import embedded_svg, render, svg_address
from nbyk.report.lines import Head, filled, head_rows, head_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_GAP = 3
_MARKED_BEYOND = 3.0
_LONG = 40
"""A cell of the page that is longer than this may have several lines."""


@dataclass(frozen=True)
class AnswerTable:
    """A table of an answer: the stem of its files, its description in one line, and its rows.

    Columns hold numbers or text, and None or NaN for an empty cell. Those that are `marked` are differences
    in standard errors; the page marks differences beyond three. Text columns that are `whole` never wrap. A
    table that is not `on_page` is only written to files.
    """

    name: str
    caption: str
    frame: pd.DataFrame
    marked: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    on_page: bool = True

    @cached_property
    def shown(self) -> pd.DataFrame:
        """Its rows for the terminal and the page: without the columns that hold nothing in any row."""
        held = [not (len(self.frame) and self.frame[name].isna().all()) for name in self.frame.columns]
        return self.frame.loc[:, held]


@dataclass(frozen=True)
class AnswerFigure:
    """A figure of an answer: the stem of its files, its description, and the function that draws it.

    One `for_paper` is also written as .pdf. One that can be `narrow` is drawn as wide as a column, too, for
    phones and papers. `alt` says what it shows to readers who do not see it; "" for the caption.
    """

    name: str
    caption: str
    draw: Callable[[], Figure]
    for_paper: bool = False
    narrow: bool = False
    alt: str = ""

    def pictures(self) -> dict[str, bytes]:
        """Return its pictures by their suffixes."""
        return pictures(self.draw(), for_paper=self.for_paper, narrow=self.narrow)


BEFORE = "Before you believe it:"
"""The heading of an answer's cautions."""


@dataclass(frozen=True)
class Answer:
    """The answer of a command.

    Attributes
    ----------
    title
        Heading of the report.
    sentences
        Plain sentences that you can quote; the first is the answer.
    make_tables
        Function that makes its tables one by one, those for the terminal (`n_printed`) first. Later ones are
        folded in the page, not printed, and made only where they are written.
    figures, cautions
        Its figures, and cautions about the answer, one sentence each.
    details
        Everything else as plain values that JSON can hold, by its keys.
    template
        A page template whose beginning replaces the sentences; it gets the details as ``summary``.
    head
        Its first lines, without the cautions. The terminal then shows only these, and all else with
        --details.
    """

    title: str
    sentences: tuple[str, ...]
    make_tables: Callable[[], Iterable[AnswerTable]]
    figures: tuple[AnswerFigure, ...]
    cautions: tuple[str, ...]
    details: Mapping[str, Any]
    n_printed: int = 1
    template: Path | None = None
    head: Head | None = None

    @property
    def lines(self) -> Head | None:
        """Its first lines, with its cautions."""
        return self.head and replace(self.head, cautions=self.cautions, rest="with --details")

    @property
    def rest(self) -> list[str]:
        """The sentences that are not among its first lines."""
        head = self.head
        said = set() if head is None else {head.verdict, *(line.left for line in head.lines)}
        return [sentence for sentence in self.sentences if sentence not in said]

    @cached_property
    def tables(self) -> tuple[AnswerTable, ...]:
        """All of its tables."""
        return tuple(self.make_tables())

    def first_tables(self) -> list[AnswerTable]:
        """Return the tables that the terminal shows; no others are made."""
        return list(islice(self.make_tables(), self.n_printed))

    def printed_tables(self) -> list[AnswerTable]:
        """Return the same without the one among its first lines."""
        shown = None if self.head is None else self.head.table
        return [table for table in self.first_tables() if table is not shown]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but tables and figures as plain values."""
        head = self.lines and replace(self.lines, rest="in cautions")
        lines = {} if head is None else {"lines": printed_head(head, 100).splitlines()}
        return {
            "title": self.title,
            **lines,
            "sentences": list(self.sentences),
            "cautions": list(self.cautions),
            **self.details,
        }

    def to_json(self) -> str:
        """Return `to_dict` as indented JSON; ValueError if JSON cannot hold a detail."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def answer_text(answer: Answer, *, width: int, details: bool = False) -> str:
    """Return an answer for a terminal: its first lines, and with `details` all the rest; without lines, all.

    A table is wider than `width` columns if its numbers need more room.
    """
    head = answer.lines and (replace(answer.lines, rest="below") if details else answer.lines)
    first = [] if head is None else [printed_head(head, width).rstrip()]
    if first and not details:
        return f"{first[0]}\n"
    parts = [*first, *(filled(sentence, width) for sentence in answer.rest)]
    parts += [_table_text(table, width) for table in answer.printed_tables()]
    if answer.cautions:
        parts.append("\n".join([BEFORE, *(filled(text, width, "- ", "  ") for text in answer.cautions)]))
    return "\n\n".join(parts) + "\n"


def printed_head(head: Head, width: int) -> str:
    """Return the first lines of an answer for a terminal."""
    table = "" if head.table is None else _table_text(head.table, width, captioned=head.table_is_last)
    return head_text(head, width, table)


def write_figures(figures: Iterable[AnswerFigure], folder: Path) -> None:
    """Write figures alone, ``figures/NAME`` as .png and .svg, all at once.

    If there are none, the folder ``figures`` is empty.
    """
    write_together(folder, "figures", _figure_files(_drawn(figures)))
    (folder / "figures").mkdir(exist_ok=True)


def write_answer(
    answer: Answer,
    folder: Path,
    *,
    stem: str,
    page: str = "",
    figures_are_there: bool = False,
) -> None:
    """Write an answer to a folder all at once, replacing an earlier one (`nbyk.files.write_together`).

    Writes ``STEM.json``, ``tables/NAME`` as .csv, .parquet, .md and .tex, ``figures/NAME`` as .png and .svg,
    ``PAGE.html`` (``STEM.html`` without another name), a page that holds everything and needs no network. If
    the figures are there, from `write_figures`, the page shows those.
    """
    import pyarrow as pa

    files: dict[str, bytes] = {}
    if figures_are_there:
        places = {figure.name: folder / f"figures/{figure.name}.svg" for figure in answer.figures}
        addresses = {name: embedded_svg(place) for name, place in places.items()}
    else:
        drawn = _drawn(answer.figures)
        files |= _figure_files(drawn)
        addresses = addresses_of(drawn)
    for table in answer.tables:
        for suffix, text in table_texts(table.frame, table.caption).items():
            files[f"tables/{table.name}{suffix}"] = text.encode()
        arrow = pa.Table.from_pandas(table.frame, preserve_index=False)
        files[f"tables/{table.name}.parquet"] = parquet_bytes(arrow)
    files[f"{stem}.json"] = json_bytes(answer.to_dict())
    files[f"{page or stem}.html"] = answer_page(answer, addresses, stem=stem).encode()
    write_together(folder, stem, files)


def _drawn(figures: Iterable[AnswerFigure]) -> dict[str, dict[str, bytes]]:
    return {figure.name: figure.pictures() for figure in figures}


def addresses_of(drawn: Mapping[str, Mapping[str, bytes]]) -> dict[str, str]:
    """Return the data URL of each figure by its name, and of its narrow form by its name and suffix."""
    forms = ((".svg", ""), (NARROW, NARROW))
    return {
        f"{name}{added}": svg_address(files[suffix])
        for name, files in drawn.items()
        for suffix, added in forms
        if suffix in files
    }


def _figure_files(drawn: Mapping[str, Mapping[str, bytes]]) -> dict[str, bytes]:
    return {
        f"figures/{name}{suffix}": picture
        for name, files in drawn.items()
        for suffix, picture in files.items()
        if suffix != NARROW
    }


def answer_page(answer: Answer, addresses: Mapping[str, str], *, stem: str) -> str:
    """Return the page of an answer, given each figure's picture as a data URL (`addresses_of`)."""
    tables = [
        {
            "name": table.name,
            "caption": table.caption,
            "shown": place < answer.n_printed,
            "header": [(name, is_text(table.shown, name)) for name in table.shown.columns],
            "rows": [[(cell, len(cell) > _LONG) for cell in row] for row in cells(table.shown)],
            "beyond": _beyond(table),
        }
        for place, table in enumerate(answer.tables)
        if table.on_page
    ]
    figures = [
        {
            "name": figure.name,
            "caption": figure.caption,
            "alt": figure.alt or figure.caption,
            "source": addresses[figure.name],
            "narrow": addresses.get(f"{figure.name}{NARROW}"),
        }
        for figure in answer.figures
    ]
    return render(
        answer.template or "answer.html",
        answer=answer,
        head=answer.lines and replace(answer.lines, rest="below"),
        summary=answer.details,
        tables=tables,
        figures=figures,
        stem=stem,
        made_by=present(),
    )


def _beyond(table: AnswerTable) -> set[tuple[int, int]]:
    return {
        (row, list(table.shown.columns).index(name))
        for name in table.marked
        if name in table.shown
        for row, value in enumerate(table.frame[name])
        if value is not None and abs(value) > _MARKED_BEYOND
    }


def _table_text(table: AnswerTable, width: int, *, captioned: bool = True) -> str:
    """Return a table in columns; text and names wrap if there is too little room, numbers and bars do not."""
    frame = table.shown
    is_left = [is_text(frame, name) for name in frame.columns]
    is_whole = [not left or name in table.whole for name, left in zip(frame.columns, is_left, strict=True)]
    rows = [[str(name) for name in frame.columns], *cells(frame)]
    widths = _widths([*zip(*rows, strict=True)], is_left, is_whole, width)
    lines = []
    for row in rows:
        wrapped = [
            [cell] if len(cell) <= room else textwrap.wrap(cell, room, break_on_hyphens=False)
            for cell, room in zip(row, widths, strict=True)
        ]
        if row is rows[0]:  # a header that wraps ends on its line
            most = max(map(len, wrapped))
            wrapped = [[""] * (most - len(parts)) + parts for parts in wrapped]
        for parts in zip_longest(*wrapped, fillvalue=""):
            padded = [
                part.ljust(room) if left else part.rjust(room)
                for part, room, left in zip(parts, widths, is_left, strict=True)
            ]
            lines.append((" " * _GAP).join(padded).rstrip())
        if row is rows[0]:
            lines.append("─" * (sum(widths) + _GAP * (len(widths) - 1)))
    shown = "\n".join(lines)
    return f"{filled(table.caption, width)}\n\n{shown}" if captioned else shown


def _widths(
    columns: Sequence[Sequence[str]], is_left: Sequence[bool], is_whole: Sequence[bool], width: int
) -> list[int]:
    """Return the widths of columns: what their longest word needs, and more from left to right if it fits.

    Names over numbers fold only if the table is wider otherwise.
    """
    for names_fold in (False, True):
        widths = []
        for (name, *below), left, whole in zip(columns, is_left, is_whole, strict=True):
            words = [word for cell in (name, *below) for word in cell.split()]
            if whole:
                words = [*(name.split() if names_fold and not left else [name]), *below]
            longest = max(map(len, words), default=0)
            widths.append(max(1, longest if whole else min(longest, max(8, width // 4))))
        if sum(widths) + _GAP * (len(widths) - 1) <= width:
            break
    spare = max(0, width - sum(widths) - _GAP * len(widths))
    for place, column in enumerate(columns):
        grows = min(max(map(len, column)) - widths[place], spare)
        widths[place] += grows
        spare -= grows
    return widths


def printed(answer: Answer, form: str, *, stem: str, width: int, details: bool = False) -> str:
    """Return an answer as a command prints it.

    The forms are "text", `width` columns wide and with all the rest if `details`; "markdown", for a comment
    or an issue; "json", everything; "html", a page that holds its figures and needs no network; and "latex",
    sentences and tables that need the booktabs package.
    """
    forms: dict[str, Callable[[], str]] = {
        "text": lambda: answer_text(answer, width=width, details=details),
        "markdown": lambda: _markdown(answer),
        "json": lambda: f"{answer.to_json()}\n",
        "html": lambda: answer_page(answer, addresses_of(_drawn(answer.figures)), stem=stem),
        "latex": lambda: _latex(answer),
    }
    return forms[form]()


def _markdown(answer: Answer) -> str:
    sentences = [markdown_text(on_one_line(sentence)) for sentence in answer.rest]
    cautions = [markdown_text(on_one_line(caution)) for caution in answer.cautions]
    careful = ["\n".join([BEFORE, "", *(f"- {caution}" for caution in cautions)])] if cautions else []
    head = answer.lines and replace(answer.lines, rest="below")
    tables = [markdown(table.shown, table.caption) for table in answer.printed_tables()]
    if head is None:
        first, *others = sentences
        parts, folded = [f"### {markdown_text(answer.title)}", f"**{first}**", *others, *careful], tables
    else:
        parts = head_rows(head, markdown_text, markdown_strong, "`{}`".format)
        if head.table is not None:
            table = markdown(head.table.shown, head.table.caption).rstrip()
            parts.insert(len(parts) * head.table_is_last, table)
        folded = [*sentences, *careful, *tables]
    if folded:
        body = "\n\n".join(folded).rstrip()
        parts.append(f"<details><summary>Numbers</summary>\n\n{body}\n\n</details>")
    return "\n\n".join(parts) + "\n"


def _latex(answer: Answer) -> str:
    parts = [latex_text(sentence) for sentence in answer.sentences]
    if answer.cautions:
        items = "\n".join(f"\\item {latex_text(caution)}" for caution in answer.cautions)
        parts.append(f"{latex_text(BEFORE)}\n\\begin{{itemize}}\n{items}\n\\end{{itemize}}")
    parts += [latex(table.shown, table.caption) for table in answer.first_tables()]
    return "\n\n".join(parts).rstrip() + "\n"
