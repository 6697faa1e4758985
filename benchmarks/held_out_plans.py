"""Plans against items that they did not see: planned from one random half, checked on the other.

    python -m benchmarks.held_out_plans [FOLDER] [--halves 4] [--sets 2000] [--known] [--labels [JOBS]]

FOLDER holds the folders of LeWiDi as they are published (HS-Brexit_dataset, ArMIS_dataset,
MD-Agreement_dataset); without it only ConvAbuse is checked, whose ratings come with nbyk. Each half is
written as a table and read as `nbyk plan --pilot` reads it, with its levels declared and with its ends
alone: one plan has to come out. The power at the planned size is then that of collections drawn from the
other half, in two ways:

- "redrawn": as nbyk draws collections, the effect made anew of what these items are like;
- "plain": numpy alone. K of an item's own ratings are drawn with replacement, A answers with the level
  nearest to the mean of all of them, B with that of the mean off by U(−ε, ε), and a t-test decides.

`--labels` plans for the same data as labels, with the plan "to be safe" and its redrawn power in two more
columns; their noise has the share ε. So it does for those of JOBS, a long table of items, raters and labels.
After them stands how far off .8 the redrawn power is expected to be, as halves of one prior differ by chance,
and with it the chance to be within .04.
`--known` asks which way is right, on simulated items whose true shares of yes give a third power.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.spatial import distance

from nbyk.cli.labels import read_labels
from nbyk.cli.pilot import PilotFiles, pilot_scale
from nbyk.data import Ratings, load_source
from nbyk.data.columns import Columns
from nbyk.data.layouts import Mending
from nbyk.data.parsers import parse_lewidi
from nbyk.metrics import get
from nbyk.metrics.registry import kind_scored
from nbyk.planning.long_run import epsilon_for_effect
from nbyk.planning.plan import plan
from nbyk.planning.power.estimate import power_of_test
from nbyk.priors import Response, fit_classes
from nbyk.priors.nominal import shares_of
from nbyk.resampling.labels import LabelledItems, LabelPopulation, counts_among
from nbyk.resampling.pilot_items import PilotItems, RedrawnPilot
from nbyk.resampling.streams import Streams, stream_key

Floats = NDArray[np.float64]

FOLDERS = {
    "HS-Brexit": "HS-Brexit_dataset",
    "ArMIS": "ArMIS_dataset",
    "MultiDomain-Agreement": "MD-Agreement_dataset",
}
RESPONSES = {"ConvAbuse": 3, "HS-Brexit": 6, "ArMIS": 3, "MultiDomain-Agreement": 5}
EFFECTS = {"ConvAbuse": 0.1, "HS-Brexit": 0.05, "ArMIS": 0.05, "MultiDomain-Agreement": 0.05}


def data_sets(folder: Path | None) -> dict[str, tuple[Ratings, tuple[float, ...]]]:
    """Return ratings and levels by name, on their own scale or on 0, 1, … of the levels."""
    convabuse = load_source("convabuse")
    ranks = convabuse.from_columns(
        [convabuse.items[i] for i in convabuse.item_index],
        [convabuse.raters[i] for i in convabuse.rater_index],
        1.0 + np.rint(5.0 * convabuse.values),
    )
    found: dict[str, tuple[Ratings, tuple[float, ...]]] = {"ConvAbuse": (ranks, (1.0, 2.0, 3.0, 4.0, 5.0))}
    if folder is not None:
        found |= {name: (parse_lewidi(folder / part), (0.0, 1.0)) for name, part in FOLDERS.items()}
    return found


def write(ratings: Ratings, items: NDArray[np.int64], path: Path) -> None:
    """Write the ratings of some items as a long table."""
    chosen = np.isin(ratings.item_index, items)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("item", "rater", "value"))
        for item, rater, value in zip(
            ratings.item_index[chosen], ratings.rater_index[chosen], ratings.values[chosen], strict=True
        ):
            table.writerow((ratings.items[item], ratings.raters[rater], f"{value:g}"))


def redrawn_power(pilot: PilotItems, n: int, k: int, effect: float, n_sets: int) -> float:
    """Return the share of collections from a pilot on which the effect is found."""

    def at(epsilon: float) -> RedrawnPilot:
        return RedrawnPilot(pilot, n, k, epsilon, 0.0, 0.0, 0.0, 1)

    epsilon = epsilon_for_effect(at, get("mae"), effect)
    found = power_of_test(at(epsilon), alternative="two-sided", n_sets=n_sets, seed=99, threads=2)
    return found.power


def plain_power(pilot: PilotItems, n: int, k: int, effect: float, n_sets: int) -> float:
    """Return the same where each item's own ratings are all that its raters would ever say."""
    generator = np.random.default_rng(7)
    ratings, levels = np.asarray(pilot.ratings), pilot.response.values
    steps, means = 1.0 / (levels[1] - levels[0]), np.nanmean(ratings, axis=1)
    counts = (~np.isnan(ratings)).sum(axis=1)
    signs = generator.uniform(-1.0, 1.0, (400, len(means)))

    def answers(mean: Floats) -> Floats:
        nearest: Floats = np.floor(np.clip(mean, 0.0, levels[-1]) * steps + 0.5) / steps
        return nearest

    def excess(epsilon: float) -> float:
        b, a = np.abs(answers(means + epsilon * signs) - means), np.abs(answers(means) - means)
        return float((b - a).mean()) - effect

    epsilon = optimize.brentq(excess, 0.0, 1.0, xtol=1e-4)
    rejected = 0
    for _ in range(n_sets):
        items = generator.integers(len(means), size=n)
        places = (generator.random((n, k)) * counts[items][:, None]).astype(int)
        gold = ratings[items[:, None], places].mean(axis=1)
        b = answers(means[items] + epsilon * generator.uniform(-1.0, 1.0, n))
        d = np.abs(b - gold) - np.abs(answers(means[items]) - gold)
        rejected += stats.ttest_1samp(d, 0.0).pvalue <= 0.05
    return rejected / n_sets


