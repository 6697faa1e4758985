"""Which test of label predictions holds its level where the same people rated all items.

Run as `python -m benchmarks.label_raters [--sets 400]`; the table goes to `benchmarks/label_raters.csv`, and
docs/labels.md has what follows from it.

Three tests see the same sets (`equally_good_rated`), two-sided at .05:

- items: the bootstrap of items, with these raters;
- crossed: items and raters drawn together, of J raters J − 1, p from d* − d;
- t: the variance of that over items, plus that over raters by the jackknife, less what both count, by t.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from nbyk.data.labels import check_labels
from nbyk.data.units import Units
from nbyk.labels import label_bootstrap
from nbyk.labels.raters import RatedTargets, rater_components
from nbyk.labels.scores import choose_scores
from nbyk.labels.targets import Ties
from nbyk.metrics.label_scores import Kind
from nbyk.resampling.streams import CHUNK, Streams, chunks, stream_key
from nbyk_papers.boostsa2022.level import Predictions

SCORES = {"hard": ["accuracy", "f1_macro"], "soft": ["cross_entropy", "js_divergence", "entropy_correlation"]}
KINDS: tuple[Kind, ...] = ("soft", "hard")
SETTINGS = [
    (kind, n_raters, per_item, lean)
    for lean in (1.0, 0.0, 0.5)
    for n_raters, per_item in ((5, None), (20, None), (20, 5))
    for kind in KINDS
]
N_ITEMS = 200
DRAWS = 499
OUT = Path(__file__).with_suffix(".csv")
ITEM_SD = 1.5
SYSTEM_SD = 0.5
ERR = 0.4
"""Logits: the spread of items, each system's noise, and the opposite errors of A and B."""


def equally_good_rated(
    kind: Kind,
    n_items: int,
    n_raters: int,
    chunk: int,
    size: int,
    *,
    lean: float,
    per_item: int | None = None,
) -> list[tuple[NDArray[np.int64], Predictions, Predictions]]:
    """Return ratings and predictions of A and B for sets on which neither is better over new raters.

    Two of three classes are mirror images of each other. Rater j prefers the first of them to the second by λ
    z_j on the scale of logits, with z standard normal. A errs towards one and B towards the other. So the
    raters in a set decide which system looks better, and over new raters both are equally good.

    Parameters
    ----------
    kind
        "hard" or "soft" predictions.
    n_items, n_raters
        Items N, and raters J.
    chunk, size
        The number of the chunk of sets, and how many of its sets to return, at most `CHUNK`.
    lean
        λ, the spread of raters.
    per_item
        Number of raters of an item, drawn separately for each item; all by default.

    Returns
    -------
    list of tuple
        Ratings of shape (N, J) (places of classes, −1 for missing), and the predictions, of shape (N,) or (N,
        3).
    """
    key = stream_key(0, purpose="label raters", kind=kind, n_items=n_items, n_raters=n_raters)
    draw = Streams(key, chunk).generator("sets")
    return [rated_set(draw, kind, n_items, n_raters, lean, per_item) for _ in range(size)]


def rated_set(
    draw: np.random.Generator, kind: Kind, n_items: int, n_raters: int, lean: float, per_item: int | None
) -> tuple[NDArray[np.int64], Predictions, Predictions]:
    of_items = draw.normal(0.0, ITEM_SD, (n_items, 3))
    of_raters = lean * draw.normal(size=n_raters)
    logits = of_items[:, np.newaxis] + np.stack([0.0 * of_raters, of_raters, -of_raters], axis=1)
    codes = (logits + draw.gumbel(size=logits.shape)).argmax(axis=2)
    if per_item is not None:
        places = draw.random(codes.shape).argsort(axis=1)
        codes = np.where(places < per_item, codes, -1)
    systems = []
    for err in (ERR, -ERR):
        own = of_items + draw.normal(0.0, SYSTEM_SD, of_items.shape) + np.array([0.0, err, -err])
        shares = np.exp(own) / np.exp(own).sum(axis=1, keepdims=True)
        systems.append(own.argmax(axis=1) if kind == "hard" else shares)
    return codes, systems[0], systems[1]


def rated_of(codes: np.ndarray, ties: Ties = "lowest") -> RatedTargets:
    missing = codes < 0
    index = np.where(missing, -1, np.arange(codes.shape[1]))
    return RatedTargets(
        codes, ("0", "1", "2"), Units("ids", tuple(map(str, range(codes.shape[1]))), index), ties=ties
    )


