"""Corrections of p-values: the numbers of their definitions, without a walk through the process' memory."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from nbyk.errors import NbykError
from nbyk.testing.corrections import CORRECTIONS, correct_p_values


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


def test_a_correction_does_not_collect_the_garbage_of_the_process() -> None:
    passes: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        passes.append(info["collected"])

    class Cycle:
        def __init__(self) -> None:
            self.itself = self

    correct_p_values([0.1, 0.2], "holm")  # imports statsmodels
    gc.collect()
    for _ in range(50):
        Cycle()
    gc.callbacks.append(note)
    try:
        correct_p_values([0.1, 0.2], "holm")
    finally:
        gc.callbacks.remove(note)
    assert sum(passes) < 50
    assert gc.get_freeze_count() == 0
    assert gc.collect() >= 50  # what is garbage still is


@pytest.mark.parametrize("bad", [[], ["0.1"], [[0.1]], [None], [True], 0.1, [0.1, "x"]])
def test_what_is_no_list_of_p_values_is_refused(bad: object) -> None:
    with pytest.raises(NbykError, match=r"p-values: found a .* expected a flat list of numbers"):
        correct_p_values(bad)
