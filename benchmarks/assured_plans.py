"""How often a plan from a pilot reaches the power that it promises: best guess and assured plan.

python -m benchmarks.assured_plans [PILOTS]
python -m benchmarks.assured_plans items [PILOTS] [FOLDER]
python -m benchmarks.assured_plans labels [PILOTS]

Normal worlds of items, raters and single ratings; the effect is stated by the user. 1 of 5 plans may fall
short of the promised power of .8. With `items`, pilots are items of ConvAbuse (and of the data sets of
LeWiDi in FOLDER, as for `benchmarks.held_out_plans`), and the truth is that of all items. With `labels`,
pilots are items that a prior of classes draws, each labelled by people of its own, and the truth is the
plan from the prior.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
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
from nbyk.priors import ClassPrior, Response, fit_classes
from nbyk.priors.nominal import shares_of
from nbyk.priors.prior import ItemSource
from nbyk.resampling.labels import LabelledItems
from nbyk.testing.shared_units.power import power_with_people
from nbyk_papers.pandita2026.design import PRIORS

LABEL_EFFECTS = {"accuracy": 0.08, "js_divergence": 0.02}
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
    _print_columns("data", "answers")
    for name, (ratings, levels) in data_sets(folder).items():
        response = Response("binary") if len(levels) == 2 else Response("likert", len(levels))
        unit = 1.0 if len(levels) == 2 else float(len(levels))
        matrix = (ratings.matrix() - levels[0]) / unit
        for kind in ("levels", "real"):
            effect, k = EFFECTS[name] / unit, RESPONSES[name]
            every = nbyk.PilotItems(name, matrix, response, system_answers=kind)
            needed = _planned(every, effect, k, precision=0.005).n_items
            for n in (40, 80, 160):
                generator, plans = np.random.default_rng(n), []
                for _ in range(n_pilots):
                    chosen = generator.choice(len(matrix), n, replace=False)
                    plans.append(_planned(replace(every, ratings=matrix[chosen]), effect, k))
                _print_row(f"{name} | {kind} | {n}", needed, plans)


def print_labels(n_pilots: int) -> None:
    """Print the same for pilots of labels: priors, metrics and numbers of labelled items."""
    _print_columns("prior", "metric, effect")
    for (name, k), (metric, effect) in product((("jobs_q1", 10), ("toxicity", 5)), LABEL_EFFECTS.items()):
        prior = ClassPrior(name, PRIORS[name])
        needed = _planned(prior, effect, k, metric, precision=0.005).n_items
        for n in (100, 400):
            generator, plans = np.random.default_rng(n), []
            for _ in range(n_pilots):
                shares = shares_of(prior.draw(generator.uniform(1e-12, 1.0, (n, prior.n_uniforms))))
                counts = generator.multinomial(k, shares)
                items = LabelledItems(fit_classes(name, counts, n_sets=1).prior, counts)
                plans.append(_planned(items, effect, k, metric))
            _print_row(f"{name} | {metric}, {effect:g} | {n}", needed, plans)


def _print_columns(*first: str) -> None:
    columns = (*first, "items", "needed", "best holds", "mean power", "N", "assured holds", "mean power", "N")
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")


def _print_row(start: str, needed: int, plans: Sequence[Plan]) -> None:
    """Print how often plans, and their assured ones, have the power where `needed` items have one of .8."""
    z_alpha, z_power = (NormalDist().inv_cdf(share) for share in (0.975, 0.8))
    sizes = [(plan.n_items, plan.assured.n_items) for plan in plans if plan.assured is not None]
    powers = norm.cdf(np.sqrt(np.array(sizes) / needed) * (z_alpha + z_power) - z_alpha)
    held, mean, middle = (powers >= 0.8).mean(axis=0), powers.mean(axis=0), np.median(sizes, axis=0)
    cells = (f"{held[at]:.2f} | {mean[at]:.2f} | {middle[at]:.0f}" for at in (0, 1))
    print(f"| {start} | {needed} | {' | '.join(cells)} |", flush=True)


def _planned(
    items: ItemSource, effect: float, k: int, metric: str = "mae", *, precision: float = 0.02
) -> Plan:
    size = partial(nbyk.plan, power=0.8, k_responses=k, precision=precision, n_resamples=999)
    return size(items, metric=metric, effect=effect)


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["items"]:
        numbers, folders = words[1:2], words[2:3]
        print_items(int(numbers[0]) if numbers else 40, Path(folders[0]) if folders else None)
    elif words[:1] == ["labels"]:
        print_labels(int(words[1]) if words[1:] else 40)
    else:
        main(int(words[0]) if words else 200)
