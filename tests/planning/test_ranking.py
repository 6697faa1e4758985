"""Metrics ranked by power, and metrics with samplers by the error of expected p."""

from __future__ import annotations

import inspect
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, get_args, get_overloads, get_type_hints

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError
from nbyk.planning.ranking import CAUTION, Ranking, rank
from nbyk.planning.result import Plan
from nbyk.report.drawing import pictures
from nbyk.report.ranking import ranking_answer

TOXICITY = nbyk.published_prior("toxicity")
SIZE: dict[str, Any] = {
    "n_items": 60,
    "k_responses": 5,
    "epsilon": 0.3,
    "precision": 0.03,
    "n_resamples": 199,
}
SAMPLERS = ("all_items/sample(K)", "bootstrap_items/first_element")


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    return rank(TOXICITY, ["wins_mae", "mae", "max_error"], samplers=SAMPLERS, seed=3, **SIZE)


def test_powers_are_those_of_plans_and_the_largest_is_first(ranking: Ranking) -> None:
    alone = {
        name: nbyk.plan(TOXICITY, metric=name, seed=3, **SIZE) for name in ("wins_mae", "mae", "max_error")
    }
    assert {row.metric: row.power for row in ranking.metrics} == {
        name: plan.simulated for name, plan in alone.items()
    }
    powers = [row.power.power for row in ranking.metrics]
    assert powers == sorted(powers, reverse=True)
    assert ranking.metrics[0].metric == "mae"
    assert ranking.metrics[-1].metric == "max_error"
    assert "max_error" not in ranking.ties


def test_errors_are_of_expected_p_against_fresh_test_sets(ranking: Ranking) -> None:
    """One pair again, by hand, on the same draws; and a sampler that ignores responses errs more."""
    population = nbyk.Population(TOXICITY, 60, 5, 0.3, sd_scale_a=0.0, sd_scale_b=0.0)
    true = nbyk.simulated_effects(population, "mae", n_draws=1000, seed=3)
    truth = nbyk.expected_p(true.alternative[0], true.null[0]).p
    errors = []
    for index in range(20):
        data = nbyk.simulate(population, seed=3, index=index)
        found = nbyk.resampled_effects(
            data, "mae", sampler=SAMPLERS[0], null="pooled", n_resamples=200, seed=3 + index
        )
        errors.append(abs(nbyk.expected_p(found.alternative[0], found.null[0], paired=True).p - truth))
    of = {(row.metric, row.sampler): row for row in ranking.choices}
    assert of["mae", SAMPLERS[0]].error == pytest.approx(np.mean(errors))
    assert of["mae", SAMPLERS[0]].true_p == truth
    assert len(of) == 6
    listed = [row.error for row in ranking.choices]
    assert listed == sorted(listed)
    assert of["mae", SAMPLERS[0]].error < of["mae", SAMPLERS[1]].error


def test_the_sentence_warns_against_choosing_after_looking(ranking: Ranking) -> None:
    assert ranking.sentence.startswith(
        "On 60 items with 5 ratings each and ε = 0.3, swap_items has the largest power by mae"
    )
    assert ranking.sentence.endswith(CAUTION)
    answer = ranking_answer(replace(ranking, warnings=("a caution",)))
    assert [len(table.frame) for table in answer.tables] == [3, 6]
    assert answer.to_dict()["metrics"][0]["metric"] == "mae"
    assert answer.cautions == ("a caution",)
    assert answer.to_dict()["warnings"] == ["a caution"]


def test_a_ranking_has_the_fields_of_a_plan_by_its_first_metric(ranking: Ranking) -> None:
    first = nbyk.plan(TOXICITY, metric="mae", seed=3, **SIZE)
    assert ranking.effect == first.effect is not None
    assert ranking.interval == first.interval
    assert ranking.standard_error == first.standard_error > 0.0
    assert ranking.warnings == ()
    written = ranking.to_dict()["metrics"][0]
    assert (written["effect"], written["power"]["standard_error"]) == (first.effect, first.standard_error)
    assert ranking._repr_html_().count("<tr>") == 1 + len(ranking.metrics)


def test_the_figure_has_every_metric_at_its_power(ranking: Ranking) -> None:
    (drawn,) = ranking_answer(ranking).figures
    figure = drawn.draw()
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [row.metric for row in ranking.metrics]
    points = {
        y: x
        for line in axes.containers
        for x, y in line.lines[0].get_xydata()  # type: ignore[union-attr]
    }
    assert [points[place] for place in range(3)] == [row.power.power for row in ranking.metrics]
    named = [text.get_text() for text in figure.legends[0].get_texts()]
    assert named == ["the largest", *(["perhaps as large"] if ranking.ties else []), "smaller"]
    pictures(figure)


def test_help_and_types_name_all_that_is_taken() -> None:
    shown = inspect.signature(nbyk.plan)
    assert str(shown.parameters["metric"].annotation) == "str | Metric | Sequence[str | Metric]"
    assert shown.return_annotation == "Plan | Ranking"
    assert {"source", "n_items", "k_responses", "epsilon", "power", "seed"} <= set(shown.parameters)
    assert "With several metrics, nbyk" in str(nbyk.plan.__doc__)
    overloads = get_overloads(SimpleNamespace(__module__=nbyk.plan.__module__, __qualname__="plan"))
    assert len(overloads) == 2
    for each in overloads:
        source = get_type_hints(each, localns={"Ranking": Ranking})["source"]
        assert {nbyk.TwoStagePrior, nbyk.PilotItems, nbyk.Spread, nbyk.ResponseSet} <= set(get_args(source))


def test_a_prior_that_its_check_rejects_is_said_first(ranking: Ranking) -> None:
    caution = "This prior is off."
    rejected = rank(
        replace(TOXICITY, caution=caution), ["mae", "wins_mae"], samplers=SAMPLERS[:1], seed=3, **SIZE
    )
    assert rejected.sentence.startswith(f"{caution} On 60 items")
    assert rejected.to_dict()["sentence"] == rejected.sentence
    assert ranking_answer(rejected).sentences[0].startswith(caution)
    assert not ranking.caution


def test_items_without_a_prior_are_refused() -> None:
    with pytest.raises(NbykError, match="prior: nbyk ranks metrics on test sets drawn from a prior"):
        rank(object(), ["mae", "mse"], **SIZE)  # type: ignore[arg-type]


def test_one_metric_in_a_list_is_a_plan() -> None:
    assert isinstance(nbyk.plan(TOXICITY, metric=["mae"], **SIZE), Plan)


@pytest.mark.parametrize(
    ("metrics", "asked", "message"),
    [
        (["mae", "mae"], {}, "metric: found mae, mae; expected two or more metrics"),
        ([], {}, "found none; expected two or more"),
        (["mae", "mean"], {}, "found mean, which needs no gold"),
        (["mae", "mse"], {"epsilon": None, "power": 0.8}, "give `n_items`, .* and leave out `power`"),
        (["mae", "mse"], {"n_items": None}, "nbyk ranks metrics at one size: give `n_items`"),
        (["mae", "mse"], {"n_runs": 3}, "n_runs: found 3; nbyk ranks metrics with 1 run or K"),
    ],
)
def test_what_cannot_be_ranked_is_refused(metrics: list[str], asked: dict[str, Any], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        nbyk.plan(TOXICITY, metric=metrics, **{**SIZE, **asked})
