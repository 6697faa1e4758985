"""Prediction-powered inference with shared raters: beside other packages, closed forms and simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_ind

from nbyk import compare_judged
from nbyk.data.judged import JudgedSystems
from nbyk.data.scales import Interval
from nbyk.errors import NbykError
from nbyk.testing.judged.board import _CONSTANT
from nbyk.testing.judged.corrected import ANSWERS, JUDGED, Weighing, corrected, drift
from nbyk.testing.pvalues import Alternative
from nbyk.words import in_full
from tests.oracles.judge_peers import labelled, stored


def judged(
    judge: np.ndarray,
    item: np.ndarray,
    rater: np.ndarray,
    values: np.ndarray,
    system: np.ndarray | None = None,
    **more: object,
) -> JudgedSystems:
    judge = judge.reshape(len(judge), -1)
    return JudgedSystems(
        tuple(map(str, range(len(judge)))),
        tuple("ABCD"[: judge.shape[1]]),
        tuple(map(str, range(int(rater.max()) + 1))),
        judge,
        np.ones(judge.shape, int),
        np.zeros(judge.shape),
        item,
        np.zeros(len(item), int) if system is None else system,
        rater,
        values,
        **more,  # type: ignore[arg-type]
    )


def simulated(
    seed: int, *, n: int = 100, raters: int = 8, severity: float = 0.1, systems: int = 1
) -> JudgedSystems:
    """Return two ratings of n of 1000 items, whose raters are drawn anew for each."""
    rng = np.random.default_rng(seed)
    quality = 0.6 + 0.15 * rng.standard_normal((1000, systems))
    item = np.repeat(np.sort(rng.choice(1000, n, replace=False)), 2)
    rater = np.concatenate([rng.choice(raters, 2, replace=False) for _ in range(n)])
    item, rater, system = (
        np.tile(item, systems),
        np.tile(rater, systems),
        np.repeat(np.arange(systems), len(item)),
    )
    values = (
        quality[item, system]
        + severity * rng.standard_normal(raters)[rater]
        + 0.1 * rng.standard_normal(len(item))
    )
    return judged(quality + 0.1 * rng.standard_normal(quality.shape), item, rater, values, system)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_ppi_py_where_each_label_has_its_own_rater(seed: int) -> None:
    data = labelled(seed)
    found = corrected(Weighing(judged(data["judge"], np.arange(80), data["rater"], data["people"])), 0)
    point, error = stored()["ppi_py"][str(seed)]
    assert found.broad is None
    assert found.items.effect == pytest.approx(point, abs=1e-8)
    rated, rest = found.items.law.variances[0]
    # ppi_py divides squares by n, where nbyk divides by n − 1, or by n − 2 if they are about a line with λ
    assert np.sqrt(rated * 78 / 80 + rest * 219 / 220) == pytest.approx(error, rel=1e-8)


def test_it_is_truescore_with_clusters_where_each_item_has_one_rater() -> None:
    ratio = []
    for seed, (point, error, weight) in stored()["truescore"].items():
        data = labelled(int(seed), raters=8, severity=0.5)
        given = Weighing(judged(data["judge"], np.arange(80), data["rater"], data["people"]))
        found = corrected(given, 0, weight=weight)
        assert found.broad is not None
        assert found.items.effect == pytest.approx(point, abs=1e-9)
        _, _, over_others = found.broad.law.variances[0]
        over_raters = found.broad.sources["raters"].total
        assert over_raters + over_others == pytest.approx(error**2, rel=1e-9)
        ratio.append(found.broad.variance / error**2)
    # nbyk adds the variance of severities over items, a tenth of that over raters
    assert 1.0 < np.mean(ratio) < 1.15


def test_without_a_judge_it_is_the_mean_of_people() -> None:
    data = simulated(0)
    weighing = Weighing(data)
    found = corrected(weighing, 0, weight=0.0)
    means = np.bincount(data.item, weights=data.values)[np.unique(data.item)] / 2
    assert found.items.effect == pytest.approx(means.mean(), abs=1e-12)
    assert found.items.variance == pytest.approx(means.var(ddof=1) / 100, rel=1e-9)


def test_a_constant_judge_counts_nothing_and_is_named() -> None:
    data = simulated(1)
    constant = judged(np.ones((1000, 1)), data.item, data.rater, data.values)
    board = compare_judged(constant)
    assert board.means[0].weight == 0.0
    assert board.means[0].claims[0].effect == board.means[0].people.effect
    assert any("gives all outputs of A one score" in warning for warning in board.warnings)


@pytest.mark.parametrize("value", [3.0, 3.3, 0.1])
@pytest.mark.parametrize("of", ["people", "judge"])
def test_what_does_not_vary_shows_no_difference_however_it_is_rounded(value: float, of: str) -> None:
    data = simulated(5, n=37, systems=2)
    constant = np.full_like(data.values if of == "people" else data.judge, value)
    board = compare_judged(replace(data, **{"values" if of == "people" else "judge": constant}))
    (pair,) = board.differences
    assert pair.weight == 0.0
    assert [claim.is_conclusive for claim in pair.claims] == [of == "judge"] * 2
    assert {claim.reason for claim in pair.claims} == {"" if of == "judge" else _CONSTANT}
    assert pair.people.is_conclusive is (of == "judge")
    assert pair.excess.is_conclusive


@pytest.mark.parametrize("systems", [1, 2])
def test_no_interval_leaves_the_scale(systems: int) -> None:
    data = simulated(2, n=9, raters=4, severity=0.5, systems=systems)
    data = replace(data, values=np.clip(data.values, 0.0, 1.0), judge=np.clip(data.judge, 0.0, 1.0))
    free, held = (compare_judged(replace(data, scale=scale)) for scale in (None, Interval(0.0, 1.0)))
    for name, low in (("means", 0.0), ("differences", -1.0)):
        for before, after in zip(getattr(free, name), getattr(held, name), strict=True):
            for old, new in zip((before.people, *before.claims), (after.people, *after.claims), strict=True):
                np.testing.assert_array_equal(new.interval, np.clip(old.interval, low, 1.0))
    assert max(mean.claims[0].interval[1] for mean in free.means) > 1.0
    assert held.board.standings[0].interval[1] == held.means[0].claims[0].interval[1] <= 1.0


@pytest.mark.parametrize("systems", [1, 3])
def test_a_mean_is_held_to_a_score(systems: int) -> None:
    data = replace(simulated(4, systems=systems), scale=Interval(-1.0, 2.0))
    free = compare_judged(data)
    for bar in (0.5, float(free.means[0].claims[0].interval[0])):
        board = compare_judged(data, against=bar, correction="none").board
        for pair, mean in zip(board.pairs, free.means, strict=True):
            assert (pair.b, pair.scores[1]) == (f"a score of {in_full(bar)}", bar)
            for claim, own in zip(pair.claims, mean.claims, strict=True):
                assert claim.effect == pytest.approx(own.effect - bar, abs=1e-12)
                assert claim.interval == pytest.approx(np.subtract(own.interval, bar), abs=1e-9)
                assert (claim.p < 0.05) is not (claim.interval[0] < 0.0 < claim.interval[1])
    assert board.pairs[0].claims[0].p == pytest.approx(0.05, abs=1e-6)
    with pytest.raises(NbykError, match="found 3, expected a score from -1 to 2"):
        compare_judged(data, against=3.0)
    unknown = "found 'foo' and one system; give a score" if systems == 1 else "unknown system 'foo'"
    with pytest.raises(NbykError, match=unknown):
        compare_judged(data, against="foo")
    if systems == 1:
        with pytest.raises(NbykError, match="against: found 'A' and one system; give"):
            compare_judged(data, against=data.systems[0])


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_intervals_hold_with_few_rated_items(n: int) -> None:
    # the standard error of a share of .95 in 1,500 sets is .006; without a degree of freedom for λ it is .92
    rng, hits = np.random.default_rng(n), []
    for _ in range(1500):
        quality = rng.standard_normal(200)
        judge = 0.8 * quality + 0.6 * rng.standard_normal(200)
        people = quality[:n] + 0.3 * rng.standard_normal(n)
        found = corrected(Weighing(judged(judge, np.arange(n), np.arange(n), people)), 0)
        low, high = found.items.interval()
        hits.append(low <= 0.0 <= high)
        assert n > 2 or found.weight in (0.0, 1.0)
    assert np.mean(hits) >= 0.93


def test_ratings_that_leave_lambda_less_than_a_degree_of_freedom_are_those_of_people_alone() -> None:
    """Two of four ratings have nearly all of the weight: 1.5 degrees of freedom, and an interval of 76."""
    rng = np.random.default_rng(0)
    quality = rng.standard_normal(200)
    judge = 0.8 * quality + 0.6 * rng.standard_normal(200)
    chance = np.full((200, 1), 0.1)
    chance[:4, 0] = [0.02, 0.02, 0.9, 0.9]
    given = judged(judge, np.arange(4), np.arange(4), quality[:4] + 0.3 * rng.standard_normal(4))
    weighing = Weighing(replace(given, chance=chance))
    assert 0.0 < weighing.best_weight(np.ones(1)) < 1.0
    found, people = (corrected(weighing, 0, weight=weight) for weight in (None, 0.0))
    assert 1.0 < people.items.df < 2.0
    assert (found.weight, found.items.interval()) == (0.0, people.items.interval())


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_a_judge_that_scores_all_higher_changes_nothing(shift: float) -> None:
    data = simulated(2, systems=2)
    moved = judged(data.judge + np.array([shift, 0.0]), data.item, data.rater, data.values, data.system)
    first, other = (corrected(Weighing(of), 0, 1) for of in (data, moved))
    assert other.items.effect == pytest.approx(first.items.effect, abs=1e-9)
    assert other.items.variance == pytest.approx(first.items.variance, rel=1e-9)
    excess = compare_judged(moved).differences[0].excess
    assert excess.effect == pytest.approx(compare_judged(data).differences[0].excess.effect + shift, abs=1e-9)
    assert (excess.p < 1e-6) is (shift > 0.0)


@pytest.mark.parametrize("shift", [1e6, 1e9])
def test_the_weight_of_the_judge_does_not_depend_on_where_the_scale_begins(shift: float) -> None:
    data = simulated(2)
    moved = judged(data.judge + shift, data.item, data.rater, data.values + shift)
    first, other = (corrected(Weighing(of), 0) for of in (data, moved))
    assert other.weight == pytest.approx(first.weight, abs=1e-15 * shift)
    assert other.items.interval() == pytest.approx(np.add(first.items.interval(), shift), abs=1e-14 * shift)


def test_b_over_a_is_a_over_b_with_the_other_sign() -> None:
    weighing = Weighing(simulated(3, systems=2))
    there, back = corrected(weighing, 0, 1), corrected(weighing, 1, 0)
    assert back.items.effect == pytest.approx(-there.items.effect, abs=1e-12)
    assert there.broad is not None
    assert back.broad is not None
    assert back.broad.interval() == pytest.approx(
        tuple(-end for end in there.broad.interval()[::-1]), abs=1e-9
    )


def test_slices_are_weighted_by_their_share_of_all_items() -> None:
    data = simulated(4)
    slices = np.repeat([0, 1], [250, 750])
    sliced = judged(data.judge, data.item, data.rater, data.values, slices=slices)
    found = corrected(Weighing(sliced), 0, weight=0.0)
    means = np.bincount(data.item, weights=data.values, minlength=1000) / 2
    rated = np.zeros(1000, bool)
    rated[data.item] = True
    parts = [means[rated & (slices == place)] for place in (0, 1)]
    assert found.items.effect == pytest.approx(0.25 * parts[0].mean() + 0.75 * parts[1].mean(), abs=1e-12)
    variance = sum(
        share**2 * part.var(ddof=1) / len(part) for share, part in zip((0.25, 0.75), parts, strict=True)
    )
    assert found.items.variance == pytest.approx(variance, rel=0.02)  # strata have n − 1 in all for n − 2


def test_slices_rated_unequally_have_welchs_degrees_of_freedom() -> None:
    """Four ratings that stand for nine tenths of the items are no hundred."""
    rng = np.random.default_rng(8)
    item = np.concatenate([np.arange(4), 900 + np.arange(60)])
    values = rng.standard_normal(64)
    data = judged(np.zeros(1000), item, np.arange(64), values, slices=np.repeat([0, 1], [900, 100]))
    found = corrected(Weighing(data), 0, weight=0.0).items
    parts = np.array([0.81 * values[:4].var(ddof=1) / 4, 0.01 * values[4:].var(ddof=1) / 60])
    assert found.variance == pytest.approx(parts.sum(), rel=1e-9)
    assert found.df == pytest.approx(parts.sum() ** 2 / np.sum(parts**2 / np.array([3, 59])), rel=1e-9)


def test_systems_rated_apart_have_welchs_degrees_of_freedom() -> None:
    rng = np.random.default_rng(9)
    system, values = np.repeat([0, 1], [100, 5]), rng.standard_normal(105)
    data = judged(np.zeros((1000, 2)), np.arange(105), np.arange(105), values, system)
    found = corrected(Weighing(data), 0, 1, weight=0.0).items
    theirs = ttest_ind(values[:100], values[100:], equal_var=False)
    assert found.df == pytest.approx(theirs.df, rel=1e-9)


@pytest.mark.statistics
@pytest.mark.parametrize("rated", [(4, 60), (10, 60)])
def test_intervals_cover_with_slices_rated_unequally(rated: tuple[int, int]) -> None:
    """1,000 sets: a coverage of .95 has a standard error of .007; few ratings, of which λ is learnt, lose."""
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(1000):
        quality = rng.standard_normal(1000)
        item = np.concatenate([rng.choice(900, rated[0], replace=False), 900 + np.arange(rated[1])])
        values = quality[item] + rng.standard_normal(len(item))
        judge = quality + 0.7 * rng.standard_normal(1000)
        slices = np.repeat([0, 1], [900, 100])
        data = judged(judge, item, np.arange(len(item)), values, slices=slices)
        low, high = corrected(Weighing(data), 0).items.interval()
        hits.append(low <= 0.0 <= high)
    assert np.mean(hits) >= 0.9


def test_known_chances_undo_a_choice_by_score() -> None:
    rng = np.random.default_rng(6)
    estimates = []
    for _ in range(200):
        quality = rng.standard_normal(600)
        judge = quality + 0.5 * rng.standard_normal(600)
        chance = np.clip(0.1 + 0.3 * (judge > 0), 0.0, 1.0)
        item = np.flatnonzero(rng.random(600) < chance)
        values = quality[item] + 0.3 * rng.standard_normal(len(item))
        all_chances = np.where(np.isin(np.arange(600), item), chance, np.nan)[:, None]
        data = judged(judge, item, np.arange(len(item)), values, chance=all_chances)
        found = corrected(Weighing(data), 0)
        estimates.append((found.items.effect, found.items.variance))
    means, variances = np.transpose(estimates)
    assert means.mean() == pytest.approx(0.0, abs=4 * means.std() / np.sqrt(200))
    assert variances.mean() == pytest.approx(means.var(), rel=0.3)


def test_a_choice_by_score_is_found() -> None:
    data = simulated(7)
    best = np.argsort(-data.judge[:, 0])[:100]
    chosen = judged(data.judge, np.repeat(best, 2), data.rater, data.values)
    assert compare_judged(chosen).random_p < 1e-6
    assert any("the correction is not valid" in warning for warning in compare_judged(chosen).warnings)
    assert compare_judged(data).random_p > 0.05


@pytest.mark.parametrize(
    ("raters", "conclusive"), [(1, [False, True]), (2, [False, True]), (5, [True, True])]
)
def test_few_raters_speak_for_themselves(raters: int, conclusive: list[bool]) -> None:
    data = simulated(8, raters=max(raters, 2))
    rater = data.rater if raters > 1 else np.zeros_like(data.rater)
    item, first = np.unique(data.item, return_index=True)
    if raters == 1:
        data = judged(data.judge, item, rater[first], data.values[first])
    claims = compare_judged(data).means[0].claims
    assert [claim.is_conclusive for claim in claims] == conclusive
    mean = compare_judged(data).means[0]
    assert mean.people.is_conclusive
    assert mean.excess.population == claims[not conclusive[0]].population
    if raters == 1:
        assert claims[0].reason == "1 rater is too few; collect 3 or more"
        assert claims[1].population == "new items, with this rater"


def test_the_parts_add_up_and_name_the_judges_answers() -> None:
    data = simulated(9)
    noisy = judged(data.judge, data.item, data.rater, data.values)
    object.__setattr__(noisy, "answers", np.full(data.judge.shape, 3))
    object.__setattr__(noisy, "answer_variance", np.full(data.judge.shape, 0.001))
    board = compare_judged(noisy)
    parts = {part.source: part for part in board.means[0].claims[0].parts}
    assert sum(part.share for part in parts.values()) == pytest.approx(1.0)
    assert {"items", "raters", "raters × items", JUDGED, ANSWERS} == set(parts)
    assert any(
        "more answers of the judge to an output will not help" in warning for warning in board.warnings
    )


def test_drift_over_batches_is_found() -> None:
    data = simulated(10, severity=0.0)
    batch = np.repeat(np.arange(10), 20)
    still = judged(data.judge, data.item, data.rater, data.values, batch=batch)
    moving = judged(data.judge, data.item, data.rater, data.values + 0.03 * batch, batch=batch)
    there, none = compare_judged(moving).drift, compare_judged(still).drift
    assert there is not None
    assert none is not None
    assert there.effect - none.effect == pytest.approx(0.27, abs=1e-9)
    assert there.p < 0.01 < none.p


def test_drift_between_two_batches_has_the_standard_error_of_welch() -> None:
    rng, sizes = np.random.default_rng(2), np.array([50, 3])
    gaps, batch = rng.standard_normal(53), np.repeat([0, 1], sizes)
    found = drift(Weighing(judged(np.zeros(60), np.arange(53), np.arange(53), gaps, batch=batch)))
    assert found is not None
    theirs = ttest_ind(gaps[50:], gaps[:50], equal_var=False)
    assert found.effect / np.sqrt(found.variance) == pytest.approx(theirs.statistic, rel=1e-9)
    assert found.df == pytest.approx(np.sum(1 / sizes) ** 2 / np.sum(1 / sizes**2 / (sizes - 1)), rel=1e-9)


def test_one_output_in_a_batch_shows_no_drift() -> None:
    gaps, batch = np.random.default_rng(2).standard_normal(51), np.repeat([0, 1], [50, 1])
    data = judged(np.zeros(60), np.arange(51), np.arange(51), gaps, batch=batch)
    claim = compare_judged(data).drift
    assert claim is not None
    assert claim.reason.startswith("the effect is undefined without some items")


@pytest.mark.statistics
@pytest.mark.parametrize("sizes", [(50, 3), (95, 5), (10, 10, 10, 10)])
def test_no_drift_is_found_at_the_level(sizes: tuple[int, ...]) -> None:
    """1,000 sets: a level of .05 has a standard error of .007."""
    rng, n = np.random.default_rng(1), sum(sizes)
    batch = np.repeat(np.arange(len(sizes)), sizes)
    p = []
    for _ in range(1000):
        data = judged(np.zeros(n + 9), np.arange(n), np.arange(n), rng.standard_normal(n), batch=batch)
        found = drift(Weighing(data))
        assert found is not None
        p.append(found.p_value())
    assert np.mean(np.array(p) <= 0.05) <= 0.07


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_whether_the_judge_errs_has_no_side(alternative: Alternative) -> None:
    data = simulated(10, severity=0.0, systems=2)
    batch = np.tile(np.repeat(np.arange(10), 20), 2)
    values = data.values + 0.03 * batch * (1 if alternative == "less" else -1)
    moving = judged(
        data.judge + np.array([0.5, 0.0]), data.item, data.rater, values, data.system, batch=batch
    )
    both, one = compare_judged(moving), compare_judged(moving, alternative=alternative)
    assert both.drift is not None
    assert one.drift is not None
    assert one.drift.p == both.drift.p < 0.01
    assert [of.excess.p for of in one.differences] == [of.excess.p for of in both.differences]
    assert one.means[0].excess.p == both.means[0].excess.p < 0.01


def test_a_choice_by_score_is_looked_for_within_slices() -> None:
    """People rated as many of 150 items as of 850, at random in both, and the judge scores the 150 higher."""
    rng = np.random.default_rng(12)
    slices = np.repeat([0, 1], [850, 150])
    judge = rng.standard_normal(1000) + 2.0 * slices
    item = np.concatenate([rng.choice(850, 50, replace=False), 850 + rng.choice(150, 50, replace=False)])
    given = (judge, item, np.arange(100), judge[item] + 0.1)
    sliced = compare_judged(judged(*given, slices=slices))
    assert sliced.random_p > 0.05
    assert not any("correction is not valid" in warning for warning in sliced.warnings)
    assert compare_judged(judged(*given)).random_p < 1e-6
    lowest = np.concatenate([np.argsort(judge[:850])[:50], 850 + np.argsort(judge[850:])[:50]])
    chosen = judged(judge, lowest, np.arange(100), judge[lowest] + 0.1, slices=slices)
    assert compare_judged(chosen).random_p < 1e-6


def test_a_random_choice_within_many_small_slices_is_no_alarm() -> None:
    """Of N outputs, a slice's χ² is N / (N − 1) times too large on average: 20 slices of 4 always alarmed."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        item = np.concatenate([4 * place + rng.choice(4, 2, replace=False) for place in range(20)])
        judge = rng.standard_normal(80)
        data = judged(judge, item, np.arange(40), judge[item] + 0.1, slices=np.repeat(np.arange(20), 4))
        assert compare_judged(data).random_p > 0.05


