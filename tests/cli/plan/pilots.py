"""Pilots that `nbyk plan` reads, and options that keep it quick."""

from __future__ import annotations

from pathlib import Path

import numpy as np

QUICK = "--epsilon 0.3 --power 0.8 --precision 0.05 --resamples 999"
SIZE = "--items 40 --responses 3 --precision 0.1 --resamples 199 --format json"


def write_pilot(path: str, matrix: np.ndarray) -> None:
    rows = [
        f"{item},{rater},{value:g}"
        for item, ratings in enumerate(matrix)
        for rater, value in enumerate(ratings)
        if not np.isnan(value)
    ]
    Path(path).write_text("\n".join(["item,rater,value", *rows]) + "\n")


def likert(n: int = 60, k: int = 4) -> np.ndarray:
    generator = np.random.default_rng(1)
    latent = generator.beta(2, 3, size=(n, 1)) + generator.uniform(0.1, 0.3, (n, 1)) * generator.normal(
        size=(n, k)
    )
    return 1.0 + np.clip(np.floor(5 * latent), 0, 4)
