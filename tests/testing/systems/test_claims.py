"""Claims: whom a comparison speaks of, in which order, and at which level."""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import nbyk
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import response_set
from nbyk.data.scales import FROM_0_TO_1
from nbyk.data.units import ALL_FRESH, Units
from nbyk.errors import NbykError
from nbyk.metrics import get
from nbyk.planning.pilot import Pilot
from nbyk.report.comparison.sentences import claim_sentence, margin_sentence
from nbyk.testing.systems.cautions import about_pair
from nbyk.testing.systems.panel import panel_of
from tests.oracles.d_study import projected_variance

RNG = np.random.default_rng(4)
QUICK: Any = {"n_resamples": 199, "max_resamples": 199}


def ratings(n: int = 80, raters: int = 5, runs: int = 5, lead: float = 0.05, seed: int = 0) -> list[Any]:
    """Return gold, A and a worse B; raters and runs differ as wholes."""
    rng = np.random.default_rng(seed)
    mean = rng.uniform(0.3, 0.7, (n, 1))
    gold = mean + rng.normal(0, 0.1, (n, raters)) + rng.normal(0, 0.03, raters)
    a, b = (
        mean + off + rng.normal(0, 0.05, (n, runs)) + rng.normal(0, 0.02, runs) for off in (0.02, 0.02 + lead)
    )
    return [gold, a, b]


def by_ids(matrix: Any, names: tuple[str, ...]) -> Units:
    places = np.broadcast_to(np.arange(len(names), dtype=np.int32), matrix.shape)
    return Units("ids", names, places)


def test_claims_go_from_broad_to_narrow_and_p_is_that_of_the_first() -> None:
    result = nbyk.compare(*ratings(), **QUICK)
    broad, items = result.claims
    assert broad.over == ("items", "raters", "runs of A", "runs of B")
    assert (broad.population, items.over) == ("new items, raters and runs", ("items",))
    assert items.population == "new items, with these 5 raters and these 5 runs of each system"
    assert (result.p, result.pair.decided) == (broad.p, True)
    assert items.p == result.claims[-1].p
    assert (broad.method, items.method) == ("t", "swap_items")
    assert result.to_dict()["pairs"][0]["claims"][0]["p"] == broad.p


@pytest.mark.parametrize(
    ("broad", "items", "cautioned"),
    [(0.07, 0.13, True), (0.01, 0.06, True), (0.13, 0.07, False), (0.07, 0.075, False), (0.001, 0.04, False)],
)
def test_a_broader_claim_with_a_smaller_p_has_a_caution(broad: float, items: float, cautioned: bool) -> None:
    data = nbyk.response_set(*ratings())
    result = nbyk.compare(data, **QUICK).pair
    of_both = (replace(result.claims[0], p=broad), replace(result.claims[1], p=items, standard_error=0.001))
    found = list(
        about_pair(
            replace(result, claims=of_both), get("mae"), data, FROM_0_TO_1, undefined=0, by_bootstrap=True
        )
    )
    assert any("although that claim is narrower" in text for text in found) is cautioned


def test_the_method_line_has_the_test_its_side_the_population_and_the_null() -> None:
    one_sided = nbyk.compare(*ratings(), alternative="greater", **QUICK).pair
    assert one_sided.method == (
        "t-test, one-sided (greater), for new items, raters and runs; null: both are equally good; α = 0.05"
    )
    alone = nbyk.compare(*ratings(), generalise=("items",), **QUICK).pair
    assert alone.method.startswith("swap test (199 draws), two-sided, for new items, with these 5 raters")
    constant = nbyk.compare(None, np.full((30, 5), 0.6), np.full((30, 5), 0.5), **QUICK)
    assert "runs of A" in constant.claims[0].over
    assert constant.pair.method.startswith("swap test (199 draws), two-sided, for new items and raters")


@pytest.mark.parametrize(
    ("metric", "n_sets"), [("mean", 6), ("mae", 6), ("mean_of_emds", 6), ("spearman", 3), ("accuracy", 3)]
)
def test_p_is_at_most_alpha_exactly_where_the_interval_leaves_0_out(metric: str, n_sets: int) -> None:
    for seed in range(n_sets):
        data = ratings(lead=0.03, seed=seed)
        broad = nbyk.compare(*data, metric=metric, **QUICK).claims[0]
        level, draws = 1.0 - broad.p, int(QUICK["n_resamples"])
        if not broad.is_conclusive or broad.method != "t" or level > 1.0 - 2.0 / draws:
            continue  # p is that of items alone, or the interval shows what so few draws can
        for more, leaves_out in ((1e-4, False), (-1e-4, True)):
            claim = nbyk.compare(*data, metric=metric, confidence_level=level + more, **QUICK).claims[0]
            assert (claim.interval[0] > 0.0 or claim.interval[1] < 0.0) == leaves_out


