"""The site that `make site` has built: links, pictures, formulas, search, the dark mode and the notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
PAGES = sorted(SITE.rglob("*.html"))
WRITTEN = sorted(
    page for page in ROOT.glob("docs/**/*.md") if not {"calibration", "examples"} & {*page.parts}
)


class Elements(HTMLParser):
    """What a page links to, shows and calls its places."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = {""}
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


@cache
def elements(page: Path) -> Elements:
    found = Elements()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def broken(page: Path) -> Iterator[str]:
    for link in elements(page).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.exists() or (
            target.suffix == ".html" and unquote(parts.fragment) not in elements(target).places
        ):
            yield link


def test_every_page_of_docs_is_there() -> None:
    made = {SITE / page.relative_to(ROOT / "docs").with_suffix(".html") for page in WRITTEN}
    assert len(made) > 20
    assert made <= set(PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SITE)))
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    assert list(broken(page)) == []


def test_formulas_need_no_script() -> None:
    assert "math" in elements(SITE / "gallery/how-many-raters.html").tags


def test_words_can_be_searched_for_and_the_dark_mode_chosen() -> None:
    index = (SITE / "searchindex.js").read_text(encoding="utf-8")
    assert all(f'"{word}"' in index or f"{word}:" in index for word in ("leaderboard", "bleu"))
    assert "theme-toggle" in (SITE / "index.html").read_text(encoding="utf-8")


def test_nothing_but_the_diagram_is_loaded_from_elsewhere() -> None:
    for page in PAGES:
        loaded = re.findall(
            r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?://[^\"]+)", page.read_text(encoding="utf-8")
        )
        assert all("mermaid" in address for address in loaded), page


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/gallery/[!i]*.md")), ids=lambda page: page.stem)
def test_each_page_of_the_gallery_has_a_notebook_that_ran(page: Path) -> None:
    (path,) = SITE.glob(f"_downloads/*/{page.stem}.ipynb")
    notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    assert any(cell.outputs for cell in cells)
    assert "image/png" in json.dumps([cell.get("attachments") for cell in notebook.cells])
