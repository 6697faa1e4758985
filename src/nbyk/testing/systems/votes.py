"""Votes: the models' strengths, or the win rates of two, over new prompts and new voters.

Three models or more have strengths θ by Bradley, Terry and Davidson. With x = θ_a − θ_b + δ, where δ is the
advantage of what is shown first, the chances of a win, a tie and a loss of a are in proportion to
exp(x/2), exp(λ) and exp(−x/2). Two models have win rates; a tie is half a win.

Each prompt and each voter leaves in turn: without group g, the estimates change by −(H − H_g)⁻¹ G_g, one step
of Newton's, with G the gradient of the likelihood and H its curvature. As for raters of items
(`nbyk.testing.shared_units`), the variance of a difference has a part I over prompts, T over voters and W of
single votes, which is in both; p is by the mixture of max(I − W, 0) and T.

References
----------
Davidson 1970, On extending the Bradley–Terry model to accommodate ties in paired comparison experiments;
Davidson and Beaver 1977, On extending the Bradley–Terry model to incorporate within-pair order effects.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nbyk.arrays import Booleans, Floats, Integers
from nbyk.data.text import notes_on_look_alikes
from nbyk.data.votes import Votes
from nbyk.errors import NbykError
from nbyk.sums import product, solve
from nbyk.testing.family import choose_pairs
from nbyk.testing.intervals import signs_interval
from nbyk.testing.pvalues import p_of_signs, sides_of
from nbyk.testing.results import Board, Claim, Doubt, Interval, ResponseCounts, Sample, favoured
from nbyk.testing.shared_units import SharedUnitsTest
from nbyk.testing.shared_units.components import Component, third_moment
from nbyk.testing.systems.asked import Asked
from nbyk.testing.systems.by_formula import (
    about_few,
    board_by_formula,
    claim_over,
    claims_over,
    formula_test,
    times_as_many,
)
from nbyk.testing.systems.claims import POWER
from nbyk.testing.systems.items_alone import SIGN_TEST
from nbyk.testing.systems.panel import check_factors
from nbyk.words import listed, number_of

_LOUD = 0.1
"""A caution names the voter who cast this share of the votes or more."""

_UNEVEN, _FEWEST_OF_ORDER = 0.05, 30
"""If one of two models is first in so much more than half of the votes, orders with so many count alike."""

_GROUPS_AT_ONCE = 2000
_CONSTANT = "all votes are alike, and do not show how others vary"
_NEWTON_STEPS, _CONVERGED = 100, 1e-6
"""Most steps, and the largest last one; strengths without a bound grow by about 1 at each."""


@dataclass(frozen=True, eq=False)
class VoteFit:
    """Estimates from votes, and what each vote says of them.

    `scores`, shape (S,), are the models' strengths, whose mean is 0, or win rates of two; `position` and
    `tie` are δ and λ, NaN if there are none; `pairs`, shape (C, 2), the ordered pairs of models that have
    votes. Of M votes and P parameters, `gradients`, shape (M, P), are those of a vote's log-likelihood;
    `cells`, shape (M,), the place of its pair; `kinds`, shape (M,), a number of its cell and outcome, which
    give the gradient; `curvatures`, shape (C, P, P), are expected of a vote in each cell; `contrasts`, shape
    (P, S), the scores' derivatives.
    """

    scores: Floats
    position: float
    tie: float
    pairs: Integers
    gradients: Floats
    cells: Integers
    kinds: Integers
    curvatures: Floats
    contrasts: Floats

    @cached_property
    def curvature(self) -> Floats:
        """The curvature H of all votes, shape (P, P), with a term that keeps the strengths' mean at 0."""
        counts = np.bincount(self.cells, minlength=len(self.curvatures))
        whole: Floats = product(counts.astype(np.float64), self.curvatures)
        if len(self.scores) > 2:
            whole[: len(self.scores), : len(self.scores)] += whole.trace() / len(self.scores) ** 2
        return whole

    def spread(self, groups: Integers) -> LeftOut:
        """Return the changes of the scores when each group of votes leaves in turn."""
        n, n_models = int(groups.max()) + 1, len(self.scores)
        lone = np.bincount(groups, minlength=n)[groups] == 1
        # Groups of one vote with the same models and winner change the scores alike: one stands for all.
        _, stand, alike = np.unique(self.kinds[lone], return_index=True, return_inverse=True)
        _, other_groups = np.unique(groups[~lone], return_inverse=True)
        votes = np.concatenate([np.flatnonzero(lone)[stand], np.flatnonzero(~lone)])
        numbers = np.concatenate([np.arange(len(stand)), len(stand) + other_groups])
        places = np.zeros(n, np.int64)
        places[groups[lone]], places[groups[~lone]] = alike, len(stand) + other_groups
        n_rows = int(numbers.max()) + 1
        times = np.bincount(places, minlength=n_rows).astype(np.float64)
        gradients = np.zeros((n_rows, self.gradients.shape[1]))
        np.add.at(gradients, numbers, self.gradients[votes])
        order = np.argsort(numbers, kind="stable")
        ends = np.concatenate([[0], np.cumsum(np.bincount(numbers))])
        whole, totals = solve(self.curvature, np.eye(len(self.curvature))), np.bincount(self.cells)
        inverse = product(whole, self.contrasts)
        # A vote has no curvature but in its two models, the advantage and ties.
        others = np.tile(np.arange(n_models, len(self.contrasts)), (len(self.pairs), 1))
        at = np.hstack([self.pairs, others]) if n_models > 2 else np.zeros((len(self.pairs), 1), np.int64)
        blocks = self.curvatures[np.arange(len(at))[:, None, None], at[:, :, None], at[:, None, :]]
        changes, powers = np.zeros((n_rows, n_models)), np.zeros((4, n_models + 1, n_models + 1))
        for start in range(0, n_rows, _GROUPS_AT_ONCE):
            here = slice(start, min(start + _GROUPS_AT_ONCE, n_rows))
            rows = order[ends[here.start] : ends[here.stop]]
            group, cell = numbers[rows] - start, self.cells[votes[rows]]
            own = np.zeros((here.stop - start, *self.curvatures.shape[1:]))
            down, across = at[cell][:, :, None], at[cell][:, None, :]
            np.add.at(own, (group[:, None, None], down, across), blocks[cell])
            one, count = np.unique(np.stack([group, cell]), axis=1, return_counts=True)
            emptied = np.unique(one[0][count == totals[one[1]]])
            n_lone = max(0, len(stand) - start)  # the first ones; for these, the inverse is Woodbury's
            of, block = at[cell[:n_lone]], blocks[cell[:n_lone]]
            left = np.eye(at.shape[1]) - np.einsum(
                "gij,gjk->gik", block, whole[of[:, :, None], of[:, None, :]]
            )
            seen = solve(left, np.take_along_axis(gradients[here][:n_lone], of, axis=1))
            changes[here][:n_lone] = -np.einsum("gi,gis->gs", seen, inverse[of])
            steps = solve(self.curvature - own[n_lone:], gradients[here][n_lone:])
            changes[here][n_lone:] = -product(steps, self.contrasts)
            for row in emptied.tolist():
                kept = np.bincount(cell[group == row], minlength=len(totals)) < totals
                changes[start + row, _apart(self.pairs[kept], n_models)] = math.nan
            alone = np.pad(product(product(own, inverse).swapaxes(1, 2), inverse), ((0, 0), (0, 1), (0, 1)))
            diagonal = np.einsum("gss->gs", alone)
            squares = diagonal[:, :, None] + diagonal[:, None, :] - 2.0 * alone
            for exponent in range(4):
                powers[exponent] += product(times[here], squares ** (exponent + 1))
        return LeftOut(changes[places], powers)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The scores when each of G groups of votes leaves in turn; pairs are of S models or, at S, their mean.

    `changes`, shape (G, S), are those of the scores, NaN of models that no other votes link with most;
    `powers`, shape (4, S + 1, S + 1), sums over groups of the first four powers of the squared changes of a
    difference that independent votes would give.
    """

    changes: Floats
    powers: Floats

    def component(self, pair: tuple[int, int], within: float) -> Component:
        """Return the variance over groups of the difference of a pair; `within` is that of single votes.

        If voters differ by τ² beyond their votes, a group whose votes give e adds v = e + τ² e². Degrees of
        freedom are (Σ v)² / Σ v² − 1.
        """
        n, change = len(self.changes), self.difference(pair)
        total = float(np.sum(change**2)) * (n - 1.0) / n
        first, second, third, fourth = self.powers[:, pair[0], pair[1]].tolist()
        between = max(total - within, 0.0) / second
        whole = first + between * second
        squares = second + 2.0 * between * third + between**2 * fourth
        loads, df = second / first**2, max(1.0, whole**2 / squares - 1.0)
        third = third_moment(change, loads)
        return Component(n, total, min(within, total), df, 1.0, math.nan, loads, third)

    def difference(self, pair: tuple[int, int]) -> Floats:
        """Return the changes of the difference of a pair, shape (G,)."""
        a, b = pair
        return self.changes[:, a] - (self.changes[:, b] if b >= 0 else self.changes.mean(axis=1))


def fit_votes(votes: Votes, *, position: bool = True) -> VoteFit:
    """Return the models' strengths, NaN if the votes set them no bound, or the win rates of two.

    `position` says whether the advantage of what is shown first is a parameter.
    """
    n = len(votes.models)
    if n == 2:
        worth = np.where(votes.a == 0, 2 - votes.outcomes, votes.outcomes) / 2.0
        orders = votes.a if counts_orders(votes) else np.zeros(votes.n_votes, np.int64)
        shown = np.bincount(orders)
        means = np.bincount(orders, weights=worth) / shown
        rate, weights = float(means.mean()), votes.n_votes / (len(shown) * shown)
        left = worth - means[orders]
        variance = float(product(weights[orders], left**2)) / votes.n_votes or 1.0
        gradients = (weights[orders] * left / variance)[:, None]
        kinds = np.rint(2.0 * worth).astype(np.int64) + 3 * orders
        pairs, scores = np.array([[0, 1], [1, 0]])[: len(shown)], np.array([rate, 1.0 - rate])
        curvatures, contrasts = weights[:, None, None] / variance, np.array([[1.0, -1.0]])
        return VoteFit(scores, math.nan, math.nan, pairs, gradients, orders, kinds, curvatures, contrasts)
    pairs, cells = np.unique(votes.a * n + votes.b, return_inverse=True)
    a, b = pairs // n, pairs % n
    counts = np.zeros((len(pairs), 3))
    np.add.at(counts, (cells, votes.outcomes), 1.0)
    has_ties = bool(counts[:, 1].any())
    p = n + position + has_ties
    towards, ties = np.zeros((len(pairs), p)), np.zeros(p)
    towards[np.arange(len(pairs)), a] = 1.0
    towards[np.arange(len(pairs)), b] = -1.0
    if position:
        towards[:, n] = 1.0
    if has_ties:
        ties[-1] = 1.0
    values = np.zeros(p)
    for _ in range(_NEWTON_STEPS):
        chances, curvatures = _chances(towards, ties, values, has_ties=has_ties)
        errors = counts - counts.sum(axis=1, keepdims=True) * chances
        gradient = product(0.5 * (errors[:, 0] - errors[:, 2]), towards) + errors[:, 1].sum() * ties
        whole = product(counts.sum(axis=1), curvatures)
        whole[:n, :n] += whole.trace() / n**2
        step = solve(whole, gradient)
        values = values + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-12:
            break
    if not np.abs(step).max() < _CONVERGED:
        values[:] = math.nan
    chances, curvatures = _chances(towards, ties, values, has_ties=has_ties)
    seen = np.eye(3)[votes.outcomes] - chances[cells]
    gradients = 0.5 * (seen[:, 0] - seen[:, 2])[:, None] * towards[cells] + seen[:, 1:2] * ties
    return VoteFit(
        values[:n] - values[:n].mean(),
        float(values[n]) if position else math.nan,
        float(values[-1]) if has_ties else math.nan,
        np.stack([a, b], axis=1),
        gradients,
        cells,
        cells * 3 + votes.outcomes,
        curvatures,
        np.eye(p)[:, :n],
    )


def _apart(pairs: Integers, n: int) -> Booleans:
    """Return which of n models no chain of pairs, (C, 2), links with the largest group of them."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    _, parts = connected_components(graph, directed=False)
    return np.asarray(parts != np.bincount(parts).argmax())


