"""The one form of answers: what the terminal shows, what is written, and that nothing is where it fails."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from nbyk.cli.answers import Gated, Verdict, give
from nbyk.files import is_scratch
from nbyk.health import examine_results as examine
from nbyk.lineage import recording
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable, answer_text, printed, write_answer
from nbyk.report.drawing import new_figure, pictures

FRAME = pd.DataFrame(
    {"system": ["a|b", "x_y <b>&", "[red]z"], "n": [1, 2, 3], "p": [0.125, float("nan"), 1e-7]}
)


def drawn() -> Figure:
    figure, axes = new_figure(3.0, 2.0)
    axes.plot([1.0, 3.0, 2.0])
    return figure


ANSWER = Answer(
    title="Is A better than B?",
    sentences=("A is better than B & <C>.", "They differ by 0.1."),
    make_tables=lambda: (
        AnswerTable("first", "What was found", FRAME),
        AnswerTable("second", "More", FRAME[["n"]]),
    ),
    figures=(AnswerFigure("line", 'A "line" that goes up', drawn),),
    cautions=("only 3 items",),
    details={"p": 0.125, "names": ["A", "B"]},
)


class Page(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_the_terminal_shows_sentences_the_first_table_and_cautions() -> None:
    text = answer_text(ANSWER, width=60)
    assert text.startswith("A is better than B & <C>.\n\nThey differ by 0.1.\n\nWhat was found\n\n")
    assert "[red]z     3   1.00e-07" in text
    assert "More" not in text
    assert text.endswith("Before you believe it:\n- only 3 items\n")
    assert "More" in answer_text(replace(ANSWER, n_printed=2), width=60)


@pytest.mark.parametrize("width", [10, 40, 100])
def test_numbers_are_whole_and_aligned_at_any_width(width: int) -> None:
    rows = [
        line for line in answer_text(ANSWER, width=width).splitlines() if re.search(r"(0\.1250|e-07)$", line)
    ]
    assert [row.split()[-1] for row in rows] == ["0.1250", "1.00e-07"]
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_cell_is_cut_however_many_columns_there_are(width: int) -> None:
    numbers = {f"n{place}": [0.1234567, 1.0] for place in range(7)}
    frame = pd.DataFrame(
        {
            "score": ["precision(positive)", "x"],
            "system": ["bert with soft loss", "x"],
            "other": ["baseline of old", "x"],
            **numbers,
            "it is": ["undecided", "better"],
        }
    )
    text = answer_text(
        replace(ANSWER, make_tables=lambda: (AnswerTable("wide", "All of it", frame),)), width=width
    )
    for word in ("bert", "with", "soft", "loss", "baseline", "old", "undecided", "better", "n6"):
        assert re.search(rf"(?<!\S){word}(?!\S)", text), (word, text)
    assert text.count("0.1235") == 7


def test_only_text_folds_in_a_table_of_many_columns() -> None:
    numbers = {f"a longer name {place}": [0.5, float("nan")] for place in range(7)}
    frame = pd.DataFrame({"scores": ["episodes of one run", "10 runs"], **numbers})
    text = answer_text(replace(ANSWER, make_tables=lambda: (AnswerTable("wide", "Wide", frame),)), width=60)
    assert "\nrun\n" in text
    assert [line.split() for line in text.splitlines() if "0.5000" in line] == [["episodes", *["0.5000"] * 7]]
    assert [line.split() for line in text.splitlines() if "longer" in line] == [["longer"] * 7]


@pytest.mark.parametrize(("width", "folds"), [(33, False), (32, True)])
def test_names_of_numbers_fold_only_where_the_table_is_too_wide_otherwise(width: int, *, folds: bool) -> None:
    frame = pd.DataFrame({"of": ["a"], "their mean": [0.5], "the judge alone": [0.25]})
    text = answer_text(replace(ANSWER, make_tables=lambda: (AnswerTable("t", "T", frame),)), width=width)
    assert ("their mean   the judge alone" in text) is not folds
    assert max(map(len, text.splitlines())) <= width


def test_a_bar_is_never_folded() -> None:
    bars = ["├──●───┤         ", "        ├─────●─┤"]
    frame = pd.DataFrame(
        {"system": ["a long name of one", "of another"], "0         1": bars, "ranks": ["1 to 2"] * 2}
    )
    table = AnswerTable("bars", "Bars", frame, whole=("0         1",))
    text = answer_text(replace(ANSWER, make_tables=lambda: (table,)), width=40)
    assert all(any(bar.strip() in line for line in text.splitlines()) for bar in bars)


def test_a_column_without_a_word_takes_no_room() -> None:
    table = AnswerTable("ways", "Ways", pd.DataFrame({"items": [20, 300], "": ["", ""]}))
    text = answer_text(replace(ANSWER, make_tables=lambda: (table,)), width=40)
    assert "\nitems\n" in text
    assert "\n   20\n  300\n" in text


def test_sentences_fold_at_the_width_between_words_only() -> None:
    long = replace(
        ANSWER,
        sentences=("word " * 30 + "/a/path/that-is-longer-than-the-width",),
        make_tables=lambda: (),
        cautions=(),
    )
    lines = answer_text(long, width=20).splitlines()
    assert max(len(line) for line in lines if not line.startswith("/")) <= 20
    assert "/a/path/that-is-longer-than-the-width" in lines


def test_every_file_of_an_answer_opens_and_holds_it(tmp_path: Path) -> None:
    write_answer(ANSWER, tmp_path / "out", stem="compare")
    files = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    files = {name for name in files if ".nbyk" not in name}
    tables = {
        f"tables/{name}.{suffix}"
        for name in ("first", "second")
        for suffix in ("csv", "parquet", "md", "tex")
    }
    assert files == {"compare.json", "compare.html", "figures/line.png", "figures/line.svg", *tables}
    out = tmp_path / "out"
    found = json.loads((out / "compare.json").read_text())
    assert found["sentences"][0] == "A is better than B & <C>."
    assert (found["p"], found["cautions"]) == (0.125, ["only 3 items"])
    pd.testing.assert_frame_equal(pq.read_table(out / "tables/first.parquet").to_pandas(), FRAME)
    pd.testing.assert_frame_equal(pd.read_csv(out / "tables/first.csv"), FRAME)
    assert r"| a\|b | 1 | 0.1250 |" in (out / "tables/first.md").read_text()
    assert r"x\_y \textless{}b\textgreater{}\& & 2" in (out / "tables/first.tex").read_text()
    assert imread(out / "figures/line.png").shape[:2] == (300, 450)
    assert ElementTree.parse(out / "figures/line.svg").getroot().tag.endswith("svg")


def test_the_page_holds_all_and_asks_for_nothing_else(tmp_path: Path) -> None:
    write_answer(ANSWER, tmp_path, stem="compare")
    text = (tmp_path / "compare.html").read_text()
    page = Page(text)
    assert [page.all("html")[0]["lang"], page.all("title") != []] == ["en", True]
    (image,) = page.all("img")
    assert image["alt"] == 'A "line" that goes up'
    prefix = "data:image/svg+xml;base64,"
    assert image["src"] is not None
    assert base64.b64decode(image["src"].removeprefix(prefix)) == (tmp_path / "figures/line.svg").read_bytes()
    asked = [attributes.get(name) for _, attributes in page.tags for name in ("src", "href")]
    assert all(address.startswith("data:") for address in asked if address)
    assert page.all("script") == [{}]  # one that sorts tables, on the page itself
    assert not re.search(r"url\(|@import", text)
    for shown in (*ANSWER.sentences, *ANSWER.cautions, "x_y <b>&", "What was found", "More"):
        assert shown in page.text
    assert [head["scope"] for head in page.all("th")] == ["col"] * 4


def test_the_same_answer_has_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write_answer(ANSWER, tmp_path / folder, stem="answer")
    assert parts(tmp_path / "one") == parts(tmp_path / "two")


def _fails() -> Figure:
    raise RuntimeError("cannot be drawn")


@pytest.mark.parametrize(
    "broken",
    [
        replace(ANSWER, figures=(*ANSWER.figures, AnswerFigure("broken", "", _fails))),
        replace(ANSWER, details={"p": float("nan")}),
        replace(ANSWER, make_tables=lambda: (AnswerTable("mixed", "", pd.DataFrame({"x": ["a", 1]})),)),
    ],
    ids=["figure", "json", "table"],
)
def test_nothing_is_written_where_a_part_fails(broken: Answer, tmp_path: Path) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011
        write_answer(broken, tmp_path / "out", stem="answer")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("gate", [None, Gated("yes", "The gate is passed.")])
def test_an_answer_is_written_and_printed(
    gate: Gated | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    give(ANSWER, out=tmp_path / "out", form="json", stem="answer", gate=gate)
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "out/answer.json").read_text())


@pytest.mark.parametrize(("gate", "code"), [("no", 3), ("inconclusive", 4)])
def test_a_gate_that_is_not_passed_ends_with_its_code_and_leaves_the_answer(
    gate: Verdict, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended, recording(["answer"]):
        give(
            ANSWER,
            out=tmp_path / "out",
            form="text",
            stem="answer",
            gate=Gated(gate, "The gate is not passed."),
        )
    assert ended.value.code == code
    assert json.loads((tmp_path / "out/answer.json").read_text())["gate"] == gate
    assert capsys.readouterr().out.startswith("A is better than B")
    assert (tmp_path / "out/.nbyk/answer.html.json").exists()


OTHER = replace(ANSWER, sentences=("Another answer.",), make_tables=lambda: ANSWER.tables[:1])


def parts(folder: Path) -> dict[str, bytes]:
    """Return the files of an answer but for records and scratch files, by their path."""
    files = (path for path in folder.rglob("*.*") if path.is_file() and not is_scratch(path.name))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if ".nbyk" not in path.parts}


def test_a_new_answer_takes_the_place_of_the_whole_old_one_and_of_nothing_else(tmp_path: Path) -> None:
    used, fresh = tmp_path / "used", tmp_path / "fresh"
    with recording(["first"]):
        write_answer(ANSWER, used, stem="answer")
        write_answer(ANSWER, used, stem="another")
    (used / "mine.txt").write_text("mine")
    (used / "tables/second.csv").write_text("edited by its owner")
    with recording(["second"]):
        write_answer(OTHER, used, stem="answer")
    with recording(["second"]):
        write_answer(OTHER, fresh, stem="answer")
    found = parts(used)
    kept = {"mine.txt", "another.json", "another.html", "tables/second.csv"}
    assert {name: found[name] for name in found if name not in kept} == parts(fresh)
    assert kept <= set(found)


@pytest.fixture(scope="module")
def picture() -> dict[str, bytes]:
    """Return what the figure of the answers is drawn as."""
    return pictures(drawn())


@pytest.mark.parametrize("step", range(40))
def test_whenever_a_command_ends_there_is_one_answer_and_the_doctor_knows_if_it_is_whole(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, picture: dict[str, bytes]
) -> None:
    once = (replace(ANSWER.figures[0], draw=lambda: None),)
    monkeypatch.setattr("nbyk.report.answer.pictures", lambda figure, **_: picture)
    first, second = (replace(answer, figures=once) for answer in (ANSWER, OTHER))
    folder, steps = tmp_path / "out", iter(range(1000))
    with recording(["first"]):
        write_answer(first, folder, stem="answer")
    old = parts(folder)
    with recording(["second"]):
        write_answer(second, tmp_path / "new", stem="answer")
    new = parts(tmp_path / "new")

    def stopping(real: Callable[..., None]) -> Callable[..., None]:
        def done(*words: Any, **more: Any) -> None:
            if next(steps) == step:
                raise KeyboardInterrupt
            real(*words, **more)

        return done

    with monkeypatch.context() as patched:
        for name in ("replace", "unlink", "fsync"):
            patched.setattr(os, name, stopping(getattr(os, name)))
        with suppress(KeyboardInterrupt), recording(["second"]):
            write_answer(second, folder, stem="answer")
    found = parts(folder)
    assert found.items() <= old.items() or found.items() <= new.items()
    monkeypatch.chdir(tmp_path)
    told = [finding.line for finding in examine(folder) if finding.advice]
    if found in (old, new):
        assert told == []
    elif found:
        assert any(line.startswith("out: ") for line in told)
    with recording(["second"]):
        write_answer(second, folder, stem="answer")
    assert parts(folder) == new
    assert [finding for finding in examine(folder) if finding.advice] == []


def test_the_doctor_notices_a_file_of_another_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_answer(ANSWER, tmp_path / "out", stem="answer")
    write_answer(OTHER, tmp_path / "other", stem="answer")
    shutil.copy("other/answer.json", "out/answer.json")
    Path("out/tables/first.md").unlink()
    (finding,) = (each for each in examine(tmp_path) if each.advice)
    assert finding.line == (
        "out: of the 12 files of its answer, tables/first.md is missing and answer.json is another answer's; "
        "the command that writes it was stopped: run it again with --out out"
    )


@pytest.mark.parametrize("scratch", [True, False])
def test_the_doctor_tells_an_answer_that_was_stopped_from_one_that_was_deleted(
    scratch: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_answer(ANSWER, tmp_path / "out", stem="answer")
    for name in parts(tmp_path / "out"):
        Path("out", name).unlink()
    if scratch:
        Path("out/tables/.first.md.x1.nbyk-part").touch()
    findings = [each.line for each in examine(tmp_path) if each.advice]
    assert len(findings) == scratch
    assert all(
        line.startswith("out: of the 12 files of its answer, ") and " missing; " in line for line in findings
    )


def test_a_signal_waits_until_the_answer_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_answer(ANSWER, tmp_path / "out", stem="answer")
    write_answer(OTHER, tmp_path / "new", stem="answer")
    real = os.replace

    def interrupted(*words: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        real(*words)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_answer(OTHER, tmp_path / "out", stem="answer")
    assert parts(tmp_path / "out") == parts(tmp_path / "new")


def test_further_tables_are_made_only_where_they_are_written(tmp_path: Path) -> None:
    made = []

    def tables() -> Iterator[AnswerTable]:
        yield from ANSWER.tables
        made.append("items")
        yield AnswerTable("items", "Which items speak", ANSWER.tables[0].frame)

    answer = replace(ANSWER, make_tables=tables, n_printed=1)
    for form in ("text", "markdown", "json", "latex"):
        assert printed(answer, form, stem="answer", width=80) == printed(
            ANSWER, form, stem="answer", width=80
        )
    assert made == []
    write_answer(answer, tmp_path / "written", stem="answer")
    assert made == ["items"]
    assert (tmp_path / "written/tables/items.csv").exists()
    assert "Which items speak" in (tmp_path / "written/answer.html").read_text(encoding="utf-8")


def test_a_column_that_holds_nothing_is_printed_nowhere_and_kept_in_the_files(tmp_path: Path) -> None:
    frame = FRAME.assign(p=float("nan"), q=None)
    answer = replace(
        ANSWER, make_tables=lambda: (AnswerTable("first", "What was found", frame, marked=("p", "n")),)
    )
    for form in ("text", "markdown", "latex", "html"):
        text = printed(answer, form, stem="x", width=80)
        assert not re.search(r"^system.* p\b|\| p \||& p\b|<th[^>]*>\W*p\b", text, re.MULTILINE), form
    write_answer(answer, tmp_path / "out", stem="x")
    assert pq.read_table(tmp_path / "out/tables/first.parquet").column_names == ["system", "n", "p", "q"]
    text = printed(ANSWER, "text", stem="x", width=80)
    assert re.search(r"^system.* p$", text, re.MULTILINE)
