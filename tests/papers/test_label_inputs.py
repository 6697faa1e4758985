"""Bad labels are refused with the system, the run, the row and the way out; good ones are read as meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbyk.errors import NbykError
from nbyk_papers.boostsa2022.label_bootstrap import label_bootstrap, label_scores
from nbyk_papers.boostsa2022.labels import HardLabels, SoftLabels, check_labels

T = [0, 1, 1, 0]
EVEN = [[0.5, 0.5]] * 4
BAD_HARD: list[tuple[Any, Any, str]] = [
    (T, [0, 1, 1], r"b: 3 labels, the target has 4; expected one per item"),
    (T, [T, [0, 1]], r"b, run 1: 2 labels, the target has 4"),
    (T, [], r"b: found nothing; expected predictions"),
    (T, [T, []], r"b, run 1: 0 labels, the target has 4"),
    (T, [0, 2, 2, 1], r"b, row 1: label 2 \(2 times, first here\) is not one of the 2 classes .*`labels`"),
    (T, [0.0, 1.0, np.nan, 1.0], r"b, row 2: found nan; expected a label"),
    (T, [0.0, 0.5, 1.0, 1.0], r"b, row 1: found 0.5; expected a class"),
    (T, [0, 1, None, 1], r"b, row 2: found None; expected labels that are all text or all whole"),
    (T, ["0", "1", "1", "0"], r"b: the labels are text, the classes are whole numbers"),
    (["x", "y", "y", "x"], ["x", "y", "", "x"], r"b, row 2: is empty"),
    (T, [0, "1", 1, 0], r"b, row 1: found '1'; expected labels that are all text or all whole"),
    (["x", np.nan, "y", "x"], ["x"] * 4, r"target, row 1: found nan; expected labels that are all text"),
    (T, EVEN, r"b: 4 rows of 2, and the target is hard; give both as hard labels or both as soft"),
    (T, 3, r"b: 1 label, the target has 4"),
    (
        T,
        np.array([0, 2**63 + 1, 1, 1], dtype=np.uint64),
        r"b, row 1: found 9223372036854775809; expected a number",
    ),
    (T, [0.0, 1e19, 1.0, 1.0], r"b, row 1: found 1e\+19; expected a number below 2⁶³"),
    ([1, 1, 1, 1], T, r"target: every label is 1; expected at least two classes"),
    ([1], [1], r"target: 1 items; at least two"),
    ([], [], r"target: 0 items"),
    ([0, 1, np.nan, 1], T, r"target, row 2: found nan"),
    ([[[0.5, 0.5]]], T, r"target: found 3 dimensions"),
    ([[0.5, 0.5], [1.0]], EVEN, r"target: its rows differ in length"),
]
BAD_SOFT: list[tuple[Any, str]] = [
    (
        [[0.5, 0.5], [0.5, 0.6], [0.2, 0.7], [1, 0]],
        r"b, row 1: sums to 1.1, 0.1 more than one \(2 rows of 4 off",
    ),
    (
        [[0.5, 0.5], [0.5, 0.4], [0.5, 0.5], [1, 0]],
        r"b, row 1: sums to 0.9, 0.1 less than one \(1 row of 4 off",
    ),
    ([[0.5, 0.5], [1.2, -0.2], [0.5, 0.5], [1, 0]], r"b, row 1: class 1 is -0.2; expected a probability"),
    ([[0.5, 0.5], [0.5, np.nan], [0.5, 0.5], [1, 0]], r"b, row 1: class 1 is nan; expected a finite"),
    ([[0.5, 0.5], [0.5, np.inf], [0.5, 0.5], [1, 0]], r"b, row 1: class 1 is inf; expected a finite"),
    (EVEN[:3], r"b: 3 rows of 2 probabilities, the target has 4 of 2"),
    ([[0.2, 0.3, 0.5]] * 4, r"b: 4 rows of 3 probabilities, the target has 4 of 2"),
    ([[1.0]] * 4, r"b: rows of one number; expected probabilities of at least two classes, or hard labels"),
    ([EVEN, np.empty((0, 2))], r"b, run 1: is empty"),
    ([EVEN, [[0.5, 0.5]] * 3 + [[0.5, 0.7]]], r"b, run 1, row 3: sums to 1.2"),
    ([["x", "y"]] * 4, r"b: expected rows of as many numbers"),
    ([[0.5, 0.5], [1.0], [0.5, 0.5], [1, 0]], r"b: expected rows of as many numbers"),
    (T, r"b: found 1 dimensions; the target is soft, so a run has shape \(N, C\)"),
]


@pytest.mark.parametrize(("target", "b", "message"), BAD_HARD)
def test_bad_hard_labels_are_refused(target: Any, b: Any, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        check_labels(target, {"b": b})


@pytest.mark.parametrize(("b", "message"), BAD_SOFT)
def test_bad_soft_labels_are_refused(b: Any, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        check_labels(EVEN, {"b": b})


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0], "at least two classes, each once"),
        ([0, 1, 1], "each once"),
        (["a", "b"], "target: the labels are whole numbers, the classes are text"),
        ([1, 2], r"target, row 0: label 0 \(2 times, first here\)"),
    ],
)
def test_bad_classes_are_refused(labels: Any, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        check_labels(T, {"a": T}, labels)
    with pytest.raises(
        NbykError, match=r"^labels: the classes of soft labels are their columns; leave it out"
    ):
        check_labels(EVEN, {"a": EVEN}, [0, 1])


def test_classes_can_be_declared() -> None:
    data = check_labels(T, {"a": [2, 1, 1, 0]}, labels=[2, 0, 1])
    assert isinstance(data, HardLabels)
    assert data.classes == (2, 0, 1)
    assert data.predictions.tolist() == [[0, 2, 2, 1]]
    assert data.target.tolist() == [1, 2, 2, 1]
    assert label_scores([1, 1], [1, 0], "recall_weighted", labels=[0, 1]) == {"recall_weighted": 0.5}


@pytest.mark.parametrize(
    "given",
    [
        np.array(T, dtype=np.uint8),
        np.array(T, dtype=float),
        np.array(T, dtype=object),
        np.array(T, dtype=bool),
        tuple(T),
        pd.Series(T, index=[7, 8, 9, 10]),
    ],
    ids=["uint8", "float", "object", "bool", "tuple", "series"],
)
def test_numbers_are_read_whatever_they_come_in(given: Any) -> None:
    data = check_labels(given, {"a": given})
    assert isinstance(data, HardLabels)
    assert data.classes == (0, 1)
    assert data.predictions.tolist() == [T]


def test_text_is_read_as_classes() -> None:
    text = np.array(["no", "yes", "yes", "no"], dtype=object)
    data = check_labels(text, {"a": list(text), "b": pd.Series(text)})
    assert isinstance(data, HardLabels)
    assert data.classes == ("no", "yes")
    assert data.target.tolist() == T
    assert data.runs == (1, 1)


def test_runs_are_read_from_arrays_and_lists() -> None:
    for runs in (np.array([T, T, T]), [T, T, T], (np.array(T),) * 3):
        assert check_labels(T, {"a": runs, "b": T}).runs == (3, 1)
    for runs in (np.array([EVEN] * 3), [EVEN] * 3, (np.array(EVEN),) * 3):
        assert check_labels(EVEN, {"a": EVEN, "b": runs}).runs == (1, 3)


def test_rounding_of_probabilities_is_divided_out() -> None:
    rows = np.array([[0.333333, 0.666666], [0.5, 0.5]], dtype=np.float32)
    data = check_labels(rows, {"a": rows})
    assert isinstance(data, SoftLabels)
    np.testing.assert_allclose(data.target.sum(axis=1), 1.0, rtol=1e-15)


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.01, float("nan")])
def test_a_fraction_outside_its_range_is_refused(fraction: float) -> None:
    with pytest.raises(NbykError, match=r"expected a share of the items in \(0, 1\]"):
        label_bootstrap(T, T, T, fraction=fraction)


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(NbykError, match=r"0.1 of 4 items is none; expected at least 0.25"):
        label_bootstrap(T, T, T, fraction=0.1)
    with pytest.raises(NbykError, match="unknown semantics 'publish'; did you mean published"):
        label_bootstrap(T, T, T, semantics="publish")  # type: ignore[arg-type]
    with pytest.raises(NbykError, match="unknown way to resample runs"):
        label_bootstrap(T, T, T, runs="all")  # type: ignore[arg-type]
    with pytest.raises(NbykError, match="published semantics concatenate runs"):
        label_bootstrap(T, T, T, semantics="published", runs="paired")
    with pytest.raises(NbykError, match="a has 2, b has 1; paired runs go in pairs"):
        label_bootstrap(T, [T, T], T, runs="paired")
    with pytest.raises(NbykError, match="a has 1, b has 3; concatenated runs go in pairs"):
        label_bootstrap(T, T, [T, T, T], runs="concatenated")
    with pytest.raises(NbykError, match="seed: found -1, expected a seed"):
        label_bootstrap(T, T, T, seed=-1)
    with pytest.raises(NbykError, match=r"confidence_level: found 1"):
        label_bootstrap(T, T, T, confidence_level=1.0)
    with pytest.raises(NbykError, match="n_resamples: found 0, expected a whole number"):
        label_bootstrap(T, T, T, n_resamples=0)


@pytest.mark.parametrize("kind", [list, lambda labels: np.array(labels, dtype=object)])
def test_labels_that_differ_by_a_nul_at_the_end_are_not_merged(kind: Callable[[list[str]], Any]) -> None:
    with pytest.raises(NbykError, match=r"new, row 1: found 'b\\x00'; expected a label without NUL"):
        check_labels(["a", "b", "a"], {"new": kind(["a", "b\0", "a"])})
