"""Make a notebook of every page of the gallery and run it: `python scripts/notebooks.py`.

A page is the only source: its Python becomes cells, and its prose the text between them. A notebook is run in
docs/gallery/figures, where its pictures come to lie, and must print what its page says. It is written to
docs/gallery/notebooks with its outputs and pictures in it.
"""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from worked_example import BLOCKS

GALLERY = Path(__file__).resolve().parents[1] / "docs" / "gallery"
FIGURES = GALLERY / "figures"

_PICTURE = re.compile(r"!\[[^]]*\]\(figures/([^)]+)\)")
_LINK = re.compile(r"\[(?P<says>[^]]*)\]\([^)]+\.md[^)]*\)")


def notebook(page: str) -> tuple[nbformat.NotebookNode, list[str]]:
    """Return a page as a notebook without outputs, and what each of its cells of Python should print."""
    made = new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    expected, end = [], 0
    for block in BLOCKS.finditer(page):
        made.cells += _prose(page[end : block.start()])
        made.cells.append(new_code_cell(block["code"].rstrip("\n")))
        expected.append(block["text"] or "")
        end = block.end()
    made.cells += _prose(page[end:])
    for place, cell in enumerate(made.cells):
        cell["id"] = f"cell-{place}"  # the same from build to build
    return made, expected


def execute(made: nbformat.NotebookNode, expected: list[str], folder: Path) -> None:
    """Run a notebook in a folder.

    Raises
    ------
    ValueError
        If a cell prints something else than expected.
    """
    NotebookClient(made, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    cells = [cell for cell in made.cells if cell.cell_type == "code"]
    for cell, text in zip(cells, expected, strict=True):
        printed = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
        if [line.rstrip() for line in printed.splitlines()] != text.splitlines():
            raise ValueError(f"this cell prints\n{printed}\nand its page says\n{text}\n{cell.source}")


def embed_pictures(made: nbformat.NotebookNode, figures: Path) -> None:
    """Put the pictures that the text shows into the notebook."""
    for cell in made.cells:
        for name in _PICTURE.findall(cell.source) if cell.cell_type == "markdown" else ():
            image = base64.b64encode((figures / name).read_bytes()).decode()
            cell.setdefault("attachments", {})[name] = {"image/png": image}
            cell.source = cell.source.replace(f"(figures/{name})", f"(attachment:{name})")


def _prose(text: str) -> list[nbformat.NotebookNode]:
    """Return text as a cell, if there is any; links to other pages become their words."""
    text = _LINK.sub(r"\g<says>", text).strip()
    return [new_markdown_cell(text)] if text else []


def main() -> None:
    """Make the notebooks of the pages named on the command line, or of all."""
    pages = [GALLERY / f"{name}.md" for name in sys.argv[1:]] or sorted(GALLERY.glob("*.md"))
    for folder in (FIGURES, GALLERY / "notebooks"):
        folder.mkdir(exist_ok=True)
    for page in pages:
        made, expected = notebook(page.read_text(encoding="utf-8"))
        if not expected:
            continue
        execute(made, expected, FIGURES)
        embed_pictures(made, FIGURES)
        nbformat.write(made, GALLERY / "notebooks" / f"{page.stem}.ipynb")


if __name__ == "__main__":
    main()
