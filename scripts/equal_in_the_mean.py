"""Measure the tests where two unlike systems have the same mean error.

`python scripts/equal_in_the_mean.py > docs/calibration/unlike.csv` writes the rates anew from which
`scripts/calibration_docs.py` makes a table of docs/calibration.md. System B's means are off by up to ε and
its responses vary as gold's; A's means are right and its σ is s times as large, with s such that both have
the same expected score. Their rows are then not exchangeable: of the weak null only the mean is left, and no
test is exact.
"""

from __future__ import annotations

import argparse
import sys

from scipy.optimize import brentq

from nbyk.priors import TwoStagePrior, published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import simulated_effects
from nbyk.studies.steps import Work
from nbyk_papers.calibration.calibrate import calibrate
from nbyk_papers.calibration.design import ALPHAS, RateTests

SOURCES, SIZES, METRIC, EPSILON = ("simulated", "toxicity"), ((50, 5), (200, 5)), "mae", 0.3


def mean_effect(scale: float, prior: TwoStagePrior, k: int) -> float:
    """Return the expected effect where A's σ is `scale` times gold's, always on the same draws."""
    draws = simulated_effects(
        Population(prior, 5000, k, EPSILON, sd_scale_a=scale), METRIC, n_draws=256, seed=1
    )
    return float(draws.alternative.mean())


def main() -> None:
    """Print the rates as CSV."""
    import pandas as pd

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=1000, help="test sets behind every rate")
    n_sets = parser.parse_args().sets
    found = []
    for source in SOURCES:
        prior = published_prior(source)
        for n, k in SIZES:
            scale = brentq(mean_effect, 0.8, 6.0, args=(prior, k), xtol=1e-3)
            print(f"{source}, {n} × {k}: s = {scale:.3f}", file=sys.stderr)
            population = Population(prior, n, k, EPSILON, sd_scale_a=scale)
            tests = RateTests([METRIC], (), ALPHAS, n_sets, n_resamples=199, n_bootstraps=999, seed=1)
            rates = calibrate(population, tests, Work("equal in the mean")).to_pandas()
            found.append(rates.drop(columns=["low", "high"]).assign(source=source, scale=round(scale, 3)))
    pd.concat(found).to_csv(sys.stdout, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
