"""Whether Bayesian tests of scores, or an ASO corrected for small samples, hold their level.

Two systems have n scores each from one law. A test of level α says that A is better in at most α of the
sets. Candidates are one-sided. For ASO there is a second world, in which the true violation ratio is the
threshold τ, and the order may be claimed in at most 5 % of the sets.
`python -m benchmarks.small_samples` prints the numbers of docs/ulmer2022.md, in 2 minutes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Drawn = Callable[[np.random.Generator, tuple[int, ...]], Floats]

N_SETS, N_DRAWS = 2000, 500
TAU = 0.2
LAWS: dict[str, Drawn] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.standard_exponential(shape),
    "lognormal": lambda rng, shape: np.exp(rng.standard_normal(shape)),
}


def bayesian_bootstrap(a: Floats, b: Floats, rng: np.random.Generator) -> Floats:
    """Return P(mean of A > mean of B), shape (sets,), under Dirichlet weights of the scores (Rubin 1981)."""
    means = [_weighted(scores, rng) for scores in (a, b)]
    share: Floats = (means[0] > means[1]).mean(axis=1)
    return share


def _weighted(scores: Floats, rng: np.random.Generator) -> Floats:
    weights = rng.standard_exponential((N_DRAWS, scores.shape[1]))
    means: Floats = scores @ (weights / weights.sum(axis=1, keepdims=True)).T
    return means


def normal_posterior(a: Floats, b: Floats, rng: np.random.Generator) -> Floats:
    """Return the same under normal laws with reference priors: BEST without its heavy tails."""
    draws = [
        scores.mean(axis=1, keepdims=True)
        + stats.sem(scores, axis=1)[:, None] * rng.standard_t(scores.shape[1] - 1, (len(scores), N_DRAWS))
        for scores in (a, b)
    ]
    share: Floats = (draws[0] > draws[1]).mean(axis=1)
    return share


def normal_posterior_rope(a: Floats, b: Floats, rng: np.random.Generator) -> Floats:
    """Return P(A leads by more than a tenth of the SD), a region of practical equivalence (ROPE)."""
    rope = 0.1 * np.sqrt((a.var(axis=1, ddof=1) + b.var(axis=1, ddof=1)) / 2.0)
    return normal_posterior(a - rope[:, None], b, rng)


def signed_rank(a: Floats, b: Floats, rng: np.random.Generator) -> Floats:
    """Return the same by the Bayesian signed-rank test (Benavoli et al. 2014), prior strength 1 at 0."""
    difference = np.concatenate([np.zeros((len(a), 1)), a - b], axis=1)
    weights = rng.standard_exponential((N_DRAWS, difference.shape[1]))
    weights /= weights.sum(axis=1, keepdims=True)
    signs = np.sign(difference[:, :, None] + difference[:, None, :])
    lead = np.einsum("di,sij,dj->sd", weights, signs, weights, optimize=True)
    share: Floats = (lead > 0.0).mean(axis=1)
    return share


def welch(a: Floats, b: Floats, rng: np.random.Generator) -> Floats:
    """Return 1 − p of Welch's t-test, which the others must beat."""
    p: Floats = stats.ttest_ind(a, b, axis=1, equal_var=False, alternative="greater").pvalue
    return 1.0 - p


TESTS = {
    "Welch's t": welch,
    "Bayesian bootstrap": bayesian_bootstrap,
    "normal posterior": normal_posterior,
    "normal posterior, ROPE .1 SD": normal_posterior_rope,
    "Bayesian signed-rank": signed_rank,
}


def violation_ratio(a: Floats, b: Floats) -> Floats:
    """Return the violation ratio of A over B along the last axis, for samples of one size."""
    gap = np.sort(a, axis=-1) - np.sort(b, axis=-1)
    square = gap**2
    ratio: Floats = np.where(gap < 0.0, square, 0.0).sum(axis=-1) / square.sum(axis=-1).clip(1e-300)
    return ratio


def eps_mins(a: Floats, b: Floats, rng: np.random.Generator) -> dict[str, Floats]:
    """Return eps_min as it is, and with a correction of the quantile, and of the SD too."""
    n = a.shape[1]
    again = [
        np.take_along_axis(scores[:, None, :], rng.integers(0, n, (len(scores), N_DRAWS, n)), axis=2)
        for scores in (a, b)
    ]
    ratio, sd = violation_ratio(a, b), violation_ratio(again[0], again[1]).std(axis=1, ddof=1)
    t = stats.t.ppf(0.95, 2 * n - 2)
    return {
        "eps_min": ratio + stats.norm.ppf(0.95) * sd,
        "with t": ratio + t * sd,
        "with t and n/(n − 1)": ratio + t * np.sqrt(n / (n - 1)) * sd,
    }


def lead_of_ratio(law: Drawn, ratio: float) -> tuple[float, float]:
    """Return the lead at which A, twice as wide as B, has this violation ratio over B, and that width."""
    rng = np.random.default_rng(0)
    b, wide = (np.sort(law(rng, (400_000,)) - law(rng, (400_000,)).mean()) for _ in range(2))
    low, high = 0.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (middle, high) if violation_ratio(2.0 * wide + middle, b) > ratio else (low, middle)
    return low, 2.0


def main() -> None:
    """Print both tables as Markdown."""
    print("| law | n | " + " | ".join(TESTS) + " |\n|---|---|" + "---|" * len(TESTS))
    for name, law in LAWS.items():
        for n in (3, 5, 10, 20):
            rng = np.random.default_rng(n)
            a, b = law(rng, (N_SETS, n)), law(rng, (N_SETS, n))
            found = {test: evidence(a, b, rng) for test, evidence in TESTS.items()}
            cells = [f"{(of > 0.95).mean():.3f}, {(of > 0.99).mean():.3f}" for of in found.values()]
            print(f"| {name} | {n} | {' | '.join(cells)} |")
    print("\n| law | n | world | eps_min | with t | with t and n/(n − 1) |\n|---|---|---|---|---|---|")
    for name, law in LAWS.items():
        lead, scale = lead_of_ratio(law, TAU)
        centre = law(np.random.default_rng(1), (400_000,)).mean()
        for n in (3, 5, 10, 20):
            for world in ("equal, τ = .5", f"ratio {TAU}, τ = {TAU}"):
                rng = np.random.default_rng(n)
                a, b = law(rng, (N_SETS, n)), law(rng, (N_SETS, n))
                if world != "equal, τ = .5":
                    a = scale * (a - centre) + lead + centre
                tau = 0.5 if world == "equal, τ = .5" else TAU
                cells = [f"{(of < tau).mean():.3f}" for of in eps_mins(a, b, rng).values()]
                print(f"| {name} | {n} | {world} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
