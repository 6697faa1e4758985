"""Ratings in place of the toxicity data: their law, and the sets that stay among true draws."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nbyk.data.response_set import ResponseSet
from nbyk.errors import NbykError
from nbyk.files import read_parquet, write_json, write_parquet
from nbyk.priors import Response, published_prior
from nbyk.resampling.population import Population
from nbyk.resampling.simulate import simulated_effects
from nbyk.studies.steps import Work
from nbyk.testing.pvalues import expected_p
from nbyk_papers.wein2023.cells import (
    estimated_p_table,
    gold_of,
    reference_sets,
    references_from_table,
    references_table,
    simulate_systems,
    true_p_table,
    with_first_draw,
)
from nbyk_papers.wein2023.design import SEMANTICS, Estimation
from nbyk_papers.wein2023.pvalues import with_true_p
from nbyk_papers.wein2023.steps import true_p
from nbyk_papers.wein2023.toxicity_ratings import toxicity_law, toxicity_ratings

TOXICITY = published_prior("toxicity")
COLUMNS = {"mae": "mae", "mse": "inverse_mse"}
COUNTS = np.array([281_511, 99_973, 71_347, 50_300, 34_969])


def sequences() -> tuple[np.ndarray, np.ndarray]:
    """Return the 3125 sequences of five ratings on the scale 0 to 4, and their chances."""
    chance_of = {
        tuple(np.rint(item * 5).astype(int).tolist()): chance
        for item, chance in zip(*toxicity_law(), strict=True)
    }
    every = np.array(list(product(range(5), repeat=5)))
    chances = []
    for sequence in every.tolist():
        n_orders = math.factorial(5) / math.prod(math.factorial(sequence.count(level)) for level in range(5))
        chances.append(chance_of[tuple(sorted(sequence))] / n_orders)
    return every, np.array(chances)


def test_the_law_has_the_public_numbers_of_the_data() -> None:
    """Over all sequences: levels of each single rating, moments of means and deviations, to 1e-9."""
    ratings, chances = sequences()
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    for place in range(5):
        shares = [chances[ratings[:, place] == level].sum() for level in range(5)]
        assert_allclose(shares, COUNTS / COUNTS.sum(), rtol=0.0, atol=1e-9)
    means, sds = ratings.mean(axis=1) / 5, ratings.std(axis=1, ddof=1) / 5
    mean = chances @ means
    assert math.sqrt(chances @ (means - mean) ** 2) == pytest.approx(0.16, abs=1e-9)
    assert chances @ sds == pytest.approx(0.19, abs=1e-9)
    # Not asked for: the captions print a mean of .20 and a deviation of .11 of the deviations.
    assert mean == pytest.approx(0.198, abs=5e-4)
    assert math.sqrt(chances @ (sds - 0.19) ** 2) == pytest.approx(0.112, abs=5e-4)


def test_no_law_with_these_numbers_has_more_entropy() -> None:
    """A law of maximum entropy has log chances that are linear in what is fixed, and no zero."""
    ratings, chances = sequences()
    levels = [(ratings == level).sum(axis=1) for level in range(5)]
    fixed = np.column_stack([*levels, ratings.mean(axis=1) ** 2, ratings.std(axis=1, ddof=1)])
    _, residual, *_ = np.linalg.lstsq(fixed, np.log(chances), rcond=None)
    assert residual[0] < 1e-12


def test_the_ratings_are_the_law_in_whole_items() -> None:
    ratings = toxicity_ratings()
    assert ratings.shape == (107_620, 5)
    assert_array_equal(ratings, toxicity_ratings())
    found, n_items = np.unique(np.sort(ratings, axis=1), axis=0, return_counts=True)
    expected = {tuple(item.tolist()): chance * 107_620 for item, chance in zip(*toxicity_law(), strict=True)}
    assert max(abs(n - expected[tuple(item)]) for item, n in zip(found.tolist(), n_items, strict=True)) < 1.0
    # In any order: the mean of each column has a standard error of .0008.
    assert np.abs(ratings.mean(axis=0) - ratings.mean()).max() < 4 * 0.0008


def test_published_toxicity_alone_has_ratings_in_place_of_data() -> None:
    published, recommended = SEMANTICS["published"], SEMANTICS["recommended"]
    gold = np.full((4, 2), 0.2)
    assert gold_of(published, TOXICITY, None).shape == (107_620, 5)  # type: ignore[union-attr]
    assert gold_of(published, TOXICITY, gold) is gold
    assert gold_of(published, published_prior("simulated", "published"), None) is None
    assert gold_of(recommended, TOXICITY, None) is None


def test_systems_of_the_null_on_real_gold_are_mixtures_of_both() -> None:
    """Many normal responses to an item: mean (μ + μ_b)/2, variance σ² + (μ_b − μ)²/4."""
    gold = np.tile([0.4, 0.6], (50, 1)) + np.linspace(-0.2, 0.2, 50)[:, None]
    options = {"k_responses": 4000, "epsilon_b": 0.3, "seed": 5}
    alternative = simulate_systems(gold, Response("normal"), **options)
    null = simulate_systems(gold, Response("normal"), hypothesis="null", **options)
    assert_array_equal(null.gold, gold)
    a, b = alternative.a.mean(axis=1), alternative.b.mean(axis=1)
    for system in (null.a, null.b):
        error = np.sqrt(system.var(axis=1) / 4000)
        assert np.abs(system.mean(axis=1) - (a + b) / 2).max() < 6 * error.max()
        assert_allclose(system.var(axis=1), 0.02 + (b - a) ** 2 / 4, rtol=0.15)
    assert np.abs(np.corrcoef(null.a.ravel(), alternative.a.ravel() - np.repeat(a, 4000))[0, 1]) < 0.02


NUMBERS = (4, 7)


def drawn(hypothesis: str = "alternative") -> dict[int, ResponseSet]:
    sets = reference_sets(
        Population(TOXICITY, 30, 3, 0.3),
        references=NUMBERS,
        seed=1,
        gold=toxicity_ratings(),
        latent_items=False,
        hypothesis=hypothesis,  # type: ignore[arg-type]
    )
    return dict(zip(NUMBERS, sets, strict=True))


def test_sets_and_their_nulls_survive_parquet(tmp_path) -> None:  # type: ignore[no-untyped-def]
    sets, nulls = drawn(), drawn("null")
    write_parquet(tmp_path / "sets.parquet", references_table(sets, nulls), {})
    table, _ = read_parquet(tmp_path / "sets.parquet")
    for before, name in ((sets, "alternative"), (nulls, "null")):
        after = references_from_table(table, name)  # type: ignore[arg-type]
        assert {n: of.fingerprint() for n, of in after.items()} == {
            n: of.fingerprint() for n, of in before.items()
        }
    assert references_from_table(references_table(sets), "null") == {}
    for data, null in ((sets[number], nulls[number]) for number in NUMBERS):
        assert_array_equal(data.gold, null.gold)
        assert (data.a != null.a).any()


@pytest.mark.parametrize(("sampler", "k"), [("bootstrap_items/all", 3), ("all_items/sample(1)", 1)])
def test_a_reference_set_is_the_first_of_its_true_draws(sampler: str, k: int) -> None:
    sets, nulls = drawn(), drawn("null")
    how = Estimation("published", "pooled_twice", [sampler], 50, 50, seed=1)
    population = Population(TOXICITY, 30, k, 0.3)
    fresh = simulated_effects(population, list(COLUMNS.values()), n_draws=60, seed=1)
    estimated = estimated_p_table(sets, COLUMNS, how, Work("test")).to_pandas().assign(k_responses=3)
    truths = [
        true_p_table(with_first_draw(fresh, data, nulls[number], k), list(COLUMNS))
        .to_pandas()
        .assign(reference=number, responses=k)
        for number, data in sets.items()
    ]
    true = pd.concat(truths)
    table = with_true_p(estimated, true).to_dict("records")
    assert [row["reference"] for row in table] == [4, 4, 7, 7]
    with pytest.raises(NbykError, match="no first draw of reference set 7"):
        with_true_p(estimated, true[true["reference"] == 4])
    for row in table:
        metric = list(COLUMNS).index(row["metric"])
        draws = {"alternative": fresh.alternative[metric].copy(), "null": fresh.null[metric].copy()}
        for name, kept in (("alternative", sets), ("null", nulls)):
            data = kept[row["reference"]]
            gold, a, b = (matrix[:, :k].mean(axis=1) for matrix in (data.gold, data.a, data.b))
            errors = (a - gold, b - gold)
            if row["metric"] == "mae":
                effect = np.abs(errors[1]).mean() - np.abs(errors[0]).mean()
            else:
                effect = 1 / np.mean(errors[0] ** 2) - 1 / np.mean(errors[1] ** 2)
            draws[name][0] = effect
        truth = expected_p(draws["alternative"], draws["null"])
        assert row["true_p"] == truth.p
        assert row["true_se"] == pytest.approx(truth.standard_error, rel=1e-9)
        assert (row["n_draws"], row["true_effect"]) == (60, pytest.approx(draws["alternative"].mean()))


def test_true_p_of_toxicity_is_of_each_set_alone_and_of_simulated_one_for_all(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """At ε = .7 one bad first draw of 40 in the vectorised EMD shows; it does not depend on other sets."""
    options = {
        "cells": "epsilon-0.7_n-100_k-5",
        "semantics": "published",
        "metrics": ["emd_aggregated_vectorized"],
        "n_draws": 40,
        "seed": 2,
        "work": Work("test"),
    }
    for source in ("toxicity", "simulated"):
        write_json(tmp_path / f"{source}.json", published_prior(source, "published").to_dict())
    toxicity, kept = tmp_path / "toxicity.json", ["sample(K)", "sample(1)"]
    every, later = (
        true_p(toxicity, **options, sets=sets, responses=kept)[0].to_pandas() for sets in ((0, 5), (4, 5))
    )
    assert every["reference"].tolist() == [*range(6), *range(6)]
    assert every["responses"].tolist() == [1] * 6 + [5] * 6
    assert every.loc[every["responses"] == 5, "true_p"].nunique() > 1
    of_later = every[every["reference"].isin([4, 5])]
    assert of_later.reset_index(drop=True).equals(later)
    simulated, _ = true_p(tmp_path / "simulated.json", **options)
    assert len(simulated) == 1
