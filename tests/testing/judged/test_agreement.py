# mypy: disable-error-code="arg-type"
"""Agreement: equal to other packages, and its intervals over items and raters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nbyk import agreement
from nbyk.errors import NbykError
from nbyk.testing.judged.agreement import MEASURES
from tests.oracles.judge_peers import ratings, stored

KAPPAS = {"none": "kappa", "linear": "kappa_linear", "quadratic": "kappa_quadratic"}


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize(("raters", "missing"), [(2, 0.0), (3, 0.0), (5, 0.4)])
def test_alpha_is_that_of_krippendorff(raters: int, missing: float, level: str) -> None:
    levels = ratings(raters, raters=raters, missing=missing)
    measure = f"alpha_{level}"
    assert agreement(levels, measure=measure).value == pytest.approx(
        stored()["alpha"][f"{raters} {level}"], abs=1e-12
    )


@pytest.mark.parametrize("raters", [2, 3])
@pytest.mark.parametrize("weights", KAPPAS)
def test_kappa_is_that_of_conger_and_of_two_raters_cohens(raters: int, weights: str) -> None:
    levels, said = ratings(raters, raters=raters), stored()["kappa"]
    value = agreement(levels, measure=KAPPAS[weights]).value
    assert value == pytest.approx(said[f"{raters} {weights}"], abs=1e-11)
    if raters == 2:
        assert value == pytest.approx(said[f"cohen {weights}"], abs=1e-12)
        assert agreement(levels[:, 1:], levels[:, 0], measure=KAPPAS[weights]).value == pytest.approx(
            value, abs=1e-12
        )


@pytest.mark.parametrize("raters", [2, 3])
def test_icc_is_that_of_pingouin(raters: int) -> None:
    levels, said = ratings(raters, raters=raters), stored()["icc"]
    assert agreement(levels, measure="icc").value == pytest.approx(said[f"{raters} ICC(A,1)"], abs=1e-10)
    consistency = agreement(levels, measure="icc_consistency").value
    assert consistency == pytest.approx(said[f"{raters} ICC(C,1)"], abs=1e-10)


OF_TWO_CLASSES = ("sensitivity", "specificity")
OF_PEOPLE = [measure for measure in MEASURES if measure not in OF_TWO_CLASSES]


@pytest.mark.parametrize(("measure", "value"), [("sensitivity", 1.0), ("specificity", 0.0)])
def test_sensitivity_and_specificity_are_shares_of_the_judge_with_binomial_intervals(
    measure: str, value: float
) -> None:
    rng = np.random.default_rng(0)
    people = (rng.random((300, 1)) < 0.4).astype(float)
    judge = np.where(rng.random(300) < 0.8, people[:, 0], 1.0 - people[:, 0])
    mine = judge[people[:, 0] == value] == value
    found = agreement(people, judge, measure=measure)
    assert found.value == pytest.approx(mine.mean(), abs=1e-12)
    low, high = found.claims[0].interval  # over items, by t and the jackknife
    error = np.sqrt(mine.mean() / (1.0 - mine.mean()) / len(mine))
    assert np.log((1.0 - low) / (1.0 - high)) == pytest.approx(
        2 * 1.96 * error, rel=0.06
    )  # and t, and the jackknife
    with pytest.raises(NbykError, match="of 2 values without a judge"):
        agreement(np.column_stack([people, judge]), measure=measure)
    with pytest.raises(NbykError, match="of 3 values; expected a judge's scores and two classes"):
        agreement(people, judge + people[:, 0], measure=measure)


@pytest.mark.parametrize("measure", OF_PEOPLE)
def test_two_raters_speak_for_themselves_and_five_for_others(measure: str) -> None:
    few = agreement(ratings(2, raters=2), measure=measure)
    assert [claim.is_conclusive for claim in few.claims] == [False, True]
    assert few.claims[0].reason == "2 raters are too few; collect 3 or more"
    levels = ratings(5, raters=5) + np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    broad, items = agreement(levels, measure=measure).claims
    assert broad.interval[0] < broad.effect < broad.interval[1] <= 1.0
    if measure not in ("icc_consistency", "kappa_quadratic"):  # raters' levels matter to the others
        assert np.ptp(broad.interval) > np.ptp(items.interval)


@pytest.mark.parametrize("measure", OF_PEOPLE)
def test_agreement_does_not_depend_on_the_order_of_items_and_raters(measure: str) -> None:
    levels = ratings(7, raters=4, missing=0.3)
    other = agreement(levels[:, ::-1], measure=measure)
    assert other.value == pytest.approx(agreement(levels, measure=measure).value, abs=1e-12)
    again = agreement(levels[::-1], measure=measure)
    assert again.claims[1].interval == pytest.approx(other.claims[1].interval, abs=1e-9)


def test_ratings_that_are_all_the_same_say_nothing() -> None:
    with pytest.raises(NbykError, match="leave alpha_interval undefined, as where all are the same"):
        agreement(np.ones((10, 3)))
    with pytest.raises(NbykError, match="1 items have two ratings"):
        agreement(np.array([[1.0, np.nan], [2.0, 1.0]]))


@pytest.mark.parametrize("measure", ["alpha_interval", "icc", "icc_consistency"])
@pytest.mark.parametrize(("factor", "shift"), [(1.0, 1e9), (1e200, 0.0), (1e-200, 0.0)])
def test_agreement_by_distances_does_not_depend_on_their_unit(
    measure: str, factor: float, shift: float
) -> None:
    levels = np.random.default_rng(4).integers(1, 6, (20, 3)).astype(float)
    plain, moved = (agreement(of, measure=measure) for of in (levels, factor * levels + shift))
    assert moved.value == pytest.approx(plain.value, abs=1e-9)
    assert moved.claims[0].interval == pytest.approx(plain.claims[0].interval, abs=1e-9)


@pytest.mark.parametrize("measure", OF_PEOPLE)
@pytest.mark.filterwarnings("error")
def test_perfect_agreement_has_no_interval_in_any_unit(measure: str) -> None:
    levels = np.random.default_rng(4).integers(1, 10, 25)
    for people in (np.tile(levels[:, None], 3), np.tile(levels[:, None] * 0.1, 3)):
        for found in (agreement(people, measure=measure), agreement(people, people[:, 0], measure=measure)):
            assert found.value == pytest.approx(1.0, abs=1e-12)
            assert not any(claim.is_conclusive for claim in found.claims)


def test_a_judge_who_never_says_another_thing_has_no_interval_of_kappa() -> None:
    people = np.random.default_rng(0).integers(0, 2, (20, 3)).astype(float)
    found = agreement(people, np.ones(20), measure="kappa")
    assert found.value == 0.0
    assert not any(claim.is_conclusive for claim in found.claims)


@pytest.mark.parametrize("measure", OF_TWO_CLASSES)
def test_a_share_has_no_interval_below_0(measure: str) -> None:
    people = np.repeat([0.0, 1.0], 20)[:, None]
    judge = 1.0 - people[:, 0]
    judge[[0, 20]] = people[[0, 20], 0]
    judge[[1, 21]] = people[[1, 21], 0]
    (claim,) = agreement(people, judge, measure=measure).claims
    assert claim.effect == 0.1
    assert claim.interval[0] == 0.0
    assert 0.1 < claim.interval[1] < 0.4


@pytest.mark.statistics
@pytest.mark.parametrize("measure", ["alpha_interval", "kappa_linear", "icc"])
def test_intervals_cover_over_new_items_and_raters(measure: str) -> None:
    # 300 sets of 80 items and 8 raters with severities: the standard error of a coverage of .95 is .013
    rng = np.random.default_rng(5)

    def levels(n: int, raters: int) -> np.ndarray:
        latent = (
            rng.standard_normal((n, 1))
            + 0.5 * rng.standard_normal(raters)
            + 0.8 * rng.standard_normal((n, raters))
        )
        return np.clip(np.rint(latent + 3.0), 1.0, 5.0)

    true = agreement(levels(3000, 150), measure=measure).value
    hits = [agreement(levels(80, 8), measure=measure).claims[0].interval for _ in range(300)]
    assert 0.91 <= np.mean([low <= true <= high for low, high in hits]) <= 0.99


def test_a_judge_on_another_index_is_refused() -> None:
    levels = np.random.default_rng(0).integers(1, 5, (40, 4)).astype(float)
    people, judge = pd.DataFrame(levels[:, :3]), pd.Series(levels[::-1, 3], range(39, -1, -1))
    with pytest.raises(NbykError, match="different indices"):
        agreement(people, judge)


def test_ratings_may_lack_in_any_way_and_must_be_numbers() -> None:
    levels = pd.DataFrame(np.random.default_rng(0).integers(1, 5, (40, 3)))
    lacking = levels.astype("Int64")
    lacking.iloc[0, 0] = pd.NA
    plain = levels.astype(float)
    plain.iloc[0, 0] = np.nan
    assert agreement(lacking).value == agreement(plain).value == agreement(plain.to_numpy()).value
    with pytest.raises(NbykError, match="people: found 'yes', which is no number"):
        agreement([["yes", "no"], ["no", "no"]])
    with pytest.raises(NbykError, match=r"people: found '2026-01-01.*which is no number"):
        agreement(pd.DataFrame(dict.fromkeys("ab", pd.date_range("2026-01-01", periods=3))))
    with pytest.raises(NbykError, match="confidence_level: found 95, expected a share"):
        agreement(levels, confidence_level=95)
    with pytest.raises(NbykError, match="judge: found inf"):
        agreement(levels, np.full(40, np.inf))


def test_a_column_of_ids_is_no_rater() -> None:
    frame = pd.DataFrame({"item": [1, 2, 3], "ann": [0, 1, 1], "bo": [0, 1, 0]})
    with pytest.raises(NbykError, match="people: column 'item' is of no rater or run by its name"):
        agreement(frame)
    assert np.isfinite(agreement(frame.drop(columns="item")).value)


def test_it_prints_as_its_value_with_an_interval_for_each_population() -> None:
    people = ratings(1, raters=2)
    lines = str(agreement(people, measure="kappa", confidence_level=0.9)).splitlines()
    low, high = agreement(people, measure="kappa", confidence_level=0.9).claims[1].interval
    assert lines[0].split() == ["Agreement", f"{agreement(people, measure='kappa').value:.3g}", "kappa"]
    assert lines[1].startswith("No interval for new items and raters: 2 raters are too few")
    assert lines[-1].split("  ")[0] == f"{low:.3g} to {high:.3g}"
    assert lines[-1].endswith("90 % interval, for new items, with these 2 raters")
