"""The rank of a published estimate among ours: it comes from one test set, which is lost, and ours from many.

If the paper's set came from our population, its estimate is one more draw beside those of our n sets, and
each of its n + 1 possible ranks has the same chance. No scale and no normal law is assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

    from nbyk_papers.wein2023.comparison import Cells

Floats = NDArray[np.float64]

BAND = 0.9
"""The share of ranks, in the middle, at which a published number counts as inside."""

REPORTED_BELOW = 1e-5
"""The paper calls smaller numbers zero."""

TRIVIAL, INSIDE, OUTSIDE, OUTSIDE_ALL = "0 against 0", "inside", "outside", "outside all"


def place_among(ours: Floats, published: float) -> str:
    """Return the place of a published number among ours, shape (n,).

    "0 against 0" if it and our median are zero to the paper. "inside" if more than 5 % of the n + 1 numbers,
    itself included, are at most as large, and more than 5 % are at least as large. Otherwise "outside", or
    "outside all" if it is larger or smaller than each of ours. With fewer than 19 of ours, none is outside.
    """
    if max(published, float(np.median(ours))) < REPORTED_BELOW:
        return TRIVIAL
    at_most, at_least = int((ours <= published).sum()), int((ours >= published).sum())
    if _is_inside(np.array(min(at_most, at_least)), ours.size):
        return INSIDE
    return OUTSIDE if min(at_most, at_least) else OUTSIDE_ALL


def rank_counts(places: Iterable[str]) -> dict[str, int]:
    """Return the numbers of places that are not trivial, inside, outside all, and trivial."""
    counts = Counter(places)
    return {
        "compared": counts.total() - counts[TRIVIAL],
        "inside": counts[INSIDE],
        "outside_all": counts[OUTSIDE_ALL],
        "trivial": counts[TRIVIAL],
    }


@cache
def agreement_by_rank(cells: Cells) -> pd.DataFrame:
    """Return how the published estimates of one semantics rank among ours, a row per source and ε.

    The paper has one test set for each source and ε, so the cells of a row stand and fall together. The last
    two columns judge a row as a whole: each of our sets takes the place of the published one, and the others
    stay.

    Returns
    -------
    DataFrame
        source, ε, sets, compared, inside, share, "outside all", "0 against 0", "share of our sets" (the mean
        share inside, of our sets) and "chance" (of a share as small as the paper's: with n sets,
        (1 + those with such a share)/(1 + n)).
    """
    import pandas as pd

    published = cells.table[cells.table["published_place"].notna()]
    rows = []
    for (source, epsilon), of_row in published.groupby(["source", "epsilon_b"], sort=False):
        counts = rank_counts(of_row["published_place"])
        compared = of_row[of_row["published_place"] != TRIVIAL]
        row = {"source": source, "ε": f"{epsilon:g}", "sets": int(of_row["n_references"].max()), **counts}
        if len(compared):
            own = _shares_of_our_sets(cells.by_reference, compared)
            share = counts["inside"] / counts["compared"]
            row |= {
                "share": share,
                "share of our sets": float(own.mean()),
                "chance": float((1 + (own <= share).sum()) / (1 + own.size)),
            }
        rows.append(row)
    names = {"outside_all": OUTSIDE_ALL, "trivial": TRIVIAL}
    order = ["source", "ε", "sets", "compared", "inside", "share", OUTSIDE_ALL, TRIVIAL]
    return pd.DataFrame(rows).rename(columns=names).reindex(columns=[*order, "share of our sets", "chance"])


def rank_sentence(counts: dict[str, Any], sets: int) -> str:
    """Return counts in words, with the number of sets that they rest on."""
    return (
        f"{counts['inside']} of {counts['compared']} estimated p-values lie in the middle {BAND:.0%} of our "
        f"{sets} test sets, {counts['outside_all']} outside all of them ({counts['trivial']} more are 0 on "
        "both sides)"
    )


def _shares_of_our_sets(sets: pd.DataFrame, compared: pd.DataFrame) -> Floats:
    """Return the share of cells in which each of our sets is inside among the others, shape (sets,)."""
    from scipy.stats import rankdata

    keys = ["source", "epsilon_b", "sampler", "metric"]
    wide = sets.merge(compared[keys], on=keys).pivot_table(
        index=["sampler", "metric"], columns="reference", values="estimated_p"
    )
    values = wide.dropna(axis="columns").to_numpy(np.float64)
    n = values.shape[1]
    at_most = rankdata(values, "max", axis=1) - 1
    at_least = n - rankdata(values, "min", axis=1)
    return np.asarray(_is_inside(np.minimum(at_most, at_least), n - 1).mean(axis=0))


def _is_inside(as_extreme: NDArray[Any], n: int) -> NDArray[np.bool_]:
    """Return whether a number is inside, from how many of n others lie at its nearer end or beyond."""
    return np.asarray(1 + as_extreme > 0.5 * (1.0 - BAND) * (1 + n) + 1e-9)
