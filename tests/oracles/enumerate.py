"""Every resample of a tiny response set with its exact probability: the oracle of the samplers and nulls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import permutations, product

Row = tuple[float, ...]
Matrix = tuple[Row, ...]
Distribution = dict[tuple[Row, Row], Fraction]


def respond(row: Row, responses: str) -> dict[Row, Fraction]:
    """Distribution of one item's resampled responses."""
    if responses == "all":
        return {row: Fraction(1)}
    if responses == "first_element":
        return {row[:1]: Fraction(1)}
    inside = responses.removeprefix("sample(").removesuffix(")")
    n = len(row) if inside == "K" else int(inside)
    return _uniform(product(row, repeat=n))


def null_rows(a: Row, b: Row, null: str, responses: str) -> Distribution:
    """Joint distribution of one item's A and B responses under a null, after the response sampler."""
    if null == "pooled":
        if responses == "first_element":
            n_a = n_b = 1
        elif responses in ("all", "sample(K)"):
            n_a, n_b = len(a), len(b)
        else:
            n_a = n_b = int(responses.removeprefix("sample(").removesuffix(")"))
        return _independent(_uniform(product(a + b, repeat=n_a)), _uniform(product(a + b, repeat=n_b)))
    if null == "pooled_twice":
        drawn = _independent(
            _uniform(product(a + b, repeat=len(a))), _uniform(product(a + b, repeat=len(b)))
        )
    elif null == "permutation":
        drawn = _uniform((order[: len(a)], order[len(a) :]) for order in permutations(a + b))
    else:
        drawn = _uniform([(a, b), (b, a)])
    return _then(drawn, lambda pair: _independent(respond(pair[0], responses), respond(pair[1], responses)))


def effects(
    gold: Matrix,
    a: Matrix,
    b: Matrix,
    sampler: str,
    null: str | None,
    effect: Callable[[list[Row], list[Row], list[Row]], float],
) -> dict[float, Fraction]:
    """Exact distribution of an effect over all resamples, rounded to 9 decimals."""
    items_sampler, responses = sampler.split("/")
    n = len(gold)
    choices: Iterable[tuple[int, ...]] = (
        [tuple(range(n))] if items_sampler == "all_items" else product(range(n), repeat=n)
    )
    per_item = [_item(gold[i], a[i], b[i], null, responses) for i in range(n)]
    total: dict[float, Fraction] = defaultdict(Fraction)
    choices = list(choices)
    for items in choices:
        for combination in product(*(per_item[i].items() for i in items)):
            probability = Fraction(1, len(choices))
            for _, p in combination:
                probability *= p
            rows = [row for row, _ in combination]
            value = effect([r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows])
            total[round(value, 9) + 0.0] += probability
    assert sum(total.values()) == 1
    return dict(total)


def _item(gold: Row, a: Row, b: Row, null: str | None, responses: str) -> dict[tuple[Row, Row, Row], Fraction]:
    systems = (
        _independent(respond(a, responses), respond(b, responses))
        if null is None
        else null_rows(a, b, null, responses)
    )
    joint = _independent(respond(gold, responses), systems)
    return {(g, *pair): p for (g, pair), p in joint.items()}  # type: ignore[misc]


def _uniform(outcomes):  # type: ignore[no-untyped-def]
    outcomes = list(outcomes)
    distribution = defaultdict(Fraction)
    for outcome in outcomes:
        distribution[outcome] += Fraction(1, len(outcomes))
    return dict(distribution)


def _independent(first, second):  # type: ignore[no-untyped-def]
    joint = defaultdict(Fraction)
    for x, p in first.items():
        for y, q in second.items():
            joint[x, y] += p * q
    return dict(joint)


def _then(first, second):  # type: ignore[no-untyped-def]
    joint = defaultdict(Fraction)
    for x, p in first.items():
        for y, q in second(x).items():
            joint[y] += p * q
    return dict(joint)
