"""Priors fitted to ratings: their files, and item means and deviations of both, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbyk.priors import TwoStagePrior
from nbyk.priors.predictive import moments
from nbyk.resampling.streams import Streams, stream_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fits:
    """The priors fitted to sources: the files of their ratings and priors."""

    fitted: Sequence[str]
    ratings: Sequence[Path] = ()
    priors: Sequence[Path] = ()

    def files(self) -> dict[str, tuple[Path, Path]]:
        """Return the ratings and the prior of each fit by its name."""
        return dict(zip(self.fitted, zip(self.ratings, self.priors, strict=True), strict=True))


def moments_of_prior(prior: TwoStagePrior, like: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return item means and standard deviations of a prior's responses, missing where `like` is."""
    streams = Streams(stream_key(seed, purpose="item moments of a prior", prior=prior.key()), 0)
    mu, sigma = prior.draw_items(streams.uniforms("items", (len(like), prior.n_uniforms)))
    noise = np.empty(like.shape)
    streams.fill_normals("responses", noise)
    responses = prior.response.respond(mu[:, np.newaxis], sigma[:, np.newaxis], noise)
    return moments(responses, ~np.isnan(like))


def draw_ecdf(axes: Axes, values: Floats, **look: Any) -> None:
    """Draw the share of values at most x, from 0 to 1."""
    x, counts = np.unique(np.round(values, 9), return_counts=True)
    share = np.cumsum(counts) / values.size
    start, end = min(0.0, float(x[0])), max(1.0, float(x[-1]))
    axes.step(np.array([start, *x, end]), np.array([0.0, *share, 1.0]), where="post", **look)


def label_moments(left: Axes, right: Axes) -> None:
    """Label the panels of item means and of item standard deviations."""
    left.set_xlabel("item mean")
    right.set_xlabel("item standard deviation")
    left.set_ylabel("share of items at most this")
    for axes in (left, right):
        axes.set_ylim(0.0, 1.02)
    right.legend(frameon=False)
