"""Raters of labels with ways of their own: drawn against closed forms, fitted, and planned for."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from nbyk.data.units import FRESH, Units
from nbyk.errors import NbykError
from nbyk.metrics import Metric, get
from nbyk.planning import fitted_raters
from nbyk.planning.fitted_raters import fit_raters
from nbyk.planning.long_run import long_run_effect
from nbyk.planning.plan import plan
from nbyk.planning.rated_labels import RatedItems, answered, simulated_pilot
from nbyk.priors import ClassPrior, OrdinalPrior, fit_classes
from nbyk.priors.nominal import LabelPrior, MixedPool
from nbyk.resampling.labels import LabelledItems, LabelPopulation, counts_among
from nbyk.resampling.rated_labels import dealt_raters, labels_by_raters
from nbyk.resampling.resample import observed_effects
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.shared_units.collection import Crew
from nbyk.testing.systems.panel import panel_of
from tests.oracles.chisquare import assert_drawn_from

ACCURACY, TOTAL_VARIATION = get("accuracy", "classes"), get("tv_mean", "distributions")
PRIOR = ClassPrior("mine", (2.0, 1.0, 1.0), leaning=0.3, confusion=0.15)
LEVELS = OrdinalPrior("levels", (-1.0, 0.0, 1.0), 1.0, 0.6)


def above_of(shares: list[float], n_items: int) -> np.ndarray:
    """Return items with the same shares, as their chances of a class from c on."""
    return np.repeat(np.cumsum(shares[::-1])[::-1][1:, None], n_items, axis=1)


@pytest.mark.parametrize(("leaning", "confusion"), [(0.0, 0.0), (0.5, 0.2), (1.0, 0.0)])
def test_single_labels_have_the_items_shares_whatever_raters_share(leaning: float, confusion: float) -> None:
    prior = ClassPrior("mine", (1.0, 1.0, 1.0), leaning=leaning, confusion=confusion)
    shares, n = [0.5, 0.2, 0.3], 6000
    raters = np.arange(n)[:, None]
    labels = labels_by_raters(prior, above_of(shares, n), raters, np.random.default_rng(1))
    assert_drawn_from(labels[:, 0].astype(int), dict(enumerate(shares)))


def test_a_rater_who_only_leans_always_says_the_same() -> None:
    above = above_of([0.5, 0.2, 0.3], 40)
    raters = np.tile(np.arange(5), (40, 1))
    leans = labels_by_raters(PRIOR.with_raters(1.0, 0.0), above, raters, np.random.default_rng(1))
    assert (leans == leans[0]).all()
    others = np.concatenate([above, above_of([0.2, 0.5, 0.3], 40)], axis=1)
    both = np.tile(np.arange(300), (80, 1))
    confuses = labels_by_raters(PRIOR.with_raters(0.0, 1.0), others, both, np.random.default_rng(1))
    assert (confuses[:40] == confuses[0]).all()
    assert (confuses[40:] == confuses[40]).all()
    # of items of another class, a rater's label is independent: equal by chance alone
    chance = 0.5 * 0.2 + 0.2 * 0.5 + 0.3 * 0.3
    assert abs((confuses[0] == confuses[40]).mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / 300)


def test_two_levels_by_one_rater_are_two_normals_with_the_raters_cut_point() -> None:
    """P(both from a level on) is that of a bivariate normal whose correlation is τ² / (1 + τ²)."""
    n, place = 20_000, 0.4
    above = np.repeat(LEVELS.above(np.array([place]))[:, :1], 2, axis=1)
    raters = np.tile(np.arange(n), (2, 1))
    first, second = labels_by_raters(LEVELS, above, raters, np.random.default_rng(2))
    correlation = 0.6**2 / (1 + 0.6**2)
    pair = multivariate_normal(cov=[[1, correlation], [correlation, 1]])
    for level in (1, 2, 3):
        z = ndtri(above[level - 1, 0])
        expected = float(pair.cdf([z, z]))
        found = ((first >= level) & (second >= level)).mean()
        assert abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / n)


def test_raters_are_dealt_evenly() -> None:
    for n, j, k in itertools.product((30, 47), (7, 10), (1, 3, 7)):
        panels = dealt_raters(n, j, k, np.random.default_rng(n))
        assert all(len(set(row)) == k for row in panels.tolist())
        loads = np.bincount(panels.ravel(), minlength=j)
        assert loads.max() - loads.min() <= k


def drawn(prior: LabelPrior, n: int, j: int, k: int, seed: int) -> tuple[np.ndarray, Units]:
    generator = np.random.default_rng(seed)
    raters = dealt_raters(n, j, k, generator)
    labels = labels_by_raters(prior, prior.pool(generator, n).at(0.0, 0.0)[0], raters, generator)
    return labels, Units("ids", tuple(map(str, range(j))), raters.astype(np.int32))


@pytest.mark.parametrize(
    "prior", [PRIOR, PRIOR.with_raters(0.0, 0.0), PRIOR.with_raters(0.0, 0.4), LEVELS], ids=str
)
def test_a_fit_finds_what_raters_share(prior: ClassPrior | OrdinalPrior) -> None:
    """Within 4 standard errors, measured by four sets, and .03 that a share cannot be below 0."""
    without = prior.with_raters(0.0, 0.0)
    fits = [fit_raters(without, *drawn(prior, 500, 50, 4, seed)) for seed in range(4)]
    for name in ("leaning", "confusion"):
        found = np.array([getattr(fitted, name) for fitted in fits])
        error = found.std(ddof=1) / 2.0
        assert abs(found.mean() - getattr(prior, name)) < 4 * error + 0.03
    assert np.allclose(fits[0].shares, prior.shares)
    assert fit_raters(without, drawn(prior, 100, 50, 4, 1)[0], FRESH) == without


def test_of_thousands_of_items_some_show_how_raters_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit to 5,000 items takes half the time."""
    drawn_items = []

    def noting(*given: Any) -> np.ndarray:
        drawn_items.append(len(given[2]))
        return labels_by_raters(*given)

    labels, units = drawn(PRIOR, 5000, 40, 3, 1)
    monkeypatch.setattr(fitted_raters, "labels_by_raters", noting)
    fitted = fit_raters(replace(PRIOR, leaning=0.0, confusion=0.0), labels, units)
    assert set(drawn_items) == {2500}
    assert fitted.leaning == pytest.approx(PRIOR.leaning, abs=0.12)  # of 40 raters
    assert fitted.confusion == pytest.approx(PRIOR.confusion, abs=0.12)


