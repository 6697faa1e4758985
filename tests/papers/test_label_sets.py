"""Simulated label predictions: the right answers that were asked for, and nothing else by construction."""

from __future__ import annotations

import numpy as np
import pytest

from nbyk.errors import NbykError
from nbyk_papers.boostsa2022.design import (
    DISCORDANCES,
    EXAMPLE,
    EXAMPLE_COUNTS,
    HARD_SCORES,
    TAGGED_ITEMS,
    TAGGED_RIGHT_A,
    TAGGED_RIGHT_B,
    TAGGING,
)
from nbyk_papers.boostsa2022.label_cells import N_CLASSES, balanced_set, counted_set, tagging_set
from tests.oracles.label_scores import label_scores

SYSTEMS = ("a", "b")


def generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("n_items", [200, 400, 3000])
def test_balanced_systems_have_every_hard_score_alike_and_a_point_apart(n_items: int) -> None:
    data = balanced_set(generator(n_items), n_items=n_items, accuracy=0.8, lead=0.01)
    assert np.bincount(data.target).tolist() == [n_items // 2] * 2
    for system, accuracy in zip(SYSTEMS, (0.81, 0.8), strict=True):
        scores = label_scores(data.target, getattr(data, system), HARD_SCORES)
        assert np.allclose(list(scores.values()), accuracy, atol=1e-12)


def test_balanced_errors_are_independent() -> None:
    """80,000 items: exactly one is right on a share of .8 · .19 + .2 · .81, to four standard errors."""
    data = balanced_set(generator(1), n_items=80_000, accuracy=0.8, lead=0.01)
    expected = 0.8 * 0.19 + 0.2 * 0.81
    assert abs(data.discordance - expected) < 4.0 * (expected / 80_000) ** 0.5
    assert data.discordance == pytest.approx(((data.a == data.target) != (data.b == data.target)).mean())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_items": 250}, "expected an even number of which a lead of 0.01 is a whole"),
        ({"n_items": 401}, "n_items: found 401"),
        ({"n_items": 400, "accuracy": 0.995}, "accuracy: found 0.995 and a lead of 0.01"),
    ],
)
def test_what_cannot_be_balanced_is_named(options: dict[str, float], message: str) -> None:
    asked = {"accuracy": 0.8, "lead": 0.01, **options}
    with pytest.raises(NbykError, match=message):
        balanced_set(generator(0), **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("discordance", DISCORDANCES)
def test_taggers_have_the_right_answers_and_the_discordance_asked_for(discordance: float) -> None:
    options = {"n_items": TAGGED_ITEMS, "right_a": TAGGED_RIGHT_A, "right_b": TAGGED_RIGHT_B}
    f1 = []
    for seed in range(5):
        data = tagging_set(generator(seed), discordance=discordance, **options)  # type: ignore[arg-type]
        assert ((data.a == data.target).sum(), (data.b == data.target).sum()) == (2643, 2630)
        # How many items exactly one has right is odd, as 13 is: an item of rounding either way.
        assert abs(data.discordance - discordance) <= 1.0 / TAGGED_ITEMS
        assert set(data.target) == set(range(N_CLASSES))
        assert {*data.a, *data.b} <= set(range(N_CLASSES))
        f1.append([label_scores(data.target, x, "f1_macro")["f1_macro"] for x in (data.b, data.a)])
    # Near the printed F-measures, though the classes are made up.
    assert np.allclose(np.mean(f1, axis=0), TAGGING["f1_macro"], atol=0.03)


def test_rare_classes_are_hard_and_errors_are_other_classes() -> None:
    data = tagging_set(generator(3), n_items=20_000, right_a=17_000, right_b=17_000, discordance=0.1)
    wrong = data.a != data.target
    rates = np.bincount(data.target[wrong]) / np.bincount(data.target)
    assert rates[-3:].mean() > 2.0 * rates[0]
    shares = np.bincount(data.target) / len(data.target)
    of_rarest = data.a[wrong & (data.target == N_CLASSES - 1)]
    # Errors on the rarest class go to the most frequent one by its share of all others.
    expected = shares[0] / (1.0 - shares[-1])
    assert (
        abs((of_rarest == 0).mean() - expected) < 4.0 * (expected * (1.0 - expected) / len(of_rarest)) ** 0.5
    )


@pytest.mark.parametrize("discordance", [0.001, 0.3])
def test_an_impossible_discordance_is_named_with_the_possible_ones(discordance: float) -> None:
    with pytest.raises(NbykError, match=rf"found {discordance}; .* expected a share from 0\.0042 to 0\.2790"):
        tagging_set(
            generator(0),
            n_items=TAGGED_ITEMS,
            right_a=TAGGED_RIGHT_A,
            right_b=TAGGED_RIGHT_B,
            discordance=discordance,
        )


def test_the_examples_counts_give_every_printed_score() -> None:
    data = counted_set(EXAMPLE_COUNTS)
    assert (len(data.target), (data.target == 0).sum()) == (1000, 465)
    assert ((data.b == 0).sum(), (data.a == 0).sum()) == (339, 500)
    for score, (printed_b, printed_a, _) in EXAMPLE.items():
        for printed, predicted in ((printed_b, data.b), (printed_a, data.a)):
            assert round(label_scores(data.target, predicted, score)[score], 4) == printed
