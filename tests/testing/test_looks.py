"""The chances behind the looks of a test are those of scipy's hypergeometric distribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from nbyk.testing.looks import looks


@pytest.mark.parametrize(("n_resamples", "critical"), [(199, 9), (999, 49), (4999, 49), (999, 0), (199, 150)])
@pytest.mark.parametrize("error", [0.01, 1e-4])
def test_each_look_uses_up_its_share_of_the_error_and_no_more(
    n_resamples: int, critical: int, error: float
) -> None:
    found = looks(n_resamples, critical, error=error)
    share = error / max(1, len(found.draws) - 1)
    for m, most, least in zip(found.draws[:-1], found.reject_to[:-1], found.keep_from[:-1], strict=True):
        # A count of `most` or fewer is rare if one more of the draws than `critical` exceed.
        over, under = hypergeom(n_resamples, critical + 1, m), hypergeom(n_resamples, critical, m)
        certain = critical - (n_resamples - m)
        assert most == certain or over.cdf(most) <= share * (1 + 1e-9)
        assert over.cdf(most + 1) > share * (1 - 1e-9)
        assert least == critical + 1 or under.sf(least - 1) <= share * (1 + 1e-9)
        assert under.sf(least - 2) > share * (1 - 1e-9)
    assert np.all(found.reject_to < found.keep_from)
