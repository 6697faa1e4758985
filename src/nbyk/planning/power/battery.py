"""The tests whose power nbyk estimates, each as a function from simulated sets to decisions.

All are one-sided for "A is better" by default. Decisions differ from those of the whole test with all M draws
with a chance of at most 10⁻⁶ (`nbyk.testing.looks`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError, UndefinedMetricError, unknown_name
from nbyk.metrics import Metric
from nbyk.planning.power import randomisation
from nbyk.planning.power.simulated_sets import SimulatedSets
from nbyk.resampling.effects import check_defined
from nbyk.resampling.resample import hypothesis_effects, observed_effects, resampled_effects
from nbyk.testing.decision import check_draws, check_level
from nbyk.testing.engine.draws import Draws
from nbyk.testing.looks import (
    Looks,
    critical_count,
    critical_count_of_share,
    looks,
    pair_looks,
)
from nbyk.testing.pvalues import Alternative, check_alternative, null_at_least, null_counts, tie_tolerance

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TESTS = {
    "swap_items": "p-value under the systems' rows swapped on each item with probability one half",
    "shifted": "p-value under the items bootstrapped and shifted so that the effect becomes zero",
    "permutation": "p-value under each item's pool A|B split at random",
    "pooled": "p-value under responses drawn with replacement from each item's pool A|B",
    "pooled_twice": "p-value under responses drawn as for `pooled`, then drawn again from those",
    "expected_p": "the papers' p, averaged over resampled alternatives, below α",
    "multistage_bootstrap": "share of pooled, bootstrapped null effects that reach the set's own, below α",
    "welch_t": "Welch's t-test of the item means' absolute errors",
    "wilcoxon": "Wilcoxon's signed-rank test of the item means' absolute errors",
    "paired_permutation": "sign flips of the differences of the item means' absolute errors",
    "unpaired_permutation": "the item means' absolute errors shuffled between A and B, across items",
}
"""The tests. The first five are `nbyk.p_value` under a null at the data's own size, p ≤ α; the next two are
the papers', p < α; the last four use only the item means' absolute errors, p ≤ α."""

ON_ERRORS = ("welch_t", "wilcoxon", "paired_permutation", "unpaired_permutation")

_SAMPLERS = {
    "permutation": "all_items/all",
    "pooled": "all_items/all",
    "pooled_twice": "all_items/sample(K)",
    "expected_p": "bootstrap_items/sample(K)",
    "multistage_bootstrap": "bootstrap_items/sample(K)",
}
_FIRST, _GROWTH = 256, 4.0  # resampled_effects starts from its first draw every time


@dataclass(frozen=True)
class SystemTest:
    """A test with all settings that determine its decision on a test set.

    Attributes
    ----------
    name
        A key of `TESTS`.
    metric
        The metric whose effect is tested.
    alpha
        The level α, in (0, 1).
    alternative
        "greater" (A is better), "less" or "two-sided".
    n_resamples
        Draws M of the null.
    early
        Whether to stop drawing once the chance of another decision is at most 10⁻⁶.
    raw_swaps
        Whether "swap_items" exchanges the responses themselves, as published (`nbyk.testing.engine.draws`).
    """

    name: str
    metric: Metric
    alpha: float = 0.05
    alternative: Alternative = "greater"
    n_resamples: int = 10_000
    early: bool = True
    raw_swaps: bool = False

    def __post_init__(self) -> None:
        if self.name not in TESTS:
            raise unknown_name("test", self.name, TESTS).about(argument="test")
        check_level(self.alpha)
        check_alternative(self.alternative)
        if self.name in ON_ERRORS and self.metric.name != "mae":
            raise NbykError(
                f"test {self.name} compares absolute errors of item means; found metric {self.metric.name}, "
                "expected mae: choose swap_items, which takes any metric"
            )
        check_draws(self.n_resamples)
        if self.name not in ("welch_t", "wilcoxon", "expected_p", "multistage_bootstrap"):
            critical_count(self.n_resamples, self.one_sided_alpha)

    @property
    def one_sided_alpha(self) -> float:
        """The level of each side on which the test rejects: α, or α/2 for a two-sided test."""
        return 0.5 * self.alpha if self.alternative == "two-sided" else self.alpha

    @property
    def is_compiled(self) -> bool:
        """Whether a decision takes microseconds: no responses are drawn again under the null."""
        return self.name in ON_ERRORS or (self.name in ("swap_items", "shifted") and self.metric.additive)

    def rejections(self, sets: SimulatedSets) -> Integers:
        """Return for each set whether the test rejects (1 or 0) and its number of draws, shape (size, 2)."""
        if self.alternative == "two-sided":
            # p = 2 min(p_greater, p_less) ≤ α if either is at most α/2.
            one_sided = replace(self, alpha=self.one_sided_alpha, alternative="greater")
            greater = one_sided.rejections(sets)
            less = replace(one_sided, alternative="less").rejections(sets)
            return np.stack([greater[:, 0] | less[:, 0], greater[:, 1] + less[:, 1]], axis=1)
        return self._function(sets)

    @property
    def _function(self) -> Callable[[SimulatedSets], Integers]:
        if self.name in ("welch_t", "wilcoxon"):
            return self._of_scipy
        if self.name == "unpaired_permutation":
            return self._permuted_errors
        if self.name in ("swap_items", "paired_permutation") and self.metric.additive:
            return self._sign_flips
        if self.name == "shifted" and self.metric.additive:
            return self._shifted
        return self._resampled

    def _looks(self, *, first: int = 0, growth: float = 1.2) -> Looks:
        is_share = self.name == "multistage_bootstrap"
        critical = (critical_count_of_share if is_share else critical_count)(self.n_resamples, self.alpha)
        if not self.early:
            return looks(self.n_resamples, critical, first=self.n_resamples)
        return looks(self.n_resamples, critical, first=first or 64, growth=growth)

    def _sign_flips(self, sets: SimulatedSets) -> Integers:
        contributions = self._sign * sets.contributions(self.metric)
        n = contributions.shape[1]
        if 2**n <= self.n_resamples:
            counts = np.empty(len(contributions), np.int64)
            randomisation.sign_flip_counts(contributions, counts)
            rejected = counts <= self.alpha * 2**n * (1.0 + 1e-12)
            return np.stack([rejected, np.full(len(counts), 2**n)], axis=1).astype(np.int64)
        return self._compiled(randomisation.sign_flip_test, sets, contributions)

    def _shifted(self, sets: SimulatedSets) -> Integers:
        contributions = self._sign * sets.contributions(self.metric)
        return self._compiled(randomisation.shifted_bootstrap_test, sets, contributions)

    def _permuted_errors(self, sets: SimulatedSets) -> Integers:
        a, b = self._ordered(*sets.errors())
        return self._compiled(randomisation.permuted_errors_test, sets, a, b)

    def _compiled(self, kernel: Callable[..., None], sets: SimulatedSets, *arrays: Floats) -> Integers:
        at = self._looks()
        out = np.empty((sets.size, 2), np.int64)
        words = sets.random_words(f"{self.name} {self.alternative}")
        kernel(*arrays, words, 0, at.draws, at.reject_to, at.keep_from, out)
        return out

    def _of_scipy(self, sets: SimulatedSets) -> Integers:
        from scipy import stats

        a, b = self._ordered(*sets.errors())
        with np.errstate(invalid="ignore", divide="ignore"):  # constant or equal errors give p = NaN
            if self.name == "welch_t":
                p = stats.ttest_ind(b, a, axis=1, equal_var=False, alternative="greater").pvalue
            else:
                differences = np.round(b - a, 12)
                p = stats.wilcoxon(differences, alternative="greater", method="asymptotic", axis=1).pvalue
        rejected = np.nan_to_num(p, nan=1.0) <= self.alpha
        return np.stack([rejected, np.zeros(sets.size)], axis=1).astype(np.int64)

    def _resampled(self, sets: SimulatedSets) -> Integers:
        """Return the decisions; sets on which the metric is undefined have 0 draws and no rejection."""
        decide = self._expected_p if self.name == "expected_p" else self._counted
        out = np.zeros((sets.size, 2), np.int64)
        for r, data in enumerate(sets.responses()):
            with suppress(UndefinedMetricError):
                out[r] = decide(data, sets.seed)
        return out

    def _counted(self, data: ResponseSet, seed: int) -> tuple[int, int]:
        draw = self._null_of_rows if self.name in ("swap_items", "shifted") else self._null_of_responses
        observed, null_effects = draw(data, seed)

        def count(n_draws: int) -> int:
            return null_counts(self._sign * observed, self._sign * null_effects(n_draws))[0]

        return _decision(self._looks(first=_FIRST, growth=_GROWTH), count)

    def _null_of_rows(self, data: ResponseSet, seed: int) -> tuple[float, Callable[[int], Floats]]:
        """Return the observed effect, and a function for the first n effects if a null deals whole rows."""
        draws = Draws(data, [self.metric], seed=seed, raw_swaps=self.raw_swaps)
        observed = float(draws.observed[0])
        drawn = np.empty((1, 0))

        def effects(n_draws: int) -> Floats:
            nonlocal drawn
            start = drawn.shape[1]
            if self.name == "swap_items":
                more = draws.swapped([0], n_draws, start=start)
            else:
                more = draws.bootstrapped([0], n_draws, "shifted", start=start) - observed
            drawn = np.concatenate([drawn, check_defined([self.metric], more)], axis=1)
            return np.asarray(drawn[0])

        return observed, effects

    def _null_of_responses(self, data: ResponseSet, seed: int) -> tuple[float, Callable[[int], Floats]]:
        """Return the observed effect, and a function for the first n effects if a null redraws responses."""
        null = {"multistage_bootstrap": "pooled"}.get(self.name, self.name)

        def effects(n_draws: int) -> Floats:
            sampler = _SAMPLERS[self.name]
            drawn = hypothesis_effects(
                data, self.metric, sampler=sampler, null=null, n_resamples=n_draws, seed=seed
            )
            return np.asarray(check_defined([self.metric], drawn)[0])

        return float(observed_effects(data, self.metric)[0]), effects

    def _expected_p(self, data: ResponseSet, seed: int) -> tuple[int, int]:
        def count(n_draws: int) -> int:
            draws = resampled_effects(
                data,
                self.metric,
                sampler=_SAMPLERS[self.name],
                null="pooled",
                n_resamples=n_draws,
                share_gold=False,
                seed=seed,
            )
            return pairs_at_least(self._sign * draws.alternative[0], self._sign * draws.null[0])

        at = pair_looks(self.n_resamples, self.alpha, first=_FIRST, growth=_GROWTH, early=self.early)
        return _decision(at, count)

    @property
    def _sign(self) -> float:
        return -1.0 if self.alternative == "less" else 1.0

    def _ordered(self, a: NDArray, b: NDArray) -> tuple[NDArray, NDArray]:  # type: ignore[type-arg]
        """Return the system that should be better first."""
        return (b, a) if self.alternative == "less" else (a, b)


def _decision(at: Looks, count: Callable[[int], int]) -> tuple[int, int]:
    """Return 1 to reject, else 0, by the counts among more and more draws; and the number of draws."""
    for look, n_draws in enumerate(at.draws.tolist()):
        counts = count(n_draws)
        if counts <= at.reject_to[look]:
            return 1, n_draws
        if counts >= at.keep_from[look]:
            break
    return 0, n_draws


def pairs_at_least(alternative: Floats, null: Floats) -> int:
    """Return the number of pairs (α, β) with β ≥ α, ties within rounding included, as in `expected_p`."""
    return int(null_at_least(alternative, np.sort(null), tie_tolerance(alternative, null)).sum())
