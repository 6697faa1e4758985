"""The page of all papers: what was run is shown, what was not is named with its command."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from nbyk.errors import NbykError
from nbyk.files import write_json, write_text
from nbyk.report.drawing import new_figure
from nbyk_papers.papers import PAPERS, lines, write_report
from tests.written import save, write_table

AGREEMENT = {"cells": 3, "agree": 2, "share": 2 / 3, "median_abs_z": 0.7}
WEIN: dict[str, Any] = {
    "line": "2 of 3 <cells> agree",
    "within_standard_errors": 3.0,
    "recommended": {
        "true_p": AGREEMENT,
        "estimated_p": {"compared": 3, "inside": 2, "outside_all": 0, "trivial": 1, "sets": 20},
        "acceptable": {"sentence": "1 of 3 is off."},
        "choices": None,
        "best": [{"sentence": "By MAE, estimates are nearest"}],
    },
}


class Page(HTMLParser):
    """What a page is made of: tags, ids, links, and elements that are open and never closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.ids, self.links, self.sources = Counter[str](), [""], [""], [""]
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag and what it names."""
        self.tags[tag] += 1
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if tag == "a" else []
        self.sources += [given["src"] or ""] if tag == "img" else []
        if tag == "img":
            assert given["alt"]
        if tag not in ("img", "meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what is open."""
        assert self.open.pop() == tag


def study(folder: Path, summary: dict[str, Any], figures: tuple[str, ...]) -> None:
    """Write a study's results: a summary, figures and one table."""
    shown = {
        "figures": {
            name: "Published true p-values against ours" if name == "agreement" else name for name in figures
        },
        "tables": ["table_05"],
        "marked": ["z true"],
    }
    write_json(folder / "summary.json", {**summary, "shown": shown})
    for name in figures:
        figure, axes = new_figure(2.0, 1.0)
        axes.plot([0, 1], [0, 1])
        save(figure, folder / "figures" / name)
    table = pd.DataFrame({"metric": ["mae"], "z true": [4.0]})
    write_table(table, folder / "tables/table_05", "Table 5: α & more")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    study(tmp_path / "wein2023", WEIN, ("agreement", "figure_01", "figure_02"))
    return tmp_path


def test_what_was_run_is_shown_and_what_was_not_is_named(results: Path) -> None:
    write_report(results, results / "report.html")
    text = (results / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert (page.tags["h1"], page.tags["h2"], page.tags["section"], page.tags["img"]) == (1, 1, 1, 3)
    assert "2 of 3 &lt;cells&gt; agree" in text
    assert {link for link in page.links if link} == {"#wein2023", "#top"}
    assert {"wein2023", "top"} <= set(page.ids)
    for paper in PAPERS[1:]:
        assert f"<code>{paper.command}</code>" in text
        assert f"#{paper.study}" not in text
    # The study's headline figure stands open before the two further ones, which are folded.
    assert text.index("Published true p-values against ours") < text.index(
        "2 more figures of Wein et al. 2023"
    )
    assert 'class="beyond">4' in text


def test_the_page_needs_nothing_beside_it_and_is_the_same_again(results: Path) -> None:
    write_report(results, results / "report.html")
    text = (results / "report.html").read_text(encoding="utf-8")
    assert all(source.startswith("data:") for source in Page(text).sources if source)
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    write_report(results, results / "again.html")
    assert (results / "again.html").read_text(encoding="utf-8") == text


def test_lines_are_the_summaries(results: Path) -> None:
    found = {paper.study: line for paper, line in lines(results)}
    assert found.pop("wein2023") == "2 of 3 <cells> agree"
    assert len(found) == len(PAPERS) - 1
    assert set(found.values()) == {None}


def test_a_line_stands_behind_the_cautions_of_its_study(tmp_path: Path) -> None:
    write_json(tmp_path / "homan2025/summary.json", {"line": "All agree.", "cautions": ["The fit is off."]})
    found = dict(lines(tmp_path))
    assert [line for line in found.values() if line] == ["The fit is off. All agree."]


def test_nothing_run_or_half_a_run_is_an_error(results: Path, tmp_path: Path) -> None:
    with pytest.raises(NbykError, match="found no results of any paper; run `make`"):
        write_report(tmp_path / "nowhere", tmp_path / "page.html")
    write_text(results / "homan2025/summary.json", '{"line": "0 of 0"}')
    with pytest.raises(NbykError, match="homan2025: no tables or no figures"):
        write_report(results, results / "report.html")
    assert not (results / "report.html").exists()


def test_every_command_is_a_target_of_the_makefile() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    for paper in PAPERS:
        target = paper.command.removeprefix("make").strip() or "all"
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), paper.command
