"""Priors of classes: labels whose shares within an item are Dirichlet (Pandita et al. 2026).

Item i has shares p_i ~ Dirichlet(α) of M classes, and its responses are draws from Categorical(p_i). An
item's shares are kept as the chances of a class from c on, P(class ≥ c) for every class but the first: those
are the thresholds of counted draws (`nbyk.resampling.count_sets`), and they mix linearly.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, log_ndtr, psi

from nbyk.arrays import Floats
from nbyk.errors import NbykError
from nbyk.priors.curves import beta_quantile
from nbyk.priors.families import open_uniforms, rounded
from nbyk.priors.predictive import Check, FittedPrior, Tests, beside_simulated, ks_distance
from nbyk.priors.prior import Prior
from nbyk.sums import product

Counts = NDArray[np.int64]

_PULL_SD = 2.0
_LEAST_ALPHA, _MOST_ALPHA = 1e-4, 1e6


class LabelPrior(Prior):
    """A distribution of whole data sets of labels; an item is its chances of a class from c on.

    Each kind is one file: it says how items are drawn, how systems are off (`pool`), how labels are made of
    noise, how likely they are, and how it is fitted and kept. A share of the noise may be a rater's own
    (`nbyk.resampling.rated_labels`).
    """

    of_labels: ClassVar[bool] = True
    perturbed: ClassVar[str] = "labels have a share of noise of"
    classes: tuple[str, ...]

    @property
    @abstractmethod
    def leaning(self) -> float:
        """The share of a label's noise that is its rater's on all items."""

    @property
    @abstractmethod
    def confusion(self) -> float:
        """The share of a label's noise that is its rater's among items of one class."""

    @property
    def levels(self) -> int:
        """Number of classes M."""
        return len(self.classes)

    @property
    @abstractmethod
    def shares(self) -> Floats:
        """The shares of the classes among all labels, (M,)."""

    @property
    @abstractmethod
    def in_words(self) -> tuple[str, ...]:
        """The parameters of each class, to precede its share."""

    @abstractmethod
    def draw(self, u: ArrayLike) -> Floats:
        """Return items' chances of a class from c on, (M − 1, …), from uniforms of shape (…, n_uniforms)."""

    @abstractmethod
    def pool(self, generator: np.random.Generator, n: int) -> Any:
        """Draw n items, and the ways in which A and B are off, whose method `at` takes both ε."""

    @abstractmethod
    def log_likelihood(self, counts: ArrayLike) -> float:
        """Return the log-probability of labels in their order, counted by item and class, (N, M)."""

    @abstractmethod
    def with_raters(self, leaning: float, confusion: float) -> Self:
        """Return the prior of the same single labels, with these shares of their noise the raters'."""

    @property
    @abstractmethod
    def n_noises(self) -> int:
        """The number of standard normals for one label."""

    @abstractmethod
    def labels(self, above: Floats, noise: Floats) -> Floats:
        """Return labels (N, K), as places of classes, of items (M − 1, N), from normals (n_noises, N, K)."""

    def check_names(self, n_classes: int, argument: str, first: int = 0) -> None:
        """Give classes without names numbers; raise an `NbykError` about them or the prior's name."""
        self.check_name()
        names = tuple(map(str, self.classes)) or tuple(str(first + c) for c in range(n_classes))
        if len(set(names)) != n_classes or len(names) != n_classes:
            raise NbykError(
                f"found {', '.join(names)}, expected {n_classes} different names, one for each {argument}"
            ).about(argument="classes")
        object.__setattr__(self, "classes", names)

    def key(self) -> str:
        """Return the distribution alone as JSON, the key of random streams."""
        return json.dumps(self._content(), separators=(",", ":"))

    def _names(self) -> dict[str, Any]:
        return {"classes": list(self.classes)}


