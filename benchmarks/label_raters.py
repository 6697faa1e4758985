"""How often the claim over new raters, or runs, calls equally good systems different by metrics of classes.

Run as `python -m benchmarks.label_raters [--sets 400]`; the table goes to `benchmarks/label_raters.csv`, and
docs/classes.md has it. The same people labelled all items, or the same runs answered them; see
`equally_good_rated` and `equally_good_runs`.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nbyk.data.kinds import Kind
from nbyk.data.response_set import ResponseSet, coded, responses_and_units
from nbyk.metrics import metrics_of
from nbyk.resampling.streams import Streams, chunks, stream_key
from nbyk.testing.shared_units import shared_units_test
from nbyk.testing.systems.panel import panel_of

Predictions: TypeAlias = NDArray[np.int64] | NDArray[np.float64]

METRICS: dict[Kind, list[str]] = {
    "classes": ["accuracy", "f1_macro"],
    "distributions": ["cross_entropy", "js_divergence", "entropy_correlation"],
}
SETTINGS = [
    (kind, n_raters, per_item, 1, lean)
    for lean in (1.0, 0.0, 0.5)
    for n_raters, per_item in ((5, None), (20, None), (20, 5))
    for kind in METRICS
] + [(kind, 1, None, n_runs, lean) for n_runs, lean in ((3, 1.0), (5, 0.0)) for kind in METRICS]
N_ITEMS = 200
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
        What the predictions are: "classes" or "distributions".
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
        systems.append(own.argmax(axis=1) if kind == "classes" else shares)
    return codes, systems[0], systems[1]


def equally_good_runs(
    kind: Kind, n_items: int, n_runs: int, chunk: int, size: int, *, lean: float
) -> list[tuple[NDArray[np.int64], Predictions, Predictions]]:
    """Return labels, (N, 1), and R runs of A and of B, (N, R) or (R, N, 3), that are equally good.

    A run leans to one of two classes by λ z on the scale of logits, as a rater does in `equally_good_rated`.
    """
    key = stream_key(0, purpose="label runs", kind=kind, n_items=n_items, n_runs=n_runs)
    draw = Streams(key, chunk).generator("sets")
    sets = []
    for _ in range(size):
        of_items = draw.normal(0.0, ITEM_SD, (n_items, 3))
        codes = (of_items + draw.gumbel(size=of_items.shape)).argmax(axis=1)
        systems = []
        for _ in range(2):
            of_runs = lean * draw.normal(size=(n_runs, 1))
            own = of_items + draw.normal(0.0, SYSTEM_SD, of_items.shape)
            own = own + draw.normal(0.0, SYSTEM_SD, (n_runs, *of_items.shape))
            own = own + np.stack([0.0 * of_runs, of_runs, -of_runs], axis=2)
            shares = np.exp(own) / np.exp(own).sum(axis=2, keepdims=True)
            systems.append(own.argmax(axis=2).T if kind == "classes" else shares)
        sets.append((codes[:, None], systems[0], systems[1]))
    return sets


def one_set(codes: NDArray[np.int64], a: Predictions, b: Predictions, kind: Kind) -> dict[str, float]:
    """Return the two-sided p over new items and new raters, or runs, by each metric."""
    gold = np.where(codes < 0, np.nan, codes.astype(np.float64))
    names = ["0", "1", "2"]
    sources, categories = coded({"gold": None, "a": a, "b": b}, kind, names)
    read = {name: responses_and_units(of, name) for name, of in ({**sources, "gold": gold}).items()}
    units = {name: of_source for name, (_, of_source) in read.items()}
    values = {name: matrix for name, (matrix, _) in read.items()}
    data = ResponseSet(values["gold"], values["a"], values["b"], units, None, categories)
    panel = panel_of(data, None)
    assert panel.responses is not None
    return {
        metric.name: shared_units_test(metric, panel.responses, sources=panel.sources).p_value("two-sided")
        for metric in metrics_of(categories, METRICS[kind])
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    with asked.out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["kind", "raters", "per_item", "runs", "lean", "metric", "rate", "rate_01", "sets"])
        for kind, n_raters, per_item, n_runs, lean in SETTINGS:
            p: dict[str, list[float]] = {}
            for chunk, size in chunks(asked.sets):
                if n_runs > 1:
                    sets = equally_good_runs(kind, N_ITEMS, n_runs, chunk, size, lean=lean)
                else:
                    sets = equally_good_rated(
                        kind, N_ITEMS, n_raters, chunk, size, lean=lean, per_item=per_item
                    )
                for codes, a, b in sets:
                    for name, value in one_set(codes, a, b, kind).items():
                        p.setdefault(name, []).append(value)
            for name, values in p.items():
                if np.isnan(values).any():  # one label an item has no entropy to correlate with
                    continue
                rates = [f"{np.mean(np.array(values) <= level):.4f}" for level in (0.05, 0.01)]
                row = [kind, n_raters, per_item or n_raters, n_runs, lean, name, *rates, len(values)]
                table.writerow(row)
                print(*row, flush=True)
            file.flush()


if __name__ == "__main__":
    main()
