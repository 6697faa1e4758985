"""Every kind of data: its result prints the answer first, and has a sentence, a figure and a table."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nbyk

N = 24
LETTERS = np.array(list("abc"))
VERDICTS = ("is better than", "is not worse", "Undecided", "the best of", "scores", "The mean of")


def runs(n: int = 3) -> np.ndarray:
    return np.random.default_rng(n).random((N, n))


def labels(share: float) -> np.ndarray:
    generator = np.random.default_rng(7)
    gold = generator.integers(0, 3, N)
    return LETTERS[(gold + (generator.random(N) < share)) % 3]


def shares(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet([3, 2, 1], N)


def rated(*names: str) -> Any:
    """Return systems whose outputs three people rated, on a scale from 1 to 5."""
    rows = [
        {"item": item, "rater": rater, "system": name, "value": 1 + (7 * item + 3 * place + ord(rater)) % 5}
        for place, name in enumerate(names)
        for item in range(N)
        for rater in "xyz"
    ]
    return nbyk.read_systems(pd.DataFrame(rows), scale="1..5")


def votes(*names: str) -> Any:
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    rows = [
        {"prompt": n, "model_a": a, "model_b": b, "winner": f"model_{'ab'[n % 5 < 2]}", "voter": f"v{n % 6}"}
        for n in range(60)
        for a, b in [pairs[n % len(pairs)]]
    ]
    return nbyk.read_votes(pd.DataFrame(rows))


def judged(*names: str) -> Any:
    generator = np.random.default_rng(3)
    truth = {(name, item): generator.integers(0, 2) for name in names for item in range(60)}
    people = [
        {"item": item, "rater": rater, "system": name, "value": float(value != (generator.random() < 0.2))}
        for (name, item), value in truth.items()
        if item < 20
        for rater in "xyz"
    ]
    judge = [{"item": item, "system": name, "value": float(v)} for (name, item), v in truth.items()]
    return nbyk.read_judged(pd.DataFrame(people), pd.DataFrame(judge))


KINDS: dict[str, Callable[[], Any]] = {
    "numbers and gold": lambda: nbyk.compare(runs(4), runs(3), runs(5)[:, :3]),
    "a margin": lambda: nbyk.compare(None, runs(3), runs(5), margin=0.4),
    "raters of outputs": lambda: nbyk.compare(rated("new", "old")),
    "raters of three systems' outputs": lambda: nbyk.compare(rated("new", "old", "older")),
    "classes": lambda: nbyk.compare(labels(0), labels(0.1), labels(0.5)),
    "classes of three": lambda: nbyk.compare(labels(0), {f"s{k}": labels(k / 9) for k in range(3)}),
    "probabilities": lambda: nbyk.compare(shares(1), shares(2), shares(3)),
    "scores of runs": lambda: nbyk.compare(None, runs(5)[0], runs(5)[1], kind="scores"),
    "scores of three": lambda: nbyk.compare({f"s{k}": runs(5)[k] for k in range(3)}, kind="scores"),
    "votes": lambda: nbyk.compare(votes("m", "n")),
    "votes for three": lambda: nbyk.compare(votes("m", "n", "o")),
    "people and a judge": lambda: nbyk.compare_judged(judged("m", "n")),
    "a judge of one": lambda: nbyk.compare_judged(judged("m")),
    "trials": lambda: nbyk.compare(None, runs(4) > 0.5, runs(5)[:, :4] > 0.5, metric="pass_at(2)"),
    "one system": lambda: nbyk.compare({"mine": runs(3)}),
    "a table of systems": lambda: nbyk.compare(pd.DataFrame({"item": range(N), "m": runs()[:, 0], "n": 0.5})),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_prints_its_answer_and_has_a_sentence_a_figure_and_a_table(kind: str) -> None:
    import matplotlib.pyplot as plt

    result = KINDS[kind]()
    text = str(result)
    table, _, lines = text.rpartition("──\n")  # a leaderboard begins with its table
    first = lines.split("\n\n")[-1].splitlines()[0] if table else text.splitlines()[0]
    assert any(word in first for word in VERDICTS) or "may be the best of" in first
    assert max(map(len, text.split("Next: ")[0].splitlines())) <= 80
    assert len(result.sentence.split()) <= 40
    assert result.sentence.endswith(".")
    for jargon in ("swap_items", "under the null", "expected p", "nan"):
        assert jargon not in text
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["sentence"] == result.sentence
    assert len(result.to_frame())
    assert result.plot().axes
    plt.close("all")


def test_numbers_alone_are_refused_with_the_way_out() -> None:
    with pytest.raises(nbyk.NbykError, match=r"as in nbyk.compare\(None, a, b\)"):
        nbyk.compare(runs()[:, 0], runs()[:, 1])
    with pytest.raises(nbyk.NbykError, match=r"give gold \(or None\) first"):
        nbyk.compare(runs())
