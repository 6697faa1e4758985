"""Measure the tests where two unlike systems have the same mean error: `python scripts/equal_in_the_mean.py`.

This is the last table of docs/calibration.md. System B's means are off by up to ε and its responses vary as
gold's; A's means are right and its σ is s times as large, with s such that both have the same expected score.
Their rows are then not exchangeable: of the weak null only the mean is left, and no test is exact.
"""

from __future__ import annotations

import argparse
import sys

from scipy.optimize import brentq

from nbyk.inference.calibration.calibrate import calibrate
from nbyk.metrics import get
from nbyk.priors import TwoStagePrior, published_prior
from nbyk.report.formats import markdown
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import simulated_effects

SOURCES, SIZES, METRIC, EPSILON, ALPHA = ("simulated", "toxicity"), ((50, 5), (200, 5)), "mae", 0.3, 0.05


def mean_effect(scale: float, prior: TwoStagePrior, k: int) -> float:
    """Return the expected effect where A's σ is `scale` times gold's, always on the same draws."""
    draws = simulated_effects(
        prior, METRIC, n_items=5000, k_responses=k, epsilon_b=EPSILON, sd_scale_a=scale, n_draws=256, seed=1
    )
    return float(draws.alternative.mean())


def main() -> None:
    """Print the table."""
    import pandas as pd

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=1000, help="test sets behind every rate")
    n_sets = parser.parse_args().sets
    rows = []
    for source in SOURCES:
        prior = published_prior(source)
        for n, k in SIZES:
            scale = brentq(mean_effect, 0.8, 6.0, args=(prior, k), xtol=1e-3)
            population = Population(prior, n, k, EPSILON, sd_scale_a=scale)
            found = calibrate(population, [get(METRIC)], [ALPHA], n_sets=n_sets, seed=1).to_pandas()
            print(f"{source}, {n} × {k}: s = {scale:.3f}", file=sys.stderr)
            for test in found.itertuples():
                if test.definition == "p_value" or test.null == "":
                    name = test.null or f"{test.definition}, {test.sampler}"
                    key = {"source": source, "N × K": f"{n} × {k}", "s": f"{scale:.2f}"}
                    rows.append({**key, "test": name, "side": test.alternative, "rate": test.rate})
    table = pd.DataFrame(rows).pivot_table(
        index=["test", "side"], columns=["source", "N × K", "s"], values="rate", sort=False
    )
    table.columns = [", ".join(name[:2]) + f" (s = {name[2]})" for name in table.columns]
    caption = f"Rejections at α = {ALPHA:g} where unlike systems have the same mean absolute error"
    print(markdown(table.reset_index(), caption))


if __name__ == "__main__":
    main()
