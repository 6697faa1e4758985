"""The steps of Fornaciari et al. 2022: p-values of simulated test sets of labels, and Type-I errors.

The numbers of right answers of two systems are given, not drawn. A paper may print scores but not
predictions. Its test then depends on a number that it does not print: the share of items on which exactly one
of the two systems is right. This share, the discordance, is a parameter here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nbyk.arrays import Booleans, Floats, Integers
from nbyk.errors import NbykError
from nbyk.resampling.streams import CHUNK, StreamKey, Streams, chunks, stream_key
from nbyk.testing.intervals import proportion_interval
from nbyk_papers.boostsa2022.design import (
    EXAMPLE_COUNTS,
    LEAD,
    SEMANTICS,
    TAGGED_ITEMS,
    TAGGED_RIGHT_A,
    TAGGED_RIGHT_B,
)
from nbyk_papers.boostsa2022.label_bootstrap import Semantics, label_bootstraps

if TYPE_CHECKING:
    from nbyk.studies.steps import Work


N_CLASSES = 12
SHARE_EXPONENT = 1.5
"""Class number r of a tagging set has a share of the items proportional to r to the power of minus this."""

RARITY_EXPONENT = 0.65
"""An item's chance to be hard is proportional to its class's share to the power of minus this.

At Figure 2's accuracies the macro F1 is then near Figure 2's.
"""


class LabelSet(NamedTuple):
    """A test set with the predictions of two systems, arrays of shape (N,)."""

    target: Integers
    a: Integers
    b: Integers

    @property
    def discordance(self) -> float:
        """Share of the items that exactly one system has right."""
        return float(((self.a == self.target) != (self.b == self.target)).mean())


def balanced_set(generator: np.random.Generator, *, n_items: int, accuracy: float, lead: float) -> LabelSet:
    """Return a test set of two classes, half of the items each, on which systems err independently.

    Within either class B has a share `accuracy` right, rounded to whole items, and A has `lead` more, on
    items drawn independently. Every hard score of a system is therefore its accuracy. `lead` · N/2 is a whole
    number.
    """
    per_class = n_items // 2
    ahead, right_b = round(lead * per_class), round(accuracy * per_class)
    if n_items % 2 or abs(ahead - lead * per_class) > 1e-6:
        raise NbykError(
            f"n_items: found {n_items}; expected an even number of which a lead of {lead:g} is a whole "
            "number in either half, as it is of multiples of 200 where it is .01"
        )
    if not 0 <= right_b <= right_b + ahead <= per_class:
        raise NbykError(f"accuracy: found {accuracy:g} and a lead of {lead:g}; expected both in [0, 1]")
    target = np.repeat([0, 1], per_class)
    predictions = []
    for right in (right_b + ahead, right_b):
        is_right = np.concatenate([_chosen(generator, per_class, right) for _ in range(2)])
        predictions.append(np.where(is_right, target, 1 - target))
    return LabelSet(target, *predictions)


def tagging_set(
    generator: np.random.Generator, *, n_items: int, right_a: int, right_b: int, discordance: float
) -> LabelSet:
    """Return a test set of twelve classes, of which few are frequent and the rare ones are hard.

    The hard items (those that not both have right) are drawn by class, with `RARITY_EXPONENT`. Among them,
    those that exactly one system has right, a share `discordance` of all, rounded to what the two numbers
    allow, are spread evenly over the classes, and so are those that B has right. A wrong prediction is
    another class, drawn by its share.
    """
    lead = right_a - right_b
    only_b = round((discordance * n_items - lead) / 2)
    only_a = only_b + lead
    neither = n_items - right_b - only_a
    if min(only_a, only_b, neither) < 0:
        least, most = abs(lead) / n_items, (2 * (n_items - max(right_a, right_b)) + abs(lead)) / n_items
        raise NbykError(
            f"discordance: found {discordance:g}; with {right_a} and {right_b} of {n_items} right, expected "
            f"a share from {least:.4f} to {most:.4f}"
        )
    shares = np.arange(1, N_CLASSES + 1) ** -SHARE_EXPONENT
    shares /= shares.sum()
    ends = np.rint(shares.cumsum() * n_items)
    target = np.searchsorted(ends, np.arange(n_items), side="right")
    weights = shares[target] ** -RARITY_EXPONENT
    n_hard = neither + only_a + only_b
    hard = generator.choice(n_items, n_hard, replace=False, p=weights / weights.sum())
    hard = hard[np.argsort(target[hard], kind="stable")]
    only_one = _evenly(generator, n_hard, only_a + only_b)
    right_by_b = only_one.copy()
    right_by_b[only_one] = _evenly(generator, only_a + only_b, only_b)
    a, b = target.copy(), target.copy()
    wrong_of_a, wrong_of_b = hard[~only_one | right_by_b], hard[~right_by_b]
    for predicted, wrong in ((a, wrong_of_a), (b, wrong_of_b)):
        predicted[wrong] = _other_classes(generator, target[wrong], shares)
    return LabelSet(target, a, b)


def counted_set(counts: Mapping[tuple[int, int, int], int]) -> LabelSet:
    """Return the test set with the given number of each (target, prediction of A, prediction of B)."""
    rows = np.repeat(np.array(list(counts)), list(counts.values()), axis=0)
    return LabelSet(*rows.T)


def _chosen(generator: np.random.Generator, n: int, size: int) -> Booleans:
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[generator.choice(n, size, replace=False)] = True
    return chosen


def _evenly(generator: np.random.Generator, n: int, size: int) -> Booleans:
    """Return which `size` of n places in a row are taken, at equal distances from a random start."""
    taken = np.zeros(n, dtype=np.bool_)
    taken[np.floor((np.arange(size) + generator.random()) * n / max(size, 1)).astype(np.int64)] = True
    return taken


def _other_classes(generator: np.random.Generator, own: Integers, shares: NDArray[np.floating]) -> Integers:
    """Return a class other than each item's own, drawn by the shares of the classes."""
    ends = shares.cumsum()
    place = generator.random(len(own)) * (1.0 - shares[own])
    place += np.where(place >= ends[own] - shares[own], shares[own], 0.0)
    return np.searchsorted(ends, place, side="right").clip(max=len(shares) - 1)


