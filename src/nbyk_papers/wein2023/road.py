"""The cells of p-values: which a configuration asks for, and which files hold them.

They take the road of the workflow's own rules: reference sets and true effects, estimated effects, p-values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nbyk.resampling.samplers import WEIN_SAMPLERS, get_sampler
from nbyk.studies.batches import Axis, plan_of_axes, slug, stored_keys
from nbyk_papers.wein2023.design import COLUMNS, PRIORS, SEMANTICS

METRICS = Axis("wein2023", tuple(COLUMNS))
SAMPLERS = Axis("wein2023", tuple(WEIN_SAMPLERS))
STORES = ("pvalues", "effects/estimated")
"""Folders whose files are by cell, null, samplers and metrics."""


class Place(NamedTuple):
    """A cell: a semantics, a source, ε of B, a size (N, K), and ε of A."""

    semantics: str
    source: str
    epsilon: float
    n: int
    k: int
    epsilon_a: float = 0.0

    @property
    def folder(self) -> str:
        """Its folder in each store."""
        return f"semantics={self.semantics}/source={self.source}"

    @property
    def stem(self) -> str:
        """What its files' names begin with."""
        of_a = f"_a-{self.epsilon_a}" if self.epsilon_a else ""
        return f"epsilon-{self.epsilon}{of_a}_n-{self.n}_k-{self.k}"


def places(config: Any) -> list[Place]:
    """Return every cell that a configuration asks for."""
    return [
        Place(semantics, source, epsilon, size.n_items, size.k_responses, config.epsilon_a)
        for semantics in config.semantics
        for source in config.sources
        if semantics == "recommended" or source in PRIORS
        for epsilon in config.epsilons
        for size in config.sizes
    ]


def p_value_files(config: Any, asked: Iterable[Place], results: Path = Path("results")) -> list[str]:
    """Return the files of p-values of cells, those that are there and new ones, below the results."""
    files = []
    for place in asked:
        null = null_of(config, place.semantics)
        stored = [
            keys[1:]
            for store in STORES
            for keys in stored_keys(results / store / place.folder, place.stem)
            if keys[0] == null
        ]
        for (samplers, _), (metrics, _) in plan_of_axes(
            [(SAMPLERS, config.samplers), (METRICS, config.metrics)], stored
        ):
            files.append(f"pvalues/{place.folder}/{place.stem}+{null}+{samplers}+{metrics}.parquet")
    return files


def null_of(config: Any, semantics: str) -> str:
    """Return the null hypothesis behind estimated p-values."""
    return SEMANTICS["published"].null if semantics == "published" else str(config.recommended_null)


def metrics_of(config: Any, key: str) -> list[str]:
    """Return the metrics in the files of a key."""
    return METRICS.names(key) or [name for name in config.metrics if slug(name) == key]


def samplers_of(config: Any, key: str) -> list[str]:
    """Return the samplers in the files of a key."""
    return SAMPLERS.names(key) or [name for name in config.samplers if slug(name) == key]


def responses_of(samplers: Sequence[str], k: int) -> list[int]:
    """Return the distinct numbers of responses per item that samplers yield of K."""
    return sorted({get_sampler(name).responses_per_item(k) for name in samplers})


def prior_file(config: Any, semantics: str, source: str) -> str:
    """Return the published prior where semantics ask for it or there are no ratings, else the fit."""
    if semantics == "published" or not config.has_ratings(source):
        return f"results/priors/{semantics}/{source}.json"
    return f"results/fits/{source}/prior.json"
