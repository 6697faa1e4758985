"""Every HTML report in headless Chromium: no errors, no network, and figures to be read at desk and on phone.

Not part of `make test`; `make test-browser` installs what it needs. Without Chromium they fail: none is
skipped.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.browser.chromium import Browser, Look, headless_chromium
from tests.browser.pages import PAGES, Pages

DESK, PHONE = 1280, 390
"""Widths of windows in pixels."""
SMALLEST = 0.75
"""Share of its own size that a figure may be shown at: its text of 9 points is then 9 pixels high."""
SMALLEST_ON_PHONE = 0.2
"""The same on a phone, where figures fit the window and people enlarge them with two fingers."""
LEAST_CONTRAST = 0.02
"""Standard deviation of the pixels of a figure, black being 0 and white 1: an empty one has none."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless_chromium() as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Pages]:
    """Return a function that makes the pages of a name once."""

    @cache
    def made(name: str) -> Pages:
        return PAGES[name](tmp_path_factory.mktemp(name))

    return made


def faults(look: Look, sentence: str, width: int) -> list[str]:
    """Return what is wrong with a page that has a sentence, in a window of a width (px)."""
    found = list(look.problems)
    if sentence not in " ".join(look.text.split()):
        found.append(f"not shown: {sentence}")
    if look.needed > width or look.beyond:
        found.append(f"takes {look.needed} px of {width}: {', '.join(look.beyond)}")
    for number, figure in enumerate(look.figures, start=1):
        name = f"figure {number} ({figure.alt})"
        if not (figure.alt and figure.caption):
            found.append(f"{name}: no alternative text or no caption ({figure.caption})")
        if 0 in figure.natural or 0 in figure.box[2:]:
            found.append(f"{name}: broken")
            continue
        smallest = SMALLEST if width >= DESK else SMALLEST_ON_PHONE
        if figure.box[2] > width or figure.box[2] < smallest * figure.natural[0]:
            found.append(f"{name}: {figure.natural[0]:.0f} px wide, shown on {figure.box[2]:.0f}")
        picture = figure.picture
        if picture.std() < LEAST_CONTRAST:
            found.append(f"{name}: empty")
        elif any((edge < 0.8).any() for edge in (picture[0], picture[-1], picture[:, 0], picture[:, -1])):
            found.append(f"{name}: cut off at an edge")
    return found


@pytest.mark.parametrize("name", PAGES)
def test_a_report_can_be_read(name: str, browser: Browser, pages: Callable[[str], Pages]) -> None:
    for page, sentence in pages(name).items():
        for width in (DESK, PHONE):
            look = browser.look(page, width)
            assert look.figures, page
            assert faults(look, sentence, width) == [], (page, width)


def test_the_planners_sliders_answer(browser: Browser, pages: Callable[[str], Pages]) -> None:
    (page,) = pages("plan")
    moved = """for (const [name, place] of [["items", "max"], ["ratings", "min"]]) {
        const input = document.getElementById(`slide-${name}`);
        input.value = input[place];
        input.dispatchEvent(new Event("input"));
    }"""
    seen = {act: browser.look(page, PHONE, act) for act in ("", moved)}
    power = {act: re.search(r"Power ([\d.]+), cost ([\d,.]+)", look.text) for act, look in seen.items()}
    assert all(not look.problems for look in seen.values())
    assert all(power.values())
    before, after = (float(found[1]) for found in power.values() if found)
    assert before == pytest.approx(0.8, abs=0.06)
    assert after > 0.99
    assert all("the cheapest with a power of 0.8 is" in look.text for look in seen.values())


def test_a_click_on_a_heading_sorts(browser: Browser, pages: Callable[[str], Pages]) -> None:
    (page,) = pages("plan")
    click = "document.querySelectorAll('#table-candidates th button')[0].click();"
    first = "r => r.cells[0].textContent.trim()"
    rows = f"[...document.querySelectorAll('#table-candidates tbody tr')].map({first}).join()"
    show = f"document.getElementById('outcome').textContent = {rows};"
    orders = []
    for clicks in (1, 2):
        text = browser.look(page, DESK, click * clicks + show).text
        orders.append(max(re.findall(r"(?:\d+,)+\d+", text), key=len).split(","))
    assert orders[0] == orders[1][::-1]
    assert [int(k) for k in orders[0]] == sorted(int(k) for k in orders[0])


