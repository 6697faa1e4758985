"""Run the Python of a page of docs and write what it prints: `python scripts/worked_example.py docs/PAGE.md`.

Blocks of Python run in order, in one namespace and in the folder `figures` beside the page, where they write
their figures. What one prints replaces the block of text that follows it.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

BLOCKS = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<text>.*?)```\n)?", re.DOTALL)


def run(page: str) -> str:
    """Return a page with the outputs of its blocks of Python, which are run in the present folder.

    Raises
    ------
    ValueError
        If a block prints something and no block of text follows.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    names: dict[str, Any] = {"__name__": "worked_example"}
    parts, end = [], 0
    for block in BLOCKS.finditer(page):
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(block["code"], "the page's Python", "exec"), names)
        output = "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())
        if block["text"] is None:
            if output:
                raise ValueError(f"this block prints, and no block of text follows:\n{block['code']}{output}")
            continue
        parts += [page[end : block.start("text")], output]
        end = block.end("text")
    pyplot.close("all")
    return "".join([*parts, page[end:]])


def main() -> None:
    """Run the pages named on the command line."""
    for page in [Path(name).resolve() for name in sys.argv[1:]]:
        figures = page.parent / "figures"
        figures.mkdir(exist_ok=True)
        os.chdir(figures)
        page.write_text(run(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