def _chances(towards: Floats, ties: Floats, values: Floats, *, has_ties: bool) -> tuple[Floats, Floats]:
    """Return the chances of a win, a tie and a loss in each cell, (C, 3), and a vote's curvature there."""
    half = 0.5 * product(towards, values)
    logs = np.stack([half, np.full_like(half, values[-1] if has_ties else -np.inf), -half], axis=1)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    chances = weights / weights.sum(axis=1, keepdims=True)
    win, tie, loss = chances.T
    lead = win - loss
    lead_curve, both, tie_curve = 0.25 * (win + loss - lead**2), -0.5 * lead * tie, tie * (1.0 - tie)
    cross = towards[:, :, None] * ties
    curvatures = lead_curve[:, None, None] * towards[:, :, None] * towards[:, None, :]
    curvatures += both[:, None, None] * (cross + cross.transpose(0, 2, 1))
    curvatures += tie_curve[:, None, None] * np.outer(ties, ties)
    return chances, curvatures


def knows_order(votes: Votes) -> bool:
    """Return whether what is shown first can be told from which model it is: some pair has both orders."""
    orders = {*zip(votes.a.tolist(), votes.b.tolist(), strict=True)}
    return any((b, a) in orders for a, b in orders)


def counts_orders(votes: Votes) -> bool:
    """Return whether the win rate of two models is the mean of those in both orders, which are unequal."""
    return _is_uneven(votes) and int(np.bincount(votes.a, minlength=2).min()) >= _FEWEST_OF_ORDER


