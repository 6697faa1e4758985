"""The variance of an effect with other numbers of items and units: a D-study (Brennan 2001)."""

from __future__ import annotations

from collections.abc import Mapping

from nbyk.testing.shared_units import SharedUnitsTest, Source


def projected_variance(
    test: SharedUnitsTest, *, items: int | None = None, units: Mapping[Source, int] | None = None
) -> float:
    """Return the variance of the effect with other numbers of items, and of units that answer all items.

    Parameters
    ----------
    test
        A test of data in which each unit answers all items.
    items
        Number of items or, if the test has clusters, of clusters.
    units
        Number of units of each source; sources that are not named keep theirs.

    Notes
    -----
    Let V_I = I − Σ W. T − W is the variance between units and W that of single responses, none below 0. The
    variance at n items and m units is V_I N/n + Σ [(T − W) J/m + W (N J)/(n m)]: a D-study (Brennan 2001).
    """
    ratio = 1.0 if items is None else test.items.units / items
    explained = min(sum(part.within for part in test.sources.values()), test.items.total)
    variance = (test.items.total - explained) * ratio
    for source, part in test.sources.items():
        fewer = part.units / (units or {}).get(source, part.units)
        variance += (max(test.stretch**2 * part.total - part.within, 0.0) + part.within * ratio) * fewer
    return variance
