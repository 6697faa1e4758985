"""Verdicts on a paper's claims: what follows from cases that support, contradict or are too close."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nbyk_papers.verdicts import (
    FAILS,
    HOLDS,
    IN_PART,
    OPEN,
    Cases,
    PaperClaim,
    Verdict,
    judge,
    verdict_table,
    verdicts_on,
    with_error,
)


@pytest.mark.parametrize(
    ("cases", "outcome"),
    [
        (Cases(3, 0), HOLDS),
        (Cases(3, 0, 4), HOLDS),
        (Cases(0, 2, 4), FAILS),
        (Cases(1, 99), IN_PART),
        (Cases(0, 0, 5), OPEN),
        (Cases(0, 0), OPEN),
    ],
)
def test_the_decided_cases_make_the_outcome(cases: Cases, outcome: str) -> None:
    assert cases.outcome == outcome


def test_a_margin_within_three_standard_errors_decides_nothing() -> None:
    assert judge([0.031, 0.029, -0.029, -0.031, float("nan")], 0.01) == Cases(1, 1, 2)
    assert judge([1e-9, 0.0], [0.0, 0.0]) == Cases(1, 0, 1)
    assert judge([], []) == Cases(0, 0, 0)


def test_counts_are_said_with_those_too_close() -> None:
    assert str(Cases(5, 1, 1)) == "5 of 7 (1 too close to call)"
    assert str(Cases(5, 2)) == "5 of 7"
    assert Cases(5, 1, 2).sentence("steps") == (
        "Of 8 steps, 5 support the claim, 1 contradicts it and 2 are too close to call"
    )
    assert Cases(1, 0).sentence("steps") == "Of 1 steps, 1 supports the claim and 0 contradict it"


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.0755, 0.00374, "0.0755 ± 0.0037"),
        (0.4, 0.12, "0.40 ± 0.12"),
        (1e-9, 1e-6, "<0.0001"),
        (0.25, 0.0, "0.25"),
        (0.25, float("inf"), "0.25 (error unknown)"),
    ],
)
def test_numbers_carry_their_standard_errors(value: float, error: float, text: str) -> None:
    assert with_error(value, error) == text


def test_a_verdict_is_a_row_for_each_semantics() -> None:
    findings = (("published", "p = .1", HOLDS), ("recommended", "p = .2", FAILS))
    table = verdict_table([Verdict("section 7", "“so”", "p < .05", *finding) for finding in findings])
    assert table[["of the paper", "semantics", "verdict"]].to_numpy().tolist() == [
        ["section 7", "published", HOLDS],
        ["section 7", "recommended", FAILS],
    ]
    assert list(verdict_table([]).columns) == list(table.columns)


def test_a_claim_counts_its_cases_and_describes_the_one_that_supports_it_least() -> None:
    claim: PaperClaim[pd.DataFrame] = PaperClaim(
        "section 7", "so", "p < .05", "sizes", lambda rows: rows, lambda case: f"N = {case['n']:g}"
    )
    cases = pd.DataFrame({"n": [5, 6, 7, 8], "margin": [0.1, -0.2, 0.3, np.nan], "error": 0.01})
    cases["epsilon_b"] = [0.1, 0.1, 0.3, 0.3]
    numbers = {"published": cases, "recommended": cases.iloc[3:], "none": cases.iloc[:0]}
    (verdict,) = verdicts_on([claim], numbers)
    assert (verdict.semantics, verdict.claim, verdict.outcome) == ("published", "“so”", IN_PART)
    assert verdict.here == (
        "Of 3 sizes, 2 support the claim and 1 contradicts it (1 of 2 at ε = 0.1, 1 of 1 at ε = 0.3). The "
        "case that supports it least: N = 6"
    )