def _is_uneven(votes: Votes) -> bool:
    return bool(abs((votes.a == 0).mean() - 0.5) > _UNEVEN)


def board_of_votes(votes: Votes, asked: Asked, *, judge: Votes | None = None) -> Board:
    """Return the models from the strongest to the weakest, and the claims about their pairs.

    To generalise over "items" alone asks about new prompts with these voters. A judge's votes are on the same
    prompts and others, from which people's were drawn at random.
    """
    over = asked.generalise
    check_factors(over, ("items", "voters"))
    wants_voters = votes.voters is not None if over is None else "voters" in over
    if wants_voters and votes.voters is None:
        raise NbykError("found voters, and no column says who voted; leave it out", argument="generalise")
    position = knows_order(votes)
    fit = fit_votes(votes, position=position)
    if not np.isfinite(fit.scores).all():
        raise NbykError(
            "these votes set no bound to the strengths, as where all are ties or what is shown first wins "
            "each; collect more votes, or leave out a model that has few"
        )
    scores, prompts = fit.scores, fit.spread(votes.prompts)
    told = [*_cautions(votes, fit, position=position)]
    if judge is not None:
        scores, prompts, weight = _with_judge(votes, fit, prompts, judge)
        told.append(
            f"{judge.n_votes} votes of a judge count with a weight of {weight:.2g}, corrected by people's; "
            "this holds if people's prompts were drawn from the judge's at random"
        )
    voters = fit.spread(votes.voters) if votes.voters is not None and wants_voters else None
    single = None if voters is None else fit.spread(np.arange(votes.n_votes))
    names = {"models": votes.models, "prompts": votes.prompt_names, "voters": votes.voter_names}
    told = [*votes.notes, *notes_on_look_alikes(names), *_about_lonely(votes.models, prompts, voters), *told]
    n_voters, is_of_two = len(votes.voter_names), len(votes.models) == 2
    by_order = is_of_two and counts_orders(votes)
    order_is_rare = is_of_two and position and _is_uneven(votes) and not by_order
    these = "this" if n_voters == 1 else "these"
    fixed = f"with {these} {number_of(n_voters, 'voter')}" if n_voters else "with anonymous voters"

    def claims(a: int, b: int) -> tuple[Claim, ...]:
        effect = float(scores[a] - (scores[b] if b >= 0 else scores.mean()))
        items_part = replace(prompts.component((a, b), math.inf), within=0.0)
        test, population = formula_test(effect, items_part), f"new prompts, {fixed}"
        most = math.inf if not is_of_two else 1.0 if b >= 0 else 0.5
        if is_of_two and judge is None and votes.n_prompts == votes.n_votes and not by_order:
            narrow = _by_signs(votes, a, most, population, asked)
        else:
            narrow = claim_over(test, ("items",), population, asked, _CONSTANT).within(-most, most)
        if order_is_rare:
            why = "what is shown first may have an advantage, and few votes show the other model first"
            narrow = replace(narrow, doubts=(*narrow.doubts, Doubt(why)))
        if voters is None or single is None:
            return (_planned(narrow, test, votes, asked, judge),)
        within = float(np.sum(single.difference((a, b)) ** 2))
        test = formula_test(effect, items_part, voters.component((a, b), within))
        broad, _ = claims_over(narrow, test, "voters", n_voters, asked, noun="prompts", constant=_CONSTANT)
        return _planned(broad.within(-most, most), test, votes, asked, judge), narrow

    places = choose_pairs(votes.models, asked.against, asked.decision.alternative)
    centre = float(scores.mean())
    intervals: list[Interval] = []
    for model in range(len(votes.models)):
        low, high = claims(model, -1)[0].interval
        intervals.append((centre + low, centre + high))
    asked = replace(asked, n_pairs=len(places))
    question = replace(
        asked.question("win_rate" if is_of_two else "bradley_terry"),
        test="t",
        hypothesis="win equally often against each other",
        noun="win rate" if is_of_two else "strength",
    )
    counts = np.bincount(np.concatenate([votes.a, votes.b]), minlength=len(votes.models))
    sample = Sample(
        votes.n_prompts,
        0,
        {name: ResponseCounts(1, 1, int(count)) for name, count in zip(votes.models, counts, strict=True)},
        {"votes": (votes.n_votes, votes.n_votes), **({"voters": (n_voters, n_voters)} if n_voters else {})},
    )
    return board_by_formula(
        question,
        sample,
        votes.models,
        scores,
        intervals,
        {place: claims(*place) for place in places},
        warnings=told,
    )


