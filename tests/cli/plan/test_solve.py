"""`nbyk plan --solve`: the number of raters or runs is asked for by name, and refusals name the road."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from nbyk.cli.app import command_line
from tests.cli.conftest import Run
from tests.cli.plan.pilots import likert, write_pilot

SDS = "--item-sd 0.2 --severity-sd 0.045 --rating-sd 0.22"
KNOWN = f"{SDS} --effect 0.05 --power 0.8"


def solved(nbyk: Run, line: str) -> dict:  # type: ignore[type-arg]
    code, text, errors = nbyk(f"plan {line} --format json")
    assert (code, errors) == (0, "")
    return json.loads(text)  # type: ignore[no-any-return]


def test_the_number_of_raters_is_the_least_that_reaches_the_power(nbyk: Run) -> None:
    found = solved(nbyk, f"--solve raters {KNOWN} --items 300")
    assert found["open"] == ["raters"]
    raters = found["raters"]
    assert found["power"] >= 0.8
    fewer = solved(nbyk, f"--raters {raters - 1} --responses {raters - 1} {SDS} --effect 0.05 --items 300")
    assert fewer["power"] < 0.8


def test_the_number_of_runs_is_asked_for_in_the_same_way(nbyk: Run) -> None:
    found = solved(nbyk, f"--solve runs --run-sd 0.02 {KNOWN} --items 300 --raters 20")
    assert found["open"] == ["runs"]
    assert found["runs"] >= 3


@pytest.mark.parametrize(
    ("solve", "given", "opened"),
    [
        ("items", "--raters 20 --responses 3", "n_items"),
        ("ratings", "--raters 20 --items 300", "k_responses"),
    ],
)
def test_items_and_ratings_may_be_named_too(nbyk: Run, solve: str, given: str, opened: str) -> None:
    named = solved(nbyk, f"--solve {solve} {given} {KNOWN}")
    assert named["open"] == [opened]
    assert named == solved(nbyk, f"{given} {KNOWN}")


def test_numbers_that_are_not_solved_for_are_those_of_the_pilot(nbyk: Run) -> None:
    nbyk("example")
    pair = "--pilot example/gold.csv --pilot-systems example/sim_a.csv example/sim_b.csv --scale 0..1"
    crew = solved(nbyk, f"--solve raters {pair} --power 0.8 --effect 0.04")
    assert (crew["n_items"], crew["k_responses"], crew["runs"]) == (300, 3, 5)
    more = solved(nbyk, f"--solve raters {pair} --power 0.8 --effect 0.04 --items 400 --runs 9")
    assert (more["n_items"], more["k_responses"], more["runs"]) == (400, 3, 9)


@pytest.mark.parametrize("names", [("seed1", "seed2", "seed3", "seed4"), ("a", "b", "c", "d")])
def test_systems_without_gold_have_runs_if_you_ask_for_runs(nbyk: Run, names: tuple[str, ...]) -> None:
    right = np.random.default_rng(5).random((120, 8)) < np.repeat([0.75, 0.7], 4)
    for name, cells in (("x", right[:, :4]), ("y", right[:, 4:])):
        rows = [f"q{item},{','.join(map(str, row))}" for item, row in enumerate(cells.astype(int))]
        Path(f"{name}.csv").write_text("\n".join([f"item,{','.join(names)}", *rows]))
    pair = "--pilot-systems x.csv y.csv --scale binary --metric mean --power 0.8 --effect 0.1"
    crew = solved(nbyk, f"--solve runs {pair}")
    assert (crew["n_items"], crew["raters"], crew["k_responses"]) == (120, 0, 1)
    assert crew["runs"] >= 3


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (f"--solve raters --raters 5 {KNOWN}", "--solve: found raters, but --raters gives their number; "),
        (
            f"--solve raters --items-per-rater 5 --responses 2 {KNOWN}",
            "--solve: found raters, but --items-per-rater gives their number; ",
        ),
        (f"--solve runs --runs 5 {KNOWN}", "--solve: found runs, but --runs gives their number; "),
        (f"--solve items --items 5 {KNOWN}", "--solve: found items, but --items gives their number; "),
        (f"--solve ratings --responses 5 {KNOWN}", "--solve: found ratings, but --responses gives their"),
        (f"--solve people {KNOWN}", "--solve: found people, expected raters or runs or items or ratings"),
        (
            "--solve raters --item-sd 0.2 --effect 0.1 --power 0.8",
            "--solve: found raters, but no standard deviation due to one rater's severity, so their number "
            "would not matter; give --severity-sd",
        ),
        (
            "--solve runs --item-sd 0.2 --effect 0.1 --power 0.8",
            "--solve: found runs, but no standard deviation due to one run of a system, so their number "
            "would not matter; give --run-sd",
        ),
        (
            f"--raters 3 --responses 5 --items 200 {KNOWN.replace('--power 0.8', '')}",
            "--responses: found 5, and there are 3 raters, who rate an item once each",
        ),
        ("--solve raters --effect 0.1 --power 0.8", "--item-sd: give a number, how much the difference"),
        (
            "toxicity --solve raters --effect 0.1 --power 0.8",
            "DATASET: found toxicity, which has no ratings that show how raters differ; give yours with "
            "--pilot, or say how much the effect varies, as in: nbyk plan --solve raters --items 300 ",
        ),
        (
            f"--solve raters {SDS} --epsilon 0.1 --power 0.8",
            "--epsilon: found 0.1, and ε is about simulated systems; give --effect instead",
        ),
        (
            "convabuse --solve raters --epsilon 0.1 --effect 0.1 --power 0.8",
            "plan: given both --epsilon and --effect, which determine each other; give one",
        ),
        (
            "convabuse --pilot x.csv --solve raters --epsilon 0.1 --power 0.8",
            "x.csv: no such file",
        ),
    ],
)
def test_what_does_not_go_together_names_the_way_out(nbyk: Run, line: str, error: str) -> None:
    code, text, errors = nbyk(f"plan {line}")
    assert (code, text) == (2, "")
    assert errors.startswith(f"error: {error}"), errors
    assert errors.count("\n") == 1
    if "as in: nbyk " in errors:
        code, _, errors = nbyk(errors.partition("as in: nbyk ")[2])
        assert (code, errors) == (0, "")


@pytest.mark.parametrize("source", ["convabuse", "--pilot gold.csv --scale 1..5"])
def test_an_epsilon_says_how_many_people_too(nbyk: Run, source: str) -> None:
    """What the README shows beside each other goes together: --epsilon, and --solve raters."""
    rows = [
        f"q{item},r{rater},{1 + (item * 7 + rater * 3 + item * rater) % 5}"
        for item in range(40)
        for rater in range(6)
    ]
    Path("gold.csv").write_text("\n".join(["item,rater,value", *rows]))
    by_epsilon = solved(nbyk, f"{source} --solve raters --epsilon 0.5 --power 0.8")
    assert by_epsilon["open"] == ["raters"]
    assert "B off by up to ε = 0.5, which gives this effect" in " ".join(by_epsilon["assumptions"])
    again = solved(nbyk, f"{source} --solve raters --effect {by_epsilon['effect']:.9g} --power 0.8")
    assert again["raters"] == by_epsilon["raters"]
    assert again["assured"]["raters"] == by_epsilon["assured"]["raters"]
    code, _, errors = nbyk(f"plan {source} --solve raters --power 0.8")
    assert code == 2
    example = errors.partition("give --effect or --epsilon, as in ")[2].strip()
    assert example.startswith("--epsilon ")
    assert solved(nbyk, f"{source} --solve raters --power 0.8 {example}")["open"] == ["raters"]


def test_a_plan_without_data_names_the_road_to_raters(nbyk: Run) -> None:
    _, _, errors = nbyk("plan --effect 0.1 --power 0.8")
    assert "without data, say how much the effect varies, as in: nbyk plan --solve raters" in errors


def test_the_help_names_the_road_to_raters(nbyk: Run) -> None:
    _, text, _ = nbyk("plan --help")
    words = " ".join(text.replace("│", " ").split())
    assert "To find how many raters to hire: --solve raters" in words
    assert "write --solve raters or --solve runs, and give an --effect" in words


@pytest.mark.parametrize(
    ("line", "load"),
    [
        (f"--items-per-rater 30 --responses 3 {KNOWN}", (26, pytest.approx(29.5, abs=0.5))),
        (f"--raters 25 --items 500 --responses 1 {SDS} --effect 0.05", (25, 20.0)),
    ],
)
def test_a_rater_rates_whole_items(nbyk: Run, line: str, load: tuple[int, float]) -> None:
    found = solved(nbyk, line)
    assert (found["raters"], found["items_per_rater"]) == load


def test_rows_that_no_number_of_items_reaches_are_explained_and_no_made_up_crew_is_listed(nbyk: Run) -> None:
    _, text, _ = nbyk(f"plan --items 100 {KNOWN}")
    words = " ".join(text.split())
    assert words.startswith("With 100 items, no number of raters is enough: take at least 128 items.")
    details = " ".join(nbyk(f"plan --items 100 {KNOWN} --details")[1].split())
    assert "10000" not in words + details


def test_a_table_of_dashes_is_left_out(nbyk: Run) -> None:
    _, text, _ = nbyk(f"plan --runs 3 --run-sd 0.1 {KNOWN}")
    start = "With 3 runs, no items, raters or ratings per item that nbyk tries (up to 100) are enough."
    assert " ".join(text.split()).startswith(start)
    assert "–" not in text


PAIR = "--pilot example/gold.csv --pilot-systems example/sim_a.csv example/sim_c.csv --scale binary"


def test_a_plan_for_these_raters_names_the_command_that_plans_for_new_ones(
    nbyk: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    nbyk("example")
    code, text, _ = nbyk(f"plan {PAIR} --items 150 --responses 3 --format json")
    assert code == 0
    (caution,) = json.loads(text)["cautions"]
    assert "for new ones it is too hopeful. `nbyk plan --pilot" in caution
    command = caution.partition("`nbyk ")[2].partition("`")[0]
    assert command.endswith("--scale binary --power 0.8 --solve raters")
    code, text, errors = nbyk(command)
    assert (code, errors) == (0, "")
    assert "over new items, new raters and new runs" in " ".join(text.split())
    monkeypatch.setenv("COLUMNS", "80")
    assert f"`nbyk {command}`" in nbyk(f"plan {PAIR} --items 150 --responses 3")[1]


@pytest.mark.parametrize("systems", [False, True])
def test_what_was_left_out_of_a_pilot_is_said_for_new_people_too(systems: bool, nbyk: Run) -> None:
    write_pilot("a.csv", likert(k=5))
    write_pilot("b.csv", likert(k=5)[::-1])
    for name in ("a.csv", "b.csv"):
        Path(name).write_text(Path(name).read_text() + "0,9,\n")
    pilot = "--pilot-systems a.csv b.csv" if systems else "--pilot a.csv"
    line = f"plan {pilot} --scale 1..5 --on-empty drop --solve raters --effect 0.3 --power 0.8 --format json"
    code, text, errors = nbyk(line)
    assert code == 0, errors
    said = [caution for caution in json.loads(text)["cautions"] if "without a value" in caution]
    assert len(said) == 1 + systems


def test_without_the_systems_ratings_a_caution_invents_no_names_of_files(nbyk: Run) -> None:
    nbyk("example")
    words = "--scale binary --metric mean --epsilon 0.1 --items 60 --responses 2"
    text = " ".join(nbyk(f"plan --pilot example/gold.csv {words}")[1].split())
    assert "items share 8 raters: the plan is for these; for new ones" in text
    assert "People's ratings of both systems' answers (--pilot-systems) plan for new ones." in text


def test_a_plan_from_a_pilot_says_what_it_took_from_there(nbyk: Run) -> None:
    nbyk("example")
    code, text, _ = nbyk(f"plan {PAIR} --solve raters --power 0.8 --effect 0.07")
    assert code == 0
    words = " ".join(text.split())
    assert "as in the pilot, 300 items, 3 ratings per item, 5 runs of each system" in words
    assert "raters of the pilot differ by no more than chance" in words
    assert "SD of the effect 0.356 between items" in words
    declared = nbyk(f"plan {PAIR} --solve raters --power 0.8 --effect 0.07 --severity-sd 0.01")[1]
    assert "no more than chance" not in declared


@pytest.mark.parametrize(("units", "least"), [("rater", 3), ("run", 3)])
def test_a_price_is_paid_even_if_raters_or_runs_do_not_differ(nbyk: Run, units: str, least: int) -> None:
    common = "--item-sd 0.2 --rating-sd 0.22 --effect 0.05 --power 0.8"
    alone, priced = solved(nbyk, common), solved(nbyk, f"{common} --cost-per-{units} 20")
    assert alone[f"{units}s"] == 0
    assert priced[f"{units}s"] >= least
    assert f"new {units}s" in priced["lines"][1]


def test_raters_and_runs_without_a_price_are_pointed_out(nbyk: Run) -> None:
    two = f"{KNOWN} --run-sd 0.01 --responses 3"
    assert "raters and runs cost nothing here" in " ".join(solved(nbyk, two)["cautions"])
    priced = solved(nbyk, f"{two} --cost-per-rater 10 --cost-per-run 5")
    assert "cost nothing" not in " ".join(priced["cautions"])
    assert priced["runs"] < solved(nbyk, two)["runs"]


def solved_next(nbyk: Run, text: str) -> dict:  # type: ignore[type-arg]
    """Return the plan by the command that an answer names as the next."""
    (line,) = (line for line in text.splitlines() if line.startswith("Next: nbyk plan "))
    return solved(nbyk, line.removeprefix("Next: nbyk plan ").partition("  #")[0])


def test_compare_settle_and_plan_give_one_number(nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    nbyk("example")
    files = "example/sim_a.csv example/sim_b.csv"
    full = json.loads(nbyk(f"compare {files} --gold example/gold.csv --full --format json")[1])
    sizes = full["settlement"]
    pair = f"--pilot example/gold.csv --pilot-systems {files} --scale 0..1 --power 0.8"
    planned = solved(nbyk, f"--solve items --raters 8 --runs 5 {pair}")
    # Without raters and runs, they are the pilot's: the plan is for new ones all the same.
    assert solved(nbyk, f"--solve items {pair}")["n_items"] == planned["n_items"]
    assert (sizes["open"], sizes["n_items"]) == (["n_items"], planned["n_items"])
    assert (
        solved_next(nbyk, nbyk(f"compare {files} --gold example/gold.csv")[1])["n_items"] == sizes["n_items"]
    )
    assert sizes["others"] == []  # neither ratings nor raters nor runs alone
    assert not solved(nbyk, f"--solve raters {pair}")["reachable"]


def test_the_advice_of_compare_is_the_plan_of_the_same_pilot(nbyk: Run) -> None:
    rng = np.random.default_rng(1)
    mean = rng.uniform(0.3, 0.7, (200, 1))
    gold = mean + rng.normal(0, 0.15, (200, 5)) + rng.normal(0, 0.1, 5)
    systems = (mean + off + rng.normal(0, 0.05, (200, 1)) for off in (0.1, -0.1))
    for name, cells in zip(("gold", "a", "b"), (gold, *systems), strict=True):
        heads = [f"r{place}" for place in range(cells.shape[1])] if cells.shape[1] > 1 else ["value"]
        rows = [f"q{item:03},{','.join(f'{x:.5f}' for x in row)}" for item, row in enumerate(cells)]
        Path(f"{name}.csv").write_text("\n".join([f"item,{','.join(heads)}", *rows]))
    shown = nbyk("compare a.csv b.csv --gold gold.csv --scale=-2..3 --details")[1]
    text = " ".join(shown.split())
    planned = solved(
        nbyk, "--solve raters --pilot gold.csv --pilot-systems a.csv b.csv --scale=-2..3 --power 0.8"
    )
    assert planned["reachable"]
    assert f"{planned['raters']} raters would show this effect (power 0.8)" in text
    assert solved_next(nbyk, shown)["raters"] == planned["raters"]


def five_who_rate_everything() -> str:
    """Write two systems' answers that the same five people rate; return the options that read them."""
    rng = np.random.default_rng(5)
    opinion, item = rng.normal(0.22, 0.22, 5), rng.normal(3.0, 0.6, (80, 1))
    latent = item + np.stack([-opinion, opinion])[:, None] / 2 + rng.normal(0, 0.9, (2, 80, 5))
    cells = np.ndenumerate(np.clip(np.rint(latent), 1, 5).astype(int))
    rows = [f"{'ab'[system]},q{item},p{rater},{value}" for (system, item, rater), value in cells]
    Path("both.csv").write_text("\n".join(["system,prompt,rater,likert", *rows]))
    return "both.csv --item prompt --value likert --scale 1..5"


