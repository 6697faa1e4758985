"""The style and the files of all figures: PNG and SVG, the same bytes for the same numbers."""

from __future__ import annotations

import os
import warnings
from contextlib import AbstractContextManager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from nbyk.compiled import temporary_place
from nbyk.errors import on_one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f4e9c", "#555555")
"""Okabe and Ito's colours, which colour-blind readers can tell apart, and two more."""

COLUMN = 3.33
"""Width of a column of a two-column paper, in inches."""

WIDE = 8.2
"""Width of the main figures of a page, in inches."""

MARKERS = "osD^vP*X"
_LONGEST_NAME = 36
_STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "svg.hashsalt": "nbyk",
    "pdf.fonttype": 42,
    "savefig.dpi": 150,
    "figure.constrained_layout.use": True,
}


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """Return an empty figure of one panel, its size in inches."""
    figure, (axes,) = new_panels(width, height, 1)
    return figure, axes


def new_panels(
    width: float, height: float, columns: int, *, share_y: bool = False
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure of panels side by side, its size in inches."""
    with style():
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, columns, figsize=(width, height), sharey=share_y, squeeze=False)
    return figure, list(axes[0])


def style() -> AbstractContextManager[None]:
    """Return a context in which matplotlib draws without a display, in the style of all nbyk figures."""
    if "MPLCONFIGDIR" not in os.environ and not os.access(os.path.expanduser("~"), os.W_OK):
        # matplotlib would make a new folder for its list of fonts each time, and print a message.
        place = temporary_place()
        if place is not None:
            os.environ["MPLCONFIGDIR"] = place
    import matplotlib as mpl

    mpl.use("Agg")
    return mpl.rc_context(rc=_STYLE)


def shown_name(name: str, longest: int = _LONGEST_NAME) -> str:
    """Return a user's name for a figure: on one line, without mathematics, and without the middle if long."""
    name = on_one_line(name)
    if len(name) > longest:
        half = (longest - 1) // 2
        name = f"{name[: longest - 1 - half]}…{name[len(name) - half :]}"
    return name.replace("$", r"\$")


NARROW = ".narrow.svg"
"""The suffix of a figure for a phone, which is as wide as a column."""


def pictures(figure: Figure, *, for_paper: bool = False, narrow: bool = False) -> dict[str, bytes]:
    """Return a figure as .png and .svg, also as wide as a column if `narrow`, and .pdf for a paper.

    They contain no dates, so that the same numbers give the same bytes. The figure is closed.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib.backend_bases import get_registered_canvas_class
    from matplotlib.ticker import MaxNLocator

    drawn = {}
    with style(), warnings.catch_warnings():
        # Characters that the font lacks are drawn as boxes; the tables next to the figure have them.
        warnings.filterwarnings("ignore", message="(Glyph|Matplotlib currently does not support)")
        _lay_out(figure)
        forms: dict[str, dict[str, None]] = {".png": {"Software": None}, ".svg": {"Date": None}}
        forms |= {NARROW: {"Date": None}} if narrow else {}
        forms |= {".pdf": {"CreationDate": None}} if for_paper else {}
        for suffix, metadata in forms.items():
            if suffix == NARROW:
                figure.set_layout_engine("constrained")
                for axes in figure.axes:
                    if isinstance(axes.xaxis.get_major_locator(), MaxNLocator):
                        axes.locator_params(axis="x", nbins=3)
                    axes.set_in_layout(True)  # a place that was set takes axes out of the layout
                figure.set_size_inches(COLUMN, figure.get_figheight())
                _lay_out(figure)
            # Not by `savefig`, which draws the whole figure again each time to lay it out.
            figure.dpi = mpl.rcParams["savefig.dpi"]
            picture = BytesIO()
            form = suffix.rpartition(".")[2]
            if suffix == NARROW:  # as wide as its longest words need
                figure.savefig(picture, format=form, metadata=metadata, bbox_inches="tight", pad_inches=0.06)
            else:
                canvas: Any = get_registered_canvas_class(form)(figure)
                getattr(canvas, f"print_{form}")(picture, metadata=metadata)
            drawn[suffix] = picture.getvalue()
    plt.close(figure)
    return drawn


def _lay_out(figure: Figure) -> None:
    """Lay the panels out once, at rounded places, because the last digits vary from run to run."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = (round(x, 6) for x in axes.get_position(original=True).bounds)
        axes.set_position((left, bottom, width, height), which="original")
