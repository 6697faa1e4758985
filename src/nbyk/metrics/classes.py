"""Metrics of responses that are classes, or distributions over classes.

A response is a row of a table of distributions (`nbyk.data.response_set.Categories`). The row of a class is 1
for the class and 0 elsewhere. So systems have shape (S, R, N, K), numbers of rows with NaN where there is
none. Gold has shape (R, N, C): the shares of the classes that people chose, or the soft target. Each function
fills scores of shape (S, R), means over the columns, which are runs, that answer an item or more.

Where people disagree, the target of a hard metric is the class that most chose; classes that tie share the
item. A class without a divisor counts as 0 in precision, recall and F1, as in scikit-learn. A pooled metric
takes the columns for labels of one crowd, whose shares it scores once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbyk.arrays import Floats
from nbyk.compiled import njit

ACCURACY, PRECISION, RECALL, F1, QUADRATIC_KAPPA = range(5)
"""Measures from the counts of items by target and prediction."""

MACRO, MICRO, WEIGHTED, ONE_CLASS = range(4)
"""How measures of classes become one number; with `ONE_CLASS`, its place is the last parameter."""

LEAST_PROBABILITY = 1e-12
"""Smaller predicted probabilities count as this in the cross entropy, which would be infinite at 0."""

TIED = 1e-9
"""Shares that differ by less are tied."""

_ROUNDING = 1e-12


@njit(nogil=True, cache=True)
def ratio(measure: int, hits: float, predicted: float, actual: float) -> float:
    """Return precision, recall or F1 from its counts; 0 if its divisor is 0."""
    if measure == PRECISION:
        over, under = hits, predicted
    elif measure == RECALL:
        over, under = hits, actual
    else:
        over, under = 2 * hits, predicted + actual
    return over / under if under > 0 else 0.0


@njit(nogil=True, cache=True)
def score_of_positives(measure: int, n: int, both: int, predicted: int, actual: int) -> float:
    """Return accuracy, precision, recall or F1 from the numbers of items, all and positive ones."""
    if measure == ACCURACY:
        return (n - predicted - actual + 2 * both) / n
    return ratio(measure, both, predicted, actual)


@njit(nogil=True, cache=True)
def _fill_votes(shares: Floats, out: Floats) -> None:
    """Fill `out`, shape (N, C), with each class's part in the most frequent class of each item."""
    for i in range(len(shares)):
        most = shares[i, 0]
        for c in range(1, shares.shape[1]):
            most = max(most, shares[i, c])
        most -= TIED
        tied = 0
        for c in range(shares.shape[1]):
            tied += shares[i, c] >= most
        for c in range(shares.shape[1]):
            out[i, c] = 1.0 / tied if shares[i, c] >= most else 0.0


@njit(nogil=True, cache=True)
def accuracy(systems: Floats, gold: Floats, out: Floats, table: Floats) -> None:
    """Share of items whose class is the target."""
    votes = np.empty(gold.shape[1:])
    for r in range(gold.shape[0]):
        _fill_votes(gold[r], votes)
        for s in range(systems.shape[0]):
            total = 0.0
            for i in range(len(votes)):
                right = 0.0
                n = 0
                for k in range(systems.shape[3]):
                    code = systems[s, r, i, k]
                    if code == code:
                        right += votes[i, int(code)]
                        n += 1
                total += right / n if n > 0 else np.nan
            out[s, r] = total / len(votes)


@njit(nogil=True, cache=True)
def _score_of_counts(measure: int, average: int, label: int, counts: Floats) -> float:
    """Return a measure from counts of items by target (row) and prediction (column), shape (C, C)."""
    n_classes = len(counts)
    total = weights = hits = 0.0
    apart = target_sum = prediction_sum = squares = 0.0
    for c in range(n_classes):
        predicted = actual = 0.0
        for other in range(n_classes):
            predicted += counts[other, c]
            actual += counts[c, other]
            apart += counts[c, other] * (c - other) ** 2
        if measure == QUADRATIC_KAPPA:
            target_sum += c * actual
            prediction_sum += c * predicted
            squares += c * c * (actual + predicted)
            weights += actual
        elif average == MICRO:
            hits += counts[c, c]
            weights += actual
        elif average != ONE_CLASS or c == label:
            weight = actual if average == WEIGHTED else 1.0
            total += weight * ratio(measure, counts[c, c], predicted, actual)
            weights += weight
    if measure == QUADRATIC_KAPPA:
        expected = squares - 2.0 * target_sum * prediction_sum / weights
        return 1.0 - apart / expected if expected > _ROUNDING * squares else np.nan
    return ratio(measure, hits, weights, weights) if average == MICRO else total / weights