@dataclass(frozen=True)
class ClassPrior(LabelPrior):
    """A distribution of whole data sets of labels: Dirichlet over items, categorical within them.

    Attributes
    ----------
    name, caution : str
        As for `TwoStagePrior`.
    alpha : tuple of float, length M
        The Dirichlet's α, one above 0 for each of at least two classes. α / Σα are the classes' shares among
        all labels; the larger Σα, the more items are alike.
    classes : tuple of str
        The classes' names, in the order of `alpha`; "0", "1" and so on by default.
    leaning, confusion : float
        Shares of the noise of a label that are its rater's: on all items, and among items of one class; from
        0 to 1 in all (`nbyk.resampling.rated_labels`). They tie labels together, and change no single one.

    Raises
    ------
    NbykError
        If one of them is out of range, or the classes are not as many different names.
    """

    name: str
    alpha: tuple[float, ...]
    classes: tuple[str, ...] = ()
    caution: str = field(default="", compare=False)
    leaning: float = 0.0
    confusion: float = 0.0

    def __post_init__(self) -> None:
        try:
            alpha = tuple(float(value) for value in self.alpha)
        except (TypeError, ValueError):
            alpha = ()
        if len(alpha) < 2:
            raise NbykError(f"found {self.alpha!r}, expected a number for each of two classes or more").about(
                argument="alpha"
            )
        for place, value in enumerate(alpha):
            if not 0.0 < value < np.inf:
                raise NbykError(
                    f"found {value:g} for class {place + 1} of {len(alpha)}, expected a number above 0; a "
                    "class that hardly anybody chooses has a small one, such as 0.01"
                ).about(argument="alpha")
        object.__setattr__(self, "alpha", alpha)
        for argument in ("leaning", "confusion"):
            share = getattr(self, argument)
            if not 0.0 <= share <= 1.0 or self.leaning + self.confusion > 1.0:
                raise NbykError(
                    f"found {share}, expected a share of a label's noise: from 0 to 1, with the other one"
                ).about(argument=argument)
        self.check_names(len(alpha), "number of `alpha`")

    @property
    def n_uniforms(self) -> int:
        """The number of uniforms for one item: M − 1."""
        return self.levels - 1

    @property
    def shares(self) -> Floats:
        """The shares of the classes among all labels, (M,)."""
        return np.array(self.alpha) / sum(self.alpha)

    @property
    def in_words(self) -> tuple[str, ...]:
        """Each class's α."""
        return tuple(f"α {value:.3g}, " for value in self.alpha)

    @property
    def noise(self) -> ClassPrior:
        """The prior Dirichlet(1/M, …, 1/M), of shares that an item's are mixed with to perturb them."""
        return ClassPrior("noise", (1.0 / self.levels,) * self.levels)

    def draw(self, u: ArrayLike) -> Floats:
        """Return items' chances of a class from c on, (M − 1, …), from uniforms of shape (…, M − 1).

        What is left of a stick behind class c is a beta draw times what was left before it.
        """
        uniforms = np.asarray(u, dtype=np.float64)
        if uniforms.ndim == 0 or uniforms.shape[-1] != self.n_uniforms:
            raise NbykError(f"uniforms have shape {uniforms.shape}; expected (..., {self.n_uniforms})")
        beyond = np.cumsum(self.alpha[::-1])[::-1]
        above = np.empty((self.n_uniforms, *uniforms.shape[:-1]))
        for c, out in enumerate(above):
            out[...] = beta_quantile(uniforms[..., c], float(beyond[c + 1]), self.alpha[c])
            if c:
                out *= above[c - 1]
        return above

    def pool(self, generator: np.random.Generator, n: int, labels: ArrayLike = 0) -> MixedPool:
        """Draw n items and their noise, given labels of each item that are counted already, (n, M)."""
        alphas = np.array(self.alpha) + np.asarray(labels), *2 * (np.array(self.noise.alpha),)
        return MixedPool(*(_dirichlet(alpha, generator, n) for alpha in alphas))

    def with_raters(self, leaning: float, confusion: float) -> Self:
        """Return the prior of the same single labels, with these shares of their noise the raters'."""
        return replace(self, leaning=leaning, confusion=confusion)

    @property
    def n_noises(self) -> int:
        """The number of standard normals for one label: one for each class."""
        return self.levels

    def labels(self, above: Floats, noise: Floats) -> Floats:
        """Return labels (N, K), as places of classes, of items (M − 1, N), from normals (M, N, K).

        A label is the class with the smallest e / p, where e = −log Φ(z) is an exponential draw.
        """
        with np.errstate(divide="ignore"):
            races = -log_ndtr(noise) / shares_of(above).T[..., np.newaxis]
        return np.asarray(races.argmin(axis=0), dtype=np.float64)

    def log_likelihood(self, counts: ArrayLike) -> float:
        """Return the log-probability of labels in their order, counted by item and class, (N, M)."""
        rows, times = np.unique(as_counts(counts, self.levels), axis=0, return_counts=True)
        return _log_likelihood(np.array(self.alpha), rows, times)

    def _content(self) -> dict[str, Any]:
        of_raters = {"leaning": self.leaning, "confusion": self.confusion}
        return {"alpha": list(self.alpha), **{name: share for name, share in of_raters.items() if share}}


