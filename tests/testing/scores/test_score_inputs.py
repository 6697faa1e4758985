"""What counts as scores: anything that holds numbers, and nothing that does not."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nbyk
from nbyk.data.arrays import as_rows, as_scores
from nbyk.errors import NbykError
from nbyk.testing.scores.battery import p_values, score_test
from nbyk.testing.scores.facts import FACTS, TESTS


class Tensor:
    """Stands in for a tensor with a gradient on a device: numpy may read it only once detached and copied."""

    def __init__(self, values: list[float], attached: bool = True, on_device: bool = True) -> None:
        self.values, self.attached, self.on_device = values, attached, on_device

    def detach(self) -> Tensor:
        return Tensor(self.values, False, self.on_device)

    def cpu(self) -> Tensor:
        return Tensor(self.values, self.attached, False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:  # type: ignore[type-arg]
        if self.attached or self.on_device:
            raise RuntimeError("can't call numpy() on a tensor that requires grad or is on a device")
        return np.asarray(self.values, dtype=dtype)


class Scalar:
    """Stands in for a tensor without axes, such as a loss that a loop collected in a list."""

    def __init__(self, value: float, attached: bool = True) -> None:
        self.value, self.attached = value, attached

    def detach(self) -> Scalar:
        return Scalar(self.value, False)

    def __float__(self) -> float:
        if self.attached:
            raise RuntimeError("can't call float() on a tensor that requires grad")
        return self.value

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:  # type: ignore[type-arg]
        return np.asarray(float(self), dtype=dtype)


class DlpackOnly:
    """Stands in for an array of a library that speaks DLPack and no array protocol."""

    def __init__(self, values: list[float]) -> None:
        self._array = np.asarray(values, dtype=np.float32)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        lambda values: np.array(values, dtype=np.float32),
        lambda values: np.array(values, dtype=object),
        lambda values: [Fraction(value) for value in values],
        pd.Series,
        lambda values: pd.Series(values, dtype="Float64"),
        Tensor,
        lambda values: Tensor(values, attached=False),
        lambda values: [Scalar(value) for value in values],
        DlpackOnly,
    ],
)
def test_scores_from_everything_that_holds_numbers(make: Callable[[list[float]], Any]) -> None:
    scores = as_scores(make([0.5, -1.25, 3.0]), "a")
    np.testing.assert_array_equal(scores, [0.5, -1.25, 3.0])
    assert scores.dtype == np.float64
    a, b = [1.0, 2.0, 3.0, 4.5, 6.0], [0.0, 1.0, 2.5, 1.0, 3.0]
    assert nbyk.score_test("permutation", make(a), make(b)).p == nbyk.score_test("permutation", a, b).p


def test_scores_are_a_copy() -> None:
    source = np.array([1.0, 2.0])
    as_scores(source, "a")[0] = 5.0
    assert source[0] == 1.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "a: found 0 scores, expected at least 1"),
        ([1.0, np.nan], "a: score 1 is nan; expected finite numbers"),
        ([np.inf, 1.0], "a: score 0 is inf"),
        (["0.5", "0.6"], "a: score 0 is .*'0.5'.*; expected a number"),
        ([1.0, "b"], "a: score 0 is "),
        ([1.0, None], "a: score 1 is None"),
        ([1.0, Decimal(2)], "a: score 1 is Decimal"),
        ([1.0, 2j], "a: score 0 is "),
        (pd.Series([1, None], dtype="Int64"), "a: score 1 is"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "masked"),
        (3.0, r"a: found a float of shape \(\), expected \(n\)"),
        ("scores", r"a: found a str of shape \(\)"),
        ({"x": 1.0}, "a: found a dict"),
        ({1.0, 2.0}, "a: found a set"),
        ([[1.0, 2.0]], r"a: found a list of shape \(1, 2\)"),
        ([[1.0], [1.0, 2.0]], "a: list cannot be read as numbers"),
    ],
)
def test_nothing_else_is_taken_for_scores(values: Any, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        as_scores(values, "a")


@pytest.mark.quick
@pytest.mark.parametrize("name", TESTS)
def test_every_test_refuses_what_is_no_score(name: str) -> None:
    test = partial(score_test, name)
    good = [1.0, 2.0, 4.0]
    for bad in ([1.0, np.nan, 2.0], ["1", "2", "3"], []):
        with pytest.raises(NbykError, match=r"^a: "):
            test(bad, good)
        with pytest.raises(NbykError, match=r"^b: "):
            test(good, bad)
    with pytest.raises(NbykError, match="alternative: found 'both'"):
        test(good, [0.0, 1.0, 1.0], alternative="both")
    if FACTS[name].paired:
        with pytest.raises(NbykError, match="3 of a and 2 of b"):
            test(good, [1.0, 2.0])
        with pytest.raises(NbykError, match="Series have different indices"):
            test(pd.Series(good), pd.Series(good, index=[2, 1, 0]))


@pytest.mark.parametrize("name", TESTS)
def test_many_pairs_at_once_are_as_one(name: str) -> None:
    """The first row of a batch is the test itself, and all rows are when the null is not drawn."""
    test = partial(score_test, name)
    generator = np.random.default_rng(1)
    a, b = generator.normal(0.5, 1, (6, 7)), generator.normal(0, 1, (6, 7))
    assert test(a[0], b[0]).test == name
    for alternative in ("greater", "less", "two-sided"):
        p = p_values(name, a, b, alternative=alternative)
        assert p.shape == (6,)
        ones = [test(x, y, alternative=alternative).p for x, y in zip(a, b, strict=True)]
        same = slice(0, 1) if "bootstrap" in name else slice(None)
        np.testing.assert_allclose(p[same], ones[same], rtol=1e-12)
        np.testing.assert_allclose(p, ones, atol=0.03)
    with pytest.raises(NbykError, match="expected"):
        p_values(name, a, b[:4])


def test_rows_name_the_score() -> None:
    with pytest.raises(NbykError, match=r"b: score \(1, 0\) is nan"):
        as_rows([[1.0, 2.0], [np.nan, 1.0]], "b")
    with pytest.raises(NbykError, match=r"found a list of shape \(2,\), expected \(R, n\)"):
        as_rows([1.0, 2.0], "b")


@pytest.mark.parametrize("kind", [np.int16, np.int64, np.uint16])
def test_a_number_of_draws_may_be_one_of_numpys_short_integers(kind: Callable[[int], Any]) -> None:
    """In 16 bits one draw more than 32767 would be a negative number."""
    a, b = np.random.default_rng(3).random((2, 30))
    found = nbyk.score_test("approximate_randomisation", a, b, n_resamples=kind(32767), exact_up_to=0)
    assert repr(found) == repr(
        nbyk.score_test("approximate_randomisation", a, b, n_resamples=32767, exact_up_to=0)
    )
    assert 0.0 < found.p < 1.0