def _by_signs(votes: Votes, model: int, unit: float, population: str, asked: Asked) -> Claim:
    """Return the claim of the exact sign test about one of two models, each of whose votes has a prompt."""
    places = np.where(votes.a == model, 1 - votes.outcomes, votes.outcomes - 1)
    won, lost = int((places > 0).sum()), int((places < 0).sum())
    low, high = signs_interval(won, lost, votes.n_votes, asked.pair_level)
    effect, alternative = unit * (won - lost) / votes.n_votes, asked.decision.alternative
    p = p_of_signs(won, lost)[alternative]
    ends, favours = (unit * low, unit * high), favoured(effect, alternative)
    least_p = sides_of(alternative) * 2.0**-votes.n_votes
    return Claim(("items",), population, effect, ends, p, 0.0, SIGN_TEST, favours, least_p=least_p)


def _planned(claim: Claim, test: SharedUnitsTest, votes: Votes, asked: Asked, judge: Votes | None) -> Claim:
    """Return a claim with the number of votes that would settle it, if it is open and there is no judge."""
    times = times_as_many(claim, test.variance, asked)
    if times is None or judge is not None:
        return claim
    by = f" by {math.ceil(times * len(votes.voter_names))} voters" if "voters" in claim.over else ""
    size = f"about {math.ceil(times * votes.n_votes)} votes{by}"
    return replace(claim, advice=f"{size} would show this effect (power {POWER:g})")


