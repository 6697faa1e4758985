"""Self-contained HTML pages from templates; they need no network."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbyk
from nbyk.errors import NbykError
from nbyk.files import read_bytes
from nbyk.report.lines import Head, head_rows

if TYPE_CHECKING:
    import jinja2


def render(template: str | Path, **content: Any) -> str:
    """Return a page from a template (the name of one of nbyk's, or any file) and its content."""
    return _template(template).render(**content, version=nbyk.__version__)


def render_block(template: str | Path, block: str, **content: Any) -> str:
    """Return one block of a page, for use in another page, with its heading one level down."""
    from markupsafe import Markup

    made = _template(template)
    context = made.new_context({**content, "version": nbyk.__version__})
    alone = "".join(made.blocks[block](context))
    return Markup(alone.replace("<h1>", "<h2>").replace("</h1>", "</h2>"))


def _template(template: str | Path) -> jinja2.Template:
    import jinja2

    places = [Path(__file__).parent / "templates"]
    if isinstance(template, Path):
        places.insert(0, template.parent)
    loader = jinja2.FileSystemLoader(places)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": _number, "whole": _whole}
    return environment.get_template(Path(template).name)


def head_html(head: Head) -> str:
    """Return the first lines of an answer as HTML, for a notebook."""
    table = "" if head.table is None else head.table.shown.to_html(index=False, border=0)

    def tagged(tag: str) -> Callable[[str], str]:
        return lambda text: f"<{tag}>{escape(text)}</{tag}>"

    rows = head_rows(head, escape, tagged("strong"), tagged("code"))
    lines = "".join(f"<p>{row}</p>" for row in rows)
    return lines + table if head.table_is_last else table + lines


def embedded_svg(path: Path) -> str:
    """Return a figure as a data URL, or raise NbykError if it is missing."""
    try:
        return svg_address(read_bytes(path))
    except FileNotFoundError:
        raise NbykError("no such figure; draw it first, as `nbyk study plot` does", file=path) from None


def svg_address(picture: bytes) -> str:
    """Return an SVG picture as a data URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"


def _whole(text: str) -> str:
    """Return a text as HTML in which no option breaks at a hyphen."""
    from markupsafe import Markup

    return Markup(re.sub(r"--[a-z][a-z-]*", r'<span class="whole">\g<0></span>', escape(text)))


def _number(cell: str) -> str:
    try:
        value = float(cell)
    except ValueError:
        return cell or "–"
    if value != 0.0 and abs(value) < 1e-4:
        return f"{value:.1e}"
    return f"{value:.4f}".rstrip("0").rstrip(".")
