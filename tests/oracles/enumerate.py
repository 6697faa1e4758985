"""Every resample of a tiny response set with its exact probability: the oracle of the samplers and nulls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
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
        drawn = _independent(_uniform(product(a + b, repeat=len(a))), _uniform(product(a + b, repeat=len(b))))
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
    item_effect: Callable[[Row, Row, Row], float],
) -> dict[float, float]:
    """Exact distribution, over all resamples, of the mean of an item-wise effect f(gold, a, b).

    Values are rounded to 9 decimals. Items are independent given which are drawn, so that the distribution
    is the mixture, over the drawn items, of convolutions of the items' own.
    """
    item_sampler, responses = sampler.split("/")
    n = len(gold)
    drawn = [tuple(range(n))] if item_sampler == "all_items" else list(product(range(n), repeat=n))
    per_item = [_item(gold[i], a[i], b[i], null, responses, item_effect) for i in range(n)]
    total: dict[float, float] = defaultdict(float)
    for items in drawn:
        sums = {0.0: 1.0}
        for i in items:
            sums = _convolved(sums, per_item[i])
        for value, probability in sums.items():
            total[round(value / n, 9) + 0.0] += probability / len(drawn)
    assert abs(sum(total.values()) - 1.0) < 1e-12
    return dict(total)


def _item(
    gold: Row,
    a: Row,
    b: Row,
    null: str | None,
    responses: str,
    item_effect: Callable[[Row, Row, Row], float],
) -> dict[float, float]:
    systems = (
        _independent(respond(a, responses), respond(b, responses))
        if null is None
        else null_rows(a, b, null, responses)
    )
    distribution: dict[float, float] = defaultdict(float)
    for drawn_gold, p in respond(gold, responses).items():
        for (drawn_a, drawn_b), q in systems.items():
            distribution[round(item_effect(drawn_gold, drawn_a, drawn_b), 9)] += float(p * q)
    return dict(distribution)


def _convolved(first: dict[float, float], second: dict[float, float]) -> dict[float, float]:
    joint: dict[float, float] = defaultdict(float)
    for x, p in first.items():
        for y, q in second.items():
            joint[round(x + y, 9)] += p * q
    return joint


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