def crossed(codes: np.ndarray, a: np.ndarray, b: np.ndarray, seed: int) -> dict[str, float]:
    """Return p of the scores that are means over items, by draws of items and of raters."""
    draw = np.random.default_rng(seed)
    n, j = codes.shape
    said = (codes[:, :, None] == np.arange(3)).astype(float)
    items = draw.multinomial(n, np.full(n, 1 / n), DRAWS).astype(float)
    raters = draw.multinomial(j - 1, np.full(j, 1 / j), DRAWS).astype(float)
    counts = np.concatenate([said.sum(1)[None], np.einsum("mj,njc->mnc", raters, said, optimize=True)])
    weights = np.concatenate([np.ones((1, n)), items]) * (counts.sum(2) > 0)
    found = {}
    if a.ndim == 2:
        shares = counts / np.maximum(counts.sum(2, keepdims=True), 1.0)
        gains = {"cross_entropy": (shares * (np.log(a) - np.log(b))).sum(2)}
    else:
        best = counts.max(2, keepdims=True) == counts
        chance = best / best.sum(2, keepdims=True)
        gains = {"accuracy": chance[:, np.arange(n), a] - chance[:, np.arange(n), b]}
    for name, gain in gains.items():
        d = (gain * weights).sum(1) / weights.sum(1)
        null = d[1:] - d[0]
        found[name] = min(1.0, 2 * (1 + min((null >= d[0]).sum(), (null <= d[0]).sum())) / (1 + DRAWS))
    return found


def one_set(codes: np.ndarray, a: np.ndarray, b: np.ndarray, seed: int) -> dict[tuple[str, str], float]:
    kind: Kind = "soft" if a.ndim == 2 else "hard"
    scores = choose_scores(SCORES[kind], kind)
    rated = rated_of(codes)
    counts = rated.counts()
    target = counts / counts.sum(1, keepdims=True) if kind == "soft" else counts.argmax(1)
    classes = None if kind == "soft" else range(3)
    test = label_bootstrap(target, a, b, SCORES[kind], labels=classes, n_resamples=999, seed=seed)
    p = {("items", each.score.name): each.p for each in test.comparisons}
    p |= {("crossed", name): value for name, value in crossed(codes, a, b, seed).items()}
    parts = rater_components(rated, check_labels(target, {"a": a, "b": b}, classes), scores)
    assert parts is not None
    for each, part, draws in zip(test.comparisons, parts, test.draws, strict=True):
        items = float(np.var(draws))
        variance, df = t_of(items, part.total, part.within, part.df, len(codes) - 1)
        p["t", each.score.name] = 2 * stdtr(df, -abs(each.effect) / np.sqrt(variance))
    return p


def t_of(items: float, total: float, within: float, df: float, df_items: int) -> tuple[float, float]:
    from nbyk.testing.shared_units.components import Component
    from nbyk.testing.shared_units.generalise import law_of

    law = law_of(Component(0, items, 0.0, df_items, 1.0), [Component(0, total, within, df, 1.0)], 1.0)
    return law.variance, law.df_of_variance


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--kind", choices=["soft", "hard"], help="of predictions; both by default")
    asked = parser.parse_args()
    with asked.out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["kind", "raters", "per_item", "lean", "score", "test", "rate", "sets"])
        for kind, n_raters, per_item, lean in SETTINGS:
            if asked.kind not in (None, kind):
                continue
            rejected: dict[tuple[str, str], int] = {}
            for chunk, size in chunks(asked.sets):
                sets = equally_good_rated(kind, N_ITEMS, n_raters, chunk, size, lean=lean, per_item=per_item)
                for at, (codes, a, b) in enumerate(sets):
                    for name, p in one_set(codes, a, b, chunk * CHUNK + at).items():
                        rejected[name] = rejected.get(name, 0) + (p <= 0.05)
            for (test, score), count in rejected.items():
                row = [kind, n_raters, per_item or n_raters, lean, score, test]
                table.writerow([*row, f"{count / asked.sets:.4f}", asked.sets])
                print(*row, f"{count / asked.sets:.4f}", flush=True)
            file.flush()


if __name__ == "__main__":
    main()
