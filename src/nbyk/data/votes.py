"""Votes between two models' outputs: who was shown what, and which won."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from nbyk.arrays import Booleans, Integers
from nbyk.data.columns import ITEM_NAMES, OF_VOTES
from nbyk.data.layouts import ids_in
from nbyk.data.ratings import refuse_alike, rows_of
from nbyk.data.reading import table_of
from nbyk.data.tables import Table
from nbyk.errors import DataPlace, NbykError
from nbyk.words import listed, number_of

VOTERS = ("voter", "voter_id", "judge", "judge_id", "user", "user_id", "annotator", "rater", "rater_id")
"""Columns of who voted, the first that a table has."""

PROMPTS = ("prompt", *ITEM_NAMES)
"""Columns of what was asked, the first that a table has."""

_OUTCOMES: Mapping[str, int] = {
    **dict.fromkeys(("model_a", "a"), 0),
    **dict.fromkeys(("tie", "tie (bothbad)", "both_bad", "bothbad", "both", "neither"), 1),
    **dict.fromkeys(("model_b", "b"), 2),
}


@dataclass(frozen=True, eq=False)
class Votes:
    """M votes between two of S models each.

    Attributes
    ----------
    models
        The models' names, in the order of these.
    a, b : ndarray of int, shape (M,)
        The models of each vote, as places; `a` was shown first.
    outcomes : ndarray of int, shape (M,)
        0 if `a` won, 1 for a tie, 2 if `b` won.
    prompts : ndarray of int, shape (M,)
        The prompt of each vote, from 0.
    voters : ndarray of int, shape (M,), or None
        Who cast each; None if nobody knows.
    voter_names
        The voters' names; empty if nobody knows.
    prompt_names
        The prompts' names; empty without.
    notes
        What may name prompts or voters and was not used, a sentence each.
    """

    models: tuple[str, ...]
    a: Integers
    b: Integers
    outcomes: Integers
    prompts: Integers
    voters: Integers | None = None
    voter_names: tuple[str, ...] = ()
    prompt_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        by = f" by {number_of(len(self.voter_names), 'voter')}" if self.voter_names else ""
        return f"{self.n_votes} votes{by} between {len(self.models)} models on {self.n_prompts} prompts"

    @property
    def n_votes(self) -> int:
        """Number of votes M."""
        return len(self.a)

    @cached_property
    def n_prompts(self) -> int:
        """Number of prompts."""
        return int(self.prompts.max()) + 1

    def taken(self, kept: Booleans) -> Votes:
        """Return some of the votes, of the same models and voters."""
        voters = None if self.voters is None else self.voters[kept]
        places, prompts = np.unique(self.prompts[kept], return_inverse=True)
        ways = (self.a[kept], self.b[kept], self.outcomes[kept], prompts)
        names = tuple(self.prompt_names[place] for place in places) if self.prompt_names else ()
        return Votes(self.models, *ways, voters, self.voter_names, names, self.notes)

    def among(self, models: tuple[str, ...]) -> Votes:
        """Return the votes between some models."""
        places = {name: number for number, name in enumerate(models)}
        to = np.array([places.get(name, -1) for name in self.models])
        some = self.taken((to[self.a] >= 0) & (to[self.b] >= 0))
        return replace(some, models=models, a=to[some.a], b=to[some.b])

    def beside(self, people: Votes) -> tuple[Integers, Booleans]:
        """Return the places of people's prompts here, and which of these votes are on what they saw."""
        place = {name: number for number, name in enumerate(self.prompt_names)}
        numbers = np.array([place.get(name, -1) for name in people.prompt_names], dtype=np.int64)

        def ballots(votes: Votes, prompts: Integers) -> Integers:
            first, last = np.minimum(votes.a, votes.b), np.maximum(votes.a, votes.b)
            return (prompts * len(self.models) + first) * len(self.models) + last

        own = ballots(self, self.prompts)
        seen = ballots(people, numbers[people.prompts]) if numbers.size else np.full(1, -1)
        if not np.isin(seen, own).all():
            row = int(np.argmin(np.isin(seen, own)))
            named = (
                f"prompt {people.prompt_names[people.prompts[row]]}" if numbers.size else "prompts by name"
            )
            raise NbykError(
                f"found no vote of the judge on {named}, on which people voted; give it all their prompts",
                argument="judge",
            )
        is_here = np.isin(own, seen)
        if is_here.all():
            raise NbykError(
                "found a judge who voted on nothing but what people saw; its votes on further prompts help",
                argument="judge",
            )
        return numbers, is_here


def holds_votes(given: Any) -> bool:
    """Return whether a file or a data frame is a table of votes: with model_a, model_b and winner."""
    if isinstance(given, str) and "=" in given:
        return False
    try:
        table = table_of(given)
    except (NbykError, OSError):
        return False
    return {*OF_VOTES} <= {*table.names}


