"""paper.md has the form that the Journal of Open Source Software asks for."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SECTIONS = [
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
]


def test_the_paper_has_its_metadata_sections_length_and_references() -> None:
    _, head, text = (ROOT / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
    metadata = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} == set(metadata)
    indices = {place["index"] for place in metadata["affiliations"]}
    assert all(author["name"] and author["affiliation"] in indices for author in metadata["authors"])
    sections = re.findall(r"^# (.*)$", text, re.MULTILINE)
    assert sections == [*SECTIONS, "AI usage disclosure", "References"]
    assert 250 <= len(text.split()) <= 1750
    known = re.findall(r"^@\w+\{(\w+),", (ROOT / metadata["bibliography"]).read_text(), re.MULTILINE)
    assert set(re.findall(r"@(\w+)", text)) == set(known)
