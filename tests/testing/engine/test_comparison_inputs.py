"""Whatever holds ratings becomes the same response set, and whatever holds randomness a seed."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import nbyk
from nbyk.errors import NbykError
from nbyk.resampling.streams import as_seed

nan = np.nan
A = np.array([[0.5, 1.0], [0.25, nan], [0.0, 0.75]])
B = np.array([0.5, 0.25, 1.0])
GOLD = np.array([[1.0, 0.5, 0.0], [0.0, nan, nan], [1.0, 1.0, nan]])


class Arrayish:
    def __array__(self, dtype=None, copy=None):  # type: ignore[no-untyped-def]
        return np.array(A, dtype=dtype)


@pytest.mark.parametrize(
    "a",
    [
        A,
        A.tolist(),
        [[0.5, 1.0], [0.25], (0.0, 0.75)],
        [[0.5, 1], [None, 0.25], np.array([0, 0.75])],
        pd.DataFrame(A),
        pd.DataFrame(A).astype("Float64"),
        Arrayish(),
    ],
    ids=["array", "lists", "ragged", "None", "frame", "nullable frame", "__array__"],
)
def test_forms_of_a_matrix(a: object) -> None:
    data = nbyk.response_set(GOLD.tolist(), a, pd.Series(B))
    assert data.fingerprint() == nbyk.response_set(GOLD, A, B).fingerprint()
    assert nbyk.response_set(data) is data


def test_pandas_objects_are_aligned_by_their_index_if_all_are() -> None:
    index = ["x", "y", "z"]
    gold, a, b = pd.DataFrame(GOLD, index), pd.DataFrame(A, index), pd.Series(B, index)
    expected = nbyk.response_set(GOLD, A, B).fingerprint()
    assert nbyk.response_set(gold, a.loc[["z", "x", "y"]], b.iloc[::-1]).fingerprint() == expected
    assert nbyk.response_set(GOLD, a, b).fingerprint() == expected
    with pytest.raises(NbykError, match=r"A: lacks 1 of gold's items \(y\) and has 1 that gold lacks"):
        nbyk.response_set(gold, a.rename({"y": "w"}), b)
    with pytest.raises(NbykError, match="A: 'x' is twice in the index"):
        nbyk.response_set(gold, a.set_axis(["x", "x", "z"]), b)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((GOLD, A), "found the numbers of one system"),
        ((GOLD, None, B), "A: found no responses"),
        ((GOLD, 5), "found the numbers of one system"),
        ((GOLD, {1: A, "1": B}), "two systems have one name"),
        ((GOLD, A, B[:2]), "found 3 items of gold and 2 of B"),
        ((None, A, B[:2]), "found 3 items of A and 2 of B"),
        ((GOLD, [["x"], [1], [2]], B), "A: found 'x', expected numbers alone"),
        ((GOLD, "scores.csv", B), "read files with nbyk.read_ratings"),
        (
            (GOLD, pd.DataFrame({"id": ["p", "q", "r"]}), B),
            "A, item 0: found 'p', expected a number",
        ),
        ((GOLD, [[0.5], [], [1.0]], B), "A, item 1: there is no response"),
        ((GOLD, np.array(["2020-01-01"] * 3, "datetime64[D]"), B), "A: found an array of datetime64"),
        ((GOLD, np.ones((3, 2)) + 1j, B), "A: found an array of complex128, expected numbers"),
        ((GOLD, (value for value in (1, 0, 1)), B), "A: found .*expected numbers"),
        ((GOLD, A, [1.0, np.inf, 0.0]), "B, item 1: response 0 is inf"),
        ((GOLD, np.zeros((3, 2, 2)), B), "A: found an array of 3 dimensions"),
        (([1.0], [1.0], [1.0]), "only one item"),
        ((nbyk.response_set(GOLD, A, B), A), "the data that were read have theirs"),
    ],
)
def test_malformed_input_is_named(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        nbyk.response_set(*arguments)


def test_frames_go_by_their_index_whatever_they_hold() -> None:
    """Rows of probabilities and labels once went by their place, and the p of shuffled frames was wrong."""
    rng = np.random.default_rng(2)
    index, order = [f"q{item}" for item in range(40)], rng.permutation(40)
    shares = [pd.DataFrame(rng.dirichlet(np.ones(3), 40), index) for _ in range(3)]
    labels = rng.integers(0, 2, 40)
    answers = [np.where(rng.random(40) < right, labels, 1 - labels) for right in (0.9, 0.6)]
    series = [pd.Series(of, index) for of in (labels, *answers)]
    for (gold, a, b), ask in (
        (shares, lambda *of: nbyk.compare(*of, kind="distributions", n_resamples=99)),
        (series, nbyk.mcnemar),
        (series, nbyk.cochran_mantel_haenszel),
    ):
        assert ask(gold, a.iloc[order], b).p == ask(gold, a, b).p
    assert nbyk.mcnemar(*series).p == nbyk.mcnemar(labels, *answers).p


@pytest.mark.parametrize("of", [Decimal, Fraction, float, np.float32], ids=lambda of: of.__name__)
def test_any_number_of_python_is_a_response(of: type) -> None:
    data = nbyk.response_set([of(1), None, of(0)][::2], [of(0), of(1)], [[of(1)], [of(0), of(1)]])
    assert_array_equal(data.b, [[1.0, np.nan], [0.0, 1.0]])
    assert_array_equal(data.gold, [[1.0], [0.0]])


def test_masked_responses_are_missing() -> None:
    a = np.ma.MaskedArray([[1, 9], [0, 1], [1, 1]], mask=[[0, 1], [0, 0], [0, 0]])
    assert_array_equal(nbyk.response_set(GOLD, a, B).a, [[1.0, np.nan], [0.0, 1.0], [1.0, 1.0]])


def test_seeds() -> None:
    assert as_seed(7) == as_seed(np.int64(7)) == 7
    assert as_seed(np.random.default_rng(3)) == as_seed(np.random.default_rng(3))
    generator = np.random.default_rng(3)
    assert as_seed(generator) != as_seed(generator)
    assert as_seed(np.random.SeedSequence(3)) == as_seed(np.random.SeedSequence(3)) >= 0
    assert as_seed(None) != as_seed(None)
    for wrong in (True, 1.5, "7", -1):
        with pytest.raises(NbykError, match="expected a seed"):
            as_seed(wrong)


def test_equal_seeds_give_equal_results() -> None:
    generator = np.random.default_rng(0)
    arrays = generator.random((3, 30, 2))
    ours, theirs = (nbyk.compare(*arrays, seed=np.random.default_rng(4), n_resamples=99) for _ in range(2))
    assert_array_equal(ours.pair.drawn.null, theirs.pair.drawn.null)
    other = nbyk.compare(*arrays, seed=5, n_resamples=99)
    assert other.question.seed == 5
    assert not np.array_equal(other.pair.drawn.null, ours.pair.drawn.null)


def test_the_columns_of_frames_are_units_by_their_names() -> None:
    """Runs of both systems move together: paired by name they cancel, as if read from files."""
    rng = np.random.default_rng(3)
    luck = rng.normal(0.0, 0.1, 5)
    base = rng.normal(0.5, 0.1, (60, 1)) + luck
    a, b = (base + shift + rng.normal(0.0, 0.02, (60, 5)) for shift in (0.02, 0.0))

    def compared(names: list[str], *, pair_runs: bool = False) -> nbyk.Board:
        frames = (pd.DataFrame(values, columns=names) for values in (a, b))
        return nbyk.compare(None, *frames, metric="mean", n_resamples=99, pair_runs=pair_runs)

    seeds = compared([f"seed{number}" for number in range(5)], pair_runs=True)
    assert seeds.claims[0].over == ("items", "runs")
    assert seeds.p < 0.01
    runs = compared([f"run {number}" for number in range(5)])
    assert runs.p == compared([f"seed{number}" for number in range(5)]).p
    assert runs.claims[0].over == ("items", "runs of A", "runs of B")
    assert runs.p > 0.3
    numbered = nbyk.compare(None, pd.DataFrame(a), pd.DataFrame(b), metric="mean", n_resamples=99)
    assert numbered.p == runs.p
    assert numbered.claims[0].population == "new items and raters or runs"
    assert [part.source for part in numbered.claims[0].parts][1] == "raters or runs of A"
    people = compared(["ann", "bob", "cem", "dan", "eve"])
    assert people.p == seeds.p
    assert people.claims[0].population == "new items and raters"
    assert [part.source for part in people.claims[0].parts] == ["items", "raters", "raters × items"]
