"""Level and power of tests of a mean over items where the items' effects are skewed, and where they are not.

Run ``python -m benchmarks.skewed_items FILE``; without FILE, it prints the table of docs/compare.md. A set
has N items, and each an effect with mean 0 (level) or 3/√N standard deviations (power). The sign flips of
`nbyk.compare` ("swap") are compared with t after the inverse Cornish–Fisher step ("step",
`nbyk.testing.skewness`), and with the larger of both p where the items' own skewness is significant at a
level ("gate 0.05") or always ("both"). "chosen" is `nbyk.testing.systems.items_alone`, and "no reserve"
counts only those of its verdicts that have no reserve.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import skewtest, t

from nbyk.testing.pvalues import Alternative, PValue
from nbyk.testing.results import standing
from nbyk.testing.systems.items_alone import of_effects

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

RATES = Path(__file__).with_suffix(".csv")
SIZES = (10, 20, 30, 50, 100, 300)
SETS, FLIPS = 4_000, 1_999
SHIFT = 3.0
LEVELS = (0.05, 0.01)
GATES = (0.01, 0.05, 0.2)


def _rare(share: float, noise: float) -> Draw:
    """Return items of which a share has 1 more than the others; noise has this standard deviation."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return (rng.random(shape) < share) - share + noise * rng.standard_normal(shape)

    return draw


