"""Rates of rejection against exact enumeration, scipy's interval and what they must not depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import nbyk
from nbyk.errors import NbykError
from nbyk.priors import Response, TwoStagePrior, published_prior
from nbyk.priors.families import Constant
from nbyk.resampling.population import Population
from nbyk.resampling.samplers import WEIN_SAMPLERS, get_sampler
from nbyk.studies.steps import Work
from nbyk_papers.calibration import calibrate as module
from nbyk_papers.calibration.calibrate import calibrate, distinct_samplers, nulls_of
from nbyk_papers.calibration.design import PEOPLE, RateTests
from nbyk_papers.calibration.labels import confused, label_set, labels, p_values
from nbyk_papers.calibration.verdicts import PERCENTILE

COINS = TwoStagePrior("coins", Constant(0.5), Constant(0.2), Response("binary"))
ITEMS, DRAWS, ALPHA, SETS = 3, 9, 0.2, 1024
TOXICITY = published_prior("toxicity")


def rates(
    population: Population, metrics: Sequence[str] = ("mae",), *, threads: int = 1, **options: Any
) -> pd.DataFrame:
    drawn = {"samplers": (), "n_sets": 70, "n_resamples": 39, "n_bootstraps": 39, "seed": 3}
    tests = RateTests(metrics, alphas=[0.05, 0.1], **(drawn | options))
    return calibrate(population, tests, Work("test", threads)).to_pandas()


def exact_rates() -> dict[tuple[str, str, str], float]:
    """Chance that each test rejects where gold, A and B flip a fair coin on each of three items (MAE).

    Given a set, each null effect is at least as large as the set's own with a chance that the enumeration
    gives, so that the count of the 9 draws is binomial, or of both sides trinomial.
    """
    items = [(g, a, b) for g, a, b in product((0, 1), repeat=3)]
    found: Counter[tuple[str, str, str]] = Counter()
    for data in product(items, repeat=ITEMS):
        gains = [abs(b - g) - abs(a - g) for g, a, b in data]
        own = sum(gains)
        pools = [
            [abs(pair[1] - g) - abs(pair[0] - g) for pair in product((a, b), repeat=2)] for g, a, b in data
        ]
        nulls = {
            "swap_items": [sum(flipped) for flipped in product(*([d, -d] for d in gains))],
            "pooled": [sum(drawn) for drawn in product(*pools)],
            "shifted": [sum(drawn) - own for drawn in product(gains, repeat=ITEMS)],
        }
        for null, effects in nulls.items():
            beta = np.array(effects)
            up, down = (beta >= own).mean(), (beta <= own).mean()
            found["p_value", null, "greater"] += stats.binom.cdf(1, DRAWS, up)
            found["p_value", null, "two-sided"] += neither((1 - up) ** DRAWS, (1 - down) ** DRAWS, 0.0)
        drawn = np.array(nulls["shifted"]) + own
        low, high = (drawn <= 0).mean(), (drawn >= 0).mean()
        found[PERCENTILE, "", "two-sided"] += neither((1 - low) ** DRAWS, (1 - high) ** DRAWS, 0.0)
    return {key: chance / len(items) ** ITEMS for key, chance in found.items()}


def neither(none_up: float, none_down: float, both: float) -> float:
    """Chance that no draw lies on one side or no draw on the other; both cannot be."""
    return none_up + none_down - both


def test_rates_are_the_enumerated_ones() -> None:
    """Within 4.5 standard errors of 1024 sets, of chances from .04 to .2."""
    population = Population(COINS, ITEMS, 1, 0.0)
    tests = RateTests(["mae"], (), [ALPHA], SETS, n_resamples=DRAWS, n_bootstraps=DRAWS, seed=0)
    found = calibrate(population, tests, Work("test")).to_pandas()
    for (definition, null, side), chance in exact_rates().items():
        rows = found[
            (found["definition"] == definition) & (found["null"] == null) & (found["alternative"] == side)
        ]
        (rate,) = rows["rate"]
        assert abs(rate - chance) < 4.5 * (chance * (1 - chance) / SETS) ** 0.5, (definition, null, side)


def test_intervals_of_rates_are_clopper_and_pearsons() -> None:
    table = rates(Population(TOXICITY, 20, 3, 0.3))
    assert len(set(table["rejections"])) > 10
    for row in table.itertuples():
        exact = stats.binomtest(row.rejections, row.n_sets).proportion_ci(0.95, method="exact")
        assert (row.low, row.high) == pytest.approx((exact.low, exact.high))
        assert row.rate == row.rejections / row.n_sets


def test_every_test_is_there_once() -> None:
    table = rates(Population(TOXICITY, 10, 3, 0.3), n_sets=2)
    tests = table[["definition", "sampler", "null", "alternative"]].drop_duplicates()
    assert len(table) == 2 * len(tests)
    assert (
        sorted(tests.loc[tests["null"] != "", "definition"])
        == ["p_value"] * 10 + ["p_value_ties_at_random"] * 2
    )
    assert Counter(tests.loc[tests["null"] == "", "sampler"]) == {
        "bootstrap_items/all": 2,
        "bootstrap_items/sample(K)": 2,
    }
    expected = rates(Population(TOXICITY, 10, 3, 0.3), n_sets=2, samplers=WEIN_SAMPLERS)
    assert Counter(expected["null"].where(expected["metric"] == "mae")) == {
        "swap_items": 24,
        "permutation": 24,
        "pooled": 24,
        "pooled_twice": 8,
        "shifted": 16,
    }


def test_what_coincides_at_one_response_per_item_is_drawn_once() -> None:
    table = rates(Population(TOXICITY, 10, 1, 0.3), n_sets=2)
    assert set(table["null"]) == {"swap_items", "pooled", "shifted", ""}
    assert set(table.loc[table["null"] == "", "sampler"]) == {"bootstrap_items/all"}
    names = [sampler.name for sampler in distinct_samplers(WEIN_SAMPLERS, 1)]
    assert names == ["all_items/sample(K)", "bootstrap_items/sample(K)"]
    assert len(distinct_samplers(WEIN_SAMPLERS, 2)) == 6
    assert nulls_of(get_sampler("all_items/sample(K)"), 1) == ["pooled", "swap_items"]
    assert "pooled_twice" in nulls_of(get_sampler("bootstrap_items/sample(K)"), 2)
    assert "pooled_twice" not in nulls_of(get_sampler("bootstrap_items/sample(1)"), 2)


def test_expected_p_is_that_of_the_papers() -> None:
    population = Population(TOXICITY, 15, 3, 0.3)
    sampler, sets = "bootstrap_items/sample(K)", 12
    table = rates(population, samplers=[sampler], n_sets=sets, n_resamples=64)
    rejected: Counter[tuple[str, float]] = Counter()
    for index in range(sets):
        data = nbyk.simulate(nbyk.Population(TOXICITY, 15, 3, 0.3), seed=3, index=index)
        seed = module._seed_of_set(population, 3, index)
        for null in ("pooled", "pooled_twice", "permutation", "swap_items", "shifted"):
            draws = nbyk.resampled_effects(data, "mae", sampler=sampler, null=null, n_resamples=64, seed=seed)
            p = nbyk.expected_p(draws.alternative[0], draws.null[0]).p
            for alpha in (0.05, 0.1):
                rejected[null, alpha] += p < alpha
    folded = table[table["alternative"] == "folded"]
    assert {(row.null, row.alpha): row.rejections for row in folded.itertuples()} == rejected
    assert sum(rejected.values()) > 0


def test_rates_depend_on_the_cell_alone() -> None:
    """Not on the metrics and samplers beside it, nor on threads; and on the seed."""
    population = Population(TOXICITY, 10, 3, 0.2, 0.2)
    for samplers in ((), ("bootstrap_items/all", "all_items/sample(1)")):
        together = rates(population, ("wins_mae", "mae", "spearman"), samplers=samplers, threads=2)
        for metric in ("mae", "spearman"):
            part = together[together["metric"] == metric].reset_index(drop=True)
            for sampler in [[name] for name in samplers] or [()]:
                alone = rates(population, (metric,), samplers=sampler)
                same = part[part["sampler"].isin(set(alone["sampler"]))].reset_index(drop=True)
                pd.testing.assert_frame_equal(alone, same)
    other = rates(population, seed=4)
    assert not other["rejections"].equals(rates(population)["rejections"])


def test_sets_where_a_metric_is_undefined_are_counted_and_not_rejected() -> None:
    """Four coins are all alike one time in eight: of gold, A or B, that leaves no correlation."""
    table = rates(Population(COINS, 4, 1, 0.0), ("mae", "spearman"), n_sets=128)
    p_values = table[(table["definition"] == "p_value") & (table["null"] == "swap_items")]
    assert (p_values.loc[p_values["metric"] == "mae", "undefined"] == 0).all()
    undefined = p_values.loc[p_values["metric"] == "spearman", "undefined"]
    assert (undefined > 128 * (1 - (7 / 8) ** 3) / 2).all()
    assert (p_values["rejections"] + p_values["undefined"] <= p_values["n_sets"]).all()


def test_too_few_draws_for_a_level_are_refused() -> None:
    with pytest.raises(NbykError, match=r"n_resamples: found 10, of which the smallest p-value is 1/11"):
        rates(Population(TOXICITY, 10, 1, 0.3), n_resamples=10)


@pytest.mark.parametrize("prior", ["simulated", "hs_brexit"])
def test_effects_are_symmetric_about_0_where_both_systems_are_perturbed_alike(prior: str) -> None:
    """Clamped means or not, and whatever the metric: A and B are exchangeable, so the weak null is true."""
    draws = nbyk.simulated_effects(
        Population(published_prior(prior), 30, 3, epsilon_b=0.3, epsilon_a=0.3),
        ["mae", "rmse", "max_error", "wins_mae", "emd_aggregated"],
        n_draws=2000,
    )
    for effects in draws.alternative:
        assert stats.wilcoxon(effects, method="approx").pvalue > 1e-4
        extreme = effects[np.abs(effects) > np.quantile(np.abs(effects), 0.8)]
        assert stats.binomtest(int((extreme > 0).sum()), extreme.size).pvalue > 1e-4


@pytest.mark.parametrize("people", ["5", "3 runs", "5, confused"])
def test_labels_are_tested_as_compare_does(people: str) -> None:
    """A comparison's p over new raters is no smaller than that over items alone, which is drawn."""
    data, shared = label_set(np.random.default_rng(3), "classes", 3, PEOPLE[people])
    names = np.array(["0", "1", "2"])
    given = [names[of.astype(int)] for of in (data.gold, data.a, data.b)]
    found = nbyk.compare(*given, metric="accuracy", n_resamples=99)
    assert shared
    (p,) = p_values(data, shared, ("accuracy",), seed=1)
    assert found.p == pytest.approx(max(p, found.claims[-1].p), rel=1e-9)


