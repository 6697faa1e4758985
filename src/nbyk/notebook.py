"""Results in a notebook: the sentence, a small table, and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

Row = tuple[str, ...]


class ShownInNotebooks:
    """A result that a notebook shows as its sentence, its numbers and its warnings."""

    @property
    def notebook_rows(self) -> Sequence[Row]:
        """The rows of the table, the heading first; none for a result that has only a sentence."""
        return ()

    def _repr_html_(self) -> str:
        """Return the result as HTML; notebooks call it."""
        result: Any = self
        parts = [f"<p><strong>{escape(result.sentence)}</strong></p>"]
        if self.notebook_rows:
            heading, *rows = self.notebook_rows
            parts.append(f"<table><thead>{_row(heading, 'th')}</thead><tbody>")
            parts += [_row(row, "td") for row in rows]
            parts.append("</tbody></table>")
        if result.warnings:
            items = "".join(f"<li>{escape(text)}</li>" for text in result.warnings)
            parts.append(f"<p>Before you believe it:</p><ul>{items}</ul>")
        return "".join(parts)


def _row(cells: Row, tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
