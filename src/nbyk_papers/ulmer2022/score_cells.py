"""Cells of a study of score tests: simulated scores of two systems, and each test's result on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbyk.arrays import Floats
from nbyk.errors import NbykError, unknown_name
from nbyk.resampling.streams import CHUNK, StreamKey, Streams, chunks, stream_key
from nbyk.testing.scores.aso import aso_batch
from nbyk.testing.scores.battery import p_values
from nbyk.testing.scores.draws import Drawing
from nbyk_papers.ulmer2022.design import ASO, FURTHER_DISTRIBUTIONS, ScoreSemantics, get_semantics
from nbyk_papers.ulmer2022.design import DISTRIBUTIONS as PAPERS_DISTRIBUTIONS

if TYPE_CHECKING:
    from nbyk.studies.steps import Work


@dataclass(frozen=True)
class MixturePart:
    """One part of a distribution of scores: its name in ``scipy.stats``, and its parameters there."""

    family: str
    location: float = 0.0
    scale: float = 1.0
    shape: tuple[float, ...] = ()

    def law(self, lead: float = 0.0) -> Any:
        """Return it as scipy has it, shifted by a lead."""
        from scipy import stats

        return getattr(stats, self.family)(*self.shape, loc=self.location + lead, scale=self.scale)


@dataclass(frozen=True)
class ScoreDistribution:
    """The distribution of a system's scores, whose name is the key of its random streams.

    A lead shifts its first component, which has a chance, or share, of `weight`. `in_blocks`: a sample of n
    scores has int(weight·n) of the first component, then the rest; otherwise each score's is random.
    """

    name: str
    first: MixturePart
    second: MixturePart | None = None
    weight: float = 1.0
    in_blocks: bool = False

    def draw(self, streams: Streams, system: str, rows: int, n: int, lead: float) -> Floats:
        """Draw `rows` samples of n scores of system "a" or "b", shape (rows, n)."""
        u = streams.uniforms(system, (rows, n))
        scores = np.asarray(self.first.law(lead).ppf(u))
        if self.second is None:
            return scores
        if self.in_blocks:
            first = np.arange(n) < int(self.weight * n)
        else:
            first = streams.uniforms(f"components of {system}", (rows, n)) < self.weight
        return np.where(first, scores, self.second.law().ppf(u))

    def density(self, x: Floats) -> Floats:
        """Return the density at x of a score of a system without a lead."""
        density = self.weight * np.asarray(self.first.law().pdf(x))
        return density if self.second is None else density + (1.0 - self.weight) * self.second.law().pdf(x)


_NARROW = MixturePart("norm", -0.5, 0.25)
MIXTURES = {
    "as_run": ScoreDistribution("normal mixture as run", MixturePart("norm", 1.5, 1.0), _NARROW, 0.7, True),
    "as_printed": ScoreDistribution(
        "normal mixture as printed", MixturePart("norm", 0.0, 1.5), _NARROW, 0.75
    ),
}
"""The two readings of the paper's normal mixture: that of the authors' program, and the text's."""

DISTRIBUTIONS = {
    "normal": ScoreDistribution("normal", MixturePart("norm", 0.0, 1.5)),
    "laplace": ScoreDistribution("laplace", MixturePart("laplace", 0.0, 1.5)),
    "rayleigh": ScoreDistribution("rayleigh", MixturePart("rayleigh")),
    "exponential": ScoreDistribution("exponential", MixturePart("expon")),
    "student_t_3": ScoreDistribution("student t, 3 df", MixturePart("t", shape=(3.0,))),
}


def distribution_named(name: str, semantics: ScoreSemantics) -> ScoreDistribution:
    """Return a distribution by its name and reading, or raise NbykError with the names there are."""
    if name == "normal_mixture":
        return MIXTURES[semantics.mixture]
    if name not in DISTRIBUTIONS:
        raise unknown_name("distribution", name, (*PAPERS_DISTRIBUTIONS, *FURTHER_DISTRIBUTIONS))
    return DISTRIBUTIONS[name]


def simulated_scores(
    distribution: ScoreDistribution, *, sample_size: int, lead: float, n_simulations: int, seed: int
) -> tuple[Floats, Floats]:
    """Draw scores of A, which leads, and of B, each of shape (n_simulations, sample_size).

    A run with fewer simulations has the first of these.
    """
    key = _key(distribution, "scores of two systems", sample_size, lead, seed)
    parts: dict[str, list[Floats]] = {"a": [], "b": []}
    for chunk, size in chunks(n_simulations):
        streams = Streams(key, chunk)
        for system, of in parts.items():
            shift = lead if system == "a" else 0.0
            of.append(distribution.draw(streams, system, CHUNK, sample_size, shift)[:size])
    return np.concatenate(parts["a"]), np.concatenate(parts["b"])


def scores(
    *,
    distribution: str,
    semantics: str,
    at: Sequence[Sequence[Any]],
    tests: Sequence[str],
    n_simulations: int,
    aso_simulations: int,
    n_resamples: int,
    seed: int,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Simulate scores of two systems at settings, and compute every test's result on each simulation.

    All tests see the same simulations, from the first on. The score is a p-value or, of "aso", eps_min.
    """
    way = get_semantics(semantics)
    law = distribution_named(distribution, way)
    simulations = {name: aso_simulations if name == ASO else n_simulations for name in tests}
    most, parts = max(simulations.values()), []
    with work.progress(most * len(at)):
        for error, n, lead in at:
            a, b = simulated_scores(law, sample_size=n, lead=lead, n_simulations=most, seed=seed)
            key = _key(law, "tests of two systems' scores", n, lead, seed).seed_sequence("tests", 0)
            drawing = Drawing(n_resamples, int(key.generate_state(1, np.uint64)[0]), work.threads)
            for test, size in simulations.items():
                results = _scores(test, a[:size], b[:size], way, drawing)
                if np.isnan(results).any():
                    raise NbykError(
                        f"{test}: undefined on {int(np.isnan(results).sum())} of {size} simulations of "
                        f"{distribution} at n = {n}; drop the test, or take larger samples"
                    )
                columns = {
                    "error": pa.array([error] * size).dictionary_encode(),
                    "sample_size": np.full(size, n, np.int32),
                    "lead": np.full(size, float(lead)),
                    "test": pa.array([test] * size).dictionary_encode(),
                    "simulation": np.arange(size, dtype=np.int32),
                    "score": results,
                }
                parts.append(pa.table(columns))
            work.advance(most)
    return pa.concat_tables(parts).unify_dictionaries(), {"M": n_resamples}


def _scores(test: str, a: Floats, b: Floats, semantics: ScoreSemantics, drawing: Drawing) -> Floats:
    drawn: dict[str, Any] = {"n_resamples": drawing.n_draws, "seed": drawing.seed, "threads": drawing.threads}
    if test == ASO:
        return aso_batch(a, b, **drawn)
    return p_values(test, a, b, alternative="greater", **semantics.options.get(test, {}), **drawn)


def _key(distribution: ScoreDistribution, purpose: str, n: int, lead: float, seed: int) -> StreamKey:
    return stream_key(seed, purpose=purpose, distribution=distribution.name, n=n, lead=float(lead))
