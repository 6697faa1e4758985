"""How the verdict depends on metric, null and sampler: the numbers of each alone, and what is left out."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import nbyk
from nbyk.data.scales import as_scale
from nbyk.errors import NbykError
from nbyk.resampling.resample import hypothesis_effects
from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk.testing.systems.asked import TESTED
from nbyk.testing.systems.sensitivity import Choice, Sensitivity, sensitivity

METRICS = ("mae", "spearman", "wins_mae_vectorized")


def ratings(n: int = 40, k: int = 3, spread: float = 0.3, seed: int = 0):  # type: ignore[no-untyped-def]
    generator = np.random.default_rng(seed)
    mean = generator.random((n, 1))
    gold, a, b = mean + 0.1 * generator.standard_normal((3, n, k))
    return gold, a, b + spread * generator.standard_normal((n, 1))


def both_sides(data, metrics, sampler, null, *, n_resamples, seed=0):  # type: ignore[no-untyped-def]
    """Return effects under the alternative and under a null, on the draws of `compare`."""
    return [
        hypothesis_effects(
            data, metrics, sampler=sampler, null=each, n_resamples=n_resamples, seed=seed, on_paper=True
        )
        for each in (None, null)
    ]


def test_p_values_effects_and_intervals_are_those_of_compare() -> None:
    data = ratings()
    found = sensitivity(*data, metrics=METRICS, n_resamples=199, seed=5, samplers=())
    for null in TESTED:
        for effect in found.effects:
            result = nbyk.compare(
                *data,
                metric=effect.metric,
                null=null,
                generalise=("items",),
                n_resamples=199,
                max_resamples=199,
                seed=5,
            ).pair
            assert (effect.effect, effect.low, effect.high) == (result.effect, *result.claims[-1].interval)
            (choice,) = (c for c in found.choices if (c.metric, c.null) == (effect.metric, null))
            assert (choice.p, choice.standard_error) == (
                result.claims[-1].p,
                result.claims[-1].standard_error,
            )
            assert choice.verdict == result.shown
            assert found.verdicts(null)[effect.metric] == result.shown


@pytest.mark.parametrize("null", ["swap_items", "pooled"])
def test_expected_p_is_that_of_the_sampler_doubled_for_two_sides(null: str) -> None:
    gold, a, b = ratings()
    found = sensitivity(gold, a, b, metrics=METRICS, null=null, nulls=(), n_resamples=150)
    data = nbyk.response_set(gold, a, b)
    for sampler in WEIN_SAMPLERS:
        alternatives, nulls = both_sides(data, METRICS, sampler, null, n_resamples=150)
        for metric, of_metric, of_null in zip(METRICS, alternatives, nulls, strict=True):
            expected = nbyk.expected_p(of_metric, of_null, paired=True)
            (choice,) = (c for c in found.choices if (c.metric, c.sampler) == (metric, sampler))
            assert choice.p == min(1.0, 2.0 * expected.p)
            assert choice.standard_error == 2.0 * expected.standard_error


def test_one_sided_choices_look_to_their_side() -> None:
    gold, a, b = ratings(spread=0.5)
    for first, second, alternative in ((a, b, "greater"), (b, a, "less")):
        found = sensitivity(gold, first, second, metrics=["mae"], alternative=alternative, n_resamples=199)
        side = "better" if alternative == "greater" else "worse"
        assert {c.verdict for c in found.choices if TESTED[c.null] == TESTED["swap_items"]} == {side}
    other = sensitivity(gold, a, b, metrics=["mae"], alternative="less", n_resamples=199)
    assert {choice.verdict for choice in other.choices} == {"undecided"}
    assert min(choice.p for choice in other.choices if choice.p is not None) > 0.5


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_expected_p_counts_the_pairs_of_its_side_and_ties(alternative: str) -> None:
    # Wins of few items tie often, so that p of either side are no complements.
    gold, a, b = (np.round(matrix, 1) for matrix in ratings(n=8, k=1, spread=0.05))
    found = sensitivity(
        gold, a, b, metrics=["wins_mae"], nulls=(), n_resamples=120, alternative=alternative, seed=1
    )
    data = nbyk.response_set(gold, a, b)
    for choice in found.choices:
        ((effects,), (of_null,)) = both_sides(
            data, "wins_mae", choice.sampler, "swap_items", n_resamples=120, seed=1
        )
        sign = 1.0 if alternative == "greater" else -1.0
        alpha, beta = sign * effects[:, None], sign * of_null[None]
        assert choice.p == pytest.approx((beta >= alpha - 1e-9).mean(), abs=1e-12)
        assert (np.abs(beta - alpha) < 1e-9).mean() > 0.05


def test_what_does_not_apply_is_left_out_with_the_reason() -> None:
    @nbyk.metrics.register(direction="higher")
    def near(systems: np.ndarray, gold: np.ndarray, within: float) -> float:
        return float((np.abs(systems - gold) < within).mean())

    gold, a, b = ratings()
    found = sensitivity(gold, a, b, n_resamples=19)
    why = dict(found.skipped)
    assert "gold is not 0 and 1 only" in why["accuracy"]
    assert "needs within" in why["near"]
    assert why["mean"] == "does not look at gold"
    assert {effect.metric for effect in found.effects}.isdisjoint(why)

    yes = sensitivity(*((matrix > 0.5).astype(float) for matrix in (gold, a, b)), n_resamples=19)
    assert {"accuracy", "f1", "auc"} <= {effect.metric for effect in yes.effects}

    without = sensitivity(None, a, b, n_resamples=19)
    assert [effect.metric for effect in without.effects] == ["mean"]
    assert dict(without.skipped)["mae"] == "needs gold"

    constant = sensitivity(gold, np.full_like(a, 0.5), b, n_resamples=19)
    assert "undefined on these data" in dict(constant.skipped)["spearman"]
    asked = sensitivity(gold, a, b, metrics=["accuracy(threshold=0.6)"], n_resamples=19)
    assert [effect.metric for effect in asked.effects] == ["accuracy(threshold=0.6)"]


def test_a_metric_that_some_draws_leave_undefined_has_no_p_there() -> None:
    gold, a, b = ratings(n=3)
    found = sensitivity(gold, a, b, metrics=["spearman", "mae"], n_resamples=499)
    p = {(c.metric, c.null if c.sampler is None else c.sampler): c.p for c in found.choices}
    assert p["spearman", "shifted"] is None
    assert p["spearman", "bootstrap_items/all"] is None
    assert None not in {value for (metric, _), value in p.items() if metric == "mae"}
    assert "undefined" not in found.sentence


def test_effects_are_in_the_unit_of_the_ratings() -> None:
    data = nbyk.response_set(*ratings())
    on_five = replace(data, scale=as_scale("1..5"))
    options = {"metrics": METRICS, "nulls": (), "samplers": (), "n_resamples": 99}
    for of, own in zip(
        sensitivity(data, **options).effects, sensitivity(on_five, **options).effects, strict=True
    ):
        factor = 4.0 if of.metric == "mae" else 1.0
        assert (own.effect, own.low, own.high) == (factor * of.effect, factor * of.low, factor * of.high)


def test_shifted_has_no_expected_p_without_drawing_items() -> None:
    found = sensitivity(*ratings(), metrics=["mae"], null="shifted", nulls=(), n_resamples=99)
    assert [choice.p is None for choice in found.choices] == [
        sampler.startswith("all_items") for sampler in WEIN_SAMPLERS
    ]


def with_verdicts(*verdicts: str) -> Sensitivity:
    data = replace(nbyk.response_set(*ratings(n=10)), names=("x", "y"))
    found = sensitivity(data, metrics=["mae"], nulls=["swap_items"], samplers=(), n_resamples=9)
    choices = [
        Choice(f"m{i}", "swap_items", None, 0.5, 0.1, verdict)  # type: ignore[arg-type]
        for i, verdict in enumerate(verdicts)
    ]
    return replace(found, choices=tuple(choices))


@pytest.mark.parametrize(
    ("verdicts", "depends", "says"),
    [
        (
            ("undecided",) * 3,
            False,
            "and 0 samplers of test sets; two-sided, α = 0.05), 3 leave it undecided.",
        ),
        (("better", "better"), False, "2 show x to be better."),
        (("better", "different"), False, "1 shows x to be better, 1 shows only that the two do not"),
        (("different", "different"), False, "2 show only that the two do not answer every item alike."),
        (("worse", "undecided"), True, "1 shows y to be better, 1 leaves it undecided"),
        (("better", "worse"), True, "x is better by m0, and y is better by m1"),
        (("different", "undecided"), True, "1 shows only that the two do not answer every item alike"),
    ],
)
def test_the_sentence_says_whether_the_verdict_depends_on_the_choice(
    verdicts: tuple[str, ...], depends: bool, says: str
) -> None:
    found = with_verdicts(*verdicts)
    assert found.depends == depends
    depending = f"he verdict {'depends' if depends else 'does not depend'} on the choice"
    assert found.sentence.startswith(f"For {found.population}, t{depending}")
    assert says in found.sentence
    fresh = replace(found, population="new items")
    assert fresh.sentence.startswith(f"T{depending}")


def test_undefined_choices_are_no_verdict() -> None:
    found = with_verdicts("better", "better")
    undefined = Choice("m2", "swap_items", None, None, None, "undecided")
    found = replace(found, choices=(*found.choices, undefined))
    assert not found.depends
    assert "of 2 ways" in found.sentence


def test_everything_is_json() -> None:
    found = sensitivity(*ratings(n=10), metrics=["mae"], n_resamples=19)
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["choices"][0]["metric"] == "mae"
    assert content["sentence"] == found.sentence
    assert not any(math.isnan(effect.low) for effect in found.effects)


def test_malformed_requests_are_named() -> None:
    gold, a, b = ratings(n=10)
    for changed, message in (
        ({"metrics": ["accuracy(threshold=x)"]}, "threshold must be"),
        ({"null": "swap"}, "null hypothesis 'swap'"),
        ({"nulls": ["pool"]}, "null hypothesis 'pool'"),
        ({"samplers": ["all/all"]}, "item sampler 'all'"),
        ({"alpha": 5}, "alpha: found 5"),
        ({"n_resamples": 0}, "n_resamples: found 0"),
        ({"confidence_level": 95}, "confidence_level: found 95"),
    ):
        with pytest.raises(NbykError, match=message):
            sensitivity(gold, a, b, **changed)  # type: ignore[arg-type]
    with pytest.raises(NbykError, match=r"no metric applies .*spearman: undefined"):
        sensitivity(np.zeros(10), np.zeros(10), np.ones(10), metrics=["spearman"])