_CLASSES = (0.5, 0.3, 0.2)
_HARD_ACCURACY = 0.75
_HARD_COPIED = 0.5
_SOFT_CONCENTRATION = 2.0
_SOFT_NOISE = 0.4

Kind: TypeAlias = Literal["hard", "soft"]
Predictions: TypeAlias = Integers | Floats


def equally_good(
    kind: Kind, n_items: int, chunk: int, size: int, seed: int = 0
) -> list[tuple[Predictions, ...]]:
    """Return targets and predictions of A and B for the first `size` sets of a chunk; both are equally good.

    A and B are exchangeable: hard labels of three classes are right with a chance of ¾, and equal the other
    system's label half of the time. Soft labels are the target mixed with noise of each system.
    """
    draw = Streams(stream_key(seed, purpose="label level", kind=kind, n_items=n_items), chunk).generator(
        "sets"
    )
    return [_hard_set(draw, n_items) if kind == "hard" else _soft_set(draw, n_items) for _ in range(size)]


def _hard_set(draw: np.random.Generator, n_items: int) -> tuple[Predictions, ...]:
    target = draw.choice(len(_CLASSES), n_items, p=_CLASSES)
    a, other = (
        np.where(
            draw.random(n_items) < _HARD_ACCURACY, target, draw.choice(len(_CLASSES), n_items, p=_CLASSES)
        )
        for _ in range(2)
    )
    return target, a, np.where(draw.random(n_items) < _HARD_COPIED, a, other)


def _soft_set(draw: np.random.Generator, n_items: int) -> tuple[Predictions, ...]:
    concentration = _SOFT_CONCENTRATION * np.array(_CLASSES)
    target, *noise = draw.dirichlet(concentration, (3, n_items))
    a, b = ((1.0 - _SOFT_NOISE) * target + _SOFT_NOISE * of_system for of_system in noise)
    return target, a, b


Draw = Callable[[np.random.Generator], LabelSet]


@dataclass(frozen=True)
class LabelTests:
    """Tests of simulated test sets: hard scores, shares f that a resample draws, and how many."""

    scores: Sequence[str]
    fractions: Sequence[float]
    n_simulations: int
    n_resamples: int
    seed: int


@dataclass(frozen=True)
class LevelTests:
    """Tests of equally good systems: hard or soft scores, shares f that a resample draws, and how many."""

    scores: Sequence[str]
    fractions: Sequence[float]
    n_items: int
    semantics: Semantics
    n_sets: int
    n_resamples: int
    alpha: float
    seed: int


def balanced(
    *, n_items: int, accuracy: float, tests: LabelTests, work: Work
) -> tuple[pa.Table, dict[str, Any]]:
    """Test two balanced classifiers, A one point better, at one test-set size (Figure 1).

    The table has one row per set, semantics, share and score.
    """
    key = stream_key(tests.seed, purpose="balanced labels", n_items=n_items, accuracy=accuracy)

    def draw(generator: np.random.Generator) -> LabelSet:
        return balanced_set(generator, n_items=n_items, accuracy=accuracy, lead=LEAD)

    return _p_values(key, draw, tests, work)