def read_votes(given: Any, *, item: str | None = None, rater: str | None = None) -> Votes:
    """Read the votes in a file of any format that `nbyk.read_ratings` takes, or in a data frame.

    Its columns are model_a and model_b (a is shown first), winner (model_a, model_b, tie or the winner's
    name), an item or prompt, and a voter if voters are known.

    Parameters
    ----------
    given
        The file or the frame.
    item, rater
        The columns of prompts and of voters, if they have other names.

    Raises
    ------
    NbykError
        If a column is missing, a winner is none of these or could be two of them, a model is against itself,
        a voter votes twice on one prompt and pair in one order, or no chain of votes links two models.
    """
    table = table_of(given)
    first, second, winners = (ids_in(table, name, "name it model_a, model_b and winner") for name in OF_VOTES)
    asked = item or next((name for name in PROMPTS if name in table.names), None)
    by = rater or next((name for name in VOTERS if name in table.names), None)
    others = [name for name in table.names if name not in (*OF_VOTES, asked, by)]
    lacking = ["prompts (`item`)"] * (asked is None) + ["voters (`rater`)"] * (by is None)
    unused = f"not used: {listed(others)}; if one names {' or '.join(lacking)}, say so"
    models, places = _numbered([*first, *second], "model", lambda place: table.at(place % len(table)))
    outcomes = np.empty(len(table), np.int64)
    for row, (one, other, winner) in enumerate(zip(first, second, winners, strict=True)):
        if one == other:
            raise table.at(row).error(f"{one} is against itself; expected two models")
        named, placed = {one: 0, other: 2}.get(winner), _OUTCOMES.get(winner.lower())
        outcome = placed if named is None else named
        if outcome is None:
            raise table.at(row).error(
                f"column 'winner': found {winner!r}, expected model_a, model_b, tie, or the winner's name"
            )
        if placed not in (None, outcome):
            raise table.at(row).error(
                f"column 'winner': found {winner!r}, a model's name that says another outcome too; rename "
                "the model"
            )
        outcomes[row] = outcome
    asked_names, prompts = ((), np.arange(len(table))) if asked is None else _ids(table, asked, "prompt")
    names, voters = ((), None) if by is None else _ids(table, by, "voter")
    a, b = np.split(places, 2)
    notes = (unused,) if others and lacking else ()
    votes = Votes(models, a, b, outcomes, prompts, voters, names, asked_names, notes)
    _refuse_second_votes(votes, table)
    _refuse_apart(votes, table)
    return votes


def _ids(table: Table, name: str, what: str) -> tuple[tuple[str, ...], Integers]:
    """Return the ids in a column, in their order, and the place of each row's."""
    return _numbered(ids_in(table, name, "name prompts by `item` and voters by `rater`"), what, table.at)


def _numbered(
    ids: Sequence[str], what: str, at: Callable[[int], DataPlace]
) -> tuple[tuple[str, ...], Integers]:
    names = tuple(sorted(set(ids)))
    places = rows_of(names, ids)
    refuse_alike(what, names, places, at)
    return names, places


def _refuse_second_votes(votes: Votes, table: Table) -> None:
    if votes.voters is None:
        return
    ballots = np.stack([votes.voters, votes.prompts, votes.a, votes.b], axis=1)
    _, first_rows, counts = np.unique(ballots, axis=0, return_index=True, return_counts=True)
    if (counts > 1).any():
        same = first_rows[np.argmax(counts > 1)]
        row = int(np.flatnonzero((ballots == ballots[same]).all(axis=1))[1])
        raise table.at(row).error(
            f"voter {votes.voter_names[votes.voters[row]]} votes twice on one prompt and pair, in one order; "
            "keep one of the votes"
        )


def _refuse_apart(votes: Votes, table: Table) -> None:
    """Raise NbykError unless a chain of wins leads from each model to each other; a tie is half a win."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(votes.models)
    if n < 2:
        raise table.place.error("holds no vote, expected votes between two models or more")
    wins = np.concatenate([votes.outcomes < 2, votes.outcomes > 0])
    ends = np.concatenate([votes.a, votes.b]), np.concatenate([votes.b, votes.a])
    for connection, why in (
        ("weak", "no chain of votes links {} with {}; compare them apart, or collect votes between them"),
        ("strong", "{} won every vote against {}: how much better is unbounded; leave one side out"),
    ):
        kept = np.ones(wins.size, bool) if connection == "weak" else wins
        graph = csr_array((np.ones(int(kept.sum())), (ends[0][kept], ends[1][kept])), shape=(n, n))
        n_parts, parts = connected_components(graph, connection=connection)
        if n_parts > 1 and not (connection == "strong" and n == 2):
            beaten = {int(parts[b]) for a, b in zip(*graph.nonzero(), strict=True) if parts[a] != parts[b]}
            first = min({*range(n_parts)} - beaten)
            models = np.array(votes.models)
            sides = (listed(models[side].tolist()) for side in (parts == first, parts != first))
            raise table.place.error(why.format(*sides))
