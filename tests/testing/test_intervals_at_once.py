"""Intervals of the pairs of a board, of every kind of data, hold all at once where p is corrected so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nbyk
from nbyk.report.comparison.sentences import claim_sentence, margin_sentence
from nbyk.testing.results import Board
from tests.report.test_kinds import judged, labels, rated, runs, votes

THREE = {f"s{k}": runs(5)[:, :3] * (1.0 - 0.2 * k) for k in range(3)}
TASKS = np.repeat(list("abc"), 8)

KINDS: dict[str, Callable[..., Any]] = {
    "gold": lambda **how: nbyk.compare(runs(4), THREE, **how),
    "raters of outputs": lambda **how: nbyk.compare(rated("new", "old", "older"), **how),
    "one run": lambda **how: nbyk.compare(None, {k: of[:, 0] for k, of in THREE.items()}, **how),
    "a baseline": lambda **how: nbyk.compare(runs(4), THREE, against="s1", **how),
    "a score": lambda **how: nbyk.compare(None, THREE, against=0.4, **how),
    "classes": lambda **how: nbyk.compare(labels(0), {f"s{k}": labels(k / 9) for k in range(3)}, **how),
    "scores": lambda **how: nbyk.compare({k: of[:7, 0] for k, of in THREE.items()}, kind="scores", **how),
    "votes": lambda **how: nbyk.compare(votes("m", "n", "o"), **how),
    "a suite": lambda **how: nbyk.compare(None, THREE, suite=nbyk.Suite.of(TASKS), **how),
    "a judge": lambda **how: nbyk.compare_judged(judged("m", "n", "o"), **how).board,
}
MARGINS = ("gold", "one run", "a baseline", "a score", "classes", "scores")


def ends(board: Board) -> list[tuple[float, float]]:
    return [claim.interval for pair in board.pairs for claim in pair.claims[:1]]


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_pairs_hold_at_once_where_the_correction_bounds_any_wrong_claim(kind: str) -> None:
    compare = KINDS[kind]
    by_holm = compare()
    m = len(by_holm.pairs)
    at_once = compare(correction="none", confidence_level=1.0 - 0.05 / m)
    each = compare(correction="none")
    assert m > 1
    assert_allclose(ends(by_holm), ends(at_once), rtol=1e-9)
    assert_allclose(ends(compare(correction="bonferroni")), ends(at_once), rtol=1e-9)
    if kind != "a baseline":  # slow, and as the others
        assert_allclose(ends(compare(correction="benjamini_hochberg")), ends(each), rtol=1e-9)
    for one, other in zip(by_holm.standings, each.standings, strict=True):  # each score by itself
        assert_allclose(one.interval, other.interval, rtol=1e-9)
    assert (by_holm.question.n_together, each.question.n_together) == (m, 1)
    pair = by_holm.pairs[0]
    assert "(simultaneous 95 % interval" in claim_sentence(pair)
    assert "simultaneous" not in claim_sentence(each.pairs[0])


@pytest.mark.parametrize("kind", MARGINS)
def test_so_do_those_that_belong_to_a_margin(kind: str) -> None:
    compare = KINDS[kind]
    by_holm = compare(margin=0.3)
    m = len(by_holm.pairs)
    at_once = compare(margin=0.3, correction="none", alpha=0.05 / m)
    for pair, other in zip(by_holm.pairs, at_once.pairs, strict=True):
        assert_allclose(pair.margin.interval, other.margin.interval, rtol=1e-9)
        if not pair.margin.reason:
            assert "(simultaneous 90 % interval" in margin_sentence(pair, pair.claims[0])


def test_an_answer_says_where_holms_correction_is_sharper_than_its_intervals() -> None:
    rng = np.random.default_rng(1)
    items = rng.normal(0.5, 0.1, (80, 1))
    means = {"base": 0.0, "one": 0.03, "two": -0.02, "three": 0.005}
    systems = {name: items + mean + 0.05 * rng.normal(size=(80, 4)) for name, mean in means.items()}
    board = nbyk.compare(None, systems, against="base")
    (three,) = [pair for pair in board.pairs if pair.a == "three"]
    assert three.significant
    assert three.interval[0] < 0.0 < three.interval[1]
    said = "sharper than these intervals, which hold 0 for three."
    assert said in " ".join(str(board).split())
    assert said not in " ".join(str(nbyk.compare(None, systems, against="base", correction="none")).split())