def test_if_everybody_rates_everything_so_do_more_raters_and_every_command_gives_one_number(
    nbyk: Run,
) -> None:
    read = five_who_rate_everything()
    pair = f"--pilot {read} --power 0.8"
    raters = solved(nbyk, f"--solve raters {pair}")
    assert (raters["reachable"], raters["n_items"]) == (True, 80)
    assert raters["k_responses"] == raters["raters"] > 5
    assert "as in the pilot, 80 items, all raters rate all items" in " ".join(
        nbyk(f"plan --solve raters {pair}")[1].split()
    )
    advice = f"About {raters['raters']} raters would show this effect (power 0.8)"
    assert advice in " ".join(nbyk(f"compare {read}")[1].split())
    many = raters["raters"] + 30
    items = solved(nbyk, f"--solve items --raters {many} {pair}")
    assert items["n_items"] == solved(nbyk, f"--raters {many} {pair}")["n_items"] < 80
    assert items["k_responses"] == many
    given = solved(nbyk, f"--solve raters --responses {many} {pair}")
    assert (given["k_responses"], given["raters"]) == (many, many)  # what is given stays


def test_what_compare_prints_of_two_systems_plan_takes_without_a_word_on_raters(nbyk: Run) -> None:
    read = five_who_rate_everything()
    printed = json.loads(nbyk(f"compare {read} --format json")[1])["boards"][0]["pairs"][0]
    asked = f"--pilot {read} --effect {printed['effect']:.3g} --power 0.8"
    by_raters = solved(nbyk, f"{asked} --solve raters")
    assert solved(nbyk, asked) == by_raters
    words = " ".join(by_raters["lines"])
    assert "It has the fewest raters for the pilot's 80 items (--items takes others)." in words
    fewer = re.search(r"Cheaper: (\d+) items with (\d+) ratings? .* by (\d+) raters\.", words)
    if fewer is not None:
        same = solved(nbyk, f"{asked} --solve items --raters {fewer[3]} --responses {fewer[2]}")
        assert same["n_items"] == int(fewer[1])
        assert same["cost"] < by_raters["cost"]
    code, _, errors = nbyk(f"plan --pilot {read} --effect 100 --power 0.8")
    assert code == 2
    assert "no effect on mean is beyond 4" in errors