@dataclass(frozen=True)
class HeldOut:
    """A plan from one half of a data set's items, and its power on the other."""

    items: int
    n_items: int
    stated: float
    redrawn: float
    plain: float
    safe: str = ""
    """The size "to be safe", and the redrawn power there."""


def held_out(name: str, ratings: Ratings, levels: tuple[float, ...], half: int, n_sets: int) -> HeldOut:
    """Return the plan from a random half of the items, for .8, and its power on the other half.

    The levels and their ends declare the same pilot: this raises AssertionError if they do not.
    """
    k, effect = RESPONSES[name], EFFECTS[name]
    order = np.random.default_rng(half).permutation(ratings.n_items)
    cut = ratings.n_items // 2
    with tempfile.TemporaryDirectory() as folder:
        pilots = []
        for part, items in (("one", order[:cut]), ("other", order[cut:])):
            path = Path(folder) / f"{part}.csv"
            write(ratings, items, path)
            pilot = PilotFiles(path, None, Columns(), Mending(), (), by_gold=True)
            declared = ",".join(f"{level:g}" for level in levels)
            of_levels = pilot.read(pilot_scale(declared))
            of_ends = pilot.read(pilot_scale(f"{levels[0]}..{levels[-1]}"))
            assert of_levels.items.key() == of_ends.items.key()
            assert of_levels.scale is not None
            assert of_ends.scale is not None
            assert of_levels.scale.unit == of_ends.scale.unit
            pilots.append(of_levels)
    one, other = pilots
    assert one.scale is not None
    found = plan(one.items, effect=effect, scale=one.scale, power=0.8, k_responses=k, threads=2)
    asked = (found.n_items, k, effect / (one.scale.unit or 1.0), n_sets)
    redrawn, plain = redrawn_power(other.items, *asked), plain_power(other.items, *asked)
    return HeldOut(cut, found.n_items, found.power, redrawn, plain)


def label_sets(folder: Path | None, jobs: Path | None) -> dict[str, tuple[NDArray[np.int64], int]]:
    """Return counts of labels by item and class, and labels per item, by name."""
    found = {}
    if jobs is not None:
        labels, classes, _ = read_labels(jobs, Columns(), Mending())
        found[jobs.stem] = counts_among(labels.matrix(), len(classes)), 10
    if folder is not None:
        for name in ("HS-Brexit", "MultiDomain-Agreement"):
            ratings = parse_lewidi(folder / FOLDERS[name])
            found[name] = counts_among(ratings.matrix(), 2), RESPONSES[name]
    return found