def tagging(*, discordance: float, tests: LabelTests, work: Work) -> tuple[pa.Table, dict[str, Any]]:
    """Test two taggers with the right answers of Figure 2's on as many items, as `balanced`.

    `discordance` is the share of items that exactly one tagger has right.
    """
    counts = {"n_items": TAGGED_ITEMS, "right_a": TAGGED_RIGHT_A, "right_b": TAGGED_RIGHT_B}
    key = stream_key(tests.seed, purpose="tagging labels", discordance=discordance, **counts)

    def draw(generator: np.random.Generator) -> LabelSet:
        return tagging_set(generator, discordance=discordance, **counts)

    return _p_values(key, draw, tests, work, discordance)


def example(*, tests: LabelTests, work: Work) -> tuple[pa.Table, dict[str, Any]]:
    """Test the two systems of the printed example (Figure 3); simulations differ in resamples alone."""
    key = stream_key(tests.seed, purpose="example labels")
    return _p_values(key, lambda _: counted_set(EXAMPLE_COUNTS), tests, work)


def levels(*, kind: Kind, tests: LevelTests, work: Work) -> tuple[pa.Table, dict[str, Any]]:
    """Measure how often the test rejects if both systems are equally good (`equally_good`).

    All shares see the same test sets. The table has a row for each score and share: with the rate its exact
    95 % interval low and high, and band_low and band_high, between which 99 % of the rates of an exact test
    lie.
    """
    from scipy.stats import binom

    def rejections(chunk_and_size: tuple[int, int]) -> Integers:
        chunk, size = chunk_and_size
        n_rejected = np.zeros((len(tests.scores), len(tests.fractions)), np.int64)
        for place, (target, a, b) in enumerate(equally_good(kind, tests.n_items, chunk, size, tests.seed)):
            by_fraction = label_bootstraps(
                target,
                a,
                b,
                tests.scores,
                fractions=tests.fractions,
                n_classes=len(_CLASSES),
                semantics=tests.semantics,
                n_resamples=tests.n_resamples,
                seed=chunk * CHUNK + place,
            )
            for f, test in enumerate(by_fraction):
                n_rejected[:, f] += [comparison.p <= tests.alpha for comparison in test.comparisons]
        return n_rejected

    with ThreadPoolExecutor(max(1, work.threads)) as pool:
        counts = np.sum(list(pool.map(rejections, chunks(tests.n_sets))), axis=0)
    same = {name: getattr(tests, name) for name in ("alpha", "n_sets", "n_resamples")}
    band_low, band_high = (binom.ppf([0.005, 0.995], tests.n_sets, tests.alpha) / tests.n_sets).tolist()
    rows = []
    for score, score_counts in zip(tests.scores, counts.tolist(), strict=True):
        for fraction, count in zip(tests.fractions, score_counts, strict=True):
            low, high = proportion_interval(count, tests.n_sets)
            rows.append(
                {"n_items": tests.n_items, "semantics": tests.semantics, "score": score, "fraction": fraction}
                | {**same, "rejections": count, "rate": count / tests.n_sets, "low": low, "high": high}
                | {"band_low": band_low, "band_high": band_high}
            )
    return pa.Table.from_pylist(rows), {"M": tests.n_resamples}


def _p_values(
    key: StreamKey, draw: Draw, tests: LabelTests, work: Work, discordance: float | None = None
) -> tuple[pa.Table, dict[str, Any]]:
    """Simulate test sets, which depend on the key and their own numbers alone, and test each."""
    rows: list[dict[str, Any]] = []
    with work.progress(tests.n_simulations):
        for simulation in range(tests.n_simulations):
            data = draw(np.random.default_rng(key.seed_sequence("set", simulation)))
            seed = int(key.word("resamples", simulation))
            for semantics in SEMANTICS:
                by_fraction = label_bootstraps(
                    *data,
                    tests.scores,
                    fractions=tests.fractions,
                    semantics=semantics,
                    n_resamples=tests.n_resamples,
                    seed=seed,
                    threads=work.threads,
                )
                for fraction, test in zip(tests.fractions, by_fraction, strict=True):
                    rows += [
                        {
                            "simulation": simulation,
                            "n_items": len(data.target),
                            "discordance": data.discordance if discordance is None else discordance,
                            "semantics": semantics,
                            "fraction": fraction,
                            "n_drawn": test.n_drawn,
                            **vars(comparison),
                            "score": comparison.score.name,
                            "n_resamples": tests.n_resamples,
                        }
                        for comparison in test.comparisons
                    ]
            work.advance(1)
    return pa.Table.from_pylist(rows), {"M": tests.n_resamples}
