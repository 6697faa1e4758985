"""How Sphinx makes the site from these pages: `make site`.

README.md, CONTRIBUTING.md and CHANGELOG.md lie one folder up, where people look for them; the site's pages of
them are read from there. Links that are right in the repository are made right in the site as a page is read.
A page of the gallery gets a link to its notebook.
"""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from pygments.lexers.data import JsonLexer
from pygments.lexers.special import TextLexer

from nbyk import __version__

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = dict(line.split(", ") for line in metadata("nbyk").get_all("Project-URL", [])).get("Source")
PAGES = {"index": "README.md", "contributing": "CONTRIBUTING.md", "changelog": "CHANGELOG.md"}

project = "nbyk"
author = "The nbyk developers"
version = release = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinxcontrib.mermaid",
]
exclude_patterns = ["calibration/*", "examples/*", "_templates/*", "gallery/notebooks/*"]

# Markdown: headings are anchors as on GitHub; $…$ is math.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
html_math_renderer = "mathml"

# The reference, from docstrings in numpy's form.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
napoleon_use_rtype = False
default_role = "code"

templates_path = ["_templates"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"nbyk {version}"
if REPOSITORY:
    html_theme_options = {
        "source_repository": REPOSITORY,
        "source_branch": "main",
        "source_directory": "docs/",
    }
html_copy_source = False
html_show_copyright = False
mermaid_version = "11.4.1"


def read_page(app: Any, docname: str, source: list[str]) -> None:
    """Read the pages that lie elsewhere, and make links from the repository's folders those of the site."""
    text = source[0]
    if docname in PAGES:
        page = (ROOT / PAGES[docname]).read_text(encoding="utf-8").replace("](docs/", "](")
        text = f"{page}\n{text}" if docname == "index" else page
    for name, file in PAGES.items():
        text = re.sub(rf"\]\((\.\./)?{re.escape(file)}", f"]({name}.md", text)
    if docname.startswith("gallery/") and docname != "gallery/index":
        name = docname.removeprefix("gallery/")
        text += f"\n[This page as a notebook](notebooks/{name}.ipynb)\n"
    text = re.sub(r"```text\n(.*?)```", wrapped_or_not, text, flags=re.DOTALL)
    in_repository = rf"[\1]({REPOSITORY}/blob/main/\2)" if REPOSITORY else r"\1"
    source[0] = re.sub(r"\[([^\]]*)\]\((?:\.\./)?(src/[^)]*)\)", in_repository, text)


def wrapped_or_not(block: re.Match[str]) -> str:
    """Leave text of long sentences to site.css, which wraps it; tables of short lines stay as they are."""
    language = "text" if max(map(len, block[1].splitlines()), default=0) > 120 else "none"
    return f"```{language}\n{block[1]}```"


def show_math(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers draw themselves."""
    from docutils.nodes import SkipNode

    display = "block" if node.tagname == "math_block" else "inline"
    translator.body.append(convert(node.astext(), display=display))
    raise SkipNode


def setup(app: Any) -> None:
    """Register the above with Sphinx."""
    app.connect("source-read", read_page)
    app.add_lexer("csv", TextLexer)
    app.add_lexer("tsv", TextLexer)
    app.add_lexer("jsonl", JsonLexer)
    app.add_html_math_renderer("mathml", (show_math, None), (show_math, None))
