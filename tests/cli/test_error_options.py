"""Errors about arguments: the library names the argument, the command line its option, in the same words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbyk as library
from nbyk.cli.app import command_line
from nbyk.cli.terminal import arguments_as, options_of
from nbyk.errors import DataPlace, NbykError
from nbyk.priors.published import published_prior

Run = Callable[..., tuple[int, str, str]]

SCORES = np.random.default_rng(0).normal(size=(3, 20)).round(3)

POPULATION = library.Population(published_prior("simulated"), 10, 2, 0.1)

WRONG: dict[str, dict[str, list[tuple[dict[str, Any], str, str]]]] = {
    "compare": {
        "two": [
            ({"alpha": 2.0}, "--alpha 2.0", "alpha"),
            ({"confidence_level": 0.0}, "--confidence-level 0.0", "confidence_level"),
            ({"n_resamples": 0}, "--resamples 0", "n_resamples"),
        ],
        "three": [
            ({"alpha": 2.0}, "--alpha 2.0", "alpha"),
            ({"alternative": "greater"}, "--alternative greater", "alternative"),
            ({"n_resamples": 9, "max_resamples": 99}, "--resamples 9 --max-resamples 99", "max_resamples"),
            ({"max_draws": 100}, "--max-draws 100", "max_draws"),
        ],
    },
    "test": {
        "scores": [
            ({"alpha": 0.0}, "--alpha 0", "alpha"),
            ({"confidence_level": 0.0}, "--confidence-level 0", "confidence_level"),
            ({"tau": 1.5}, "--tau 1.5", "tau"),
            ({"alternative": "less"}, "--alternative less", "alternative"),
            ({"against": "D"}, "--against D", "against"),
            (
                {"test": "aso", "correction": "holm"},
                "--test aso --correction holm",
                "correction",
            ),
            ({"test": "permuttion"}, "--test permuttion", "test"),
            ({"n_resamples": 0, "test": "permutation"}, "--test permutation --resamples 0", "n_resamples"),
            ({"n_resamples": 0, "test": "welch_t"}, "--test welch_t --resamples 0", "n_resamples"),
        ],
    },
    "plan": {
        "simulated": [
            ({"alpha": 1.0}, "--alpha 1", "alpha"),
            ({"power": 1.5}, "--power 1.5", "power"),
            ({"precision": 0.7}, "--precision 0.7", "precision"),
            ({"epsilon": -1.0}, "--epsilon -1", "epsilon"),
            ({"epsilon_a": 2.0}, "--epsilon-a 2", "epsilon_a"),
            ({"n_items": 1}, "--items 1", "n_items"),
            ({"k_responses": 0}, "--responses 0", "k_responses"),
            ({"n_resamples": 5}, "--resamples 5", "n_resamples"),
            ({"budget": -3.0}, "--budget -3", "budget"),
            ({"cost_per_item": -1.0}, "--cost-per-item -1", "cost_per_item"),
            ({"cost_per_rating": -1.0}, "--cost-per-rating -1", "cost_per_rating"),
            ({"max_items": 1}, "--max-items 1", "max_items"),
            ({"n_items": 10**20}, f"--items {10**20}", "n_items"),
            ({"n_runs": 10**20}, f"--n-runs {10**20}", "n_runs"),
            ({"cost_per_rating": 0.0}, "--cost-per-rating 0", "cost_per_rating"),
            ({"n_resamples": 10**9}, f"--resamples {10**9}", "n_resamples"),
            ({"max_responses": 0}, "--max-responses 0", "max_responses"),
            ({"effect": 7.0, "power": 0.8}, "--effect 7 --power 0.8", "effect"),
        ],
    },
}
CASES = [
    pytest.param(command, data, *case, id=f"{command} {data}: {case[1]}")
    for command, by_data in WRONG.items()
    for data, cases in by_data.items()
    for case in cases
]


def call(command: str, data: str, arguments: Mapping[str, Any]) -> object:
    if command == "plan":
        return library.plan(published_prior("simulated"), **arguments)
    if command == "test":
        return library.compare(None, dict(zip("ABC", SCORES, strict=True)), kind="scores", **arguments)
    named = dict(zip("ABC", SCORES.clip(0, 1)[:, :, None], strict=True))
    if data == "two":
        return library.compare(None, named["A"], named["B"], metric="mean", **arguments)
    return library.compare(None, named, metric="mean", **arguments)


def files_of(command: str, data: str) -> str:
    if command == "plan":
        return data
    names = "AB" if data == "two" else "ABC"
    for name, scores in zip(names, SCORES, strict=False):
        if command == "test":
            Path(f"{name}.txt").write_text("\n".join(map(str, scores)), encoding="utf-8")
        else:
            rows = "".join(f"{item},1,{value}\n" for item, value in enumerate(scores.clip(0, 1)))
            Path(f"{name}.csv").write_text(f"item,rater,value\n{rows}", encoding="utf-8")
    suffix = "txt" if command == "test" else "csv"
    return " ".join(f"{name}={name}.{suffix}" for name in names)


@pytest.mark.parametrize(("command", "data", "arguments", "options", "argument"), CASES)
def test_the_library_names_the_argument_and_the_command_line_its_option(
    nbyk: Run, command: str, data: str, arguments: dict[str, Any], options: str, argument: str
) -> None:
    with pytest.raises(NbykError) as raised:
        call(command, data, arguments)
    error = raised.value
    assert error.argument == argument
    assert str(error).startswith(f"{argument}: {error.problem}")

    kind, typed = (" --kind scores", "compare") if command == "test" else ("", command)
    code, text, errors = nbyk(f"{typed} {files_of(command, data)} {options}{kind}")
    (option,) = (word for word in options.split() if word == shown_as(command, argument))
    last = errors.strip().splitlines()[-1]
    assert (code, text) == (2, "")
    assert last.startswith(f"error: {option}: ")
    assert "`" not in last.replace("`nbyk", "")
    if command != "plan" or argument != "effect":  # the command line has said so before it fits a prior
        assert last == f"error: {error.renamed(options_of(command_line(), [typed]))}"


def shown_as(command: str, argument: str) -> str:
    return options_of(command_line(), ["compare" if command == "test" else command])[argument]


def test_hints_name_options_too(nbyk: Run) -> None:
    files = files_of("compare", "three")
    _, _, errors = nbyk(f"compare {files} --max-draws 100")
    assert "raise --max-draws, compare with a baseline only" in errors
    _, _, errors = nbyk("plan simulated --items 100 --power 0.8 --epsilon 0.1 --responses 5")
    assert "error: plan: given --items, --responses, --epsilon, --power; nothing is left to solve" in errors
    assert "to solve for. Leave out one quantity" in errors


def test_an_error_knows_what_it_is_about() -> None:
    error = NbykError("found 3, expected 1: raise `n_items`", argument="n_items")
    known = error.about(systems=("a", "b"), file="design.yaml", row=4, key="runs", argument="other")
    assert (known.file, known.row, known.key, known.argument) == ("design.yaml", 4, "runs", "n_items")
    assert str(known) == "design.yaml:4: a and b: runs: n_items: found 3, expected 1: raise `n_items`"
    assert str(error.renamed({"n_items": "--items"})) == "--items: found 3, expected 1: raise --items"
    assert str(NbykError("is empty", file="a.csv", row="row 3")) == "a.csv, row 3: is empty"
    assert str(known.about(file="elsewhere.yaml", row=1)) == str(known)


def test_a_command_keeps_what_its_error_is_about() -> None:
    error = NbykError("raise `n_items`", file="a.csv", row=4, systems=("a", "b"), key="k", argument="alpha")
    with pytest.raises(NbykError) as raised, arguments_as(lambda: {"n_items": "--items", "alpha": "--alpha"}):
        raise error.about(name="column 'x'")
    shown = raised.value
    assert (shown.file, shown.row, shown.name, shown.systems, shown.key) == (
        *("a.csv", 4, "column 'x'"),
        *(("a", "b"), "k"),
    )
    assert str(shown) == "a.csv:4: column 'x': a and b: k: --alpha: raise --items"


def test_a_place_is_written_in_one_way() -> None:
    assert str(DataPlace("a.csv", 4)) == "a.csv:4"
    assert str(DataPlace("a.csv", 4, "column 'x'")) == "a.csv:4: column 'x'"
    assert str(DataPlace("a.npy", "row 3")) == "a.npy, row 3"
    assert str(DataPlace("a.json", "row 3", "h0.preds[0]")) == "a.json: h0.preds[0], row 3"
    assert str(DataPlace(name="the data frame")) == "the data frame"
    assert str(DataPlace(row="row 3", name="target")) == "target, row 3"
    assert str(DataPlace()) == ""


@pytest.mark.parametrize(
    ("content", "way_out"),
    [
        ("itm,rater,value\na,r,1\nb,r,1\n", "or name it with --gold-item"),
        ("item,coder,judge,value\na,r,s,1\nb,r,s,1\n", "name the right ones, as in --gold-rater coder"),
        ("item,label,x\na,1,0\nb,1,0\n", "or which the raters with --gold-rater"),
    ],
)
def test_compare_names_the_options_of_gold(nbyk: Run, content: str, way_out: str) -> None:
    files = files_of("compare", "two")
    Path("gold.csv").write_text(content, encoding="utf-8")
    code, _, errors = nbyk(f"compare {files} --gold gold.csv")
    assert code == 2
    assert errors.startswith("error: gold.csv: ")
    assert way_out in errors


FILES = {
    "no item column": ("itme,rater,value\na,r,1\nb,r,1\n", "or name it with --item"),
    "no rater column": (
        "item,value\na,1\na,2\nb,2\n",
        "name the column of raters with --rater (if they are unknown",
    ),
    "a long table with a wide one's names": (
        "item,user_ids,judge_id,x\na,1,2,3\nb,1,2,3\n",
        "rename the column of the ratings, or name it with --value",
    ),
    "a rater called label": ("item,label,x\na,1,0\nb,1,0\n", "as in --value label"),
    "row numbers": ("item,index,x\na,1,0\nb,1,0\n", "leave it out, rename it if it holds the ratings of one"),
    "an item twice": ("item,x,y\na,1,0\na,1,0\n", "name its columns with --rater and --value"),
}


@pytest.mark.parametrize(("content", "way_out"), FILES.values(), ids=FILES)
def test_the_way_out_of_a_file_names_options_and_no_python(nbyk: Run, content: str, way_out: str) -> None:
    Path("x.csv").write_text(content, encoding="utf-8")
    code, _, errors = nbyk("compare x.csv b=x.csv")
    assert code == 2
    assert way_out in errors
    assert not re.search(r"\w=[\w…'\[]|None|True|`", errors.replace("b=x.csv", ""))


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        (
            "confidence_level",
            lambda wrong: library.compare(*map(list, ("abab", "abab", "aabb")), confidence_level=wrong),
        ),
        ("n_resamples", lambda wrong: library.paired_bootstrap([1.0, 2.0], [2.0, 1.0], n_resamples=-wrong)),
        ("power", lambda wrong: library.settle(*SCORES[:, :, None].clip(0, 1), power=wrong)),
        ("alpha", lambda wrong: library.settle(*SCORES[:, :, None].clip(0, 1), alpha=wrong)),
        ("precision", lambda wrong: library.power_of_test(POPULATION, precision=wrong)),
        ("correction", lambda wrong: library.correct_p_values([0.1, 0.2], str(wrong))),
    ],
)
def test_functions_without_a_command_name_their_argument(
    argument: str, wrong: Callable[[int], object]
) -> None:
    with pytest.raises(NbykError) as raised:
        wrong(7)
    assert raised.value.argument == argument
    assert str(raised.value).startswith(f"{argument}: ")


@pytest.mark.parametrize(
    ("gold", "systems", "options"),
    [
        (
            "instance_id,user_id,mark\na,1,yes\nb,1,no\na,2,yes\nb,2,no\n",
            "instance_id,mark\na,yes\nb,no\n",
            "--value mark",
        ),
        (
            "ID,who,pred\na,1,1\nb,1,0\na,2,0\nb,2,1\n",
            "doc,my answer\na,1\nb,0\n",
            "--item doc --value 'my answer' --gold-item ID --gold-value pred --gold-rater who",
        ),
        (
            "",
            'doc,"said ""yes"""\na,1\nb,0\n',
            "--item doc --value 'said \"yes\"'",
        ),
        (
            "post_name,said\na,1\nb,0\n",
            "post_name,pred\na,1\nb,0\n",
            "--item post_name --value pred --gold-value said",
        ),
        ("", "doc,who,pred\na,1,1\nb,1,0\na,2,0\nb,2,0\n", "--item doc --value pred --rater who"),
    ],
)
def test_one_error_names_every_column_and_its_options_work_when_pasted(
    gold: str, systems: str, options: str, run_words: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("g", gold), ("a", systems), ("b", systems)):
        Path(f"{name}.csv").write_text(text)
    words = ["compare", *(["--gold", "g.csv"] if gold else []), "a.csv", "b.csv", "--resamples", "99"]
    code, _, errors = run_words(*words)
    assert code == 2
    assert f", as in {options}" in errors
    assert errors.count("\n") == 1
    assert run_words(*words, *shlex.split(options))[0] == 0