def plain_power_of_labels(
    counts: NDArray[np.int64], n: int, k: int, metric: str, epsilon: float, n_sets: int
) -> float:
    """Return the power by numpy alone, where each item's own labels are all that its people would give."""
    generator = np.random.default_rng(7)
    classes, rejected = counts.shape[1], 0
    for _ in range(n_sets):
        own = counts[generator.integers(len(counts), size=n)]
        own = own / own.sum(axis=1, keepdims=True)
        noisy = (1.0 - epsilon) * own + epsilon * generator.dirichlet(np.full(classes, 1.0 / classes), n)
        runs = 1 if metric == "accuracy" else k
        gold, a, b = (generator.multinomial(of, p) / of for of, p in ((k, own), (runs, own), (runs, noisy)))
        if metric == "accuracy":
            best = gold == gold.max(axis=1, keepdims=True)
            d = ((a - b) * best).sum(axis=1) / best.sum(axis=1)
        else:
            d = distance.jensenshannon(gold, b, axis=1) ** 2 - distance.jensenshannon(gold, a, axis=1) ** 2
        rejected += stats.ttest_1samp(np.nan_to_num(d), 0.0).pvalue <= 0.05
    return rejected / n_sets


def held_out_labels(
    counts: NDArray[np.int64], k: int, metric: str, epsilon: float, half: int, n_sets: int
) -> HeldOut:
    """Return the plan for labels from a random half of the items, for .8, and its power on the other half."""
    order = np.random.default_rng(half).permutation(len(counts))
    cut = len(counts) // 2
    one, other = (
        LabelledItems(fit_classes("half", counts[rows], n_sets=1).prior, counts[rows])
        for rows in (order[:cut], order[cut:])
    )
    found = plan(one, epsilon=epsilon, metric=metric, power=0.8, k_responses=k, threads=2)
    runs = 1 if metric == "accuracy" else None
    at_size = LabelPopulation(other, found.n_items, k, epsilon, n_runs=runs)
    redrawn = power_of_test(at_size, metric, n_sets=n_sets, seed=99, threads=2).power
    plain = plain_power_of_labels(other.counts, found.n_items, k, metric, epsilon, n_sets)
    assert found.assured is not None
    safely = replace(at_size, n_items=found.assured.n_items)
    power = power_of_test(safely, metric, n_sets=n_sets, seed=99, threads=2).power
    return HeldOut(cut, found.n_items, found.power, redrawn, plain, f" {safely.n_items} | {power:.3f} |")


