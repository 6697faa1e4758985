"""Power of the papers' test beside others on the same test sets (Homan et al. 2025, 5.3 and Figure 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbyk.metrics import get
from nbyk.planning.power.battery import SystemTest
from nbyk.planning.power.estimate import power_from, rejections
from nbyk.resampling.effects import Progress
from nbyk.resampling.population import Population
from nbyk_papers.homan2025.design import ALPHA
from nbyk_papers.homan2025.multistage import MultistageTest
from nbyk_papers.trials import Trials

if TYPE_CHECKING:
    import pyarrow as pa

STUDY_TESTS = (
    "multistage_bootstrap",
    "swap_items",
    "welch_t",
    "wilcoxon",
    "paired_permutation",
    "unpaired_permutation",
)


def power_study(
    population: Population, trials: Trials, *, threads: int = 1, progress: Progress | None = None
) -> pa.Table:
    """Return the power of several tests at one size, on the same simulated test sets: a point of Figure 6.

    All tests are of the absolute error, at .05, one-sided for "A is better". A row per test has its power
    with the 95 % interval, and mean_draws, the draws of the null that a decision took on average. `progress`
    is called with the number of test sets just finished, by all tests.

    Notes
    -----
    "multistage_bootstrap" reads section 5.3 and its "two levels of repetitions" as follows: each of the
    n_sets outer samples is a simulated test set with its own effect, and each of the M inner ones a draw of
    that set's null, in which N items are drawn with replacement and, within each, K responses of gold from
    the item's gold and K each for A and B from the item's pool A|B. p is the share of null effects that reach
    the set's own (ties count), and the null is rejected if p < α.

    The paper does not say whether its permutation test is paired. "paired_permutation" flips the signs of the
    errors' differences; "unpaired_permutation" deals all errors again, as scipy's `permutation_test` does by
    default. The paired one is the same test as "swap_items", on other random draws.
    """
    import pyarrow as pa

    n_sets = trials.n_sets
    battery = [
        (MultistageTest if name == "multistage_bootstrap" else SystemTest)(
            name, get("mae"), ALPHA, n_resamples=trials.n_resamples, raw_swaps=True
        )
        for name in STUDY_TESTS
    ]
    n_rejected = rejections(battery, population, n_sets, seed=trials.seed, threads=threads, progress=progress)
    rows = []
    for test, (rejected, draws) in zip(battery, n_rejected, strict=True):
        power = power_from(test, int(rejected.sum()), n_sets)
        rows.append(
            {
                "n_items": population.n_items,
                "k_responses": population.k_responses,
                "epsilon_b": population.epsilon_b,
                "metric": test.metric.name,
                "test": test.name,
                "alpha": ALPHA,
                "n_sets": n_sets,
                "rejections": power.rejections,
                "power": power.power,
                "low": power.low,
                "high": power.high,
                "mean_draws": float(draws.mean()),
            }
        )
    return pa.Table.from_pylist(rows)