@dataclass(frozen=True)
class MixedPool:
    """Chances of a class from c on of n items, and of two noises of each, (M − 1, n)."""

    gold: Floats
    noise_a: Floats
    noise_b: Floats

    def at(self, epsilon_a: float, epsilon_b: float) -> tuple[Floats, Floats, Floats]:
        """Return the chances of gold, A and B at shares of noise."""
        a, b = mixed(self.gold, self.noise_a, epsilon_a), mixed(self.gold, self.noise_b, epsilon_b)
        return self.gold, a, b


def _dirichlet(alpha: Floats, generator: np.random.Generator, n: int) -> Floats:
    """Draw the chances of a class from c on, (M − 1, n), of items with Dirichlet shares, α of (…, M)."""
    # The logarithm of a gamma draw of shape a is that of one of a + 1 plus log(u)/a, which cannot underflow.
    size = (n, alpha.shape[-1])
    logs = np.log(generator.standard_gamma(alpha + 1.0, size)) - generator.standard_exponential(size) / alpha
    shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    above = np.cumsum(shares.T[:0:-1], axis=0)[::-1]
    return np.ascontiguousarray(np.minimum(above, 1.0))


def mixed(above: Floats, noise: Floats, epsilon: float) -> Floats:
    """Return the chances of items whose shares are mixed with others: (1 − ε) of their own and ε of those."""
    return np.asarray(above + epsilon * (noise - above))


def shares_of(above: Floats) -> Floats:
    """Return items' shares of the classes, (…, M), from their chances of a class from c on, (M − 1, …)."""
    edges = np.concatenate([np.ones((1, *above.shape[1:])), above, np.zeros((1, *above.shape[1:]))])
    return np.moveaxis(edges[:-1] - edges[1:], 0, -1)


def labels_of(above: Floats, u: Floats) -> Counts:
    """Return the classes, numbered from 0, of responses with uniforms (…, K) to items of (M − 1, …)."""
    return np.asarray((u < above[..., np.newaxis]).sum(axis=0))


@dataclass(frozen=True)
class ClassCheck(Check):
    """Labels compared with `n_sets` data sets that a prior makes; beside each distance stands its p-value.

    `shares` is the largest difference between a class's share among all labels and the prior's.
    `agreement_ks` is the Kolmogorov-Smirnov distance between the items' shares of equal pairs among pairs of
    their labels and the simulated ones. `pairs` is the largest difference between the share of two classes
    among these pairs and the simulated one: whether people take the same classes for each other.
    """

    n_sets: int
    shares: float
    shares_p: float
    agreement_ks: float
    agreement_p: float
    pairs: float
    pairs_p: float

    def tests(self) -> Tests:
        """Return what differs, by how much, and how likely by chance."""
        return (
            ("the classes' shares", f"by up to {self.shares:.3f}", self.shares_p),
            ("the agreement within items", f"KS distance {self.agreement_ks:.3f}", self.agreement_p),
            ("the classes that meet in an item", f"by up to {self.pairs:.3f}", self.pairs_p),
        )


def fit_classes(
    name: str, counts: ArrayLike, classes: Sequence[str] = (), *, n_sets: int = 200, seed: int = 0
) -> FittedPrior[ClassPrior, ClassCheck]:
    """Fit a Dirichlet prior to labels by maximum a posteriori, and check it against them.

    `counts`, (N, M), are the labels of each class to each item; items may differ in their number. The check
    has `n_sets` simulated data sets, which `seed` fixes; the prior does not depend on them.

    Raises
    ------
    NbykError
        If the counts are not whole numbers, an item has no label, only one class occurs, or no item has two
        labels: then nothing shows how much items differ.

    Notes
    -----
    The likelihood is that of a Dirichlet-multinomial. A weak normal penalty (standard deviation 2 on each
    log α, about 0) keeps what the labels do not determine from drifting: the α of a class that nobody chose,
    and Σα of items that do not differ.
    """
    from scipy.optimize import minimize

    data = as_counts(counts)
    check_differ(data, classes)
    rows, times = np.unique(data, axis=0, return_counts=True)
    totals = rows.sum(axis=1)

    def cost(log_alpha: Floats) -> tuple[float, Floats]:
        alpha = np.exp(log_alpha)
        total = alpha.sum()
        pull = log_alpha / _PULL_SD
        slope = product(times.astype(float), psi(rows + alpha) - psi(alpha))
        slope += product(times.astype(float), psi(total) - psi(totals + total))
        value = 0.5 * product(pull, pull) - _log_likelihood(alpha, rows, times)
        return float(value) / times.sum(), (pull / _PULL_SD - alpha * slope) / times.sum()

    bounds = [(np.log(_LEAST_ALPHA), np.log(_MOST_ALPHA))] * data.shape[1]
    start = np.log(np.maximum(data.sum(axis=0) / data.sum(), _LEAST_ALPHA) * data.shape[1])
    end = minimize(
        cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14, "gtol": 1e-9}
    )
    prior = ClassPrior(name, rounded(tuple(np.exp(end.x).tolist())), tuple(classes))
    return FittedPrior.of(prior, check_classes(prior, data, seed, n_sets))


