"""How often tests that swap whole clusters, and intervals that draw them, reject equally good systems.

Run ``python -m benchmarks.shared_units.swapped FOLDER --sets 2000``; it skips what FOLDER already has, and
writes swapped.csv beside this file. `benchmarks.shared_units.report` writes the table of the docs from it.
Set s of a world depends on the world and on s alone, and is that of `measure`.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.shared_units.rates import ALPHA, interval
from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.world import World, with_better_a
from benchmarks.shared_units.worlds import worlds
from nbyk.data.response_set import ResponseSet
from nbyk.files import replacing
from nbyk.metrics import get
from nbyk.testing.engine.draws import Draws
from nbyk.testing.intervals import percentile_interval
from nbyk.testing.pvalues import p_value

Floats = NDArray[np.float64]

N_DRAWS = 499
PART = 200


def measure(world: World, metrics: tuple[str, ...], sets: Iterable[int]) -> Floats:
    """Return what rejects on each set, shape (sets, metrics, 3).

    These are p of swapped clusters, p of swapped items, and whether the percentile interval of drawn clusters
    leaves 0 out.
    """
    chosen = [get(name) for name in metrics]
    every = range(len(chosen))
    key = zlib.crc32(repr(world).encode())
    rows = []
    for number in sets:
        seen = draw_set(world, np.random.default_rng([key, number]))
        data = ResponseSet(seen.gold.values, seen.a.values, seen.b.values, clusters=seen.clusters)
        whole = Draws(data, chosen, seed=number)
        one_by_one = Draws(replace(data, clusters=None), chosen, seed=number)
        exact = whole.n_arrangements <= N_DRAWS
        nulls = (
            whole.swapped(every, whole.n_arrangements if exact else N_DRAWS, exact=exact),
            one_by_one.swapped(every, N_DRAWS),
        )
        drawn = whole.bootstrapped(every, N_DRAWS, "bootstrap")
        row = np.empty((len(chosen), 3))
        for place, effect in enumerate(whole.observed.tolist()):
            for test, null in enumerate(nulls):
                row[place, test] = p_value(effect, null[place], alternative="two-sided").p
            low, high = percentile_interval(drawn[place][np.isfinite(drawn[place])], 1.0 - ALPHA)
            row[place, 2] = not low <= 0.0 <= high
        rows.append(row)
    return np.array(rows)


def main() -> None:
    """Measure the worlds that are asked for, and write the rates of all that there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument(
        "--match", nargs="*", default=[""], help="only worlds whose name contains one of these"
    )
    parser.add_argument("--power", action="store_true", help="the worlds where A is better")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for match in options.match:
        for world in worlds():
            if world.factor != "clusters" or match not in world.name:
                continue
            one = with_better_a(world) if options.power else world
            for part in range(-(-options.sets // PART)):
                path = options.folder / f"{zlib.crc32(repr(one).encode()):08x}-{part}.npy"
                if path.exists():
                    continue
                kept = measure(one, world.metrics, range(part * PART, (part + 1) * PART))
                with replacing(path) as scratch, open(scratch, "wb") as file:
                    np.save(file, kept)
            print(world.name, world.n_items, flush=True)
            rates(options.folder).to_csv(
                Path(__file__).with_name("swapped.csv"), index=False, float_format="%.4g"
            )


def rates(folder: Path) -> pd.DataFrame:
    """Return one row for each world, truth and metric of which there are sets."""
    rows = []
    for world in worlds():
        for truth, one in (("equal", world), ("A better", with_better_a(world))):
            name = f"{zlib.crc32(repr(one).encode()):08x}"
            parts = [np.load(path) for path in sorted(folder.glob(f"{name}-*.npy"))]
            if world.factor != "clusters" or not parts:
                continue
            kept = np.concatenate(parts)
            for place, metric in enumerate(world.metrics):
                found = kept[:, place]
                whole, items = (float(np.mean(found[:, test] <= ALPHA)) for test in (0, 1))
                low, high = interval(whole, len(kept))
                rows.append(
                    {
                        "world": world.name,
                        "N": world.n_items,
                        "metric": f"`{metric}`",
                        "truth": truth,
                        "sets": len(kept),
                        "items swapped": items,
                        "clusters swapped": whole,
                        "95 % from": low,
                        "to": high,
                        "interval leaves out 0": float(found[:, 2].mean()),
                    }
                )
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main()
