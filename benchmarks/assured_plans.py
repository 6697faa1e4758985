"""How often a plan from a pilot reaches the power that it promises: best guess and assured plan.

python -m benchmarks.assured_plans [PILOTS]
python -m benchmarks.assured_plans items [PILOTS] [FOLDER]

Normal worlds of items, raters and single ratings; the effect is stated by the user. 1 of 5 plans may fall
short of the promised power of .8. With `items`, pilots are items of ConvAbuse (and of the data sets of
LeWiDi in FOLDER, as for `benchmarks.held_out_plans`), and the truth is that of all items.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import numpy as np
from scipy.stats import norm

import nbyk
from benchmarks.held_out_plans import EFFECTS, RESPONSES, data_sets
from nbyk.metrics import get
from nbyk.planning.closed_form import solved
from nbyk.planning.pilot import Pilot
from nbyk.planning.request import Request
from nbyk.planning.result import Plan
from nbyk.priors import Response
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


def print_items(n_pilots: int, folder: Path | None) -> None:
    """Print a table of data sets, systems and pilots: how often each plan has the power, and its mean."""
    z_alpha, z_power = (NormalDist().inv_cdf(share) for share in (0.975, 0.8))
    print(
        "| data | answers | items | needed | best holds | mean power | N | assured holds | mean power | N |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, (ratings, levels) in data_sets(folder).items():
        response = Response("binary") if len(levels) == 2 else Response("likert", len(levels))
        unit = 1.0 if len(levels) == 2 else float(len(levels))
        matrix = (ratings.matrix() - levels[0]) / unit
        for kind in ("levels", "real"):
            effect, k = EFFECTS[name] / unit, RESPONSES[name]
            every = nbyk.PilotItems(name, matrix, response, system_answers=kind)
            truth = _planned(every, effect, k)
            signal = (z_alpha + z_power) / math.sqrt(truth.n_items)
            for n in (40, 80, 160):
                generator, sizes = np.random.default_rng(n), []
                for _ in range(n_pilots):
                    chosen = generator.choice(len(matrix), n, replace=False)
                    plan = _planned(replace(every, ratings=matrix[chosen]), effect, k)
                    if plan.assured is not None:
                        sizes.append((plan.n_items, plan.assured.n_items))
                powers = norm.cdf(np.sqrt(np.array(sizes)) * signal - z_alpha)
                held, mean, middle = (
                    (powers >= 0.8).mean(axis=0),
                    powers.mean(axis=0),
                    np.median(sizes, axis=0),
                )
                cells = (f"{held[at]:.2f} | {mean[at]:.2f} | {middle[at]:.0f}" for at in (0, 1))
                print(f"| {name} | {kind} | {n} | {truth.n_items} | {' | '.join(cells)} |", flush=True)


def _planned(items: nbyk.PilotItems, effect: float, k: int) -> Plan:
    return nbyk.plan(items, effect=effect, power=0.8, k_responses=k, precision=0.02, n_resamples=999)


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["items"]:
        numbers, folders = words[1:2], words[2:3]
        print_items(int(numbers[0]) if numbers else 40, Path(folders[0]) if folders else None)
    else:
        main(int(words[0]) if words else 200)
