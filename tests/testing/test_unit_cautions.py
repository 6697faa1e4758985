"""The caution where items share raters or runs, of claims over items: where it stands; no number moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import response_set
from nbyk.data.units import ALL_FRESH, Units
from nbyk.planning import settle as road
from nbyk.testing.results import Board
from nbyk.testing.systems.sensitivity import Sensitivity
from nbyk.testing.systems.variance import variance_shares
from nbyk.testing.unit_cautions import about_units

compare = partial(nbyk.compare, generalise=("items",))
settle = partial(nbyk.settle, max_responses=10, n_resamples=999)
N = 40
_RNG = np.random.default_rng(0)
GOLD, A, B = (_RNG.random((N, k)) for k in (5, 3, 3))
SHARED = (
    "items share 5 raters and 3 runs of each of A and B: p and the interval are about these; for new ones "
    "they are too small"
)


def sharing(warnings: Iterable[str]) -> list[str]:
    return [text for text in warnings if "for new ones" in text or "how these differ" in text]


def units(index: Iterable[Iterable[int]]) -> Units:
    places = np.array(list(index), np.int32)
    return Units("ids", tuple(f"w{number}" for number in range(places.max() + 1)), places)


def test_arrays_of_two_columns_or_more_share_their_columns() -> None:
    assert sharing(compare(GOLD, A, B).warnings) == [SHARED]


def test_lists_that_differ_in_length_say_nothing_of_who_gave_them() -> None:
    ragged = [*GOLD.tolist()[:-1], [0.5]]
    (found,) = sharing(compare(ragged, A[:, 0], B[:, 0]).warnings)
    assert found.startswith("nothing says which rater gave the responses of gold: ")
    assert not sharing(compare(GOLD[:, 0], A[:, 0], B[:, 0]).warnings)


def test_simulated_sets_have_fresh_units_and_no_caution() -> None:
    prior = nbyk.published_prior("toxicity")
    data = nbyk.simulate(nbyk.Population(prior, N, 3, 0.1), seed=1)
    found = compare(data)
    assert not sharing(found.warnings)
    same = compare(data.gold, data.a, data.b)
    assert sharing(same.warnings)
    assert found.sample.pairing == ""
    assert numbers(same) == numbers(found)


def numbers(board: Board) -> dict[str, Any]:
    """Return all that a board says but its cautions, its pairing, and the populations of its claims."""
    (pair,) = board.to_dict()["pairs"]
    claims = [{**claim, "population": ""} for claim in pair["claims"]]
    drawn = board.pair.drawn
    numbers = {name: pair[name] for name in ("p", "interval", "effect", "scores")} | {"claims": claims}
    return numbers | {"null": drawn.null.tolist(), "bootstrapped": drawn.bootstrapped.tolist()}


def test_each_answer_about_two_systems_says_it_and_no_number_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(road, "_PRECISION", 0.05)
    shared, fresh = response_set(GOLD, A, B), ResponseSet(GOLD, A, B, ALL_FRESH)
    for look in (
        compare,
        variance_shares,
        lambda data: nbyk.sensitivity(data, metrics=["mae"], n_resamples=99),
    ):
        found, expected = look(shared), look(fresh)
        assert len(sharing(found.warnings)) == 1
        assert not sharing(expected.warnings)
        if look is compare:
            assert (found.sample.pairing[:21], expected.sample.pairing) == ("Runs are not paired: ", "")
            assert numbers(found) == numbers(expected)
            continue
        found = replace(found, warnings=expected.warnings)
        if isinstance(found, Sensitivity):
            assert found.population == "new items, with these 5 raters and these 3 runs of each system"
            found = replace(found, population=expected.population)
        assert found == expected
    assert settle(shared).crew.raters
    assert not settle(fresh).crew.raters


def test_without_gold_settle_reads_a_response_set_as_it_reads_matrices() -> None:
    assert repr(nbyk.settle(response_set(None, A, B), metric="mean")) == repr(
        nbyk.settle(None, A, B, metric="mean")
    )


def test_a_leaderboard_and_its_pairs_say_it() -> None:
    systems = {"x": A, "y": B, "z": B[:, ::-1] + 0.1}
    board = compare(GOLD, systems)
    (found,) = sharing(board.warnings)
    assert found.startswith("items share 5 raters and 3 runs of each of 3 systems: ")
    for pair in board.pairs:
        of_pair = SHARED.replace("A and B", f"{pair.a} and {pair.b}")
        assert sharing(pair.warnings) == [of_pair]


def test_the_caution_counts_units_that_answer_two_items_or_more() -> None:
    one_run, fresh = units([[0], [0], [0], [0]]), units([[0], [1], [2], [3]])
    sparse = units([[0, 1], [0, 2], [0, 3], [4, 3]])
    assert list(about_units({"gold": fresh, "A": fresh})) == []
    (found,) = about_units({"gold": fresh, "A": one_run, "B": one_run})
    assert found.startswith("items share one run of each of A and B: p and the interval are about these; for")
    (found,) = about_units({"gold": sparse})
    assert found.startswith("items share 2 raters: ")
    (found,) = about_units({"A": sparse, "B": fresh}, has_gold=False)
    assert found.startswith("items share 2 raters of A: ")


@pytest.mark.parametrize(("paired", "said"), [(True, 1), (False, 0)])
def test_paired_scores_speak_of_this_run_of_each_system(paired: bool, said: int) -> None:
    found = nbyk.compare(None, {"a": A[:, 0], "b": B[:, 0]}, kind="scores", pair_runs=paired).warnings
    assert len(sharing(found)) == said
    assert all("one run of each system answered" in text for text in sharing(found))
