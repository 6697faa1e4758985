"""Pilots of `nbyk plan` on any scale: effects in its units, and what its raters choose among."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import nbyk as library
from nbyk.data import Interval
from nbyk.files import write_json
from nbyk.metrics import get
from tests.cli.conftest import Run
from tests.cli.plan.pilots import SIZE, likert, write_pilot


@pytest.mark.parametrize(
    ("scale", "metric", "length", "power"),
    [
        ("--scale 1,2,3,4,5", "mse", 5.0, 2),
        ("--scale 1,2,3,4,5", "spearman", 5.0, 0),
        ("--scale 0,1,2,3,4,5,6", "rmse", 7.0, 1),
        ("--scale 0..20", "mae", 20.0, 1),
        ("--scale 0..20", "inverse_mse --n-runs K", 20.0, None),
    ],
)
def test_all_is_in_units_of_the_pilots_scale(
    scale: str, metric: str, length: float, power: int | None, nbyk: Run
) -> None:
    write_pilot("pilot.csv", likert())
    pilot = f"plan --pilot pilot.csv {scale} --items-from prior --metric {metric} {SIZE}"
    code, text, errors = nbyk(f"{pilot} --epsilon {0.2 * length}")
    assert code == 0, errors
    content = json.loads(text)
    assert content["epsilon"] == pytest.approx(0.2 * length)
    write_json("prior.json", content["prior"])
    of_prior = json.loads(nbyk(f"plan --prior prior.json --metric {metric} {SIZE} --epsilon 0.2")[1])
    if power is None:
        assert content["effect"] is of_prior["effect"] is None
        return
    assert content["effect"] == pytest.approx(length**power * of_prior["effect"])
    again = json.loads(nbyk(f"{pilot} --effect {content['effect']}")[1])
    assert again["epsilon"] == pytest.approx(0.2 * length, abs=1e-3 * length)
    much = 0.6 * length**power if power else 100.0  # no bound without a unit
    _, _, errors = nbyk(f"{pilot} --effect {much}")
    most = json.loads(nbyk(f"{pilot} --epsilon {length}")[1])["effect"]
    said = re.search(r"effect: (\S+) on \w+ is out of reach: at the largest ε it is (\S+);", errors)
    assert said is not None
    assert [float(number) for number in said.groups()] == pytest.approx([much, most], rel=1e-3)


@pytest.mark.parametrize(
    ("scale", "epsilon", "share"), [("1..5", "0.1", "0.4"), ("0..100", "0.5", "50"), ("1,2,3", "0.05", "0.1")]
)
@pytest.mark.parametrize("people", ["", "--solve raters --power 0.5"])
def test_an_epsilon_that_looks_like_a_share_is_refused_with_both_readings(
    scale: str, epsilon: str, share: str, people: str, nbyk: Run
) -> None:
    ratings = {"1..5": likert(), "0..100": 20.0 * likert() - 10.0, "1,2,3": np.clip(likert(), 1, 3)}[scale]
    write_pilot("pilot.csv", ratings)
    size = "--format json" if people else SIZE
    known = f"plan --pilot pilot.csv --scale {scale} {people} {size} --items-from prior"
    code, _, errors = nbyk(f"{known} --epsilon {epsilon}")
    assert code == 2
    said = re.search(r"give (--epsilon \S+) if \S+ is a share of it, or (.*) to keep it", errors)
    assert said is not None, errors
    assert said.groups() == (f"--epsilon {share}", f"--epsilon {epsilon} --unit scale")
    if people and scale != "1..5":
        return
    for pasted in said.groups():
        code, text, errors = nbyk(f"{known} {pasted}")
        assert code == 0 or "expected a number" not in errors, errors
        if not people:
            typed = float(pasted.split()[1])
            assert json.loads(text)["epsilon"] == pytest.approx(typed)
            low, high = scale.replace(",2,", "..").split("..")
            assert f"up to ε = {typed:g} (scale {low} to {high})" in " ".join(json.loads(text)["lines"])
    if scale == "1..5":
        assert nbyk(f"{known} --epsilon 0.2")[0] == 0


def test_numbers_that_look_like_the_other_unit_are_refused_with_both_readings(nbyk: Run) -> None:
    write_pilot("pilot.csv", likert())
    write_pilot("a.csv", likert().mean(axis=1, keepdims=True).round())
    write_pilot("b.csv", np.clip(likert().mean(axis=1, keepdims=True).round() + 1, 1, 5))
    known = "plan --pilot pilot.csv --pilot-systems a.csv b.csv --scale 1..5 --solve items --power 0.8"
    shown = json.loads(nbyk(f"{known} --format json")[1])["effect"]
    share = shown / 4
    code, _, errors = nbyk(f"{known} --effect {share:.4f}")
    assert (code, errors.count("\n")) == (2, 1)
    assert f"the pilot's systems differ by {shown:.3g}; give --effect {shown:.3g} if " in errors
    kept = re.search(r"or (--effect \S+ --unit scale) to keep it", errors)
    assert kept is not None
    effects = {
        option: json.loads(nbyk(f"{known} {option} --format json")[1])["effect"]
        for option in (kept[1], f"--effect {share} --unit share", f"--effect -{shown}")
    }
    assert list(effects.values()) == pytest.approx([round(share, 4), shown, shown], rel=1e-6)
    code, _, errors = nbyk(f"{known} --effect 65")
    assert (code, "give --effect 2.6 if you mean 65 %, or the --scale that 65 is on" in errors) == (2, True)
    code, _, errors = nbyk("plan toxicity --effect 5 --power 0.8")
    assert (code, "give --effect 0.05 if you mean 5 %" in errors) == (2, True)
    code, _, errors = nbyk(f"plan --pilot pilot.csv --scale 1..5 {SIZE} --epsilon 7")
    assert errors == "error: --epsilon: found 7.0, expected a number from 0 to 5, in the unit of the scale\n"


def test_a_prior_has_the_unit_of_the_scale_that_is_declared(nbyk: Run) -> None:
    share = json.loads(nbyk(f"plan toxicity --epsilon 0.2 {SIZE}")[1])
    steps = json.loads(nbyk(f"plan toxicity --epsilon 1 --scale 1..5 {SIZE}")[1])
    assert (steps["epsilon"], steps["power"]) == (1.0, share["power"])
    assert steps["effect"] == pytest.approx(5.0 * share["effect"])
    assert nbyk(f"plan toxicity --epsilon 1 --scale 1,2,3 {SIZE}")[2].startswith(
        "error: --scale: found 3 levels"
    )


@pytest.mark.parametrize(
    ("scale", "metric", "said"),
    [
        ("1..5", "mae", "worse by 0.3 on mae (scale 1 to 5)"),
        ("1,2,3,4,5", "mse", "worse by 0.3 on mse (scale 1 to 5)"),
        ("0..20", "mae", "worse by 0.3 on mae (scale 0 to 20)"),
        ("1..5", "spearman", "worse by 0.3 on spearman"),
    ],
)
@pytest.mark.parametrize("items_from", ["pilot", "prior"])
def test_the_effect_asked_for_is_repeated_in_its_unit(
    scale: str, metric: str, said: str, items_from: str, nbyk: Run
) -> None:
    write_pilot("pilot.csv", likert())
    line = f"plan --pilot pilot.csv --scale {scale} --items-from {items_from} --metric {metric} --effect 0.3"
    code, text, errors = nbyk(f"{line} {SIZE}")
    assert code == 0, errors
    answer = json.loads(text)
    assert said in answer["lines"][1]
    assert answer["given"]["effect"] == 0.3


def test_yes_and_no_are_the_same_on_every_scale(nbyk: Run) -> None:
    def effect(shift: int, scale: str) -> dict[str, object]:
        write_pilot("pilot.csv", shift + (likert() > 2))
        code, text, errors = nbyk(f"plan --pilot pilot.csv {scale} {SIZE} --epsilon 0.2")
        assert code == 0, errors
        content = json.loads(text)
        assert content["prior"]["response"] == {"kind": "binary"}
        return {name: content[name] for name in ("effect", "power", "prior")}

    first = effect(0, "--scale 0,1")
    assert effect(0, "--scale 0..1") == first
    assert effect(1, "--scale 1,2") == first
    assert effect(1, "--scale 1..2") == first


@pytest.mark.parametrize("asked", ["--epsilon 1", "--effect 0.2"])
def test_a_scale_of_whole_numbers_has_one_plan_however_it_is_declared(asked: str, nbyk: Run) -> None:
    write_pilot("pilot.csv", likert())
    plans = []
    for scale in ("1,2,3,4,5", "1..5"):
        code, text, _ = nbyk(f"plan --pilot pilot.csv --scale {scale} {SIZE} {asked}")
        assert code == 0
        plans.append(text.replace(f"--scale {scale}", "--scale SCALE"))  # the command to type next
    assert plans[0] == plans[1]


@pytest.mark.parametrize(("values", "scale"), [(likert() + 0.5, "1..9"), (20.0 * likert() - 10.0, "0..100")])
def test_numbers_between_and_long_scales_are_continuous(values: np.ndarray, scale: str, nbyk: Run) -> None:
    write_pilot("pilot.csv", values)
    code, text, errors = nbyk(f"plan --pilot pilot.csv --scale {scale} {SIZE} --epsilon 0.2 --unit scale")
    assert code == 0, errors
    assert json.loads(text)["prior"]["response"] == {"kind": "clamped"}


def test_levels_that_are_rounded_are_even(nbyk: Run) -> None:
    write_pilot("pilot.csv", np.array([0, 0.33, 0.67, 1, 1])[likert().astype(int) - 1])
    code, _, errors = nbyk(f"plan --pilot pilot.csv --scale 0,0.33,0.67,1 {SIZE} --epsilon 0.2")
    assert code == 0, errors


def test_an_empty_value_is_refused_in_long_tables_and_missing_in_wide_ones(nbyk: Run) -> None:
    plan = f"plan --scale 1,2,3 {SIZE} --epsilon 0.2"
    Path("long.csv").write_text("item,rater,value\na,x,1\na,y,\nb,x,2\nb,y,3\n")
    code, _, errors = nbyk(f"{plan} --pilot long.csv")
    assert code == 2
    assert "long.csv:3: column 'value': found no value" in errors
    Path("wide.csv").write_text("item,x,y\na,1,\nb,2,3\nc,1,2\n")
    code, _, errors = nbyk(f"{plan} --pilot wide.csv")
    assert code == 0, errors


@pytest.mark.parametrize(
    ("scales", "levels"),
    [(("1..5", "1,2,3,4,5"), 5), (("0..1", "0,1", "binary"), 2)],
    ids=["five levels", "two levels"],
)
def test_a_real_pair_has_one_plan_however_its_scale_and_rows_are_written(
    scales: tuple[str, ...], levels: int, nbyk: Run
) -> None:
    generator = np.random.default_rng(5)
    low, high = float(scales[0][0]), float(scales[0][-1])
    mu = generator.normal((low + high) / 2, 0.22 * levels, 60)

    def answers(sd: float) -> np.ndarray:
        return np.clip(np.round(mu + generator.normal(0.0, sd * levels, 60)), low, high)

    raters = [answers(0.2) for _ in range(5)]
    rows = [f"q{i},u{k},{rating:g}" for k, rater in enumerate(raters) for i, rating in enumerate(rater)]
    for name, sd in (("a", 0.08), ("b", 0.3)):
        given = [f"q{i},{answer:g}" for i, answer in enumerate(answers(sd))]
        Path(f"{name}.csv").write_text("\n".join(["item,value", *given, ""]))
    plans = []
    for order in (range(len(rows)), generator.permutation(len(rows))):
        Path("gold.csv").write_text("\n".join(["item,rater,value", *(rows[i] for i in order), ""]))
        for scale in scales:
            command = f"plan --pilot gold.csv --pilot-systems a.csv b.csv --scale {scale} {SIZE}"
            code, text, errors = nbyk(command)
            assert code == 0, errors
            plans.append(json.loads(text))
    assert all(found["power"] == plans[0]["power"] for found in plans)
    assert all(found["effect"] == pytest.approx(plans[0]["effect"], rel=1e-12) for found in plans)


@pytest.mark.parametrize(
    ("scale", "metric"),
    [("1..5", "mae"), ("0..100", "mse"), ("-2..3", "rmse"), ("1..5", "spearman"), ("0..1", "mae")],
)
def test_the_effect_of_a_comparison_is_typed_back(scale: str, metric: str, nbyk: Run) -> None:
    """What `nbyk compare` shows in the ratings' unit asks for the plan of the pilot that shows it."""
    low, high = map(float, scale.split(".."))
    generator = np.random.default_rng(7)
    mean = generator.uniform(0.2, 0.8, (60, 1))
    sides = {"gold": mean + generator.normal(0.0, 0.1, (60, 5))}
    sides |= {name: mean + generator.normal(0.0, sd, (60, 1)) for name, sd in (("a", 0.05), ("b", 0.2))}
    for name, values in sides.items():
        sides[name] = np.round(np.clip(values, 0.0, 1.0), 4)
        write_pilot(f"{name}.csv", np.round(low + (high - low) * sides[name], 6))
    unit = get(metric).effect_unit(Interval(low, high))
    effect = unit * library.compare(*sides.values(), metric=metric, n_resamples=99).pair.effect
    command = f"plan --pilot gold.csv --pilot-systems a.csv b.csv --scale={scale} --metric {metric}"
    sizes = "--items 60 --raters 5 --responses 5 --format json"
    own = json.loads(nbyk(f"{command} {sizes} --solve items --power 0.8".replace("--items 60", ""))[1])
    code, text, errors = nbyk(f"{command} {sizes} --effect {effect:.3g}")
    assert code == 0, errors
    assert own["effect"] == pytest.approx(abs(effect), rel=1e-3)
    assert json.loads(text)["effect"] == pytest.approx(own["effect"], rel=0.01)
    assert json.loads(text)["scale"] == [low, high]
