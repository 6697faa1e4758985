"""How often a plan from a pilot reaches the power that it promises: best guess and assured plan.

python -m benchmarks.assured_plans [PILOTS]

Normal worlds of items, raters and single ratings; the effect is stated by the user. 1 of 5 plans may fall
short of the promised power of .8.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np

import nbyk
from nbyk.metrics import get
from nbyk.planning.closed_form import solved
from nbyk.planning.pilot import Pilot
from nbyk.planning.request import Request
from nbyk.testing.shared_units.power import power_with_people

WORLDS = {"alike": (0.2, 0.02, 0.2), "severe": (0.2, 0.1, 0.2)}
"""SDs of items, raters and single ratings."""


def main(n_pilots: int) -> None:
    """Print a table of worlds and pilots: how often each plan has the power, and its mean power."""
    print("world   J   N  needed | best: holds  power | assured: holds  power  median  none")
    for name, (item, severity, rating) in WORLDS.items():
        truth = nbyk.Spread(item**2, severity**2, rating**2)
        for raters in (3, 5, 8, 10):
            for n in (50, 100, 200):
                effect = 3.2 * math.sqrt(item**2 / 200 + severity**2 / 12)
                asked = Request(source=truth, n_items=400, runs=0, effect=effect, power=0.8)
                needed = solved(asked).crew.raters
                generator = np.random.default_rng(1000 * raters + n)
                best, sure, sizes = [], [], []
                for _ in range(n_pilots):
                    a = generator.normal(0.0, item, (n, 1)) + generator.normal(0.0, severity, raters)
                    a = a + generator.normal(0.0, rating, (n, raters))
                    pilot = Pilot((nbyk.response_set(None, a, np.zeros(a.shape)),), get("mean"))
                    plan = solved(replace(asked, source=pilot.spread))
                    best.append(power_with_people(truth, plan.crew, effect))
                    plan = solved(replace(asked, source=pilot.law()))
                    sure.append(power_with_people(truth, plan.crew, effect))
                    sizes.append(plan.crew.raters if plan.reachable else math.inf)
                guess, held = np.array(best), np.array(sure)
                print(
                    f"{name:7} {raters:2} {n:3} {needed:6} | "
                    f"{(guess >= 0.8).mean():10.2f} {guess.mean():6.2f} "
                    f"| {(held >= 0.8).mean():13.2f} {held.mean():6.2f} {np.median(sizes):7g} "
                    f"{np.isinf(sizes).mean():5.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
