"""Corrections of p-values: the numbers of their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

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