@njit(nogil=True, cache=True)
def score_tables(tables: Any, measure: int, average: int, label: int, out: Floats) -> None:
    """Fill `out`, shape (D,), with mean scores over runs from counts of items, shape (runs, C, C + 1, D).

    A count is of the items of a target (row) and a prediction (column); the last column is no prediction.
    """
    n_classes = tables.shape[1]
    counts = np.empty((n_classes, n_classes))
    for draw in range(len(out)):
        total = 0.0
        runs = 0
        for run in range(len(tables)):
            for truth in range(n_classes):
                for c in range(n_classes):
                    counts[truth, c] = tables[run, truth, c, draw]
            if counts.sum() > 0.0:
                total += _score_of_counts(measure, average, label, counts)
                runs += 1
        out[draw] = total / runs if runs > 0 else np.nan


@njit(nogil=True, cache=True)
def confusion_measure(
    systems: Floats, gold: Floats, out: Floats, table: Floats, measure: int, average: int, label: int
) -> None:
    """Precision, recall or F1, averaged over classes or of one, or κ, by the targets and the predictions."""
    n_items, n_classes = gold.shape[1:]
    votes = np.empty((n_items, n_classes))
    tables = np.empty((systems.shape[3], n_classes, n_classes + 1, 1))
    for r in range(gold.shape[0]):
        _fill_votes(gold[r], votes)
        for s in range(systems.shape[0]):
            tables[:] = 0.0
            for k in range(systems.shape[3]):
                for i in range(n_items):
                    code = systems[s, r, i, k]
                    if code == code:
                        for c in range(n_classes):
                            tables[k, c, int(code), 0] += votes[i, c]
            score_tables(tables, measure, average, label, out[s, r : r + 1])


@njit(nogil=True, cache=True)
def cross_entropy(p: Floats, q: Floats) -> float:
    """Return −Σ p ln q; see `LEAST_PROBABILITY`."""
    total = 0.0
    for c in range(len(p)):
        if p[c] > 0.0:
            total -= p[c] * np.log(max(q[c], LEAST_PROBABILITY))
    return total


@njit(nogil=True, cache=True)
def js_divergence(p: Floats, q: Floats) -> Any:
    """Return the mean of the Kullback–Leibler divergences of p and of q from their middle, in nats."""
    total = 0.0
    for c in range(len(p)):
        middle = 0.5 * (p[c] + q[c])
        if p[c] > 0.0:
            total += p[c] * np.log(p[c] / middle)
        if q[c] > 0.0:
            total += q[c] * np.log(q[c] / middle)
    return max(0.5 * total, 0.0)


@njit(nogil=True, cache=True)
def entropy(p: Floats) -> Any:
    """Return the entropy over ln C: 0 where one class is certain, 1 where all are alike."""
    total = 0.0
    for c in range(len(p)):
        if p[c] > 0.0:
            total -= p[c] * np.log(p[c])
    return max(total / np.log(len(p)), 0.0)


CROSS_ENTROPY, JS_DIVERGENCE, JS_DISTANCE, KL, TV_SUM, TV_MEAN, BRIER, LEVELS = range(8)
"""Distances between two distributions."""

SIMILARITY, CORRELATION = range(2)
"""How the entropies of targets and predictions are compared."""


@njit(nogil=True, cache=True)
def _divergence(measure: int, p: Floats, q: Floats) -> Any:
    """Return a distance that takes logarithms, of a prediction q from a target p, shape (C,) each."""
    if measure == CROSS_ENTROPY:
        return cross_entropy(p, q)
    if measure == KL:
        return max(cross_entropy(p, q) - cross_entropy(p, p), 0.0)
    divergence = js_divergence(p, q)
    return np.sqrt(divergence) if measure == JS_DISTANCE else divergence


@njit(nogil=True, cache=True)
def _fill_pooled(codes: Floats, table: Floats, out: Floats) -> int:
    """Fill `out`, shape (C,), with the mean distribution of K responses; return how many there are."""
    out[:] = 0.0
    n = 0
    for code in codes:
        if code == code:
            n += 1
            for c in range(len(out)):  # no view of a row, as in `mean_distance`
                out[c] += table[int(code), c]
    for c in range(len(out)):
        out[c] /= max(n, 1)
    return n


