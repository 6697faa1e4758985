"""The files of results that the workflow's rules make for every study."""

from __future__ import annotations

from pathlib import Path

DOWNLOADS = Path("results/downloads")
"""Copies of downloads, which every machine of a cluster sees. Snakemake may delete them; the user's own
folder keeps the downloads, verified."""


def ratings_file(source: str) -> str:
    """Return the file of a source's normalised ratings."""
    return f"results/ratings/{source}.parquet"


def fit_file(source: str, name: str, store: str = "fits") -> str:
    """Return the "prior" that was fitted to a source's ratings, or the "check" of the fit."""
    return f"results/{store}/{source}/{name}.json"
