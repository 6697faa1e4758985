"""Leaderboards: the same numbers as pairs compared alone, and errors and coverage of the whole."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import nbyk
from nbyk.data.responses import as_systems
from nbyk.data.scales import Interval
from nbyk.errors import NbykError, UndefinedMetricError
from nbyk.metrics import get
from nbyk.testing.corrections import correct_p_values
from nbyk.testing.decision import Decision
from nbyk.testing.results import Board
from nbyk.testing.shared_units import responses, shared_units_test
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.scored import ScoredSystems

SPREADS = (0.05, 0.05, 0.15, 0.4)

compare = partial(nbyk.compare, generalise=("items",))
"""Claims over new items alone, but where a test asks for more (tests/testing/systems/test_claims.py)."""


def ratings(spreads=SPREADS, n: int = 80, k: int = 3, seed: int = 0):  # type: ignore[no-untyped-def]
    """Return gold and systems whose item means are off by a normal error of each spread."""
    generator = np.random.default_rng(seed)
    mean = generator.random((n, 1))
    gold = mean + 0.1 * generator.standard_normal((n, k))
    systems = {
        f"s{i}": mean + spread * generator.standard_normal((n, 1)) + 0.1 * generator.standard_normal((n, k))
        for i, spread in enumerate(spreads)
    }
    return gold, systems


@pytest.mark.parametrize("null", ["swap_items", "shifted", "permutation"])
@pytest.mark.parametrize("metric", ["mae", "spearman", "mean_of_emds"])
def test_a_pair_is_what_compare_finds(metric: str, null: str) -> None:
    gold, systems = ratings(n=40)
    systems["s1"] = systems["s1"][:, :1]
    board = compare(
        gold, systems, metric=metric, null=null, n_resamples=299, max_resamples=299, seed=3, alpha=0.1
    )
    assert len(board.pairs) == 6
    for pair in board.pairs:
        alone = nbyk.compare(
            gold,
            systems[pair.a],
            systems[pair.b],
            metric=metric,
            null=null,
            n_resamples=299,
            max_resamples=299,
            seed=3,
            alpha=0.1,
            confidence_level=1.0 - 0.05 / 6.0,
        )
        assert_allclose(pair.drawn.null, alone.pair.drawn.null, rtol=1e-9, atol=1e-15)
        assert_allclose(pair.drawn.bootstrapped, alone.pair.drawn.bootstrapped, rtol=1e-9, atol=1e-13)
        assert (pair.claims[-1].p, pair.effect, pair.scores) == (
            alone.claims[-1].p,
            alone.effect,
            alone.pair.scores,
        )
        assert list(pair.sample.responses.values()) == list(alone.sample.responses.values())
        assert_allclose(pair.claims[-1].interval, alone.claims[-1].interval, rtol=1e-9)


def test_p_values_are_corrected_over_all_pairs() -> None:
    gold, systems = ratings()
    board = compare(gold, systems)
    p = np.array([pair.claims[-1].p for pair in board.pairs])
    order = np.argsort(p, kind="stable")
    holm = np.empty(len(p))
    holm[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p)))))
    assert_allclose([pair.p for pair in board.pairs], holm)
    assert [pair.significant for pair in board.pairs] == (holm <= 0.05).tolist()
    none = compare(gold, systems, correction="none")
    assert [pair.p for pair in none.pairs] == [pair.claims[-1].p for pair in none.pairs]


def test_standings_follow_scores_pairs_and_bootstrap() -> None:
    gold, systems = ratings()
    board = compare(gold, systems, metric="rmse")
    scores = {standing.name: standing.score for standing in board.standings}
    assert list(scores.values()) == sorted(scores.values())
    assert [standing.rank for standing in board.standings] == [1, 2, 3, 4]
    asked = Asked(Decision("two-sided", 0.05, 9_999, 999_999))
    drawn = ScoredSystems.of(as_systems(gold, systems), "rmse").bootstrapped(asked, of_clusters=False)
    for standing in board.standings:
        of_system = drawn[list(systems).index(standing.name)]
        ends = np.quantile(of_system, [0.025, 0.975])
        assert_allclose(standing.interval, ends, rtol=1e-14)
        better = sum(
            pair.better not in (None, standing.name)
            for pair in board.pairs
            if standing.name in (pair.a, pair.b)
        )
        worse = sum(pair.better == standing.name for pair in board.pairs)
        assert (standing.rank_low, standing.rank_high) == (1 + better, 4 - worse)
    for pair in board.pairs:
        shared = set(board.standing(pair.a).letters) & set(board.standing(pair.b).letters)
        assert bool(shared) == (not pair.significant)
    assert {name for group in board.groups for name in group} == set(systems)
    assert "by rmse on 80 items, " in board.sentence
    assert "5 of 6 pairs can be told apart" in board.sentence


def test_identical_systems_share_everything() -> None:
    gold, systems = ratings()
    systems = {"x": systems["s0"], "y": systems["s0"], "z": systems["s3"]}
    board = compare(gold, systems)
    x, y = board.standing("x"), board.standing("y")
    assert (x.rank, y.rank) == (1, 1)
    assert (x.rank_low, x.rank_high) == (1, 2)
    assert x.letters == y.letters == "a"
    assert board.pairs[0].claims[-1].p == board.pairs[0].p == 1.0
    assert board.pairs[0].decided
    assert "x and y may be the best" in board.sentence


def test_a_verdict_that_more_draws_could_change_is_said_to_be_inconclusive() -> None:
    gold, systems = ratings(spreads=(0.1, 0.13, 0.6), seed=12)
    over_items = {"generalise": ("items",)}
    few = {"n_resamples": 199, "max_resamples": 199}
    drawn = nbyk.compare(gold, systems["s0"], systems["s1"], **few, **over_items)
    assert not drawn.pair.decided
    assert drawn.sentence.endswith("; more draws could change it).")
    assert drawn.head.verdict == "Undecided: A or B"
    board = compare(gold, systems, **few, **over_items)
    open_pairs = [pair for pair in board.pairs if not pair.decided]
    assert [(pair.a, pair.b) for pair in open_pairs] == [("s0", "s1")]
    assert ", 1 without an answer, " in board.sentence
    told = "No answer for 1 of 3 pairs (s0 – s1): more draws could change it; raise `max_resamples`."
    assert told in " ".join(str(board).split())
    assert any("raise `max_resamples`" in text for text in board.warnings)
    settled = compare(gold, systems, **over_items)
    assert "an answer" not in settled.sentence
    assert "No answer" not in str(settled)
    assert not any("inconclusive" in text for text in settled.warnings)


def test_more_draws_are_no_advice_where_raters_are_too_few() -> None:
    gold, systems = ratings(spreads=(0.05, 0.1, 0.4), k=2)
    board = compare(gold, systems, generalise=("items", "raters", "runs"))
    assert not any(pair.decided for pair in board.pairs)
    assert len(board.sentence.split()) <= 40
    assert ", 3 without an answer, " in board.sentence
    reason = "two raters and two runs of each system are too few; collect 3 or more."
    assert f"No answer for 3 of 3 pairs: {reason}" in " ".join(str(board).split())
    assert not any("max_resamples" in text for text in board.warnings)


def _without_names(said: dict[str, Any], named: dict[str, str]) -> str:
    """Return a pair's dictionary as text, with A and B for its names, and without the correction's name."""
    text = re.sub(r'"correction": "\w+"', "", json.dumps(said))
    for name, given in named.items():
        text = text.replace(given, name)
    return text


def test_two_systems_are_the_comparison_of_two() -> None:
    gold, systems = ratings(spreads=(0.05, 0.4))
    board = compare(gold, list(systems.values()), metric="spearman", correction="none")
    over_items = {"generalise": ("items",)}
    alone = nbyk.compare(gold, *systems.values(), metric="spearman", **over_items)
    (pair,) = board.pairs
    assert (pair.a, pair.b, pair.better) == ("system 0", "system 1", "system 0")
    assert pair.p == alone.claims[-1].p
    named = {"A": "system 0", "B": "system 1"}
    assert _without_names(pair.to_dict(), named) == _without_names(alone.pair.to_dict(), {})
    for alternative in ("greater", "less"):
        (sided,) = compare(gold, list(systems.values()), alternative=alternative).pairs
        expected = nbyk.compare(gold, *systems.values(), alternative=alternative, **over_items)
        assert _without_names(sided.to_dict(), named) == _without_names(expected.pair.to_dict(), {})


def test_a_baseline_is_compared_with_every_other() -> None:
    gold, systems = ratings()
    board = compare(gold, systems, against="s2", alternative="greater")
    assert [(pair.a, pair.b) for pair in board.pairs] == [("s0", "s2"), ("s1", "s2"), ("s3", "s2")]
    assert [pair.better for pair in board.pairs] == ["s0", "s1", None]
    assert board.groups == ()
    assert {standing.letters for standing in board.standings} == {""}
    assert (board.standing("s2").rank_low, board.standing("s2").rank_high) == (3, 4)
    assert board.sentence.startswith("Better than s2: s0 and s1 by mae on ")


def test_few_items_are_gone_through_whole() -> None:
    gold, systems = ratings(n=8)
    board = compare(gold, systems)
    assert all(pair.drawn.n_resamples == 2**8 - 1 for pair in board.pairs)
    assert all(pair.decided and pair.drawn.exact for pair in board.pairs)
    few = compare(gold[:6], {name: s[:6] for name, s in systems.items()})
    said = "the smallest p that the 64 arrangements of so few items can give is 0.031"
    assert any(text.startswith(said) for text in few.warnings)


def test_the_strong_null_does_not_rank() -> None:
    gold, systems = ratings()
    board = compare(gold, systems, null="permutation", n_resamples=999)
    assert any(pair.significant for pair in board.pairs)
    assert {pair.better for pair in board.pairs} == {None}
    assert {(standing.rank_low, standing.rank_high) for standing in board.standings} == {(1, 4)}
    assert any("shows no rank" in text for text in board.warnings)


def test_numbers_depend_on_neither_threads_nor_the_order_of_systems() -> None:
    gold, systems = ratings()
    board = compare(gold, systems, n_resamples=999)
    other = compare(gold, dict(reversed(systems.items())), n_resamples=999, threads=2)
    assert board.standings == other.standings
    assert board.groups == other.groups


def test_everything_is_json() -> None:
    gold, systems = ratings()
    content = json.loads(json.dumps(compare(gold, systems).to_dict(), allow_nan=False))
    assert content["metric"] == "mae"
    assert "null" not in content["pairs"][0]["claims"][-1]["drawn"]
    assert content["standings"][0]["letters"] == "a"


def test_malformed_requests_are_named() -> None:
    gold, systems = ratings()
    for changed, message in (
        ({"systems": {"s0": systems["s0"]}, "against": "s1"}, "found 's1' and one system; give a score"),
        ({"against": "s9"}, "system 's9'"),
        ({"alternative": "greater"}, "name the baseline"),
        ({"correction": "homl"}, "correction 'homl'"),
        ({"metric": "wins_mae"}, "compares two systems and scores neither"),
        ({"n_resamples": 99, "max_resamples": 99}, "takes 239 draws: raise `max_resamples`"),
        ({"max_draws": 100}, "max_draws: found 100; 6 pairs take 9999 draws"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"null": "swap"}, "null hypothesis 'swap'"),
        ({"systems": {"s0": systems["s0"], "s1": systems["s1"][:9]}}, "9 of s1"),
    ):
        options = {"systems": systems, **changed}
        with pytest.raises(NbykError, match=message):
            compare(gold, options.pop("systems"), **options)  # type: ignore[arg-type]
    with pytest.raises(UndefinedMetricError, match="spearman"):
        compare(gold, {"constant": np.zeros(80), **systems}, metric="spearman")


N_BOARDS = 400
EQUAL = (0.2, 0.2, 0.2, 0.2)


FAST = {"n_resamples": 479, "max_resamples": 479}
"""480 p-values make α/2 over 1 to 6 pairs a whole number of them, but for 5."""


@pytest.fixture(scope="module")
def equal_boards() -> list[Board]:
    """Leaderboards of four systems that differ and are equally good."""
    return [compare(*ratings(EQUAL, n=40, seed=seed), **FAST) for seed in range(N_BOARDS)]  # type: ignore[arg-type]


@pytest.mark.statistics
def test_holm_bounds_the_chance_of_any_false_claim(equal_boards: list[Board]) -> None:
    # 99.9 % binomial band around α: .05 ± .036. Without a correction, six pairs exceed it by far.
    low, high = stats.binom.ppf([0.0005, 0.9995], N_BOARDS, 0.05)
    wrong = sum(any(pair.significant for pair in board.pairs) for board in equal_boards)
    assert 0.5 * low < wrong <= high
    alone = sum(any(pair.claims[0].p <= 0.05 for pair in board.pairs) for board in equal_boards)
    assert alone > high


@pytest.mark.statistics
def test_benjamini_and_hochberg_bound_the_share_of_false_claims() -> None:
    # Of six pairs three are equal: the expected share is at most .05 · 3/6, and more is found than by Holm.
    shares, found, by_holm = [], 0, 0
    for seed in range(N_BOARDS // 2):
        board = compare(
            *ratings((0.1, 0.1, 0.1, 0.15), n=40, seed=seed),
            correction="benjamini_hochberg",
            **FAST,  # type: ignore[arg-type]
        )
        claims = [pair for pair in board.pairs if pair.significant]
        wrong = sum(pair.b != "s3" or pair.better == "s3" for pair in claims)
        shares.append(wrong / max(1, len(claims)))
        found += len(claims)
        p = np.array([pair.claims[-1].p for pair in board.pairs])
        by_holm += int((correct_p_values(p, "holm") <= 0.05).sum())
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert 0.0 < np.mean(shares) <= 0.025 + 3.3 * error
    assert found > by_holm


@pytest.mark.statistics
def test_rank_sets_of_equal_systems_hold_every_rank(equal_boards: list[Board]) -> None:
    covered = sum(
        all((standing.rank_low, standing.rank_high) == (1, 4) for standing in board.standings)
        for board in equal_boards
    )
    assert covered >= stats.binom.ppf(0.0005, N_BOARDS, 0.95)


@pytest.mark.statistics
def test_rank_sets_cover_the_true_ranks_at_once() -> None:
    # s0 and s1 are equally good, so that either may be first or second; then s2, then s3.
    true = {"s0": (1, 2), "s1": (1, 2), "s2": (3, 3), "s3": (4, 4)}
    spreads = (0.05, 0.05, 0.12, 0.2)
    covered = narrow = 0
    for seed in range(N_BOARDS):
        board = compare(*ratings(spreads, n=40, seed=seed), **FAST)  # type: ignore[arg-type]
        covered += all(
            s.rank_low <= true[s.name][0] and true[s.name][1] <= s.rank_high for s in board.standings
        )
        narrow += any(s.rank_low == s.rank_high for s in board.standings)
    assert covered >= stats.binom.ppf(0.0005, N_BOARDS, 0.95)
    assert narrow > 0.25 * N_BOARDS  # and are not all ranks


def test_pairs_are_in_the_order_of_the_systems() -> None:
    gold, systems = ratings()
    board = compare(gold, systems, n_resamples=999)
    assert [(pair.a, pair.b) for pair in board.pairs] == list(combinations(systems, 2))


def test_systems_that_were_read_bring_gold_clusters_and_units(tmp_path: Path) -> None:
    generator = np.random.default_rng(4)
    rows = ["item,rater,value"]
    answers = {name: ["item,run,value"] for name in ("uno", "duo", "trio")}
    for item in range(30):
        rows += [f"i{item},{rater},{generator.random():.3f}" for rater in ("ann", "bob", "cem")]
        for off, lines in enumerate(answers.values()):
            lines += [f"i{item},{seed},{generator.random() + 0.1 * off:.3f}" for seed in (7, 8)]
    (tmp_path / "gold.csv").write_text("\n".join(rows))
    paths = {}
    for name, lines in answers.items():
        paths[name] = tmp_path / f"{name}.csv"
        paths[name].write_text("\n".join(lines))
    read = nbyk.read_systems(paths, tmp_path / "gold.csv", scale=(0, 2))
    whole = nbyk.compare(replace(read, scale=Interval(0.0, 1.0)), n_resamples=199)
    assert whole.population == "new items, raters and runs"
    with pytest.raises(NbykError, match="the data that were read have theirs"):
        nbyk.compare(read, read.responses)
    with pytest.raises(NbykError, match="found no systems"):
        nbyk.compare(read.gold)
    two = nbyk.read_systems(
        {name: paths[name] for name in ("uno", "duo")}, tmp_path / "gold.csv", scale=(0, 2)
    )
    assert nbyk.compare(two).to_dict() == nbyk.compare(read.pair("uno", "duo")).to_dict()


def test_the_sentence_of_two_systems_names_the_better_one() -> None:
    gold, systems = ratings()
    board = partial(compare, gold, n_resamples=299, max_resamples=299)
    assert board([systems["s0"], systems["s3"]]).sentence.startswith(
        "system 0 is better than system 1 on mae"
    )
    assert board([systems["s0"], systems["s1"]]).sentence.startswith(
        "system 0 and system 1 cannot be told apart on mae, for new items, with these 3 raters"
    )
    strong = board([systems["s0"], systems["s3"]], null="permutation")
    assert strong.sentence.startswith("system 0 and system 1 do not answer every item alike on mae")


def test_a_leaderboard_is_shown_as_a_table() -> None:
    gold, systems = ratings(n=40)
    board = compare(gold, systems, n_resamples=299, max_resamples=299)
    frame = board.to_frame()
    assert list(frame["system"]) == list(board.names)
    assert {"groups", "mae", "low", "high"} <= {*frame}
    rows = [line.split()[0] for line in repr(board).splitlines() if line.startswith("s")]
    assert rows[1 : 1 + len(board.names)] == list(board.names)
    assert board.head.verdict in repr(board)
    assert "<table" in board._repr_html_()
    alone = compare(gold, systems, against="s0", n_resamples=299, max_resamples=299)
    assert "groups" not in alone.to_frame()


def test_a_score_is_the_effect_of_a_system_against_nothing() -> None:
    """A mean has the interval of its effect over zeros, whoever else is compared."""
    rng = np.random.default_rng(7)
    n, raters = 40, 8
    a = rng.normal(0.0, 0.2, (n, 1)) + rng.normal(0.0, 0.1, raters) + rng.normal(0.0, 0.3, (n, raters))
    systems = {"a": a, "b": a + 0.1, "c": a[:, :1]}
    board = nbyk.compare(None, systems, metric="mean", n_resamples=199, max_resamples=199)
    units = np.tile(np.arange(raters), (n, 1))
    test = shared_units_test(get("mean"), responses(a, np.zeros((n, 1)), a_units=units))
    assert board.standing("a").interval == pytest.approx(test.interval(0.95), rel=1e-9)
    shifted = tuple(end + 0.1 for end in test.interval(0.95))
    assert board.standing("b").interval == pytest.approx(shifted, rel=1e-9)


@pytest.mark.statistics
def test_intervals_of_scores_cover_new_raters() -> None:
    """Eight raters of gold, whose severities the systems' mean absolute errors follow in proportion."""
    covered = alone = 0
    n_sets, n, raters = 250, 100, 8
    truth = {"near": 0.7, "far": 0.9}
    for seed in range(n_sets):
        rng = np.random.default_rng([18, seed])
        mean = rng.normal(0.0, 1.0, (n, 1))
        gold = mean + rng.normal(0.0, 0.15, raters) + rng.normal(0.0, 0.3, (n, raters))
        systems = {name: mean + off + rng.normal(0.0, 0.1, (n, 1)) for name, off in truth.items()}
        options = {"n_resamples": 99, "max_resamples": 99, "seed": seed}
        new, old = (nbyk.compare(gold, systems, generalise=over, **options) for over in (None, ("items",)))
        for name, score in truth.items():
            low, high = new.standing(name).interval
            covered += low <= score <= high
            low, high = old.standing(name).interval
            alone += low <= score <= high
    assert covered >= 0.93 * 2 * n_sets
    assert alone < 0.6 * 2 * n_sets