def _two_sided_rare(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    kinds = rng.choice([-1.0, 0.0, 1.0], shape, p=[0.05, 0.9, 0.05])
    return kinds + 0.05 * rng.standard_normal(shape)


def _levels(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Return the differences of two systems' ratings from 1 to 5."""
    a, b = rng.choice(5, (2, *shape), p=[0.05, 0.1, 0.2, 0.35, 0.3])
    return np.asarray(a - b, dtype=np.float64)


def _squared_errors(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Return the differences of squared errors of two systems, of which B's are sometimes far off."""
    tail = np.where(rng.random(shape) < 0.1, 3.0, np.sqrt((1.0 - 0.1 * 9.0) / 0.9))
    a, b = rng.standard_normal(shape), tail * rng.standard_normal(shape)
    return np.asarray(b**2 - a**2)


RARE = {
    "20 % rare": (0.2, 0.05),
    "10 % rare": (0.1, 0.05),
    "5 % rare": (0.05, 0.05),
    "5 % rare, noise .2": (0.05, 0.2),
    "2 % rare": (0.02, 0.05),
}
"""By name, the share of rare items and the standard deviation of the noise."""

LARGEST = {"levels 1 to 5": 4.0, "5 % each way": 1.0, **dict.fromkeys(RARE, 1.0)}
"""The largest effect of an item where the scale tells it; else it is the range of the effects seen."""

WORLDS: dict[str, tuple[bool, Draw]] = {
    "normal": (True, lambda rng, shape: rng.standard_normal(shape)),
    "uniform": (True, lambda rng, shape: rng.random(shape) - 0.5),
    "Laplace": (True, lambda rng, shape: rng.laplace(size=shape)),
    "t with 3 df": (True, lambda rng, shape: rng.standard_t(3, shape)),
    "levels 1 to 5": (True, _levels),
    "5 % each way": (True, _two_sided_rare),
    "gamma, skewness 1": (False, lambda rng, shape: rng.gamma(4.0, size=shape) - 4.0),
    "exponential": (False, lambda rng, shape: rng.exponential(size=shape) - 1.0),
    "lognormal": (False, lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5)),
    "squared errors": (False, _squared_errors),
    **{name: (False, _rare(share, noise)) for name, (share, noise) in RARE.items()},
}
"""By name, whether the effects are symmetric around their mean, and how to draw sets of them, (sets, N)."""


def tails(effects: Floats, flips: Floats) -> dict[str, Floats]:
    """Return the one-sided p of "A is better" and "B is better" by each test, shape (2, sets)."""
    n = effects.shape[1]
    flipped, observed = effects @ flips, effects.sum(axis=1, keepdims=True)
    ties = 1e-10 * np.abs(effects).sum(axis=1, keepdims=True)
    reached = np.stack([(flipped >= observed - ties).sum(axis=1), (flipped <= observed + ties).sum(axis=1)])
    swap = (1.0 + reached) / (1.0 + flips.shape[1])
    means = effects.mean(axis=1)
    errors = effects.std(axis=1, ddof=1) / np.sqrt(n)
    thirds = n * ((effects - means[:, None]) ** 3).sum(axis=1) / ((n - 1) * (n - 2))
    skewness = thirds / n**2 / errors**3
    found = {"swap": swap, "t": _by_t(means / errors, n)}
    for name, c in (("step c=1", 1.0), ("step", 1.0 + 24.0 / n)):
        found[name] = _by_t(stepped(means / errors, skewness, c), n)
    found["both"] = np.maximum(swap, found["step"])
    skewed = skewtest(effects, axis=1).pvalue
    for gate in GATES:
        found[f"gate {gate:g}"] = np.where(skewed <= gate, found["both"], swap)
        found[f"step at {gate:g}"] = np.where(skewed <= gate, found["step"], swap)
    return found


def chosen(
    effects: Floats, swap: Floats, level: float, *, largest: float | None
) -> Iterator[tuple[bool, int]]:
    """Yield whether each set's two-sided verdict has a reserve, and its sign: 0 if there is no verdict."""
    for of_set, (greater, less) in zip(effects, swap.T.tolist(), strict=True):
        sides: tuple[tuple[Alternative, float], ...] = (
            ("greater", greater),
            ("less", less),
            ("two-sided", min(1.0, 2.0 * min(greater, less))),
        )
        result = of_effects(
            of_set,
            {side: PValue(p, 0.0, side) for side, p in sides},
            (0.0, 0.0),
            level=1.0 - level,
            alternative="two-sided",
            largest=float(np.ptp(np.append(of_set, 0.0))) if largest is None else largest,
            bounded=largest is not None,
        )
        is_a = result.p["greater"].p < result.p["less"].p
        sign = 0 if result.p["two-sided"].p > level else 1 if is_a else -1
        yield bool(standing(result.doubts, result.p["two-sided"].p, level)), sign


def stepped(sizes: Floats, skewness: Floats, c: float) -> Floats:
    """Return `nbyk.testing.skewness.corrected` of many t."""
    a = c * np.maximum(-np.sign(sizes) * skewness, 0.0) / 6.0
    beyond = np.abs(sizes) - a
    root = np.sqrt(np.maximum(1.0 + 8.0 * a * beyond, 0.0))
    return np.asarray(
        np.sign(sizes) * np.maximum(np.where(a > 0.0, 2.0 * beyond / (1.0 + root), beyond), 0.0)
    )


def _by_t(sizes: Floats, n: int) -> Floats:
    return np.stack([t.sf(sizes, n - 1), t.cdf(sizes, n - 1)])


def rows(seed: int = 1, n_sets: int = SETS) -> Iterator[dict[str, object]]:
    """Yield the rates of each test in each world: two-sided at .05 and .01, by tail at .025, and power."""
    for place, (world, (symmetric, draw)) in enumerate(WORLDS.items()):
        spread = draw(np.random.default_rng([seed, place]), (1, 1_000_000)).std()
        for n in SIZES:
            rng = np.random.default_rng([seed, place, n])
            flips = rng.choice([-1.0, 1.0], (n, FLIPS))
            null = draw(rng, (n_sets, n))
            under = tails(null, flips)
            shifted = tails(null + SHIFT * spread / np.sqrt(n), flips)
            for test, p in under.items():
                signs = [_signs(p, level) for level in LEVELS]
                yield _row(world, symmetric, n, test, signs, _signs(shifted[test], LEVELS[0]))
            verdicts = [
                np.array(list(chosen(sets, p["swap"], level, largest=LARGEST.get(world))))
                for sets, p, level in (
                    (null, under, LEVELS[0]),
                    (null, under, LEVELS[1]),
                    (null + SHIFT * spread / np.sqrt(n), shifted, LEVELS[0]),
                )
            ]
            yield _row(world, symmetric, n, "chosen", [v[:, 1] for v in verdicts[:2]], verdicts[2][:, 1])
            bare = [np.where(reserve, 0, sign) for reserve, sign in (v.T for v in verdicts)]
            yield _row(world, symmetric, n, "no reserve", bare[:2], bare[2])


def _signs(p: Floats, level: float) -> Floats:
    """Return 1 where A is better, −1 where B is and 0 elsewhere, two-sided, from both one-sided p."""
    return np.where(2.0 * p.min(axis=0) <= level, np.where(p[0] < p[1], 1.0, -1.0), 0.0)


def _row(
    world: str, symmetric: bool, n: int, test: str, under: Sequence[Floats], shifted: Floats
) -> dict[str, object]:
    at_5, at_1 = under
    return {
        "world": world,
        "symmetric": symmetric,
        "n_items": n,
        "test": test,
        "level .05": float(np.mean(at_5 != 0)),
        "level .01": float(np.mean(at_1 != 0)),
        "A at .025": float(np.mean(at_5 > 0)),
        "B at .025": float(np.mean(at_5 < 0)),
        "power": float(np.mean(shifted > 0)),
    }


SHOWN = (
    "normal",
    "t with 3 df",
    "5 % each way",
    "exponential",
    "lognormal",
    "squared errors",
    "10 % rare",
    "5 % rare",
    "2 % rare",
)


def table(path: Path = RATES) -> str:
    """Return the rates of the file in the form of docs/compare.md."""
    with path.open(encoding="utf-8", newline="") as stream:
        found = {(row["world"], int(row["n_items"]), row["test"]): row for row in csv.DictReader(stream)}

    def cell(world: str, n: int) -> str:
        swap, nbyk, bare = (found[world, n, test] for test in ("swap", "chosen", "no reserve"))
        levels = " / ".join(_short(row["level .05"]) for row in (swap, nbyk, bare))
        return f"{levels}; {_short(swap['power'])} / {_short(nbyk['power'])}"

    sizes = (20, 30, 100, 300)
    head = ["effects of the items", *(f"N = {n}" for n in sizes)]
    lines = [head, ["---"] * len(head), *([name, *(cell(name, n) for n in sizes)] for name in SHOWN)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _short(rate: str) -> str:
    return f"{float(rate):.2f}".removeprefix("0")


def main() -> None:
    """Write the rates as CSV, or print the table of those that are there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.skewed_items", description=__doc__)
    parser.add_argument("file", nargs="?", help="the CSV to write, in place of printing the table")
    path = parser.parse_args().file
    if path is None:
        print(table())
        return
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer: csv.DictWriter[str] | None = None
        for row in rows():
            if writer is None:
                writer = csv.DictWriter(stream, row, lineterminator="\n")
                writer.writeheader()
            shown = {name: f"{cell:.4g}" if isinstance(cell, float) else cell for name, cell in row.items()}
            writer.writerow(shown)


if __name__ == "__main__":
    main()