def drawing(content: str, width: int = 300) -> str:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="100">{content}</svg>'
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


CLIPPED = "<div style='overflow: hidden'><p style='width: 500px'>lost</div>"
LINE = '<path d="M 20 80 L 250 20" stroke="black" stroke-width="5"/>'
SENTENCE = "<p>A is better than B.</p>"
FIGURE = f'<figure><img src="{drawing(LINE)}" alt="A line"><figcaption>It goes up</figcaption></figure>'
GOOD = SENTENCE + FIGURE


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<script>throw new Error('boom')</script>" + GOOD, "Error: boom"),
        ("<script>Promise.reject(new Error('boom'))</script>" + GOOD, "Error: boom"),
        ("<script>console.error('lost', 3)</script>" + GOOD, "lost 3"),
        ("<script>console.warn('old')</script>" + GOOD, "old"),
        ("<script>fetch('http://127.0.0.1:9/x')</script>" + GOOD, "asks for http://127.0.0.1:9/x"),
        ("<script src='beside.js'></script>" + GOOD, "beside.js"),
        (
            "<link rel='stylesheet' href='https://example.org/x.css'>" + GOOD,
            "asks for https://example.org/x.css",
        ),
        (
            "<style>p {background: url(//example.org/x.png)}</style>" + GOOD,
            "asks for file://example.org/x.png",
        ),
        (GOOD.replace("data:image/svg+xml;base64,", "https://example.org/"), "asks for https://example.org/"),
        (GOOD.replace("base64,", "base64,AAAA"), "figure 1 (A line): broken"),
        (GOOD.replace("<img", "<img hidden"), "figure 1 (A line): broken"),
        (GOOD.replace("<img", "<img width=50"), "figure 1 (A line): 300 px wide, shown on 50"),
        (GOOD.replace(drawing(LINE), drawing("")), "figure 1 (A line): empty"),
        (GOOD.replace(drawing(LINE), drawing(LINE, 200)), "figure 1 (A line): cut off at an edge"),
        (GOOD.replace(drawing(LINE), drawing(LINE.replace("20 80", "-9 80"))), "figure 1 (A line): cut off"),
        (GOOD.replace('alt="A line"', ""), "figure 1 (): no alternative text or no caption (It goes up)"),
        (GOOD.replace("It goes up", ""), "figure 1 (A line): no alternative text or no caption ()"),
        (GOOD.replace("<p>", "<p hidden>"), "not shown: A is better than B."),
        (GOOD + "<table style='width: 500px'><td>wide</table>", "takes 508 px of 390: table wide"),
        (GOOD + "<details><pre style='width: 500px'>wide</pre></details>", "takes 508 px of 390: pre wide"),
        (GOOD + CLIPPED, "takes 390 px of 390: p lost"),
    ],
)
def test_what_is_wrong_with_a_page_is_found(page: str, fault: str, browser: Browser, tmp_path: Path) -> None:
    found = faults(shown(page, browser, tmp_path), "A is better than B.", PHONE)
    assert any(fault in each for each in found), found


@pytest.mark.parametrize(
    "page",
    [
        GOOD,
        GOOD.replace("<p>", "<details><summary>More</summary><p>").replace("</p>", "</p></details>"),
        GOOD + "<div style='overflow-x: auto'><table style='width: 500px'><td>wide</table></div>",
        f'{SENTENCE}<figure><svg aria-label="A" width="300">{LINE}</svg><figcaption>Up</figcaption></figure>',
        GOOD + "<script>console.log('well')</script>",
    ],
)
def test_nothing_is_wrong_with_a_good_page(page: str, browser: Browser, tmp_path: Path) -> None:
    look = shown(page, browser, tmp_path)
    assert faults(look, "A is better than B.", PHONE) == []
    (figure,) = look.figures
    assert figure.natural[0] == figure.box[2] == 300
    assert np.allclose(figure.picture[50, 135], 0.0, atol=0.02)


def shown(body: str, browser: Browser, folder: Path) -> Look:
    (folder / "page.html").write_text(f'<!doctype html><meta charset="utf-8"><body>{body}', encoding="utf-8")
    return browser.look(folder / "page.html", PHONE)
