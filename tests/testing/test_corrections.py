"""Corrections of p-values: the numbers of their definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import nbyk
from nbyk.errors import NbykError
from nbyk.testing.corrections import CORRECTIONS, correct_p_values, corrected_pairs
from nbyk.testing.results import Claim, Doubt, Margin, Pair, Sample


def test_corrections_are_those_of_their_authors() -> None:
    p = [0.01, 0.04, 0.03, 0.2]
    expected = {
        "holm": [0.04, 0.09, 0.09, 0.2],
        "bonferroni": [0.04, 0.16, 0.12, 0.8],
        "benjamini_hochberg": [0.04, 0.16 / 3, 0.16 / 3, 0.2],
        "none": p,
    }
    assert set(expected) == set(CORRECTIONS)
    for name, corrected in expected.items():
        np.testing.assert_allclose(correct_p_values(p, name), corrected, rtol=1e-12)
        np.testing.assert_array_equal(correct_p_values([0.3], name), [0.3])


def test_corrections_are_bit_for_bit_those_of_statsmodels() -> None:
    rng = np.random.default_rng(7)
    names = {"holm": "holm", "bonferroni": "bonferroni", "benjamini_hochberg": "fdr_bh"}
    for size in (2, 3, 21, 400):
        for p in (rng.uniform(size=size), rng.uniform(size=size) ** 6, rng.integers(0, 4, size) / 3):
            for ours, theirs in names.items():
                np.testing.assert_array_equal(correct_p_values(p, ours), multipletests(p, method=theirs)[1])


@pytest.mark.parametrize("bad", [[], ["0.1"], [[0.1]], [None], [True], 0.1, [0.1, "x"]])
def test_what_is_no_list_of_p_values_is_refused(bad: object) -> None:
    with pytest.raises(NbykError, match=r"p-values: found a .* expected a flat list of numbers"):
        correct_p_values(bad)


@pytest.mark.parametrize(
    ("correction", "n_items", "could"),
    [("holm", 6, False), ("bonferroni", 6, False), ("none", 6, True), ("none", 4, False), ("holm", 7, True)],
)
def test_a_pair_could_reject_if_its_least_p_would_do_beside_the_other_pairs(
    correction: str, n_items: int, could: bool
) -> None:
    """Six items have 64 arrangements, and a two-sided p of 1/32 at least: too many for three pairs."""
    rng = np.random.default_rng(1)
    systems = {name: rng.normal(size=n_items) for name in "abc"}
    board = nbyk.compare(None, systems, kind="numbers", metric="mean", correction=correction)
    assert {pair.could_reject for pair in board.pairs} == {could}
    assert any("the smallest p that the" in text for text in board.cautions) is not could


def test_few_scores_that_all_differ_are_shown_by_the_share_of_wrong_claims_and_not_called_hopeless() -> None:
    scores = {name: [place + 0.1 * run for run in range(4)] for place, name in enumerate("abc")}
    by_share, holm = (
        nbyk.compare(None, scores, kind="scores", correction=correction)
        for correction in ("benjamini_hochberg", "holm")
    )
    assert [pair.p for pair in by_share.pairs] == pytest.approx([2 / 70] * 3)
    assert not any("cannot find a difference" in text for text in by_share.warnings)
    assert any("cannot find a difference" in text for text in holm.warnings)
    assert [pair.could_reject for pair in (*by_share.pairs, *holm.pairs)] == [True] * 3 + [False] * 3


def test_a_doubt_about_a_claim_goes_by_the_correction_of_its_p_and_not_of_its_margin() -> None:
    """Holm makes the first p three times as large, so that .02 is .06, and the third margin as it is."""
    question = nbyk.compare(None, {"a": [1.0, 2.0, 4.0], "b": [1.0, 3.0, 2.0]}, kind="numbers").question
    pairs = []
    for p, p_margin in ((0.001, 0.02), (0.002, 0.002), (0.003, 0.001)):
        margin = Margin(0.1, p_margin, 1.0, 1.0, (0.0, 0.1), 0.05, doubts=(Doubt("far", 0.03, "not worse"),))
        claim = Claim(("items",), "", 0.1, (0.0, 0.2), p, 0.0, "t", "better", margin=margin)
        claims = (replace(claim, doubts=(Doubt("few", 0.02), Doubt("none", 0.004))),)
        pairs.append(Pair("a", "b", question, Sample(3, 0, {}), (None, None), claims, p, True))
    made = corrected_pairs(pairs)
    assert [[doubt.reason for doubt in pair.claims[0].doubts] for pair in made] == [["few"], [], []]
    assert [pair.margin is not None and pair.margin.reserve for pair in made] == ["", "far", "far"]


def test_a_reserve_names_the_corrected_p_once() -> None:
    """Of a p of 0, too, Holm's correction for two pairs doubles the first."""
    question = nbyk.compare(None, {"a": [1.0, 2.0, 4.0], "b": [1.0, 3.0, 2.0]}, kind="numbers").question
    doubts = (Doubt("p is {p}", 0.03),) * 2
    claim = Claim(("items",), "", 0.1, (0.0, 0.2), 0.0, 0.0, "t", "better", doubts=doubts)
    sure, open_one = (
        Pair("a", "b", question, Sample(3, 0, {}), (None, None), (replace(claim, p=p),), p, True)
        for p in (0.0, 0.5)
    )
    (alone,), (first, last) = corrected_pairs([sure]), corrected_pairs([sure, open_one])
    assert (alone.p, alone.reserve, last.reserve) == (0.0, "", "")
    assert (first.p, first.claims[0].doubts) == (0.0, (Doubt("p is 0.06", 0.06),))


def test_a_pair_that_holm_shows_above_the_strictest_level_has_no_advice() -> None:
    rng = np.random.default_rng(24)
    rated = {f"s{k}": rng.normal(0.5 + 0.025 * k, 0.15, (60, 6)) for k in range(3)}
    board = nbyk.compare(None, rated, metric="mean", kind="numbers", against=0.5)
    pair = board.pairs[1]
    assert 0.05 / 3.0 < pair.claims[0].p < pair.p <= 0.05
    assert {of.claims[0].advice == "" for of in board.pairs if of.significant} == {True}
    assert (pair.claims[0].enough, pair.head.next) == ("", "")
