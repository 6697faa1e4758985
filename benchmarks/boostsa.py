"""BooStSa, the tool of Fornaciari et al. 2022, as a peer to measure against.

`Boostsa` follows the paper's description and what BooStSa 0.2.13 was seen to do with hard labels: every
resample is a random choice of rows, scored for either system by four calls of scikit-learn, rounded, and
collected in a table. `load_boostsa` gives the real code from an unpacked wheel the same interface.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
import sklearn.metrics
from numpy.typing import NDArray

from benchmarks.timing import Line, interleaved, line
from nbyk.errors import NbykError
from nbyk_papers.boostsa2022.label_bootstrap import label_bootstrap

Array = NDArray[Any]

N_ITEMS = 1000
PEER_RESAMPLES = 100
RESAMPLES = 1000
FRACTION = 0.5
"""The largest that BooStSa takes; nbyk draws all items."""

_FLOOR = 500.0
_COUNT = re.compile(r"^count sample diff (\w+)\s+is twice.*?(\d+)\s*/", re.MULTILINE)
_SCORES = ("accuracy", "precision_macro", "recall_macro", "f1_macro")
_MACRO = {
    "f1": sklearn.metrics.f1_score,
    "prec": sklearn.metrics.precision_score,
    "rec": sklearn.metrics.recall_score,
}


class Peer(Protocol):
    """What a peer can do: count the resamples on which h1's lead is more than twice the observed one."""

    name: str

    def test(
        self, target: Array, h0: Array, h1: Array, n_loops: int, sample_size: float
    ) -> Mapping[str, int]:
        """Return the count of each score; resamples come from numpy's global generator."""


def _table(target: Array, h0: Array, h1: Array) -> pd.DataFrame:
    rows = []
    for predicted in (h0, h1):
        row = {name: round(score(target, predicted, average="macro"), 4) for name, score in _MACRO.items()}
        rows.append({**row, "acc": round(sklearn.metrics.accuracy_score(target, predicted), 4)})
    table = pd.DataFrame(rows, index=["h0", "h1"])
    for name in ("f1", "acc", "prec", "rec"):
        table[f"d_{name}"] = ["", round(table[name].iloc[1] - table[name].iloc[0], 4)]
    return table


class Boostsa:
    """The peer in nbyk's own words."""

    name = "BooStSa, transliterated"

    def test(
        self, target: Array, h0: Array, h1: Array, n_loops: int, sample_size: float
    ) -> Mapping[str, int]:
        names = ("f1", "prec", "rec", "acc")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sklearn.exceptions.UndefinedMetricWarning)
            observed = _table(target, h0, h1)
            counts = dict.fromkeys(names, 0)
            for _ in range(n_loops):
                rows = np.random.choice(len(target), int(len(target) * sample_size))
                drawn = _table(target[rows], h0[rows], h1[rows])
                for name in names:
                    lead = drawn[f"d_{name}"].iloc[1]
                    counts[name] += int(lead > 2 * observed[f"d_{name}"].iloc[1])
        return counts


class _RealBoostsa:
    name = "BooStSa"

    def __init__(self, package: Any) -> None:
        self._package = package

    def test(
        self, target: Array, h0: Array, h1: Array, n_loops: int, sample_size: float
    ) -> Mapping[str, int]:
        printed = io.StringIO()
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            tool = self._package.Bootstrap(save_results=False, save_outcomes=False)
            tool.test(target, h0, h1, n_loops=n_loops, sample_size=sample_size)
        return {name: int(count) for name, count in _COUNT.findall(printed.getvalue())}


def load_boostsa(path: str | Path) -> Peer:
    """Return BooStSa's own code, from the folder that holds its package `boostsa`, as a peer.

    Raises
    ------
    NbykError
        If the package or one that it imports is missing, or it cannot work with the pandas that is installed.
    """
    folder = Path(path).resolve()
    if not (folder / "boostsa" / "__init__.py").is_file():
        raise NbykError(
            f"{path}: no boostsa/__init__.py; expected the folder that BooStSa's wheel unpacks to"
        )
    sys.path.insert(0, str(folder))
    try:
        peer = _RealBoostsa(importlib.import_module("boostsa"))
    except ModuleNotFoundError as error:
        raise NbykError(f"{path}: BooStSa imports {error.name}; run: pip install {error.name}") from None
    finally:
        sys.path.remove(str(folder))
    labels = np.array([0, 1] * 10)
    try:
        peer.test(labels, labels, labels, 1, FRACTION)
    except KeyError:
        raise NbykError(
            f"{path}: BooStSa takes the last entry of a column as [-1], which pandas {pd.__version__} "
            "refuses; run: pip install 'pandas<3'"
        ) from None
    return peer


def predictions(n_items: int = N_ITEMS) -> tuple[Array, Array, Array]:
    """Return targets of two classes and the predictions of h0 and h1, right on 69 % and 74 % of them."""
    generator = np.random.default_rng(0)
    target = generator.integers(0, 2, n_items)
    h0, h1 = (np.where(generator.random(n_items) < right, target, 1 - target) for right in (0.69, 0.74))
    return target, h0, h1


def against_boostsa(peer: Peer, repeats: int) -> Line:
    """Time a resample of four scores, 1000 items: of BooStSa half of them, of nbyk all."""
    target, h0, h1 = predictions()

    def of_peer() -> None:
        peer.test(target, h0, h1, PEER_RESAMPLES, FRACTION)

    def of_nbyk() -> None:
        label_bootstrap(target, h1, h0, _SCORES, n_resamples=RESAMPLES)

    of_nbyk()
    theirs, ours = interleaved(of_peer, of_nbyk, repeats)
    return line(
        f"paired bootstrap of four scores over hard labels, {N_ITEMS} items, {RESAMPLES} resamples",
        (peer.name, [value / PEER_RESAMPLES for value in theirs]),
        ("nbyk", [value / RESAMPLES for value in ours]),
        _FLOOR,
    )