def check_classes(prior: LabelPrior, counts: ArrayLike, seed: int = 0, n_sets: int = 200) -> ClassCheck:
    """Simulate labels of as many items, with as many labels each, and compare them with the data.

    The p-values are those of `nbyk.priors.predictive.predictive_check`: exact for a prior fixed beforehand,
    too large for one fitted to the same labels.
    """
    data = as_counts(counts, prior.levels)
    totals = data.sum(axis=1)
    rng = np.random.default_rng(np.random.SeedSequence(seed))

    def simulated() -> Counts:
        above = prior.draw(open_uniforms(rng, (len(data), prior.n_uniforms)))
        return np.asarray(rng.multinomial(totals, shares_of(above)))

    def against(reference: list[Counts]) -> Callable[[Counts], Floats]:
        pool = np.concatenate(reference)
        agreement, pairs = np.sort(_agreement(pool)), _pairs(pool)

        def distances(of_set: Counts) -> Floats:
            shares = np.abs(of_set.sum(axis=0) / of_set.sum() - prior.shares).max()
            ks = ks_distance(_agreement(of_set), agreement)
            return np.array([shares, ks, np.abs(_pairs(of_set) - pairs).max()])

        return distances

    observed, p = beside_simulated(data, simulated, against, len(data), n_sets)
    return ClassCheck(n_sets, *np.column_stack([observed, p]).ravel().tolist())


def as_counts(counts: ArrayLike, n_classes: int | None = None) -> Counts:
    """Return counts of labels by item and class, (N, M), or raise an `NbykError`."""
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[1] < 2 or (n_classes or table.shape[1]) != table.shape[1]:
        width = "at least 2" if n_classes is None else str(n_classes)
        raise NbykError(f"counts have shape {table.shape}; expected (items, {width} classes)")
    whole = np.asarray(table, dtype=np.float64)
    if not ((whole >= 0.0) & (whole == np.floor(whole)) & (whole < 2**31)).all():
        raise NbykError("counts of labels must be whole numbers of at least 0")
    empty = np.flatnonzero(whole.sum(axis=1) == 0.0)
    if empty.size:
        raise NbykError(f"item {empty[0]} has no label; leave it out, or label it")
    return whole.astype(np.int64)


def check_differ(counts: Counts, classes: Sequence[str]) -> None:
    """Raise an `NbykError` unless counts of labels, (N, M), show how items and people differ."""
    chosen = np.flatnonzero(counts.sum(axis=0))
    if len(chosen) == 1:
        only = classes[chosen[0]] if len(classes) else str(chosen[0])
        raise NbykError(
            f"all {counts.sum()} labels are {only}: nbyk cannot fit a prior; collect items that people label "
            "differently, or give `alpha` by hand"
        )
    if counts.sum(axis=1).max() == 1:
        raise NbykError(
            "every item has a single label, so nothing shows how much people differ on an item; collect a "
            "second label of some items, or give `alpha` by hand"
        )


def _log_likelihood(alpha: Floats, rows: Counts, times: Counts) -> float:
    total = alpha.sum()
    by_class = (gammaln(rows + alpha) - gammaln(alpha)).sum(axis=1)
    of_rows = by_class + gammaln(total) - gammaln(rows.sum(axis=1) + total)
    return float(product(times.astype(np.float64), of_rows))


def _agreement(counts: Counts) -> Floats:
    """Return the share of equal pairs of labels in each item that has two or more."""
    totals = counts.sum(axis=1)
    several = totals > 1
    equal = (counts[several] * (counts[several] - 1)).sum(axis=1)
    return np.asarray(np.round(equal / (totals[several] * (totals[several] - 1)), 12))


def _pairs(counts: Counts) -> Floats:
    """Return the mean share of every two different classes among pairs of an item's labels, (M(M − 1)/2,)."""
    several = counts[counts.sum(axis=1) > 1].astype(np.float64)
    totals = several.sum(axis=1)
    weighted = several / (totals * (totals - 1.0))[:, np.newaxis]
    met = product(weighted.T, several)
    return np.asarray(2.0 * met[np.triu_indices(len(met), 1)] / len(several))