def test_the_command_for_new_raters_is_another_one_and_reads_the_same_file(nbyk: Run) -> None:
    typed = f"--pilot {five_who_rate_everything()} --power 0.3 --responses 5 --precision 0.1 --resamples 199"
    (caution,) = solved(nbyk, typed)["cautions"]
    command = caution.partition("`nbyk plan ")[2].partition("`")[0]
    assert sorted(command.split(" --")) == sorted(
        ["--pilot both.csv", "item prompt", "value likert", "scale 1..5", "solve raters", "power 0.3"]
    )
    assert solved(nbyk, command)["open"] == ["raters"]


def test_an_error_names_only_what_was_given(nbyk: Run) -> None:
    read = five_who_rate_everything()
    for given, says in (
        ("", "more than one of --items, --responses, --power is open; give --power too"),
        ("--solve raters", "more than one of --raters, --responses, --power is open; give --power too"),
        ("--raters 9", "given --raters; more than one of --items, --responses, --power is open; give"),
    ):
        assert nbyk(f"plan --pilot {read} {given}")[2].startswith(f"error: plan: {says}")


def test_every_option_is_listed_and_the_first_panel_has_at_most_25() -> None:
    command = command_line().commands["plan"]
    options = [param for param in command.params if param.param_type_name == "option"]
    panels = Counter(getattr(option, "rich_help_panel", None) for option in options)
    assert panels[None] <= 25
    assert len(panels) == 4
    assert not [option.name for option in options if option.hidden]