def rejections(prior: LabelPrior, metric: Metric, epsilon: float, crew: Crew, n_sets: int) -> float:
    generator, rejected = np.random.default_rng(77), 0
    for _ in range(n_sets):
        bound, (data,) = answered([RatedItems.drawn(prior, crew, metric, generator)], metric, epsilon)
        found = panel_of(data, None).responses
        assert found is not None
        rejected += shared_units_test(bound, found).p_value("two-sided") <= 0.05
    return rejected / n_sets


@pytest.mark.parametrize(
    ("prior", "metric", "epsilon", "n_items", "k"),
    [
        (PRIOR, ACCURACY, 0.49, 500, 3),
        (PRIOR, TOTAL_VARIATION, 0.22, 300, 3),
        (LEVELS, get("emd_levels", "distributions"), 0.53, 300, 5),
    ],
    ids=["accuracy", "tv_mean", "levels"],
)
def test_the_raters_of_a_plan_have_its_power(
    prior: LabelPrior, metric: Metric, epsilon: float, n_items: int, k: int
) -> None:
    """The power of fresh collections is the stated one within 4 standard errors, and at least nearly .8."""
    found = plan(
        prior, metric=metric, epsilon=epsilon, power=0.8, k_responses=k, solve="raters", n_items=n_items
    )
    assert found.crew.raters >= 3
    power = rejections(prior, metric, epsilon, found.crew, 300)
    error = np.hypot(found.standard_error, np.sqrt(power * (1 - power) / 300))
    assert abs(power - found.power) < 4 * error
    assert found.power > 0.8 - 3 * found.standard_error
    assert f"raters like those of {prior.name}" in found.lines[-1]