def test_items_alone_have_todays_numbers_and_the_caution() -> None:
    data = ratings()
    alone = nbyk.compare(*data, generalise=("items",), **QUICK)
    fresh = nbyk.compare(ResponseSet(*data, ALL_FRESH), **QUICK)
    (claim,) = alone.claims
    assert (alone.p, claim.p) == (fresh.p, fresh.claims[-1].p)
    np.testing.assert_array_equal(alone.pair.drawn.null, fresh.pair.drawn.null)
    assert any("for new ones" in text for text in alone.warnings)
    assert not any("new ones" in text for text in fresh.warnings)
    assert "for new items, with these 5 raters and these 5 runs of each system" in alone.sentence


@pytest.mark.parametrize(
    ("generalise", "over"),
    [(("items", "raters"), ("items", "raters")), (("items", "runs"), ("items", "runs of A", "runs of B"))],
)
def test_what_is_left_out_stays_as_it_is(generalise: tuple[str, ...], over: tuple[str, ...]) -> None:
    result = nbyk.compare(*ratings(), generalise=generalise, **QUICK)
    assert result.claims[0].over == over
    assert "with these 5 " in result.claims[0].population


def test_two_units_cannot_speak_for_others() -> None:
    result = nbyk.compare(*ratings(raters=2, runs=1), **QUICK)
    broad, items = result.claims
    assert math.isnan(result.p)
    assert (result.verdict, result.pair.decided, result.pair.significant) == ("undecided", False, False)
    assert broad.reason == "two raters are too few; collect 3 or more"
    assert broad.population == "new items and raters, with this run of each system"
    assert result.sentence.startswith("Undecided on mae, for new items and raters, with this run of each")
    assert items.p == result.claims[-1].p
    assert result.to_dict()["pairs"][0]["p"] is None
    gold, a, b = ratings(raters=2, runs=1)
    board = nbyk.compare(gold, {"a": a, "b": b, "c": a + 0.01}, **QUICK)
    assert [math.isnan(pair.p) for pair in board.pairs] == [True] * 3
    assert not any(pair.decided or pair.significant for pair in board.pairs)


def test_three_units_come_with_a_caution() -> None:
    result = nbyk.compare(*ratings(raters=3), **QUICK)
    assert result.claims[0].is_conclusive
    few = [text for text in result.warnings if " are few to speak for others: " in text]
    assert few[0].startswith("three raters and five runs of each system are few ")
    assert "up to 17 % of equally good systems" in few[0]
    five = nbyk.compare(*ratings(raters=5), **QUICK)
    assert any("up to 14 % of equally good systems" in text for text in five.warnings)


def test_the_caution_about_few_units_has_the_greatest_rates_of_its_page() -> None:
    page = (Path(__file__).parents[3] / "docs" / "shared-units.md").read_text(encoding="utf-8")
    (skewed,) = re.findall(r"^\| 5 or more, more skewed than real ones \| \d+ \| .*?, (\.\d+) \|", page, re.M)
    (of_three,) = re.findall(r"up to (\.\d+) of equal systems are told apart if people are lognormal", page)
    assert (round(100 * float(skewed)), round(100 * float(of_three))) == (14, 17)


def test_a_metric_that_hangs_on_single_items_is_too_rough() -> None:
    result = nbyk.compare(*ratings(), metric="max_error", **QUICK)
    assert result.claims[0].reason.startswith("the effect rests on about ")
    assert math.isnan(result.p)


def test_where_nothing_varies_the_broad_claim_has_the_numbers_of_the_narrow_one() -> None:
    half, one = np.full((30, 3), 0.5), np.full((30, 3), 1.0)
    result = nbyk.compare(half, half, one, **QUICK)
    assert (result.p, result.pair.shown) == (result.claims[-1].p, "better")
    same = nbyk.compare(half, one, one, **QUICK)
    assert (same.p, same.verdict, same.pair.decided) == (1.0, "undecided", True)


