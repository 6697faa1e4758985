"""Names that figures, spreadsheets and Markdown would take for something else."""

from __future__ import annotations

import csv
import io
import re

import pandas as pd
import pytest

from nbyk.report.answer import Answer, AnswerTable, printed
from nbyk.report.drawing import new_figure, pictures, shown_name
from nbyk.report.formats import table_texts
from nbyk.report.lines import Head
from tests.cli.drawn import dollars_drawn

MATHEMATICS = (r"$\frac{", "$x$$", "a$b$c", r"\$5", "$", r"a\b$c$", "$_^$")


@pytest.mark.parametrize("name", MATHEMATICS)
def test_a_figure_shows_a_name_as_it_is(name: str) -> None:
    figure, axes = new_figure(2, 2)
    axes.set_title(shown_name(name))
    drawn = pictures(figure)[".svg"].decode()
    assert f"<!-- {name} -->" in drawn
    assert dollars_drawn(drawn) == name.count("$")


def test_a_figure_shows_a_name_on_one_line_and_without_its_middle() -> None:
    assert shown_name("a\nb\x1b\ud800") == r"a\nb\x1b\ud800"
    assert shown_name("x" * 20 + "y" * 30, 21) == "x" * 10 + "…" + "y" * 10


FORMULAS = ("=1+1", "+cmd", "-2+3", "@sum(a)", " =1", '=HYPERLINK("http://x","y")')


def test_a_spreadsheet_takes_no_name_for_a_formula() -> None:
    table = pd.DataFrame({"=name": FORMULAS, "score": [-1.0, 0.5, 1.0, 2.0, 3.0, 4.0], "p": "-0.5"})
    texts = table_texts(table, "caption")
    header, *rows = csv.reader(io.StringIO(texts[".csv"]))
    assert header == ["'=name", "score", "p"]
    assert [row[0] for row in rows] == [f"'{name}" for name in FORMULAS]
    assert rows[0][1:] == ["-1.0", "-0.5"]


@pytest.mark.parametrize(
    "name",
    [
        r"a\|b",
        "a|b",
        "<img src=x>",
        "</td>",
        "[x](http://y)",
        "`x`",
        "**x**",
        "~~x~~",
        "$x$",
        "_x_",
        "a\nb",
        "\x1b[2J",
    ],
)
def test_a_row_of_markdown_holds_a_name_and_nothing_else(name: str) -> None:
    row = table_texts(pd.DataFrame({"name": [name], "n": [1]}), "caption")[".md"].splitlines()[-1]
    cells = re.split(r"(?<!\\)(?:\\\\)*\|", row)
    assert len(cells) == 4
    assert not re.search(r"(?<!\\)[`*~$<]|\]\(|(?<!\\)_(?=x)|\x1b", cells[1])
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cells[1]).strip()
    assert plain in (name, name.encode("unicode_escape").decode())


@pytest.mark.parametrize("name", ["<b>x</b>", "$x$", "**x**", "a|b", "`x`"])
def test_a_verdict_and_a_caption_of_markdown_hold_no_markup_of_a_name(name: str) -> None:
    table = pd.DataFrame({"name": ["x"], "n": [1]})
    head = Head(f"{name} is better", "good", "mae", ())
    answer = Answer("t", (), lambda: [AnswerTable("t", f"of {name}", table)], (), (), {}, head=head)
    verdict, *rest = printed(answer, "markdown", stem="x", width=80).splitlines()
    (caption,) = (line for line in rest if line.startswith("**of "))
    for line, said in ((verdict.partition(" · ")[0], f"{name} is better"), (caption, f"of {name}")):
        assert not re.search(r"(?<!\\)[`*~$|]|(?<!\\)<b", line[2:-2])
        assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", line) == f"**{said}**"


def test_ordinary_names_stay_as_they_are() -> None:
    table = pd.DataFrame(
        {"metric_1": ["accuracy(threshold=0.6)", "cohen_kappa", "p < .05 [0.1, 0.2]"], "n": 1}
    )
    assert "| cohen_kappa | 1 |" in table_texts(table, "c")[".md"]
    assert "| p < .05 [0.1, 0.2] | 1 |" in table_texts(table, "c")[".md"]
    assert table_texts(table, "c")[".csv"] == table.to_csv(index=False)