def test_ratings_alone_are_a_pilot_of_raters(nbyk: Run) -> None:
    rng = np.random.default_rng(2)
    latent = rng.uniform(1.5, 4.5, (80, 1)) + rng.normal(0, 0.5, 6) + rng.normal(0, 0.7, (80, 6))
    ratings = np.clip(np.rint(latent), 1, 5)
    rows = [f"q{item},{','.join(f'{x:g}' for x in row)}" for item, row in enumerate(ratings)]
    Path("gold.csv").write_text("\n".join(["item,r0,r1,r2,r3,r4,r5", *rows]))
    line = "--solve raters --pilot gold.csv --scale 1..5 --items 300 --effect 0.15 --power 0.8"
    code, text, errors = nbyk(f"plan {line} --format json")
    assert code == 0, errors
    levels = json.loads(text)
    assert (levels["open"], levels["n_items"], levels["given"]["effect"]) == (["raters"], 300, 0.15)
    assert levels["effect"] == pytest.approx(0.151, abs=0.0005)  # by the pilot's own six ratings of an item
    assert "which gives an effect of 0.15 by infinitely many ratings of an item" in text
    assert levels["assured"]["raters"] >= levels["raters"] >= 3
    assert "two simulated systems that answer in whole levels of the scale (--system-answers levels)" in text
    real = json.loads(nbyk(f"plan {line} --system-answers real --format json")[1])
    assert 'real numbers (`system_answers="real"`)' in " ".join(real["assumptions"])
    assert real["spread"] != levels["spread"]
    code, _, errors = nbyk("plan --solve raters --pilot gold.csv --scale 1..5 --power 0.8")
    assert (
        code,
        errors.startswith("error: ratings alone do not show by how much A is better; give --effect or"),
    ) == (2, True)
    code, _, errors = nbyk(f"plan {line} --metric mean")
    assert code == 2
    assert "ratings of items alone do not show how raters differ in that" in errors


def test_paired_runs_are_planned_as_pairs(nbyk: Run) -> None:
    nbyk("example")
    pair = f"{PAIR} --solve items --power 0.8"
    apart, paired = (solved(nbyk, f"{pair} --pair-runs {paired}") for paired in ("no", "yes"))
    assert apart["spread"] != paired["spread"]
    assert "5 runs of each system, paired" in paired["sentence"]
    code, _, errors = nbyk(f"plan {pair} --pair-runs maybe")
    assert (code, errors) == (2, "error: --pair-runs: found 'maybe', expected yes or no\n")


def test_votes_are_not_planned_but_said_to_be_votes(nbyk: Run) -> None:
    rows = [f"q{i},a,b,{'ab'[i % 2]}" for i in range(8)]
    Path("votes.csv").write_text("\n".join(["prompt,model_a,model_b,winner", *rows]), encoding="utf-8")
    code, _, error = nbyk("plan --pilot votes.csv --power 0.8")
    assert code == 2
    assert error.startswith(
        "error: votes.csv: holds votes between two outputs, which nbyk does not plan, or read as ratings"
    )
