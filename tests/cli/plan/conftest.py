"""One fit of a prior for all tests of `nbyk plan`."""

from __future__ import annotations

import numpy as np
import pytest

from nbyk.priors import Response, fit_prior

_FITS: dict[tuple[object, ...], object] = {}


@pytest.fixture(autouse=True)
def _one_fit_of_the_same_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fit a prior once to the same ratings: a fit takes a second, and most tests here begin with one."""

    def fit_once(name: str, ratings: np.ndarray, response: Response) -> object:
        key = name, ratings.shape, ratings.tobytes(), response
        if key not in _FITS:
            _FITS[key] = fit_prior(name, ratings, response)
        return _FITS[key]

    monkeypatch.setattr("nbyk.priors.fit_prior", fit_once)