def test_no_number_of_items_will_do_where_raters_decide() -> None:
    rng = np.random.default_rng(1)
    mean = rng.uniform(0.3, 0.7, (200, 1))
    gold = mean + rng.normal(0, 0.15, (200, 5)) + rng.normal(0, 0.1, 5)
    a, b = (mean + off + rng.normal(0, 0.05, (200, 1)) for off in (0.1, -0.1))
    advice = nbyk.compare(gold, a, b, **QUICK).claims[0].advice
    assert advice.endswith(
        " raters would show this effect (power 0.8); more items alone, with five raters, would not"
    )
    n_raters = int(advice.split()[1])
    # a plan leaves out the stretch, which goes to 1 with more raters
    test = replace(Pilot.of(response_set(gold, a, b), "mae").test, stretch=1.0)
    at_power = statistics.NormalDist().inv_cdf(0.975) + statistics.NormalDist().inv_cdf(0.8)
    wanted = (test.effect / at_power) ** 2
    assert projected_variance(test, units={"raters": n_raters}) <= wanted
    # t needs more than the normal law, by less than a half
    assert projected_variance(test, units={"raters": int(n_raters / 1.5)}) > wanted
    for one, other, side in ((a, b, "greater"), (b, a, "less")):  # a is the worse
        less = nbyk.compare(gold, one, other, alternative=side, **QUICK)
        ahead = nbyk.compare(gold, other, one, alternative=side, **QUICK)
        assert ("raters would show this effect" in ahead.claims[0].advice, less.claims[0].advice) == (
            True,
            "",
        )


@pytest.mark.parametrize(
    ("generalise", "null", "message"),
    [
        (("raters",), "swap_items", "found no items"),
        (("items", "people"), "swap_items", "unknown factor to generalise over 'people'"),
        (("items", "runs"), "swap_items", "found runs, and items share no two runs here"),
        (("items", "raters"), "permutation", "is about items alone"),
    ],
)
def test_what_cannot_be_generalised_over_is_refused(
    generalise: tuple[str, ...], null: str, message: str
) -> None:
    with pytest.raises(NbykError, match=message) as refused:
        nbyk.compare(*ratings(runs=1), generalise=generalise, null=null, **QUICK)
    assert refused.value.argument == "generalise"


def test_runs_are_paired_if_asked_and_people_by_ids() -> None:
    gold, a, b = ratings(runs=4)
    seeds, others = (tuple(f"{kind}{number}" for number in range(4)) for kind in ("seed", "run"))

    def sources(
        of_gold: Any, names_a: tuple[str, ...], names_b: tuple[str, ...], *, pair_runs: bool = False
    ) -> tuple[str, ...]:
        units = {"a": by_ids(a, names_a), "b": by_ids(b, names_b)}
        return panel_of(response_set(of_gold, a, b, units=units), None, pair_runs=pair_runs).sources

    for names in (seeds, others):
        assert sources(gold, names, names, pair_runs=True) == ("runs",)
        assert sources(gold, names, names) == ("runs of A", "runs of B")
    assert sources(None, others, others) == ("runs of A", "runs of B")
    people = ("w7", "12", "40", "x")
    assert sources(gold, people, people) == ("runs of A", "runs of B")
    assert sources(None, people, people) == ("runs",)
    some = ("seed0", "seed1", "x", "y")
    assert sources(gold, seeds, some, pair_runs=True) == ("runs", "runs of A", "runs of B")


@pytest.mark.parametrize("metric", ["pearson", "emd_aggregated"])
def test_exchanging_the_systems_mirrors_claims_by_items_that_tie(metric: str) -> None:
    """On few levels many items are mirror images of others, and the groups that chance deals part them."""
    rng = np.random.default_rng(0)
    truth = rng.random((130, 1))
    gold, a, b = (
        np.round(np.clip(truth + spread * rng.normal(size=(130, n)), 0.0, 1.0) * 4.0) / 4.0
        for spread, n in ((0.1, 1), (0.3, 3), (0.3, 3))
    )
    one, other = (
        nbyk.compare(gold, *two, metric=metric, n_resamples=99, max_resamples=999).pair.claims[0]
        for two in ((a, b), (b, a))
    )
    assert one.over == ("items", "runs of A", "runs of B")
    assert one.p == pytest.approx(other.p, rel=1e-9)
    assert one.interval == pytest.approx((-other.interval[1], -other.interval[0]), rel=1e-9)


def test_exchanging_the_systems_mirrors_every_claim() -> None:
    gold, a, b = ratings()
    for side, mirror in (("two-sided", "two-sided"), ("greater", "less")):
        forward = nbyk.compare(gold, a, b, alternative=side, **QUICK)
        backward = nbyk.compare(gold, b, a, alternative=mirror, **QUICK)
        for x, y in zip(forward.claims, backward.claims, strict=True):
            assert x.p == pytest.approx(y.p, rel=1e-12)
            low, high = y.interval
            assert x.interval == pytest.approx((-high, -low), rel=1e-9)


