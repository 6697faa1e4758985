"""Pages name commands, targets and rules in running text: each is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from nbyk.cli.app import command_line
from nbyk.studies import studies

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md")))


def named(program: str) -> list[tuple[str, list[str]]]:
    """Return the page and the words of each command of a program in running text."""
    found = re.compile(rf"`(?:\.venv/bin/)?{program} ([^`]*)`")
    return [(page.name, match.split()) for page in PAGES for match in found.findall(page.read_text("utf-8"))]


def check(root: Any, words: list[str]) -> None:
    """Raise if words name no command."""
    command = root
    for word in words:
        if not hasattr(command, "commands") or word.startswith("-") or not word.islower():
            return
        found = command.get_command(None, word)
        assert found is not None, f"`nbyk {' '.join(words)}`: no command {word!r}"
        command = found


@pytest.mark.quick
def test_every_nbyk_command_that_a_page_names_is_there() -> None:
    root = command_line()
    commands = named("nbyk")
    assert len(commands) > 20
    for _, words in commands:
        check(root, words)
    with pytest.raises(AssertionError, match="no command 'nothing'"):
        check(root, ["study", "nothing"])


def test_every_target_of_make_that_a_page_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page, words in named("make"):
        assert words[0] in targets, f"{page}: make {words[0]}"


def test_every_target_of_snakemake_that_a_page_names_is_there() -> None:
    rules = "".join(path.read_text("utf-8") for path in (ROOT / "workflow/rules").glob("*.smk"))
    targets = {*re.findall(r"^rule (\w+):", rules, re.MULTILINE), *(study.name for study in studies())}
    for page, words in named("snakemake"):
        if re.fullmatch("[a-z0-9]+", words[0]):
            assert words[0] in targets, f"{page}: snakemake {words[0]}"