def _with_judge(votes: Votes, fit: VoteFit, prompts: LeftOut, judge: Votes) -> tuple[Floats, LeftOut, float]:
    """Return the scores by people's votes and a judge's, their changes without each prompt, and λ.

    The scores are θ + λ (θ_all − θ_here): θ by people's votes, and the others by the judge's on all prompts
    and on those that people saw. They are right for any judge, because the bracket is about 0 (Angelopoulos,
    Duchi and Zrnic 2023; Chatzi et al. 2024). λ, from 0 to 1, makes the variance of all differences least.
    """
    judge = judge.among(votes.models)
    numbers, is_here = judge.beside(votes)
    here = judge.taken(is_here)
    all_votes, shared_votes = (fit_votes(each, position=knows_order(each)) for each in (judge, here))
    if not (np.isfinite(all_votes.scores).all() and np.isfinite(shared_votes.scores).all()):
        raise NbykError("found a judge by whose votes a strength is unbounded; leave its votes out")
    changes, more = np.zeros((2, judge.n_prompts, len(votes.models)))
    seen = np.unique(judge.prompts[is_here])
    changes[numbers] = prompts.changes
    more += all_votes.spread(judge.prompts).changes
    more[seen] -= shared_votes.spread(here.prompts).changes
    own, both = changes - changes.mean(axis=1, keepdims=True), more - more.mean(axis=1, keepdims=True)
    weight = float(np.clip(-np.nansum(own * both) / max(float(np.nansum(both**2)), 1e-300), 0.0, 1.0))
    scores = fit.scores + weight * (all_votes.scores - shared_votes.scores)
    return scores, replace(prompts, changes=changes + weight * more), weight