@pytest.mark.parametrize("seed", [1, 4])
def test_no_seed_plans_many_more_raters(seed: int) -> None:
    """Nine have a power of .81 (500 sets); before, by 64 sets of a first round, 14 and 15, with .90."""
    asked: dict[str, Any] = {"epsilon": 0.5265, "power": 0.8, "k_responses": 5, "n_items": 300}
    found = plan(LEVELS, metric=get("emd_levels", "distributions"), solve="raters", seed=seed, **asked)
    assert 8 <= found.crew.raters <= 10


def test_the_table_of_a_plan_has_what_the_formula_gives_at_the_plans_own_power() -> None:
    """By more raters fewer items do, and by fewer raters more: the plan itself is no exception."""
    asked: dict[str, Any] = {"metric": TOTAL_VARIATION, "epsilon": 0.29, "power": 0.8, "k_responses": 3}
    found = plan(PRIOR, raters=12, solve="items", **asked)
    assert found.asked_of_formula is not None
    assert found.asked_of_formula != 0.8
    table = found.to_frame()
    assert list(table.loc[table[""] == "this plan", "raters"]) == [12]
    items = table.sort_values("raters")["items"].tolist()
    assert items == sorted(items, reverse=True)


def test_a_pilot_of_labels_plans_as_the_prior_that_is_fitted_to_it() -> None:
    """One answer by both, and the pilot's, of eight raters, has an assured one beside it."""
    labels, units = drawn(PRIOR, 200, 8, 3, 5)
    counts = counts_among(labels, 3)
    prior = fit_raters(fit_classes("mine", counts, n_sets=1).prior, labels, units)
    pilot = LabelledItems(prior, counts, raters=units.n_shared)
    asked: dict[str, Any] = {"metric": TOTAL_VARIATION, "epsilon": 0.29, "power": 0.8, "solve": "raters"}
    by_pilot = plan(pilot, **asked)
    by_prior = plan(prior, n_items=200, k_responses=3, **asked)
    assert by_pilot.crew == by_prior.crew
    assert by_pilot.simulated == by_prior.simulated
    assert by_pilot.assured is not None
    assert by_pilot.assured.crew.raters > by_pilot.crew.raters
    assert by_prior.assured is None
    sizes: dict[str, Any] = {"metric": TOTAL_VARIATION, "n_items": 200, "k_responses": 3}
    for raters, epsilon in ((12, 0.3), (60, 1.0)):
        at = plan(pilot, raters=raters, epsilon=epsilon, **sizes)
        assert at.assured is not None
        assert at.assured.power <= at.power
    with pytest.raises(NbykError, match="does not say how raters differ"):
        plan(LabelledItems(prior, counts), **asked)


@pytest.mark.parametrize("metric", [ACCURACY, TOTAL_VARIATION], ids=str)
def test_the_epsilon_of_a_plan_has_its_effect(metric: Metric) -> None:
    """The mean effect of fresh collections, within 4 standard errors and 5 % for the pilots' own."""
    pilot = simulated_pilot(PRIOR, 3, metric, 0.3)
    assert pilot.stated is not None
    generator = np.random.default_rng(8)
    crew = Crew(300, 60, 3, 0)
    drawn = (RatedItems.drawn(PRIOR, crew, metric, generator) for _ in range(300))
    sets = (answered([items], metric, pilot.epsilon) for items in drawn)
    effects = [float(observed_effects(data, bound)[0]) for bound, (data,) in sets]
    error = np.std(effects) / np.sqrt(len(effects))
    assert abs(np.mean(effects) - pilot.stated) < 4 * error + 0.05 * pilot.stated


@dataclass(frozen=True)
class AlikePool:
    """A pool whose systems both are off as B is."""

    pool: MixedPool

    def at(self, epsilon_a: float, epsilon_b: float) -> tuple[np.ndarray, ...]:
        return self.pool.at(epsilon_b, epsilon_b)