def test_a_leaderboard_claims_what_its_pairs_do() -> None:
    gold, a, b = ratings()
    board = nbyk.compare(gold, {"x": a, "y": b, "z": b + 0.2}, correction="none", **QUICK)
    for pair in board.pairs:
        assert pair.p == pair.claims[0].p
        assert pair.decided


@pytest.mark.statistics
@pytest.mark.parametrize("shared", ["runs", "raters"])
def test_equally_good_systems_are_told_apart_as_often_as_alpha_says(shared: str) -> None:
    """200 sets of 200 items: between the .001 and .999 quantiles of .02 and .08; items alone reject most."""
    n_sets, rejected, alone = 200, 0, 0
    for seed in range(n_sets):
        rng = np.random.default_rng(1000 + seed)
        mean = rng.uniform(0.3, 0.7, (200, 1))
        if shared == "runs":
            gold = None
            a, b = (mean + rng.normal(0, 0.05, (200, 5)) + rng.normal(0, 0.05, 5) for _ in range(2))
        else:
            gold = mean + rng.normal(0, 0.15, (200, 5)) + rng.normal(0, 0.1, 5)
            a, b = (mean + off + rng.uniform(-0.1, 0.1, (200, 1)) for off in (0.1, -0.1))
        result = nbyk.compare(gold, a, b, metric="mean" if gold is None else "mae", **QUICK)
        rejected += result.pair.significant
        alone += result.claims[-1].p <= 0.05
    assert binom.ppf(0.001, n_sets, 0.02) <= rejected <= binom.ppf(0.999, n_sets, 0.08)
    assert alone > 0.5 * n_sets


def test_arrays_that_the_same_people_filled_are_paired_if_asked() -> None:
    """Unpaired, the severities of eight people count twice; the answer says what it assumes."""
    rng = np.random.default_rng(20)
    severity = rng.normal(0.0, 0.5, 8)
    a, b = (shift + severity + rng.normal(0.0, 0.5, (60, 8)) for shift in (0.15, 0.0))
    apart, same = (
        nbyk.compare(None, a, b, metric="mean", pair_runs=paired, **QUICK) for paired in (False, True)
    )
    assert apart.p > 0.2
    assert same.p <= 0.01  # 199 draws give no less
    assert apart.sample.pairing.startswith(
        "Raters or runs are not paired: several systems have column 0, column 1, column 2,"
    )
    names = ", ".join(f"column {place}" for place in range(8))
    assert same.sample.pairing == f"Raters or runs are paired by name: {names}; unpaired: none."
    boards = [
        nbyk.compare(None, {"a": a, "b": b}, metric="mean", pair_runs=paired, **QUICK)
        for paired in (False, True)
    ]
    assert [board.pairs[0].p for board in boards] == [apart.p, same.p]
    assert [board.sample.pairing.partition(":")[0] for board in boards] == [
        "Raters or runs are not paired",
        "Raters or runs are paired by name",
    ]
    with pytest.raises(NbykError, match="pair_runs: found runs to pair, and no two systems have"):
        nbyk.compare(None, a[:, 0], b, metric="mean", pair_runs=True)


def signs(text: str) -> set[float]:
    """Return the signs of the effect and of the middle of every interval in an answer's sentences."""
    number = r"(-?[\d.e-]*\d)"
    effects = [float(found) for found in re.findall(rf": {number} (?:higher|lower) error", text)]
    ends = re.findall(rf"% interval {number} to {number}", text)
    return {float(np.sign(value)) for value in (*effects, *(float(low) + float(high) for low, high in ends))}


@pytest.mark.parametrize("margin", [None, 0.02])
def test_one_answer_has_one_sign(margin: float | None) -> None:
    """B is better for these raters and undecided for new ones: all effects and intervals have one sign.

    The better system comes first, with a margin, too.
    """
    gold, a, b = ratings()
    result = nbyk.compare(gold, b, a, margin=margin, **QUICK).pair
    broad, items = result.claims
    undecided = replace(broad, p=0.2)
    for claims in (result.claims, (undecided, items), (replace(broad, p=math.nan, reason="few"), items)):
        told = replace(result, claims=claims, p=claims[0].p)
        assert told.verdict_of(items) == "worse"
        sentences = " ".join(
            [claim_sentence(told, claim) for claim in claims]
            + [margin_sentence(told, claim) for claim in claims if claim.margin]
        )
        assert signs(sentences) == {1.0}, sentences
        assert " lower error" in sentences
        assert " higher error" not in sentences