def _cautions(votes: Votes, fit: VoteFit, *, position: bool) -> Iterator[str]:
    ties, is_of_two = float((votes.outcomes == 1).mean()), len(votes.models) == 2
    if votes.voters is None:
        yield (
            "the votes are anonymous: if a few people cast many of them, the intervals are too narrow; "
            "collect the voters' ids"
        )
    else:
        n_voters, counts = len(votes.voter_names), np.bincount(votes.voters)
        yield from about_few(n_voters, "voters")
        loudest = int(counts.argmax())
        share = counts[loudest] / votes.n_votes
        if share >= _LOUD and n_voters > 1:
            without = _without(votes, votes.voters != loudest, fit, position=position)
            name = votes.voter_names[loudest]
            yield f"voter {name} cast {100 * share:.0f} % of the votes; without them, {without}"
    if ties:
        half = ", half a win of each" if is_of_two else ""
        yield f"{100 * ties:.0f} % of {votes.n_votes} votes are ties{half}"
    in_rate = "an advantage of what is shown first is in its win rate"
    if is_of_two and not position:
        yield f"every vote names {votes.models[votes.a[0]]} first; if it was shown first too, {in_rate}"
    elif is_of_two and _is_uneven(votes):
        half = "each order counts one half, in case what is shown first has an advantage"
        then = half if counts_orders(votes) else f"{in_rate}; show each first equally often"
        first = 100.0 * float((votes.a == 0).mean())
        yield f"{votes.models[0]} was shown first in {first:.0f} % of the votes: {then}"
    elif position and not is_of_two:
        chance = 1.0 / (1.0 + math.exp(-fit.position))
        yield (
            f"of two equal models, the one shown first wins {100 * chance:.1f} % of the votes that are no "
            "tie; the strengths allow for it"
        )
    elif not is_of_two:
        yield "no pair is shown in both orders, so an advantage of what is shown first is unknown"


def _about_lonely(models: Sequence[str], prompts: LeftOut, voters: LeftOut | None) -> Iterator[str]:
    """Yield cautions about models that the votes on a single prompt, or of a single voter, compare."""
    for left, votes in ((prompts, "on one prompt"), (voters, "of one voter")):
        lonely = [] if left is None else np.flatnonzero(np.isnan(left.changes).any(axis=0)).tolist()
        if lonely and len(models) > 2:
            yield (
                f"only the votes {votes} link {listed([models[place] for place in lonely])} with the other "
                "models, and show no interval of any strength; collect others, or leave those models out"
            )


def _without(votes: Votes, kept: Booleans, fit: VoteFit, *, position: bool) -> str:
    """Return in words what the order of the models is without some votes."""
    others = votes.taken(kept)
    if len({*others.a.tolist(), *others.b.tolist()}) < len(votes.models):
        return "some models have no votes"
    scores = fit_votes(others, position=position and knows_order(others)).scores
    if not np.isfinite(scores).all():
        return "the strengths have no bound"
    order, now = np.argsort(-scores, kind="stable"), np.argsort(-fit.scores, kind="stable")
    if (order == now).all():
        return "the order of the models is the same"
    if order[0] != now[0]:
        return f"{votes.models[order[0]]} leads in place of {votes.models[now[0]]}"
    moved = int((np.argsort(order) != np.argsort(now)).sum())
    return f"{votes.models[now[0]]} still leads, and {moved} models change places"