def test_units_that_are_too_few_leave_no_interval_of_a_score() -> None:
    rng = np.random.default_rng(8)
    systems = {name: rng.random((20, 2)) for name in "ab"}
    board = nbyk.compare(None, systems, metric="mean", n_resamples=99, max_resamples=99)
    assert np.isnan([standing.interval for standing in board.standings]).all()
    assert "No answer for new items and raters or runs: two raters or runs of each" in repr(board)
    alone = nbyk.compare(None, systems, metric="mean", generalise=("items",), n_resamples=99)
    assert np.isfinite([standing.interval for standing in alone.standings]).all()


def test_one_system_alone_files_and_unlike_items_are_short_errors() -> None:
    """What a newcomer types first says how the call goes, in one line, however many items there are."""
    a, b = np.random.default_rng(0).random((2, 200, 5))
    for arguments, message in (
        ((a, b), "nbyk.compare(None, a, b)"),
        (("a.csv",), 'nbyk.compare(nbyk.read_systems(["a.csv", "b.csv"]'),
        (("a.csv", "b.csv"), "gold: found the path of a file"),
        ((a, list(b)), "found 200 items of gold and 5 of system 0, expected the same items in all"),
    ):
        with pytest.raises(NbykError) as refused:
            nbyk.compare(*arguments)
        assert message in str(refused.value)
        assert len(str(refused.value)) < 200


