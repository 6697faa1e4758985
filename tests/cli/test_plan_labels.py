"""`nbyk plan` for labels: its sources, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nbyk.priors import ClassPrior
from nbyk.resampling.rated_labels import dealt_raters, labels_by_raters
from tests.cli.conftest import Run

AT = "--items 40 --responses 3 --epsilon 0.5 --precision 0.05"
LABELS = [f"{i},r{j},{'yes' if (i * 7 + j * 3) % 5 < 2 else 'no'}" for i in range(30) for j in range(3)]


def written(path: str, rows: list[str], header: str = "item,rater,value") -> None:
    Path(path).write_text("\n".join([header, *rows]) + "\n")


def test_plans_from_each_source(nbyk: Run) -> None:
    written("gold.csv", LABELS)
    for name, share in (("a", 2), ("b", 5)):
        answers = [f"{i},{'no' if i % share else 'yes'}" for i in range(30)]
        written(f"{name}.csv", answers, "item,value")
    Path("prior.json").write_text('{"name": "mine", "alpha": [10, 3], "classes": ["no", "yes"]}')
    code, out, _ = nbyk("fit gold.csv --out fitted.json")
    assert code == 0
    assert "no: α " in out
    code, out, _ = nbyk("fit gold.csv --levels no,yes --out levels.json")
    assert (code, "no: lowest, " in out, "yes: from " in out) == (0, True, True)
    for source in (
        "--prior levels.json",
        "--class-alpha 10,3,3",
        "--prior prior.json",
        "--prior fitted.json",
        "--pilot gold.csv",
    ):
        code, out, _ = nbyk(f"plan {source} {AT}")
        assert code == 0
        assert "40 items with 3 labels each (120 labels)" in out
    command = " ".join(out.split()).partition("hopeful. `nbyk ")[2].partition("`")[0]
    assert "--epsilon 0.5 --power 0.8 --solve raters" in command, out
    code, out, _ = nbyk(f"{command} --epsilon 1 --power 0.5 --items 1000")
    assert (code, "new raters" in " ".join(out.split())) == (0, True)
    pair = "plan --pilot gold.csv --pilot-systems a.csv b.csv"
    code, out, _ = nbyk(f"{pair} --items 40 --responses 3 --precision 0.05")
    assert (code, "as in the pilot" in out) == (0, True)
    code, out, _ = nbyk(f"{pair} --solve raters --power 0.5")
    assert code == 0
    assert "new raters" in " ".join(out.split())
    code, out, _ = nbyk("plan --pilot gold.csv --solve raters --effect 0.05 --power 0.5 --items 1000")
    assert (code, "label an item once" in " ".join(out.split())) == (0, True)


def test_a_prior_with_raters_plans_their_number(nbyk: Run) -> None:
    """Raters who lean are found, kept in the file of the prior, and planned for."""
    prior, generator = ClassPrior("mine", (0.6, 0.4), leaning=0.5), np.random.default_rng(4)
    raters = dealt_raters(120, 12, 4, generator)
    labels = labels_by_raters(prior, prior.pool(generator, 120).gold, raters, generator)
    names = ("no", "yes")
    rows = [f"{i},r{raters[i, k]},{names[int(labels[i, k])]}" for i in range(120) for k in range(4)]
    written("gold.csv", rows)
    code, out, _ = nbyk("fit gold.csv --out prior.json")
    assert (code, "of what varies in a label is what its rater leans to" in out) == (0, True)
    code, out, _ = nbyk("plan --prior prior.json --raters 20 --items 3000 --responses 3 --effect 0.1")
    words = " ".join(out.split())
    assert (code, "raters like those of gold" in words, "new raters" in words) == (0, True, True)
    code, _, err = nbyk(
        "plan --prior prior.json --raters 20 --items 300 --responses 3 --effect 0.1 --item-sd 1"
    )
    assert (code, err.count("\n")) == (2, 1)
    assert "does not go with people's labels alone" in err


def test_counts_of_labels_are_the_labels(nbyk: Run) -> None:
    """A table of counts, a column to a class or an object to an item, gives the plan of the labels."""
    counts = [
        {
            name: sum(row.startswith(f"{i},") and row.endswith(name) for row in LABELS)
            for name in ("no", "yes")
        }
        for i in range(30)
    ]
    written("labels.csv", LABELS)
    written("counts.csv", [f"{i},{of['yes']},{of['no']}" for i, of in enumerate(counts)], "item,yes,no")
    objects = [json.dumps({"uid": i, "label_counter": of}) for i, of in enumerate(counts)]
    written("counts.jsonl", objects[1:], objects[0])
    plans = [
        json.loads(nbyk(f"plan --pilot {file} {AT} --format json")[1])
        for file in ("labels.csv", "counts.csv", "counts.jsonl --item uid --value label_counter")
    ]
    assert plans[0]["simulated"] == plans[1]["simulated"] == plans[2]["simulated"]
    systems = {"a": "no", "b": "yes"}
    for name, always in systems.items():
        written(f"{name}.csv", [f"{i},{always}" for i in range(30)], "item,value")
    at = "--gold {} a.csv b.csv --metric accuracy --format json"
    effects = [
        json.loads(nbyk(f"compare {at.format(gold)} {kind}")[1])["boards"][0]["pairs"][0]["effect"]
        for gold, kind in (("labels.csv", ""), ("counts.csv", "--kind classes --classes no,yes"))
    ]
    assert effects[0] == effects[1]
    written("unequal.csv", ["1,3,2,0", "2,5,0,0", "3,1,1,0"], "item,yes,no,none")
    code, out, _ = nbyk("fit unequal.csv --classes no,yes")
    assert (code, "12 labels of 3 items" in out) == (0, True)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (["1,3,2", "2,0,0"], "counts.csv:3: item '2' has no label; add one, or delete the row"),
        (["1,3,2", "2,1,1.5"], "counts.csv:3: column 'no': found '1.5', expected how many people chose"),
        (["1,3,2", "1,1,1"], "item '1' is already on line 2; expected one row of counts per item"),
        (["1,1,0", "2,0,1"], "every item has a single label"),
    ],
)
def test_bad_counts_are_one_line(rows: list[str], problem: str, nbyk: Run) -> None:
    written("counts.csv", rows, "item,yes,no")
    code, out, err = nbyk("fit counts.csv --classes no,yes")
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


def test_a_budget_by_several_metrics_names_each_size(nbyk: Run) -> None:
    metrics = "--metric accuracy --metric tv_mean --budget 200 --epsilon 0.5 --precision 0.05"
    code, out, _ = nbyk(f"plan --class-alpha 10,3,3 {metrics}")
    words = " ".join(out.split())
    assert (code, "By tv_mean: " in words, "labels): a power of 0." in words) == (0, True, True)
    assert "The metric decides." in words


@pytest.mark.parametrize(
    ("rows", "options", "problem"),
    [
        ([f"{i},r{j},no" for i in range(5) for j in range(2)], "--pilot gold.csv", "'no' is the only class"),
        (LABELS[::3], "--pilot gold.csv", "every item has a single label"),
        ([*LABELS, "99,r1,"], "--pilot gold.csv", "gold.csv:92: column 'value': found no value"),
        (
            LABELS,
            "--pilot gold.csv --classes no,maybe",
            "found 'yes', expected one of the classes no and maybe",
        ),
        (
            LABELS,
            "--pilot gold.csv --pilot-systems a.csv b.csv",
            "found 'maybe', expected one of the classes",
        ),
        (
            LABELS,
            "--pilot gold.csv --raters 5 --n-runs 2",
            "--n-runs: found 2, which does not go with raters",
        ),
        (LABELS, "--class-alpha 10,0", "--class-alpha: found 0 for class 2 of 2"),
        (LABELS, "--class-alpha 10,-1", "--class-alpha: found -1 for class 2 of 2"),
        (
            LABELS,
            "--prior levels.json",
            "levels.json: thresholds: found 1, 0, expected thresholds in ascending",
        ),
        (LABELS, "--class-alpha ten", "--class-alpha: found ten"),
        (LABELS, "--class-alpha 10,3 --scale 1..5", "--scale: found 1..5, but labels are no numbers"),
    ],
)
def test_bad_labels_are_one_line(rows: list[str], options: str, problem: str, nbyk: Run) -> None:
    written("gold.csv", rows)
    Path("levels.json").write_text('{"name": "mine", "thresholds": [1, 0], "item_sd": 1}')
    answers = [f"{i},{'maybe' if i == 3 else 'no'}" for i in range(30)]
    written("a.csv", answers, "item,value")
    written("b.csv", answers, "item,value")
    code, out, err = nbyk(f"plan {options} --metric accuracy {AT}")
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


def test_a_metric_that_goes_by_an_order_is_planned_by_no_alphabet(nbyk: Run) -> None:
    """`nbyk compare` asks for the order, too; that of the classes' names would give another power."""
    levels = ["low", "mid", "high"]
    rows = [f"{i},r{j},{levels[min(2, (i + (i * j) % 2) % 4)]}" for i in range(40) for j in range(4)]
    written("gold.csv", rows)
    assert nbyk("fit gold.csv --out prior.json")[0] == 0
    powers = {}
    for source in ("--pilot gold.csv", "--prior prior.json"):
        code, _, errors = nbyk(f"plan {source} {AT} --metric emd_levels")
        assert code == 2
        assert "nothing says how high, low, mid are ordered; name them with --classes" in errors
        assert nbyk(f"plan {source} {AT} --metric tv_sum")[0] == 0
        code, out, errors = nbyk(
            f"plan {source} {AT} --metric emd_levels --classes low,mid,high --format json"
        )
        assert code == 0, errors
        powers[source] = json.loads(out)["power"]
    assert powers["--prior prior.json"] == pytest.approx(powers["--pilot gold.csv"], abs=0.2)
    code, _, errors = nbyk(f"plan --prior prior.json {AT} --classes low,high")
    assert (code, "--classes: found low, high, and the prior has high, low, mid" in errors) == (2, True)
    assert nbyk("fit gold.csv --out ordered.json --classes low,mid,high")[0] == 0
    both = [
        json.loads(
            nbyk(f"plan --prior {of} {AT} --metric emd_levels --classes low,mid,high --format json")[1]
        )
        for of in ("prior.json", "ordered.json")
    ]
    assert both[0]["power"] == pytest.approx(both[1]["power"], abs=0.02)
