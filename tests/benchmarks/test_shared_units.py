"""The study of shared units: worlds of equally good systems, and tables that are those of the rates."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import nct
from scipy.stats import t as student

from benchmarks.shared_units import report, steps
from benchmarks.shared_units.candidates import p_values
from benchmarks.shared_units.measure import measure
from benchmarks.shared_units.rates import RATES, interval, outside
from benchmarks.shared_units.reml import Crossed, reml_p_value
from benchmarks.shared_units.simulate import draw_set
from benchmarks.shared_units.widths import equivalent_by_t
from benchmarks.shared_units.world import with_better_a
from benchmarks.shared_units.worlds import worlds
from nbyk.metrics import get
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.shared_units.mixture import ErrorLaw

NAMED = {(world.name, world.n_items): world for world in worlds()}


def test_no_world_comes_twice_and_none_lacks_symmetry():
    assert len(set(worlds())) == len(worlds())
    for world in worlds():
        mirrored = world.bias > 0 or world.lean > 0
        if mirrored:
            assert world.axis == 0
            # but by mse, whose effect is linear in severity, or where B's bias is calibrated
            assert world.law in ("normal", "heavy") or world.metrics == ("mse",) or world.calibrated
            assert "mean" not in world.metrics
        if world.spread > 0:
            assert not mirrored
            assert world.axis == world.better == 0
            assert world.law != "skewed"
            assert set(world.metrics) <= {"mae", "mse", "mean_of_emds"}
        if mirrored and "accuracy" in world.metrics and world.response != "continuous":
            assert world.response == "binary"
            assert world.ratings % 2 == 1
            assert world.responses % 2 == 1


@pytest.mark.parametrize(
    "name",
    [
        "5 raters, binary, SD 0.1",
        "3 of 8 raters, unequal loads, SD 0.04",
        "5 runs, likert, SD 0.05",
        "3 of 8 raters, sensitivities, SD 0.1",
        "8 raters, lognormal severities, calibrated systems",
    ],
)
def test_systems_are_equally_good_or_a_is_better(name: str):
    world = NAMED[name, 200]
    kept = measure(world, world.metrics, range(150))[:, :, 0]
    pivots = kept.mean(0) / kept.std(0, ddof=1) * np.sqrt(len(kept))
    assert np.all(np.abs(pivots) < 3.5)
    metric = "mae" if world.calibrated else "mse"
    better = measure(with_better_a(world), (metric,), range(60))[:, 0, 0]
    assert better.mean() > kept[:, world.metrics.index(metric)].mean() + 2 * better.std() / np.sqrt(60)


def test_raters_of_other_sensitivity_move_the_effect_with_the_place_of_an_item():
    plain = replace(NAMED["5 of 5 raters, sensitivities, SD 0.1", 200], sensitivity=0.0)
    sensitive = replace(plain, sensitivity=0.1)
    # The seed is that of the name, so the two sets differ by the slopes of five raters alone
    assert repr(plain) == repr(sensitive)
    one, other = (draw_set(world, np.random.default_rng(3)) for world in (plain, sensitive))
    assert np.array_equal(one.a.values, other.a.values)
    moved = other.gold.values - one.gold.values
    # What moves is place times slope: a matrix of rank 1, with places of variance 1 and slopes of SD .1
    left, sizes, right = np.linalg.svd(moved)
    assert sizes[1] < 1e-9 * sizes[0]
    slopes = right[0] * sizes[0] / np.sqrt(200)
    assert np.sqrt(np.mean(slopes**2)) == pytest.approx(0.1, rel=4 * np.sqrt(1 / 10))
    assert np.corrcoef(np.abs(left[:, 0]), np.abs(one.a.values.mean(1) - 0.5))[0, 1] > 0.4


def test_the_candidate_that_was_chosen_is_the_librarys():
    world = NAMED["3 of 8 raters, 5 runs, 40 clusters", 200]
    kept = measure(world, ("mae",), range(3))[:, 0]
    for number, p in enumerate(p_values(kept, "shared")):
        key = np.random.default_rng([zlib.crc32(repr(world).encode()), number])
        assert shared_units_test(get("mae"), draw_set(world, key)).p_value() == pytest.approx(p)


def test_the_pages_tables_are_those_of_the_data_files_and_the_pages_are_short():
    found = report.tables()
    pages = [page.read_text(encoding="utf-8") for page in report.PAGES]
    for page, most in zip(pages, (2000, 1500), strict=True):
        assert report.filled(page, found) == page
        assert len(page.split()) <= most
    assert all(
        sum(f"<!-- {name} -->\n\n{table}" in page for page in pages) == 1 for name, table in found.items()
    )
    for name in re.findall(r"\]\(\.\./(benchmarks/[^)]*)", pages[0]):
        assert not pd.read_csv(RATES.parents[2] / name).empty


def test_the_sentences_of_the_pages_are_those_of_the_rates():
    usage, calibration = (page.read_text(encoding="utf-8") for page in report.PAGES)
    rates = pd.read_csv(RATES)
    equal = rates[rates.truth == "equal"].set_index("world")
    three = equal.loc["3 people, lognormal preferences"]
    of_three = [f"{rate:.3f}".lstrip("0") for rate in (three.shared, three.unreserved)]
    assert f"up to {of_three[0]} of equal systems" in usage
    assert f"lognormal, {of_three[1]} without reserve" in usage
    step = pd.read_csv(report.HERE / "steps.csv").set_index(["people", "share", "step"])
    none, chosen = (step.xs(name.name, level="step") for name in (steps.STEPS[0], steps.CHOSEN))
    lost = (none.power - chosen.power).round(2)
    assert (lost[5, 1.0], lost[8, 1.0]) == (0.09, 0.04)
    assert "takes .09 of power with five of them, and .04 with eight" in usage
    assert f"five pay {none.power[5, 0.8] - chosen.power[5, 0.8]:.3f}".replace("0.", ".") in calibration
    at_7, at_8 = (step.power.xs(f"any test: at {level:g}", level="step") for level in steps.CEILINGS)
    paid = [f"{none.power[5, 1.0] - power:.3f}"[1:] for power in (at_7[5, 1.0], chosen.power[5, 1.0])]
    assert "must pay {} of power, and pay {}".format(*paid) in calibration.replace("\n", " ")
    paid = [f"{none.power[8, 1.0] - power:.3f}"[1:] for power in (at_7[8, 1.0], chosen.power[8, 1.0])]
    assert "Eight must pay {}, and pay {}".format(*paid) in calibration
    affordable = np.interp(none.power[5, 1.0] - 0.05, [at_7[5, 1.0], at_8[5, 1.0]], steps.CEILINGS)
    assert affordable == pytest.approx(0.0755, abs=0.001)
    assert "paying .05 needs a level of about .075 there" in calibration.replace("\n", " ")


@pytest.mark.parametrize(
    ("table", "rate"),
    [
        ("rates", "shared"),
        ("boards", "moderated"),
        ("metric_boards", "moderated"),
        ("swapped", "clusters swapped"),
        ("contained", "larger p"),
        ("scores", "for new people"),
    ],
)
def test_each_rate_of_a_table_has_its_exact_interval(table: str, rate: str):
    rows = pd.read_csv(report.HERE / f"{table}.csv")
    ends = np.array([interval(*row) for row in zip(rows[rate], rows.sets, strict=True)])
    np.testing.assert_allclose(rows[["95 % from", "to"]], ends, rtol=6e-4)


def test_what_the_larger_p_costs_is_what_the_page_says():
    rows = pd.read_csv(report.HERE / "contained.csv")
    of_clusters = rows.world.str.endswith("by cluster")
    own = pd.read_csv(RATES).query("truth == 'equal'")
    own = own[own.world.isin(rows.world[of_clusters])]
    assert (rows["larger p"] <= rows.units).all()
    of_items = rows[~of_clusters]
    equal, better = (of_items[of_items.truth == truth] for truth in ("equal", "A better"))
    page = " ".join(report.PAGES[1].read_text(encoding="utf-8").split())
    lost, of_level = (of.units - of["larger p"] for of in (better, equal))
    said = f"costs {lost.max():.3f} of power at most, {lost.mean():.3f} in the mean, and "
    said += f"{of_level.max() + 1e-9:.3f} of level"
    assert said.replace("0.", ".") in page
    in_bounds = ~outside(equal.assign(shared=equal.units, units=equal.world.str[0].astype(int)))
    left = outside(equal.assign(shared=equal["larger p"], units=equal.world.str[0].astype(int)))
    (one,) = equal[in_bounds & left].to_dict("records")
    said = f"one cell leaves its bounds by it (5 raters and 5 runs by `{one['metric']}`: "
    said += f"{one['larger p']:.3f} for {one['units']:.3f})"
    assert said.replace("0.", ".") in page
    by_cluster = rows[of_clusters & (rows.truth == "equal")]
    assert len(by_cluster) == len(own) == 8
    assert (by_cluster.sets == 10_000).all()

    def ends(of: pd.Series) -> str:
        return f"{of.min():.3f} to {of.max():.3f}".replace("0.", ".")

    least = own.loc[own.shared.idxmin()]
    assert least["95 % from"] < 0.03 < least.to
    interval_of_least = f"{least['95 % from']:.3f}–{least.to:.3f}".replace("0.", ".")
    assert f"it has {ends(own.shared)} (least: {interval_of_least})" in page
    assert f"both must reject, {ends(by_cluster['larger p'])} (10,000 sets)" in page
    assert f"has {ends(by_cluster.difference)}" in page
    assert f"have {ends(by_cluster.weighted)}" in page
    like_noise = equal.set_index("world").filter(like="like noise", axis=0)
    rates = like_noise.difference.filter(like="normal").to_list()[:2]
    assert "{:.3f} of three and {:.3f} of five people".format(*rates).replace("0.", ".") in page
    skewed = like_noise.loc["3 people like noise, skewness 1.6 preferences"]
    said = f"{skewed['weighted, .01']:.3f} of three such people with skewness 1.6, "
    said += f"for {skewed['larger p, .01']:.3f}"
    assert said.replace("0.", ".") in page


def test_pairs_of_summeval_are_those_of_the_page():
    rows = pd.read_csv(report.HERE / "summeval.csv").set_index("quality")
    page = " ".join(report.PAGES[1].read_text(encoding="utf-8").split())
    assert "coherence, relevance, consistency and fluency" in page
    for name, words in (
        ("items alone", "items alone tell {} of"),
        ("nbyk", "nbyk {},"),
        ("pooled", "test {}"),
    ):
        first, second, third, last = rows.loc[["coherence", "relevance", "consistency", "fluency"], name]
        assert words.format(f"{first}, {second}, {third} and {last}") in page
    assert (rows["pairs alone"] == 0).all()
    assert (rows.pairs == 120).all()


def test_intervals_by_metrics_that_jump_are_as_wide_as_the_page_says():
    rows = pd.read_csv(report.HERE / "widths.csv")
    page = " ".join(report.PAGES[0].read_text(encoding="utf-8").split())
    ratio = rows["median over t"]
    assert ratio.max() < 1.3
    assert f"{ratio.min():.2f} to {ratio.max():.2f} times as wide" in page
    assert f"cuts the {100 * rows.cut.max():g} % that leave" in page
    for units, words in ((5, "of sets with five units (t with an estimated SD: "), (20, "with twenty (")):
        shares = rows.equivalent[rows.units == units]
        rates = (shares.min(), shares.max(), equivalent_by_t(units - 1))
        low, high, by_t = (f"{rate:.2f}".lstrip("0") for rate in rates)
        assert f"in {low} to {high} {words}{by_t})" in page


def test_what_leaderboards_lose_is_what_the_page_says():
    boards, other = (pd.read_csv(report.HERE / f"{name}boards.csv") for name in ("", "metric_"))
    for rates in (boards, other):
        rates["lost"] = rates["adjusted, pairs"] - rates["adjusted, moderated"]
    opposed = boards.spreads.str.contains("opposed")
    usage, calibration = (page.read_text(encoding="utf-8") for page in report.PAGES)
    said = f"lose up to {boards.lost.max():.2f} of power (adjusted for size) against pairs alone."
    assert said.replace("0.", ".") in usage
    assert boards.lost[~opposed].max() <= 0.0
    assert max(boards.lost.max(), other.lost.max()) <= 0.01  # the error of such a difference is .009
    (few,) = other[(other.shared == "gold") & (other.metric == "mae") & (other.units == 3)].to_dict("records")
    level, power = few["moderated"], few["adjusted, moderated"]
    said = (
        f"level {level:.3f} for 0.041, power {power:.3f} for 0.387; pairs alone {few['adjusted, pairs']:.3f}"
    )
    assert said.replace("0.", ".") in calibration


def test_the_figure_is_that_of_the_rates(tmp_path: Path):
    report.draw(pd.read_csv(RATES), tmp_path / "levels.svg")
    assert (tmp_path / "levels.svg").read_bytes() == report.FIGURE.read_bytes()


def test_no_test_has_more_power_than_the_bound():
    """Of 1,500 sets of each law; without skewed people, t is the best test of five normal ones."""
    critical, law = student(4).ppf(0.975), nct(4, steps.EFFECT)
    power = law.sf(critical) + law.cdf(-critical)
    assert steps.most_power(5, 1.0, 1_500) == pytest.approx(power, abs=0.04)
    assert steps.most_power(5, 0.07, 1_500) == pytest.approx(0.545, abs=0.04)


def test_the_step_of_the_candidates_is_the_librarys():
    sets = steps.sets_of(5, 0.8, 1.6, 200, np.random.default_rng(1))
    p = steps.p_values(sets, 5, steps.CHOSEN)
    for effect, items, people, third, of_set in zip(*sets, p, strict=True):
        variances, df = np.array([[items, people]]), np.array([[steps.N_ITEMS - 1.0, 4.0]])
        law = ErrorLaw(variances, df, np.ones(1), np.array([0.0, third]), np.array([100.0, 5.0]))
        assert 2.0 * law.tail(effect) == pytest.approx(of_set, rel=1e-9)


def test_reml_maximises_the_restricted_likelihood():
    generator = np.random.default_rng(1)
    raters = np.argsort(generator.random((6, 4)), axis=1)[:, :3]
    values = generator.normal(size=(6, 3))
    same_item = np.kron(np.eye(6), np.ones((3, 3)))
    same_rater = raters.ravel()[:, None] == raters.ravel()[None, :]
    covariance = 0.7 * np.eye(18) + 0.3 * same_item + 0.2 * same_rater
    inverse = np.linalg.inv(covariance)
    information = inverse.sum()
    mean = (inverse @ values.ravel()).sum() / information
    left = values.ravel() - mean
    criterion = np.linalg.slogdet(covariance)[1] + np.log(information) + left @ inverse @ left
    expected = (criterion, mean, 1 / information)
    assert Crossed(values, raters).criterion(0.7, 0.3, 0.2) == pytest.approx(expected, rel=1e-10)


def test_reml_is_satterthwaites_test_on_balanced_data():
    generator = np.random.default_rng(1)
    who = np.tile(np.arange(5), (30, 1))
    values = 0.2 + generator.normal(0, 0.3, (30, 1)) + generator.normal(0, 0.2, 5)
    values = values + generator.normal(0, 0.3, (30, 5))
    data = responses(values, 0 * values, a_units=who, b_units=who, paired=True)
    test = shared_units_test(get("mean"), data)
    items, people = test.items, test.sources["runs"]
    df = test.variance**2 / (items.total**2 / items.df + people.total**2 / people.df)
    expected = 2.0 * student.sf(abs(test.effect) / np.sqrt(test.variance), df)
    assert reml_p_value(Crossed(values, who)) == pytest.approx(expected, rel=0.01)
    assert test.p_value() > expected


def test_the_levels_that_the_page_promises():
    levels = report.enough(pd.read_csv(RATES)).shared
    # of hundreds of rates of 200 to 2000 sets some leave the bounds by chance; the page counts them
    assert levels.between(0.02, 0.08).mean() > 0.95
    assert (levels <= 0.08).mean() > 0.99
    assert levels.median() == pytest.approx(0.04, abs=0.007)


@pytest.mark.statistics
@pytest.mark.parametrize("metric", ["f1", "wins_mae"])
def test_intervals_by_metrics_that_jump_are_as_wide_as_those_of_t(metric: str):
    """The median is within 1.3 of t with the true SD and J − 1 degrees of freedom, whose SD errs by .08."""
    world = NAMED["5 runs, jumps, SD 0.05", 200]
    tests = [
        shared_units_test(get(metric), draw_set(world, np.random.default_rng([5, number])))
        for number in range(80)
    ]
    half_widths = [0.5 * float(np.ptp(test.interval())) for test in tests]
    spread = np.std([test.effect for test in tests], ddof=1)
    assert np.median(half_widths) < 1.3 * student.ppf(0.975, 4) * spread
    assert max(half_widths) < 1.0  # effects lie from −1 to 1
