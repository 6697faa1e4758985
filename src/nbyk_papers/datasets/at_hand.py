"""The available data sets, and the cells that a configuration asks of them."""

from __future__ import annotations

from typing import Any

from nbyk.data import load_source, read_ratings, scale_from_text, source_names
from nbyk.data import source as source_named
from nbyk.data.download import is_complete
from nbyk.errors import NbykError
from nbyk.studies.study import DOWNLOADS
from nbyk_papers.wein2023.design import PRIORS
from nbyk_papers.wein2023.road import Place


def data_sets(config: Any) -> list[str]:
    """Return the sources that have ratings or that a configuration asks for, always in the same order."""
    asked = [source for source in config.sources if config.has_ratings(source)]
    chosen = {*config.at_hand(DOWNLOADS), *asked}
    return [source for source in (*config.own_ratings, *source_names()) if source in chosen]


def data_set_places(config: Any) -> list[Place]:
    """Return every cell of the data sets; a size with more items than a data set has is cut to it."""
    places = []
    for source in data_sets(config):
        n_usable = _usable_items(config, source)
        sizes = dict.fromkeys((min(size.n_items, n_usable), size.k_responses) for size in config.sizes)
        places += [
            Place(semantics, source, epsilon, n, k, epsilon_a)
            for semantics in ("recommended", "published")
            if semantics == "recommended" or (semantics in config.semantics and source in PRIORS)
            for epsilon_a in config.epsilon_a
            for n, k in sizes
            for epsilon in config.epsilons
        ]
    return places


def _usable_items(config: Any, source: str) -> int:
    """Return the number of items with at least two ratings, or of all if there is no sound copy yet."""
    if source in config.own_ratings:
        own = config.own_ratings[source]
        return int((read_ratings(own.path, scale=scale_from_text(own.scale)).counts() >= 2).sum())
    entry = source_named(source)
    if config.downloaded(source) and entry.rated_twice:
        return entry.n_items
    copies = [
        entry.copy_in(folder)
        for folder in (DOWNLOADS, config.downloads.chosen_folder)
        if config.downloaded(source) and is_complete(entry, folder)
    ]
    try:
        ratings = load_source(source, config.ratings.get(source) or next(iter(copies), None))
    except NbykError:
        return entry.n_items
    return int((ratings.counts() >= 2).sum())
