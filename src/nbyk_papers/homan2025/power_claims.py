"""Verdicts on Homan et al. 2025 about power: which test is the first to reach 90 %."""

from __future__ import annotations

import math

from nbyk_papers.homan2025.cases import Numbers
from nbyk_papers.homan2025.design import CLAIM_ITEMS, TESTS
from nbyk_papers.verdicts import Outcome, error_of_rate, judge, with_error

ENOUGH_POWER = 0.9
BASELINES = ("welch_t", "wilcoxon", "paired_permutation", "unpaired_permutation")
TEST_OF = {"published": "multistage_bootstrap", "recommended": "swap_items"}
"""The test whose power is compared: the paper's, and nbyk's own."""

_PANELS = (
    ("k_responses", 5, "n_items"),
    ("k_responses", 10, "n_items"),
    ("n_items", CLAIM_ITEMS, "k_responses"),
)
_LETTER = {"n_items": "N", "k_responses": "K"}


def power(numbers: Numbers, semantics: str) -> Outcome | None:
    """Judge whether the paper's test, or nbyk's, has a power of 90 % before the usual tests."""
    if numbers.power is None:
        return None
    test, rows = TEST_OF[semantics], numbers.power
    margins, errors, parts = [], [], []
    for fixed, value, across in _PANELS:
        panel = rows[rows[fixed] == value].set_index(across).sort_index()
        ours, outcomes = panel[panel["test"] == test], []
        for baseline in BASELINES:
            theirs = panel.loc[panel["test"] == baseline, "power"].rename("power_baseline")
            both = ours.join(theirs, how="inner")
            enough = both[both[["power", "power_baseline"]].max(axis=1) >= ENOUGH_POWER]
            if enough.empty:
                continue
            first = enough.iloc[0]
            powers = first["power"], first["power_baseline"]
            both_errors = [error_of_rate(power * first["n_sets"], first["n_sets"]) for power in powers]
            margins.append(powers[0] - powers[1])
            errors.append(math.hypot(*both_errors))
            ours_there, theirs_there = map(with_error, powers, both_errors)
            at = f"{_LETTER[across]} = {enough.index[0]}"
            outcomes.append(f"{ours_there} against {theirs_there} of {TESTS[baseline]} at {at}")
        if outcomes:
            parts.append(f"With {_LETTER[fixed]} = {value}: {', '.join(outcomes)}")
    if not margins:
        return None
    cases = judge(margins, errors)
    counts = cases.sentence("comparisons with baseline tests")
    return Outcome(semantics, f"{counts}. Power of the {TESTS[test]} test. {'. '.join(parts)}", cases.outcome)
