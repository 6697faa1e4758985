"""Margins with three systems or more: each kind of p-value is corrected for the number of pairs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import nbyk
from nbyk.report.comparison.sentences import WITHIN_MARGIN, board_margin_sentence
from nbyk.testing.results import Board

KINDS = ("p_not_worse", "p_worse", "p_equivalent")
MARGIN = 0.1


def systems() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(4)
    shared = generator.normal(0.5, 0.2, (60, 1))
    shifts = {"level": 0.0, "same": 0.01, "near": -0.06, "far": -0.3}
    return {name: shared + shift + generator.normal(0.0, 0.15, (60, 1)) for name, shift in shifts.items()}


def board_of(**options: Any) -> Board:
    return nbyk.compare(None, systems(), metric="mean", margin=MARGIN, n_resamples=199, **options)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "none"])
def test_each_kind_of_p_is_corrected_over_the_pairs(correction: str) -> None:
    board, given = board_of(correction=correction), systems()
    alone = [
        nbyk.compare(None, given[a], given[b], metric="mean", margin=MARGIN, n_resamples=199).pair.margin
        for a, b in combinations(given, 2)
    ]
    for kind in KINDS:
        p = [getattr(claim, kind) for claim in alone]
        expected = p if correction == "none" else multipletests(p, method=correction)[1].tolist()
        assert [getattr(pair.margin, kind) for pair in board.pairs] == pytest.approx(expected, rel=1e-12)


def test_verdicts_and_the_sentence_follow_the_corrected_p() -> None:
    board = board_of(against="level")
    margins = {pair.a: pair.margin for pair in board.pairs if pair.margin is not None}
    assert {name: of.shown for name, of in margins.items()} == {
        "same": "not worse",
        "near": "undecided",
        "far": "worse",
    }
    said = {shown: words.of_several.format(size="0.1") for shown, words in WITHIN_MARGIN.items()}
    parts = [f"{said[of.shown]}: {name}{' (with reserve)' * of.is_reserved}" for name, of in margins.items()]
    assert sorted(board_margin_sentence(board).removesuffix(".").split(". ")) == sorted(parts)
    assert {pair["claims"][0]["margin"]["verdict"] for pair in board.to_dict()["pairs"]} >= {
        "not worse",
        "worse",
    }


def test_the_pairs_of_each_verdict_are_named_and_the_table_has_them_beside_a_baseline() -> None:
    board = board_of()
    said, named = board_margin_sentence(board), set[tuple[str, str, str]]()
    for shown, words in WITHIN_MARGIN.items():
        kind = said.partition(f"{words.of_several.format(size='0.1')}: ")[2].partition(".")[0]
        for group in filter(None, kind.split("; ")):
            first, _, others = group.partition(f" {words.between} ")
            named |= {(shown, first, name.removesuffix(" (with reserve)")) for name in others.split(", ")}
    assert named == {(pair.margin.shown, pair.a, pair.b) for pair in board.pairs}
    beside = board_of(against="level")
    table = beside.to_frame().set_index("system")[f"within ±{MARGIN}"]
    assert table.to_dict() == {"level": "", **{pair.a: pair.margin.verdict for pair in beside.pairs}}
    assert all(pair.margin.verdict in str(beside) for pair in beside.pairs)


def test_a_system_of_which_it_is_only_in_doubt_whether_it_is_better_is_not_worse() -> None:
    """The two are equivalent by t; items not seen could only make the one that is ahead better."""
    for a, b, verdict in (("same", "level", "not worse"), ("level", "same", "equivalent, with reserve")):
        given = systems()
        margin = nbyk.compare(None, given[a], given[b], metric="mean", margin=MARGIN).pair.margin
        assert margin is not None
        assert max(margin.p_equivalent, margin.p_not_worse) <= 0.05
        assert (margin.verdict, bool(margin.reserve)) == (verdict, "reserve" in verdict)


def test_without_a_margin_nothing_is_said_of_one() -> None:
    board = nbyk.compare(None, systems(), metric="mean", n_resamples=199)
    assert board_margin_sentence(board) == ""
    assert all(pair.margin is None for pair in board.pairs)


@pytest.mark.parametrize("seed", range(8))
def test_with_bonferroni_a_pair_has_the_verdicts_and_reserves_of_the_pair_alone_at_the_corrected_level(
    seed: int,
) -> None:
    """Six people with lognormal severities, so that many p are in doubt between α and α over the number."""
    rng = np.random.default_rng(seed)
    severities, items = 0.06 * rng.lognormal(0.0, 1.0, (3, 6)), rng.random((60, 1))
    rated = {f"s{k}": items + severities[k] + 0.12 * k + rng.normal(0.0, 0.1, (60, 6)) for k in range(3)}
    asked: dict[str, Any] = {"metric": "mean", "kind": "numbers", "against": 0.6, "margin": 0.2}
    board = nbyk.compare(None, rated, correction="bonferroni", **asked)
    for pair in board.pairs:
        alone = nbyk.compare(None, {pair.a: rated[pair.a]}, alpha=0.05 / 3.0, **asked).pair
        assert pair.margin is not None
        assert alone.margin is not None
        assert (pair.verdict, pair.reserve) == (alone.verdict, alone.reserve)
        assert (pair.margin.verdict, pair.margin.reserve) == (alone.margin.verdict, alone.margin.reserve)


@pytest.mark.parametrize("null", ["shifted", "permutation", "pooled", "pooled_twice"])
@pytest.mark.parametrize("kind", ["zeros and ones", "skewed", "ratings"])
def test_a_margin_is_about_the_effect_whatever_null_is_drawn_beside_it(null: str, kind: str) -> None:
    rng = np.random.default_rng(3)
    a, b = {
        "zeros and ones": (rng.random((2, 60, 1)) < [[[0.9]], [[0.85]]]).astype(float),
        "skewed": rng.exponential(size=(2, 60, 1)) ** 2,
        "ratings": rng.random((2, 60, 3)),
    }[kind]
    asked: dict[str, Any] = {"metric": "mean", "margin": 0.1, "generalise": "items", "n_resamples": 99}
    swapped, other = (nbyk.compare(None, a, b, null=of, **asked).pair.margin for of in ("swap_items", null))
    assert other == swapped


@pytest.mark.parametrize("people", [1, 6])
def test_with_bonferroni_the_advice_about_a_pair_is_that_of_the_pair_alone_at_the_corrected_level(
    people: int,
) -> None:
    rng = np.random.default_rng(people)
    rated = {f"s{k}": rng.normal(0.5 + 0.02 * k, 0.15, (60, people)) for k in range(3)}
    asked: dict[str, Any] = {"metric": "mean", "kind": "numbers", "against": 0.51}
    board = nbyk.compare(None, rated, correction="bonferroni", **asked)
    advised = 0
    for pair in board.pairs:
        alone = nbyk.compare(None, {pair.a: rated[pair.a]}, alpha=0.05 / 3.0, **asked).pair
        assert [claim.advice for claim in pair.claims] == [claim.advice for claim in alone.claims]
        assert [claim.enough for claim in pair.claims] == [claim.enough for claim in alone.claims]
        advised += any(claim.advice for claim in pair.claims)
    assert advised > 0
