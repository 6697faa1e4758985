"""Votes: strengths against other code, the jackknife, and bad input."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.optimize import minimize
from statsmodels.api import GLM, families

import nbyk
from nbyk.data.votes import Votes, read_votes
from nbyk.errors import NbykError
from nbyk.testing.pvalues import Alternative
from nbyk.testing.systems.votes import fit_votes

STRENGTHS = np.array([0.8, 0.2, -0.1, -0.9])


def votes(
    n: int = 400, *, voters: int = 12, taste: float = 0.0, ties: float = -0.3, seed: int = 0, models: int = 4
) -> Votes:
    """Return votes by Davidson's model, with an advantage of .3 for what is shown first."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, models, n)
    b = (a + rng.integers(1, models, n)) % models
    by = rng.integers(0, voters, n)
    own = rng.normal(0.0, taste, (voters, models))
    x = STRENGTHS[a] - STRENGTHS[b] + own[by, a] - own[by, b] + 0.3
    utilities = np.stack([x / 2, np.full(n, ties), -x / 2], axis=1) + rng.gumbel(size=(n, 3))
    names = tuple(f"v{number}" for number in range(voters))
    models_ = tuple("abcd"[:models])
    return Votes(models_, a, b, utilities.argmax(axis=1), np.arange(n) // 2, by, names)


def test_strengths_without_ties_are_those_of_logistic_regression() -> None:
    data = votes(ties=-np.inf)
    design = np.eye(4)[data.a] - np.eye(4)[data.b]
    oracle = GLM(data.outcomes == 0, np.c_[design[:, 1:], np.ones(400)], families.Binomial()).fit(tol=1e-12)
    expected = np.append(0.0, oracle.params[:3])
    fit = fit_votes(data)
    assert_allclose(fit.scores, expected - expected.mean(), atol=1e-7)
    assert_allclose(fit.position, oracle.params[3], atol=1e-7)
    # choix 0.4.1 (ilsr_pairwise, alpha=0) and evalica 0.4.2 (bradley_terry) on the same votes
    theirs = [0.7701277551290798, 0.1235685821640263, -0.0777483359286874, -0.8159480013644190]
    assert_allclose(fit_votes(data, position=False).scores, theirs, atol=1e-9)


def test_strengths_with_ties_are_those_of_the_largest_likelihood() -> None:
    data = votes()

    def loss(values: np.ndarray) -> float:
        x = np.append(values[:3], 0.0)[data.a] - np.append(values[:3], 0.0)[data.b] + values[3]
        logs = np.stack([x / 2, np.full(len(x), values[4]), -x / 2], axis=1)
        return float(np.sum(np.log(np.exp(logs).sum(axis=1)) - logs[np.arange(len(x)), data.outcomes]))

    oracle = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    fit, expected = fit_votes(data), np.append(oracle[:3], 0.0)
    assert_allclose(fit.scores, expected - expected.mean(), atol=1e-5)
    assert_allclose((fit.position, fit.tie), oracle[3:], atol=1e-5)


def test_one_step_without_a_voter_is_near_the_fit_without_them() -> None:
    data = votes(1200, voters=12, taste=0.3)
    assert data.voters is not None
    fit = fit_votes(data)
    refits = np.array([fit_votes(data.taken(data.voters != voter)).scores for voter in range(12)])
    changes = refits - fit.scores
    exact = np.sum((changes[:, :, None] - changes[:, None, :]) ** 2, axis=0)
    steps = fit.spread(data.voters).changes
    spread = np.sum((steps[:, :, None] - steps[:, None, :]) ** 2, axis=0)
    assert_allclose(spread[~np.eye(4, dtype=bool)], exact[~np.eye(4, dtype=bool)], rtol=0.02)


def test_groups_of_one_vote_are_those_of_any_size() -> None:
    fit, numbers = fit_votes(votes()), np.arange(400)
    alike = fit.spread(numbers)
    fit.kinds[:] = numbers  # no two votes are of one kind
    assert_allclose(alike.changes, fit.spread(numbers).changes, rtol=1e-9)
    assert_allclose(alike.powers, fit.spread(numbers).powers, rtol=1e-9)


def test_two_models_have_a_win_rate_with_half_a_win_for_a_tie() -> None:
    rng = np.random.default_rng(5)
    outcomes = rng.choice(3, 200, p=[0.5, 0.2, 0.3])
    data = Votes(("x", "y"), np.zeros(200, int), np.ones(200, int), outcomes, np.arange(200) // 2)
    board = nbyk.compare(data)
    worth = 1.0 - outcomes / 2.0
    assert_allclose(board.standing("x").score, worth.mean())
    assert_allclose(board.effect, 2.0 * worth.mean() - 1.0)
    error = 2.0 * worth.reshape(100, 2).mean(axis=1).std(ddof=1) / np.sqrt(100)
    low, high = board.interval
    assert_allclose((high - low) / 2, 1.984 * error, rtol=0.01)
    assert any("ties, half a win of each" in text for text in board.warnings)
    assert any("anonymous" in text for text in board.warnings)
    assert any(text.startswith("every vote names x first; if it was") for text in board.warnings)
    assert board.verdict == "better"  # the columns' order says nothing about what was shown first
    few = np.where(np.arange(200) < 20, 1, 0)
    known = nbyk.compare(Votes(("x", "y"), few, 1 - few, np.where(few, 2, outcomes), np.arange(200) // 2))
    assert known.verdict == "better, with reserve"  # orders are known, and one is rare


def test_orders_of_unlike_numbers_count_alike() -> None:
    """What is shown first wins .8 of the votes of equal models, and x is first in .85: x wins .71 of all."""
    rng, sets, n, wrong, missed = np.random.default_rng(19), 600, 300, 0, 0
    for _ in range(sets):
        first = rng.random(n) < 0.85
        a, outcomes = np.where(first, 0, 1), np.where(rng.random(n) < 0.8, 0, 2)
        board = nbyk.compare(Votes(("x", "y"), a, 1 - a, outcomes, np.arange(n)))
        if not board.verdict.endswith("with reserve"):
            wrong += board.p <= 0.05
            missed += not board.interval[0] <= 0.0 <= board.interval[1]
    assert wrong == missed
    assert wrong / sets < 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5
    won = [(outcomes[a == model] == 0).mean() for model in (0, 1)]
    assert_allclose(board.standing("x").score, (won[0] + 1.0 - won[1]) / 2.0)
    assert any("each order counts one half" in text for text in board.warnings)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    ("won", "tied", "lost"), [(9, 0, 1), (10, 0, 0), (0, 3, 4), (1, 0, 1), (0, 6, 0), (70, 30, 50)]
)
def test_two_models_with_a_vote_a_prompt_have_the_sign_test_and_its_interval(
    won: int, tied: int, lost: int, alternative: Alternative
) -> None:
    """As paired numbers have, of which each vote is one."""
    n = won + tied + lost
    outcomes, swapped = np.repeat([0, 1, 2], [won, tied, lost]), np.arange(n) % 2
    shown = np.where(swapped, 2 - outcomes, outcomes)
    board = nbyk.compare(
        Votes(("x", "y"), swapped, 1 - swapped, shown, np.arange(n)), alternative=alternative
    )
    (claim,) = board.claims
    p = stats.binomtest(won, won + lost, alternative=alternative).pvalue if won + lost else 1.0
    assert claim.p == pytest.approx(p, rel=1e-9)
    assert claim.least_p == (2 if alternative == "two-sided" else 1) * 0.5**n
    assert claim.effect == pytest.approx((won - lost) / n)
    assert -1.0 <= claim.interval[0] <= claim.effect <= claim.interval[1] <= 1.0
    paired = nbyk.compare(None, 1.0 * (outcomes == 0), 1.0 * (outcomes == 2), kind="numbers", metric="mean")
    assert claim.interval == pytest.approx(paired.claims[-1].interval, abs=1e-12)
    low, high = board.standing("x").interval
    assert (2 * low - 1, 2 * high - 1) == pytest.approx(claim.interval, abs=1e-12)


def test_few_votes_bound_no_win_rate_beyond_what_is_possible() -> None:
    places = np.arange(4)
    few = Votes(("x", "y"), np.zeros(4, int), np.ones(4, int), np.array([0, 0, 2, 0]), places // 2)
    many = replace(few, prompts=places, voters=np.array([0, 1, 2, 2]), voter_names=("u", "v", "w"))
    for board in (nbyk.compare(few), nbyk.compare(many)):
        for low, high in (claim.interval for claim in board.claims):
            assert -1.0 <= low < 0.0 < high <= 1.0
        for standing in board.standings:
            assert 0.0 <= standing.interval[0] < standing.score < standing.interval[1] <= 1.0


def test_votes_that_are_all_alike_on_prompts_of_several_show_no_effect() -> None:
    alike = Votes(("x", "y"), np.zeros(10, int), np.ones(10, int), np.zeros(10, int), np.arange(10) // 2)
    board = nbyk.compare(alike)
    assert board.claims[0].reason == "all votes are alike, and do not show how others vary"
    assert "equal win rate" not in str(board)


@pytest.mark.parametrize(
    "votes_of_three",
    [
        [("x", "y", "tie"), ("y", "z", "tie"), ("z", "x", "tie")],
        [("x", "y", "x"), ("y", "x", "y"), ("x", "z", "z"), ("y", "z", "y")],
        [
            ("x", "y", "x"),
            ("y", "x", "y"),
            ("y", "z", "y"),
            ("z", "y", "z"),
            ("x", "z", "x"),
            ("z", "x", "z"),
        ],
        [("x", "y", "x"), ("y", "z", "tie"), ("z", "x", "tie")],
    ],
)
@pytest.mark.parametrize("times", [1, 30])
def test_votes_that_set_no_bound_to_the_strengths_are_refused(
    votes_of_three: list[tuple[str, str, str]], times: int
) -> None:
    """The likelihood has no largest value: with more steps, the strengths would only grow."""
    frame = pd.DataFrame(votes_of_three * times, columns=["model_a", "model_b", "winner"])
    with pytest.raises(NbykError, match="these votes set no bound to the strengths"):
        nbyk.compare(read_votes(frame))


def test_a_board_has_ranks_holm_and_the_loud_voter() -> None:
    data = votes(800, voters=6)
    assert data.voters is not None
    data.voters[:300] = 0
    board = nbyk.compare(data)
    assert board.names[0] == "a"
    assert len(board.pairs) == 6
    assert board.pairs[0].claims[0].over == ("items", "voters")
    assert all(pair.p >= pair.claims[0].p for pair in board.pairs)
    assert any(text.startswith("voter v0 cast ") and "without them, " in text for text in board.warnings)
    alone = nbyk.compare(data, generalise=("items",))
    assert alone.pairs[0].claims[0].population == "new prompts, with these 6 voters"
    with pytest.raises(NbykError, match=r"against: found 0\.8 beside votes; name a baseline"):
        nbyk.compare(data, against=0.8)


def test_a_reserve_about_voters_names_no_raters() -> None:
    rng = np.random.default_rng(6)
    taste = rng.exponential(1.0, 8)
    won = [rng.random() < 1.0 / (1.0 + np.exp(-taste[vote % 8])) for vote in range(240)]
    rows = [("x", "y", "xy"[not x], f"p{vote // 4}", f"v{vote % 8}") for vote, x in enumerate(won)]
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "prompt", "voter"])
    board = nbyk.compare(read_votes(frame))
    assert board.verdict == "better, with reserve"
    assert "new prompts and voters: if a few units (people, runs" in board.warnings[0]
    assert "raters" not in " ".join(board.warnings)
    assert "win_rate, 60 prompts, 240 votes, 8 voters" in str(board)
    few = frame[:3].assign(winner=["x", "tie", "x"], prompt=["p1", "p2", "p3"])
    assert "So few votes cannot show any difference" in str(nbyk.compare(read_votes(few)))


def test_a_judge_narrows_the_intervals_of_few_votes() -> None:
    everyone = votes(3000, voters=3000)
    names = tuple(f"q{number:04d}" for number in range(1500))
    # the judge mostly agrees, has no ties, and favours d
    rng = np.random.default_rng(9)
    wins = np.where(everyone.outcomes == 1, 2 * rng.integers(0, 2, 3000), everyone.outcomes)
    wins = np.where((everyone.b == 3) & (rng.random(3000) < 0.3), 2, wins)
    judge = Votes(everyone.models, everyone.a, everyone.b, wins, everyone.prompts, prompt_names=names)
    people = Votes(
        everyone.models, *(of[:300] for of in (everyone.a, everyone.b, everyone.outcomes, everyone.prompts)),
        prompt_names=names[:150],
    )  # fmt: skip
    alone, together = nbyk.compare(people), nbyk.compare(people, judge=judge)
    widths = [np.diff([pair.interval for pair in board.pairs]).mean() for board in (alone, together)]
    assert widths[1] < 0.92 * widths[0]
    assert "3000 votes of a judge count with a weight of 0." in together.warnings[-1]
    # a judge who knows nothing counts nothing
    judge.outcomes[:] = 2 * rng.integers(0, 2, 3000)
    ignored = nbyk.compare(people, judge=judge)
    assert_allclose(ignored.pairs[0].effect, alone.pairs[0].effect, atol=0.05)
    assert_allclose(np.diff(ignored.pairs[0].interval), np.diff(alone.pairs[0].interval), rtol=0.02)


def test_a_judge_with_other_prompts_is_refused_in_one_line() -> None:
    people = read_votes(pd.DataFrame(TABLE))
    judged = pd.DataFrame(TABLE).drop(columns="voter")
    with pytest.raises(NbykError, match="a judge who voted on nothing but what people saw"):
        nbyk.compare(people, judge=read_votes(judged))
    with pytest.raises(NbykError, match="no vote of the judge on prompt q4"):
        nbyk.compare(people, judge=read_votes(judged.replace({"prompt": {"q4": "q5"}})))
    with pytest.raises(NbykError, match="no vote of the judge on prompt q1"):
        nbyk.compare(people, judge=read_votes(judged.replace("y", "w")))


def test_an_open_pair_says_how_many_votes_would_settle_it() -> None:
    """As many times as many votes have a z of 1.96 + .84 for the present effect."""
    data = votes(200, voters=200, models=2)
    data.outcomes[:] = np.random.default_rng(2).choice(3, 200, p=[0.4, 0.2, 0.4])
    board = nbyk.compare(data, generalise=("items",))
    (claim,) = board.claims
    error = (claim.interval[1] - claim.interval[0]) / 2 / stats.t.ppf(0.975, claim.df)
    n = np.ceil(200 * (2.801585 * error / claim.effect) ** 2)
    assert claim.advice == f"about {n:.0f} votes would show this effect (power 0.8)"
    assert board.head.next == claim.advice
    assert re.fullmatch(
        r"about \d+ votes by \d+ voters would show this effect \(power 0.8\)",
        nbyk.compare(data).claims[0].advice,
    )
    side = "less" if claim.effect > 0.0 else "greater"
    assert nbyk.compare(data, alternative=side).claims[0].advice == ""


@pytest.mark.parametrize("asked", [{"margin": 0.1}, {"metric": "mae"}, {"test": "welch_t"}, {"a": [1.0]}])
def test_what_votes_cannot_answer_is_refused(asked: dict[str, Any]) -> None:
    (argument,) = asked
    with pytest.raises(NbykError, match=f"{argument}: these are votes between two outputs; leave it out"):
        nbyk.compare(votes(), **asked)


def test_votes_generalise_over_items_and_voters_alone() -> None:
    with pytest.raises(NbykError, match="generalise: unknown factor to generalise over 'voter'"):
        nbyk.compare(votes(), generalise="voter")


@pytest.mark.parametrize(("prompts", "voters"), [("qq", "uv"), ("qr", "uu"), ("qr", "uv")])
def test_a_model_that_one_prompt_or_voter_compares_has_no_interval_and_the_others_do(
    prompts: str, voters: str
) -> None:
    """Without those votes it has no strength at all."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, 90)
    frame = pd.DataFrame(
        {
            "prompt": [f"p{number}" for number in range(90)] + list(prompts),
            "model_a": [*np.array([*"abc"])[first], "a", "d"],
            "model_b": [*np.array([*"abc"])[(first + 1) % 3], "d", "b"],
            "winner": [*np.array(["model_a", "tie", "model_b"])[rng.integers(0, 3, 90)], "a", "d"],
            "voter": [f"v{number % 9}" for number in range(90)] + list(voters),
        }
    )
    lonely = prompts == "qq" or voters == "uu"
    board = nbyk.compare(read_votes(frame))
    for pair in board.pairs:
        assert pair.claims[0].is_conclusive is not (lonely and "d" in (pair.a, pair.b))
    assert any("link d with the other models" in text for text in board.warnings) is lonely
    assert np.isfinite([standing.interval for standing in board.standings]).all() is np.bool_(not lonely)


TABLE = {
    "prompt": ["q1", "q2", "q3", "q4"],
    "model_a": ["x", "y", "x", "z"],
    "model_b": ["y", "z", "z", "x"],
    "winner": ["model_a", "model_a", "tie", "x"],
    "voter": ["ann", "ann", "bob", "bob"],
}


def test_winners_may_be_sides_ties_or_names() -> None:
    data = read_votes(pd.DataFrame(TABLE))
    assert data.models == ("x", "y", "z")
    assert data.outcomes.tolist() == [0, 0, 1, 2]
    assert data.voter_names == ("ann", "bob")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"model_b": ["y", "z", "x", "x"]}, "x is against itself; expected two models"),
        ({"winner": ["model_a", "first", "tie", "z"]}, "column 'winner': found 'first', expected model_a"),
        (
            {
                "prompt": ["q1", "q1", "q1", "q1"],
                "model_a": ["x", "x", "x", "z"],
                "model_b": ["y", "y", "z", "x"],
            },
            "voter ann votes twice on one prompt and pair, in one order; keep one",
        ),
        (
            {"model_a": ["x", "x", "w", "w"], "model_b": ["y", "y", "z", "z"], "winner": ["tie"] * 4},
            "no chain of votes links .* with .*; compare them apart",
        ),
        (
            {"model_a": ["x", "x", "x", "x"], "winner": ["model_a"] * 4, "model_b": ["y", "z", "y", "z"]},
            "x won every vote against y and z: how much better is unbounded",
        ),
        ({"model_a": None}, "model_a"),
    ],
)
def test_votes_that_say_nothing_are_refused_in_one_line(changes: dict[str, object], error: str) -> None:
    frame = pd.DataFrame({name: cells for name, cells in {**TABLE, **changes}.items() if cells is not None})
    with pytest.raises(NbykError, match=error):
        read_votes(frame)


@pytest.mark.parametrize(
    ("column", "one", "other", "what"),
    [
        ("prompt", "q1", "Q1", "prompts"),
        ("voter", "ann", "Ann", "voters"),
        ("model_b", "z", "Z", "models"),
    ],
)
def test_names_that_look_alike_are_a_caution(column: str, one: str, other: str, what: str) -> None:
    frame = pd.concat([pd.DataFrame(TABLE)] * 2, ignore_index=True)
    frame.loc[4:, "prompt"] += "b"
    frame[column] = [*frame[column][:4], *frame[column][4:].replace({one: other, f"{one}b": other})]
    alike = f"the {what} .* look alike, and nbyk tells them apart"
    assert re.match(alike, nbyk.compare(read_votes(frame)).warnings[0])


@pytest.mark.parametrize(
    ("column", "other", "error"),
    [
        ("voter", "ann ", "row 4: the voter id 'ann ' differs from 'ann' in spaces alone"),
        ("prompt", "q1 ", "the prompt id 'q1 ' differs from 'q1' in spaces alone"),
        ("model_b", "z\u200b", "the model id 'z.u200b' differs from 'z' in signs that nobody sees"),
    ],
)
def test_names_that_differ_in_what_nobody_sees_are_refused(column: str, other: str, error: str) -> None:
    frame = pd.DataFrame(TABLE)
    more = frame.assign(prompt=frame["prompt"] + "b")
    more[column] = other
    with pytest.raises(NbykError, match=error):
        read_votes(pd.concat([frame, more], ignore_index=True))


def test_the_command_line_reads_votes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbyk.cli import main

    data = votes(200)
    assert data.voters is not None
    frame = pd.DataFrame(
        {
            "prompt": data.prompts,
            "model_a": np.array(data.models)[data.a],
            "model_b": np.array(data.models)[data.b],
            "winner": np.array(["model_a", "tie", "model_b"])[data.outcomes],
            "voter": np.array(data.voter_names)[data.voters],
        }
    )
    frame.to_csv(tmp_path / "votes.csv", index=False)
    monkeypatch.setattr(
        "sys.argv", ["nbyk", "compare", str(tmp_path / "votes.csv"), "--against", "d", "--gate"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code == 0, printed.err
    assert "The gate is passed by a." in printed.out


@pytest.mark.statistics
@pytest.mark.parametrize("models", [2, 4])
def test_intervals_cover_with_a_loud_voter_ties_and_an_advantage_of_the_first(models: int) -> None:
    """150 sets: a coverage of .95 has a standard error of .018, less for 6 pairs."""
    centre = STRENGTHS[:models] - STRENGTHS[:models].mean()
    weights, n = 1.0 / np.arange(1, 13), 600

    def drawn(rng: np.random.Generator, size: int, by: np.ndarray, taste: np.ndarray) -> Votes:
        a = rng.integers(0, models, size)
        b = (a + rng.integers(1, models, size)) % models
        x = centre[a] - centre[b] + taste[by, a] - taste[by, b] + 0.3
        utilities = np.stack([x / 2, np.full(size, -0.3), -x / 2], axis=1) + rng.gumbel(size=(size, 3))
        names = tuple(f"v{number}" for number in range(len(taste)))
        return Votes(
            tuple("abcd"[:models]), a, b, utilities.argmax(axis=1), np.arange(size), by, names
        )  # fmt: skip

    # what 200,000 voters with a vote each say is the truth for new voters
    rng = np.random.default_rng(11)
    many = drawn(rng, 200_000, np.arange(200_000), rng.normal(0.0, 0.4, (200_000, models)))
    truth = fit_votes(many).scores
    covered = pairs = 0
    for _ in range(150):
        by = np.append(np.arange(12), rng.choice(12, n - 12, p=weights / weights.sum()))
        board = nbyk.compare(drawn(rng, n, by, rng.normal(0.0, 0.4, (12, models))))
        for pair in board.pairs:
            low, high = pair.claims[0].interval
            a, b = ("abcd".index(name) for name in (pair.a, pair.b))
            covered, pairs = covered + (low <= truth[a] - truth[b] <= high), pairs + 1
    assert covered / pairs >= 0.93


@pytest.mark.statistics
@pytest.mark.parametrize(("loud", "taste"), [(False, 0.5), (True, 0.5), (True, 0.0)])
def test_the_level_holds_for_new_voters_who_differ(loud: bool, taste: float) -> None:
    """200 sets of 6 pairs: a familywise level of .05 has a standard error of .015."""
    rejected = pairs = 0
    rng = np.random.default_rng(6)
    for seed in range(200):
        data = votes(600, voters=10, taste=taste, seed=seed)
        assert data.voters is not None
        if loud:
            weights = 1.0 / np.arange(1, 11)
            data.voters[:] = np.append(np.arange(10), rng.choice(10, 590, p=weights / weights.sum()))
        own = rng.normal(0.0, taste, (10, 4))
        x = 0.3 + own[data.voters, data.a] - own[data.voters, data.b]
        chances = np.stack([x / 2, np.full(600, -0.3), -x / 2], axis=1) + rng.gumbel(size=(600, 3))
        data.outcomes[:] = chances.argmax(axis=1)
        of_pairs = [pair.claims[0].p for pair in nbyk.compare(data, correction="none").pairs]
        rejected, pairs = rejected + sum(p <= 0.05 for p in of_pairs), pairs + len(of_pairs)
    assert rejected / pairs <= 0.07