class Alike(ClassPrior):
    """A prior by which A and B are equally good."""

    def pool(self, generator: np.random.Generator, n: int, labels: ArrayLike = 0) -> Any:
        return AlikePool(super().pool(generator, n, labels))


@pytest.mark.parametrize("metric", [ACCURACY, TOTAL_VARIATION], ids=str)
def test_equal_systems_are_told_apart_as_often_as_the_level_says(metric: Metric) -> None:
    """At most in .05 and 3 standard errors of 300 sets."""
    prior = Alike("alike", (2.0, 1.0, 1.0), leaning=0.3, confusion=0.15)
    assert rejections(prior, metric, 0.4, Crew(150, 8, 4, 0), 300) < 0.05 + 0.038


@pytest.mark.parametrize(
    ("prior", "asked", "problem"),
    [
        (PRIOR.with_raters(0.0, 0.0), {}, "does not say how raters differ; fit it to labels with the ids"),
        (PRIOR, {"effect": None}, "labels alone do not show by how much A is better; give `effect` or"),
        (PRIOR, {"k_responses": None}, "k_responses: give a number: how many people label an item"),
        (PRIOR, {"runs": 3}, "runs: a prior of labels has no runs"),
        (
            PRIOR,
            {"raters": 900, "power": None, "solve": None},
            "raters: found 900, who have fewer than two of 400 items each",
        ),
        (PRIOR, {"effect": 0.9}, "effect: 0.9 on accuracy is out of reach"),
        (PRIOR, {"epsilon": 0.1}, "given both `epsilon` and `effect`, which determine each other"),
    ],
)
def test_plans_that_raters_cannot_have_are_refused(
    prior: LabelPrior, asked: dict[str, object], problem: str
) -> None:
    given: dict[str, object] = {"metric": "accuracy", "effect": 0.1, "power": 0.8, "solve": "raters"}
    given |= {"k_responses": 3, "n_items": 400}
    with pytest.raises(NbykError) as error:
        plan(prior, **(given | asked))  # type: ignore[arg-type]
    assert problem in str(error.value)


def test_an_epsilon_is_the_effect_that_it_gives() -> None:
    asked = {"metric": ACCURACY, "power": 0.8, "solve": "raters", "k_responses": 3, "n_items": 400}
    by_epsilon = plan(PRIOR, epsilon=0.3, **asked)  # type: ignore[arg-type]
    effect = long_run_effect(LabelPopulation(PRIOR.with_raters(0.0, 0.0), 2, 1, 0.3), ACCURACY)
    by_effect = plan(PRIOR, effect=effect, **asked)  # type: ignore[arg-type]
    assert abs(by_epsilon.crew.raters - by_effect.crew.raters) <= 1


def test_new_raters_never_cost_less_than_those_at_hand() -> None:
    """One effect is one ε by both plans, and what raters share takes further items of the same labels."""
    labels, units = drawn(PRIOR, 200, 8, 3, 5)
    counts = counts_among(labels, 3)
    alone = fit_classes("mine", counts, n_sets=1).prior
    asked: dict[str, Any] = {"metric": ACCURACY, "effect": 0.08, "power": 0.8, "k_responses": 3}
    these = plan(LabelledItems(alone, counts), **asked)
    new = plan(
        LabelledItems(fit_raters(alone, labels, units), counts, raters=units.n_shared), raters=40, **asked
    )
    assert f"ε = {these.epsilon:.3g}," in " ".join(new.assumptions)
    assert "effect of 0.08 by infinitely many labels" in " ".join(new.assumptions)
    assert new.n_items > these.n_items


@pytest.mark.parametrize(("leaning", "confusion"), [(-0.1, 0.0), (0.6, 0.5), (0.0, 1.2)])
def test_shares_out_of_range_are_refused(leaning: float, confusion: float) -> None:
    with pytest.raises(NbykError, match="expected a share of a label's noise"):
        ClassPrior("mine", (1.0, 1.0), leaning=leaning, confusion=confusion)
