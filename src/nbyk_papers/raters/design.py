"""The design of the study of raters whom items share: its data sets, sizes, worlds and their names."""

from __future__ import annotations

STUDY = "raters"

WITH_IDS = ("convabuse", "hs_brexit", "armis", "multidomain", "dices_350", "dices_990")
"""Data sets in whose ratings an id is one person throughout, of several hundred people at most."""

N_ITEMS, K_RESPONSES = (200, 500, 1000), (5, 10, 24)
FURTHER_SIZES = ((2000, 5), (50, 50), (200, 50))
"""Sizes (N, K) beside the grid, so that K = 5 and K = 50 meet at N·K = 2500 and at 10,000."""

EPSILONS = (0.05, 0.1)
SHIFT = 0.05
METRICS = ("mae", "wins_mae")
LABELS = {"mae": "MAE", "wins_mae": "Wins"}

OTHERS, FORGOTTEN, KEPT = "other raters", "forgotten", "kept"
"""Each item has its own raters; the same K people rate all items, and their ids are forgotten, or kept."""

IN_WORDS = {
    OTHERS: "other raters for each item",
    FORGOTTEN: "the same raters, ids forgotten",
    KEPT: "the same raters, ids kept",
}

SEMANTICS = ("published", "recommended")
ALPHA = 0.05


def system_name(epsilon: float, shift: float) -> str:
    """Return a name for system B, whose item means are off by up to ε, or are shifted."""
    return f"shift = {shift:g}" if shift else f"ε = {epsilon:g}"


ALONE, ACROSS, BATCHES = "items alone", "across people", "batches"
"""Samplers of labels: items, then labels within each; items and people; items with all who rated them."""

CATEGORY_METRICS = ("plurality_first", "tv_mean", "wins(tv_mean)", "kl_divergence")
N_ITEMS_OF_CATEGORIES = (200, 1000)
