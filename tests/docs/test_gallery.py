"""Every page of the gallery runs as it stands, prints what it says, and draws the picture that it shows."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.test_worked_example import ROOT, script

__all__ = ["script"]

GALLERY = ROOT / "docs" / "gallery"
PAGES = sorted(set(GALLERY.glob("*.md")) - {GALLERY / "index.md"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_and_draws_what_it_says(
    script: ModuleType, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert script.run(text) == text
    assert (
        {path.name for path in tmp_path.iterdir()} == set(re.findall(r"\]\(figures/(.*?)\)", text)) != set()
    )


def test_the_gallery_lists_every_page() -> None:
    index = (GALLERY / "index.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\((.*?)\.md\)", index)) == [page.stem for page in PAGES]
    assert sorted(re.findall(r"^[a-z0-9-]+$", index, re.MULTILINE)) == [page.stem for page in PAGES]


def test_the_reference_has_every_public_name() -> None:
    import nbyk

    named = re.findall(r"^   (\w+)$", (ROOT / "docs/reference.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(set(nbyk.__all__) - {"__version__"})