def test_a_board_has_ranks_and_pairs_of_all_systems() -> None:
    data = simulated(11, systems=3)
    board = compare_judged(data).board
    assert [len(board.pairs), len(board.standings)] == [3, 3]
    assert {standing.name for standing in board.standings} == {"A", "B", "C"}
    assert len(compare_judged(data, against="C").board.pairs) == 2


def test_ratings_that_are_all_the_same_still_have_a_mean() -> None:
    data = simulated(1)
    board = compare_judged(judged(data.judge, data.item, data.rater, np.full_like(data.values, 0.5)))
    assert not board.means[0].claims[0].is_conclusive
    assert str(board).startswith("A scores 0.5")


def test_a_system_with_one_rated_output_is_refused() -> None:
    with pytest.raises(NbykError, match="people rated 1 outputs of A; expected two or more"):
        compare_judged(judged(np.arange(9.0), np.array([0]), np.array([0]), np.array([1.0])))


@pytest.mark.statistics
@pytest.mark.parametrize("systems", [1, 2])
def test_intervals_cover_the_mean_of_new_items_and_raters(systems: int) -> None:
    # 400 sets; the standard error of a coverage of .95 is .011
    pair = (0, 1) if systems == 2 else (0, None)
    found = [corrected(Weighing(simulated(seed, systems=systems)), *pair) for seed in range(400)]
    true = 0.0 if systems == 2 else 0.6
    hits = [of.broad.interval()[0] <= true <= of.broad.interval()[1] for of in found if of.broad is not None]
    assert len(hits) == 400
    assert 0.915 <= np.mean(hits) <= 0.985
