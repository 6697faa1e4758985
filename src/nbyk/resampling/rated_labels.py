"""Labels of raters who have ways of their own: each leans to classes, and takes some for others.

A single label has the chances that a prior gives to its item. Raters only tie labels together: of the
standard normals that make a label, those of class c for item i by rater j are

    √λ s_jc + √κ t_jmc + √(1 − λ − κ) e_ijc,

where s, t and e are standard normal and independent, and m is the likeliest class of item i. The leaning s is
the rater's on all items. The confusion t is the rater's among the items of one class: the labels of these, a
row of the rater's confusion matrix (Dawid and Skene 1979), are then unlike other people's. λ and κ are
`LabelPrior.leaning` and `LabelPrior.confusion`. A level has one normal, and its λ is the spread of the
raters' own cut-points. The same idea for numbers is a severity.
"""

from __future__ import annotations

import math

import numpy as np

from nbyk.arrays import Floats, Integers
from nbyk.compiled import njit
from nbyk.priors.nominal import LabelPrior, shares_of


def labels_by_raters(
    prior: LabelPrior, above: Floats, raters: Integers, generator: np.random.Generator
) -> Floats:
    """Return labels (N, K), as places of classes, by raters (N, K), numbered from 0; NaN where one is −1.

    `above` are the items' chances of a class from c on, (M − 1, N).
    """
    there, n_raters = raters >= 0, int(raters.max()) + 1
    noise = generator.standard_normal((prior.n_noises, *raters.shape))
    leaning = generator.standard_normal((prior.n_noises, n_raters))
    confusion = generator.standard_normal((prior.n_noises, prior.levels, n_raters))
    likeliest = shares_of(above).argmax(axis=-1)
    _share_noise(noise, leaning, confusion, prior.leaning, prior.confusion, likeliest, raters)
    return np.where(there, prior.labels(above, noise), np.nan)


@njit(nogil=True, cache=True)
def _share_noise(
    noise: Floats,
    leaning: Floats,
    confusion: Floats,
    of_leaning: float,
    of_confusion: float,
    likeliest: Integers,
    raters: Integers,
) -> None:
    """Make shares of single labels' noise, (n_noises, N, K), that of their raters."""
    own = math.sqrt(max(1.0 - of_leaning - of_confusion, 0.0))
    leans, confuses = math.sqrt(of_leaning), math.sqrt(of_confusion)
    for c in range(len(noise)):
        for i in range(len(raters)):
            for k in range(raters.shape[1]):
                rater = raters[i, k]
                if rater >= 0:
                    of_rater = leans * leaning[c, rater] + confuses * confusion[c, likeliest[i], rater]
                    noise[c, i, k] = own * noise[c, i, k] + of_rater


def dealt_raters(n_items: int, n_raters: int, k: int, generator: np.random.Generator) -> Integers:
    """Return the raters (N, K) of items, K of J each, so that all have the same number of items or one more.

    In each block of J items, every rater has K.
    """
    blocks = -(-n_items // n_raters)
    names = generator.permuted(np.tile(np.arange(n_raters), (2, blocks, 1)), axis=2)
    places = (np.arange(n_raters)[:, np.newaxis] + names[0, :, np.newaxis, :k]) % n_raters
    panels = np.take_along_axis(names[1, :, np.newaxis], places, axis=2)
    return panels.reshape(-1, k)[:n_items]