def sampling_sd(
    counts: NDArray[np.int64], k: int, metric: str, epsilon: float, n_sets: int, n_pairs: int = 20
) -> float:
    """Return how far the redrawn power is off .8 by sampling alone, the root of the mean square.

    Pairs of halves are drawn from the prior that all items are fitted to. With z for the level and .8, the
    power at the size that the first asks for is Φ((z_α + z_.8) s₂/s₁ − z_α), where s is the mean over the SD
    of items' effects. The Monte-Carlo errors of the stated power and of the redrawn one are added.
    """
    prior, generator = fit_classes("all", counts, n_sets=1).prior, np.random.default_rng(3)
    chosen, runs = get(metric, kind_scored(metric) or "classes"), 1 if metric == "accuracy" else None
    signals = np.empty((n_pairs, 2))
    for place in np.ndindex(signals.shape):
        labels = counts.sum(axis=1)[generator.permutation(len(counts))[: len(counts) // 2]]
        shares = shares_of(prior.draw(generator.uniform(1e-12, 1.0, (len(labels), prior.n_uniforms))))
        half = generator.multinomial(labels, shares)
        items = LabelledItems(fit_classes("half", half, n_sets=1).prior, half)
        streams = Streams(stream_key(sum(place), purpose="halves", n=int(generator.integers(2**31))), 0)
        population = LabelPopulation(items, 4096, k, epsilon, n_runs=runs)
        effects = population.item_effects([chosen], streams, 256)
        signals[place] = effects.mean() / effects.std()
    z_alpha, z_power = stats.norm.ppf((0.975, 0.8))
    powers = stats.norm.cdf((z_alpha + z_power) * signals[:, 1] / signals[:, 0] - z_alpha)
    return float(np.sqrt(((powers - 0.8) ** 2).mean() + 0.01**2 + 0.16 / n_sets))


def true_power(shares: Floats, n: int, k: int, effect: float, n_sets: int, rng: np.random.Generator) -> float:
    """Return the power where the true share of yes of every item is known."""

    def answers(share: Floats) -> Floats:
        nearest: Floats = (share >= 0.5).astype(float)
        return nearest

    signs = rng.uniform(-1.0, 1.0, (200, len(shares)))

    def excess(epsilon: float) -> float:
        b, a = np.abs(answers(shares + epsilon * signs) - shares), np.abs(answers(shares) - shares)
        return float((b - a).mean()) - effect

    epsilon = optimize.brentq(excess, 0.0, 1.0, xtol=1e-4)
    rejected = 0
    for _ in range(n_sets):
        drawn = rng.choice(shares, n)
        gold = rng.binomial(k, drawn) / k
        b = answers(drawn + epsilon * rng.uniform(-1.0, 1.0, n))
        rejected += stats.ttest_1samp(np.abs(b - gold) - np.abs(answers(drawn) - gold), 0.0).pvalue <= 0.05
    return rejected / n_sets


def print_known(n_sets: int) -> None:
    """Print the powers of plans from pilots of K ratings on each item, and the true power."""
    for a, b, k, n_items in ((0.6, 0.9, 5, 5000), (0.5, 0.7, 3, 471), (0.5, 0.7, 3, 4000)):
        for seed in range(2):
            rng = np.random.default_rng(seed)
            shares = rng.beta(a, b, 2 * n_items)
            ratings = (rng.random((2 * n_items, k)) < shares[:, None]).astype(float)
            one, other = (PilotItems("known", half, Response("binary")) for half in np.split(ratings, 2))
            found = plan(one, effect=0.05, power=0.8, k_responses=k, threads=2)
            asked = (found.n_items, k, 0.05, n_sets)
            powers = redrawn_power(other, *asked), plain_power(other, *asked)
            true = true_power(rng.beta(a, b, 20_000), *asked, rng)
            print(f"K = {k}, {n_items} items: stated {found.power:.3f}, redrawn {powers[0]:.3f}, ", end="")
            print(f"plain {powers[1]:.3f}, true {true:.3f}", flush=True)


def main() -> None:
    """Print a row for every data set and random half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--halves", type=int, default=4)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--labels", nargs="?", const="", metavar="JOBS")
    options = parser.parse_args()
    if options.known:
        print_known(options.sets)
        return
    columns = ["data", "half", "items", "K", "effect", "N", "stated", "redrawn", "plain"]
    columns += (
        ["N to be safe", "redrawn", "off by sampling", "within .04"] if options.labels is not None else []
    )
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")

    def show(found: HeldOut, name: str, half: int, k: int, effect: str) -> None:
        shown = " | ".join(f"{power:.3f}" for power in (found.stated, found.redrawn, found.plain))
        asked = f"{name} | {half + 1} | {found.items} | {k} | {effect}"
        print(f"| {asked} | {found.n_items} | {shown} |{found.safe}", flush=True)

    if options.labels is not None:
        jobs = Path(options.labels) if options.labels else None
        for name, (counts, k) in label_sets(options.folder, jobs).items():
            for metric, epsilon in (("accuracy", 0.2), ("js_divergence", 0.1)):
                sd = sampling_sd(counts, k, metric, epsilon, options.sets)
                within = 1.0 - 2.0 * stats.norm.sf(0.04 / sd)
                for half in range(options.halves):
                    of_labels = held_out_labels(counts, k, metric, epsilon, half, options.sets)
                    of_labels = replace(of_labels, safe=f"{of_labels.safe} {sd:.3f} | {within:.2f} |")
                    show(of_labels, name, half, k, f"{metric}, ε = {epsilon:g}")
        return
    for name, (ratings, levels) in data_sets(options.folder).items():
        for half in range(options.halves):
            found = held_out(name, ratings, levels, half, options.sets)
            show(found, name, half, RESPONSES[name], f"{EFFECTS[name]:g}")
    print("done", file=sys.stderr)


if __name__ == "__main__":
    main()
