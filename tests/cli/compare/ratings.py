"""Files of ratings, written and read, and what `nbyk compare` says of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import nbyk as package
from tests.cli.conftest import Run


def unfolded(text: str) -> str:
    return " ".join(text.split())


def found(nbyk: Run, line: str, said: str = "") -> dict:  # type: ignore[type-arg]
    code, text, errors = nbyk(f"compare {line} --format json")
    assert (code, errors) == (0, said)
    return json.loads(text)  # type: ignore[no-any-return]


def results(answer: dict) -> list[dict]:  # type: ignore[type-arg]
    """Return the only pair by each metric, with what was asked of it."""
    return [{**board, **board["pairs"][0]} for board in answer["boards"]]


def write(path: str, matrix: np.ndarray) -> None:
    rows = [
        f"q{item},r{rater},{value:g}"
        for item, ratings in enumerate(matrix)
        for rater, value in enumerate(ratings)
        if not np.isnan(value)
    ]
    Path(path).write_text("\n".join(["item,rater,value", *rows]) + "\n")


def read(name: str) -> np.ndarray:
    ratings = package.read_ratings(f"{name}.csv")
    return ratings.in_order().matrix()