@pytest.mark.parametrize("has_gold", [False, True])
def test_arrays_take_a_scale_as_files_do(has_gold: bool) -> None:
    """Every number of the answer, its unit and its bounds are those of the same ratings in files."""
    a, b, people = np.random.default_rng(0).integers(1, 6, (3, 40, 5)).astype(float)
    gold = people if has_gold else None
    a[3, 2] = np.nan
    board = nbyk.compare(gold, a, b, scale="1..5", n_resamples=199)
    read = nbyk.compare(nbyk.read_systems({"A": a, "B": b}, gold, scale="1..5"), n_resamples=199)
    assert board.pair.claims == read.pair.claims
    assert board.head.lines == read.head.lines
    assert board.head.about.startswith(f"{'mae' if has_gold else 'mean'} on 1..5")
    for arguments, message in (
        ((None, a + 1.0, b), "A, item 0: found 6, expected a number from 1 to 5"),
        ((nbyk.read_systems({"A": a, "B": b}, scale="1..5"),), "scale: the data that were read have theirs"),
        ((list("aabb"), list("abab"), list("abbb")), "scale: found 1..5, and classes have none"),
    ):
        with pytest.raises(NbykError, match=message):
            nbyk.compare(*arguments, scale="1..5")
    with pytest.raises(NbykError, match=r"scale: found 1\.\.5, and scores have none"):
        nbyk.compare(None, [1.0, 2.0, 3.0], [2.0, 2.0, 4.0], kind="scores", scale="1..5")