def test_raters_who_confuse_classes_do_so_each_in_their_own_way() -> None:
    """Chances of the right of two classes are beta, of mean .7 and α + β = 8, and a rater's for all items."""
    draw = np.random.default_rng(5)
    items = draw.normal(size=(200, 1, 2))
    chances = np.exp(confused(draw, items, 3_000))
    chances /= chances.sum(axis=2, keepdims=True)
    likeliest = items[:, 0].argmax(axis=1)
    of_first = chances[np.flatnonzero(likeliest == 0)[0], :, 0]
    assert of_first.mean() == pytest.approx(0.7, abs=4 * of_first.std() / np.sqrt(3_000))
    assert of_first.var() == pytest.approx(0.7 * 0.3 / 9.0, rel=0.1)
    same = chances[likeliest == 0]
    np.testing.assert_array_equal(same, np.broadcast_to(same[:1], same.shape))


def test_labels_have_a_rate_of_each_metric_and_level_on_any_number_of_threads() -> None:
    told: dict[str, Any] = {"n_classes": 2, "answers": "distributions", "people": "own"}
    told |= {"n_sets": 70, "seed": 1}
    (table, _), (again, _) = (labels(**told, work=Work("test", threads)) for threads in (1, 2))
    assert table.equals(again)
    rates = table.to_pandas()
    assert len(rates) == 3 * 3
    # 70 sets of a level of .1: .036 a standard error
    assert rates.loc[rates["alpha"] == 0.1, "rate"].between(0.0, 0.25).all()