@njit(nogil=True, cache=True)
def mean_distance(
    systems: Floats, gold: Floats, out: Floats, table: Floats, measure: int, pooled: int
) -> None:
    """Mean over items of a distance between the target and the prediction of each run, or of all pooled."""
    n_classes, columns = gold.shape[2], 1 if pooled else systems.shape[3]
    p, q = np.empty(n_classes), np.empty(n_classes)
    for r in range(gold.shape[0]):
        for s in range(systems.shape[0]):
            total = 0.0
            for i in range(systems.shape[2]):
                for c in range(n_classes):  # views would be counted, which takes longer than a distance
                    p[c] = gold[r, i, c]
                item_total = 0.0
                n = 0
                for k in range(columns):
                    code = systems[s, r, i, k]
                    if pooled:
                        if _fill_pooled(systems[s, r, i], table, q) == 0:
                            continue
                    elif code == code:
                        for c in range(n_classes):
                            q[c] = table[int(code), c]
                    else:
                        continue
                    n += 1
                    apart = ahead = 0.0
                    if measure <= KL:
                        apart = _divergence(measure, p, q)
                    elif measure == BRIER:
                        for c in range(n_classes):
                            apart += (p[c] - q[c]) ** 2
                    elif measure == LEVELS:
                        for c in range(n_classes):
                            ahead += p[c] - q[c]
                            apart += abs(ahead)
                    else:
                        for c in range(n_classes):
                            apart += abs(p[c] - q[c])
                    item_total += apart / n_classes if measure == TV_MEAN else apart
                total += item_total / n if n > 0 else np.nan
            out[s, r] = total / systems.shape[2]


FIRST, SPLIT, REFUSED = range(3)
"""What a tie of plurality is: the first class, a share of each, or no answer, which is never right."""


@njit(nogil=True, cache=True)
def _decide(votes: Floats, ties: int) -> None:
    """Change the votes, shape (N, C), of tied items by what a tie is."""
    for i in range(len(votes)):
        first = votes[i].argmax()
        if ties != SPLIT and votes[i, first] < 1.0:
            votes[i] = 0.0
            votes[i, first] = 1.0 if ties == FIRST else 0.0


@njit(nogil=True, cache=True)
def plurality(systems: Floats, gold: Floats, out: Floats, table: Floats, ties: int) -> None:
    """Share of items on which the class that most of a system's responses have is the target."""
    votes, target = np.empty(gold.shape[1:]), np.empty(gold.shape[1:])
    shares = np.empty(gold.shape[1:])
    for r in range(gold.shape[0]):
        _fill_votes(gold[r], target)
        _decide(target, ties)
        for s in range(systems.shape[0]):
            undefined = 0
            for i in range(len(shares)):
                undefined += int(_fill_pooled(systems[s, r, i], table, shares[i]) == 0)
            _fill_votes(shares, votes)
            _decide(votes, ties)
            out[s, r] = np.nan if undefined else (votes * target).sum() / len(votes)


@njit(nogil=True, cache=True)
def _alike(x: Floats, y: Floats, measure: int) -> Any:
    """Return the cosine of two vectors, or of what they differ from their means; NaN where one is 0."""
    least = len(x) * _ROUNDING * _ROUNDING
    least_x, least_y = least + _ROUNDING * (x * x).sum(), least + _ROUNDING * (y * y).sum()
    if measure == CORRELATION:
        x, y = x - x.mean(), y - y.mean()
    xx, yy = (x * x).sum(), (y * y).sum()
    if xx <= least_x or yy <= least_y:
        return np.nan
    return min(1.0, max(-1.0, (x * y).sum() / np.sqrt(xx * yy)))


@njit(nogil=True, cache=True)
def entropies_alike(systems: Floats, gold: Floats, out: Floats, table: Floats, measure: int) -> None:
    """Cosine (`SIMILARITY`) or Pearson's correlation of the entropies of targets and predictions."""
    known = np.array([entropy(row) for row in table])
    for r in range(gold.shape[0]):
        targets = np.array([entropy(shares) for shares in gold[r]])
        for s in range(systems.shape[0]):
            total = 0.0
            runs = 0
            for k in range(systems.shape[3]):
                codes = systems[s, r, :, k]
                answered = np.flatnonzero(~np.isnan(codes))
                if len(answered) > 0:
                    predictions = known[codes[answered].astype(np.int64)]
                    total += _alike(targets[answered], predictions, measure)
                    runs += 1
            out[s, r] = total / runs if runs > 0 else np.nan


def shares_of(codes: Floats, table: Floats) -> Floats:
    """Return the mean distribution of the responses to each item, shape (..., C), of codes (..., K)."""
    shares = np.empty((*codes.shape[:-1], table.shape[1]))
    _fill_shares(
        np.ascontiguousarray(codes).reshape(-1, codes.shape[-1]), table, shares.reshape(-1, table.shape[1])
    )
    return shares


@njit(nogil=True, cache=True)
def _fill_shares(codes: Floats, table: Floats, out: Floats) -> None:
    for i in range(len(codes)):
        if _fill_pooled(codes[i], table, out[i]) == 0:
            out[i] = np.nan
