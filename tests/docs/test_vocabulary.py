"""The tables of docs/vocabulary.md name the fields, arguments and options that there are, and no others."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import nbyk
from nbyk.cli.app import command_line
from nbyk.errors import NbykError
from nbyk.planning.result import Plan
from nbyk.testing.results import Board
from nbyk.testing.scores.aso import AsoResult
from nbyk.testing.scores.result import SignificanceResult

pytestmark = pytest.mark.quick

PAGE = Path(__file__).parents[2].joinpath("docs/vocabulary.md").read_text("utf-8")

RESULTS: dict[str, tuple[type, ...]] = {
    "compare": (Board,),
    "paired_bootstrap": (SignificanceResult,),
    "score_test": (SignificanceResult,),
    "aso": (AsoResult,),
    "plan": (Plan,),
}
"""The results of each function of the first table."""

FUNCTIONS = (
    "compare",
    "paired_bootstrap",
    "aso",
    "plan",
)
COMMANDS = ("compare", "plan")
READERS = ("read_ratings", "read_systems")
OF_FILES = (*COMMANDS, "fit")


def function(name: str) -> Callable[..., Any]:
    return getattr(nbyk, name)  # type: ignore[no-any-return]


def table(start: str) -> list[dict[str, str]]:
    """Return the rows of the page's first table after a text, as cells by the heading of their column."""
    after = PAGE[PAGE.index(start) :]
    lines = after[after.index("\n|") + 1 :].split("\n\n")[0].splitlines()
    names, _, *rows = ([cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines)
    return [dict(zip(names, row, strict=True)) for row in rows]


def named(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def those(cell: str, everyone: tuple[str, ...]) -> list[str]:
    """Return the names in a cell: "all", "all but" some, or a list."""
    if cell.startswith("all"):
        return [name for name in everyone if name not in named(cell)]
    return named(cell)


def test_every_function_returns_the_results_that_are_checked() -> None:
    for name, kinds in RESULTS.items():
        returned = inspect.signature(function(name)).return_annotation
        assert returned == " | ".join(kind.__name__ for kind in kinds), name


def test_the_page_lists_every_test_of_scores() -> None:
    listed = named(PAGE[PAGE.index('"The tests of scores" are') :].split(".")[0])
    assert {name for name, kinds in RESULTS.items() if kinds == (SignificanceResult,)} == set(listed)


@pytest.mark.parametrize("row", table("## Results"), ids=lambda row: row["field"])
def test_results_have_the_fields_of_the_table(row: Mapping[str, str]) -> None:
    field = row["field"].strip("`").removeprefix("r.")
    tests = [name for name, kinds in RESULTS.items() if kinds == (SignificanceResult,)]
    seen = []
    for column, cell in row.items():
        if column in ("field", "meaning"):
            continue
        assert re.match(r"yes\b|no:", cell), cell
        names = tests if column == "the tests of scores" else named(column)
        seen += names
        for kind in (kind for name in names for kind in RESULTS[name]):
            there = hasattr(kind, field) or field in {each.name for each in fields(kind)}
            assert there == cell.startswith("yes"), f"{kind.__name__}.{field}: the page says {cell!r}"
    assert sorted(seen) == sorted(RESULTS)


def options(words: str) -> set[str]:
    command: Any = command_line()
    for word in words.split():
        command = command.get_command(None, word)
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize(
    ("start", "functions", "commands", "n_rows"),
    [("## Options", FUNCTIONS, COMMANDS, 12), ("Options of files, for", READERS, OF_FILES, 6)],
)
def test_functions_and_commands_have_the_options_of_the_table(
    start: str, functions: tuple[str, ...], commands: tuple[str, ...], n_rows: int
) -> None:
    assert named(PAGE[PAGE.index(start) :].split("\n|")[0]) == [*functions, *commands]
    rows = table(start)
    assert len(rows) == n_rows
    for row in rows:
        (argument,), (option,) = named(row["argument"]), named(row["option"])
        takes = [name for name in functions if argument in inspect.signature(function(name)).parameters]
        has = [name for name in commands if option in options(name)]
        assert (those(row["functions"], functions), those(row["commands"], commands)) == (takes, has), (
            argument
        )


def test_defaults_are_those_of_the_page() -> None:
    defaults = {"alternative": "two-sided", "alpha": 0.05, "confidence_level": 0.95}
    for name in FUNCTIONS:
        for argument, default in defaults.items():
            found = inspect.signature(function(name)).parameters.get(argument)
            if found is not None:
                assert found.default == default, f"{name}: {argument}"


def test_what_refuses_less_is_what_the_page_says() -> None:
    with pytest.raises(NbykError, match="a plan takes B for the worse system"):
        nbyk.plan(nbyk.published_prior("toxicity"), n_items=5, k_responses=1, epsilon=0.1, alternative="less")
