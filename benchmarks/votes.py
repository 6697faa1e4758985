# mypy: disable-error-code="import-not-found,import-untyped,misc"
"""27,000 votes between 20 models, and 50 tasks of 4 trials, through nbyk and the packages beside it.

``python -m benchmarks.votes`` prints a row for each answer of each package that is installed: the answer, and
the seconds of CPU of a second call.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Rows = Iterator[tuple[str, str, float]]

PASSED = np.array([int(digit) for digit in "01100111000142021140430040220122003443413241222144"])
MODELS = [f"m{number:02d}" for number in range(20)]


def votes() -> tuple[np.ndarray[Any, Any], ...]:
    """Return the places of the models shown first and second, and 0, 1 (a tie) or 2, by Davidson's model."""
    rng = np.random.default_rng(1)
    strengths = np.linspace(1.0, -1.0, 20)
    a = rng.integers(0, 20, 27_000)
    b = (a + rng.integers(1, 20, 27_000)) % 20
    half = (strengths[a] - strengths[b]) / 2
    chances = np.stack([half, np.full(27_000, -0.5), -half], axis=1) + rng.gumbel(size=(27_000, 3))
    return a, b, chances.argmax(axis=1)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a second call returns, and its seconds of CPU."""
    work()
    start = time.process_time()
    return work(), time.process_time() - start


def of_nbyk() -> Rows:
    """Answer by nbyk."""
    import nbyk
    from nbyk.data.votes import Votes
    from nbyk.testing.systems.votes import fit_votes

    a, b, winner = votes()
    data = Votes(tuple(MODELS), a, b, winner, np.arange(len(a)))
    without = data.taken(winner != 1)
    fit, seconds = timed(lambda: fit_votes(without, position=False))
    yield "strength of m00 without ties", f"{fit.scores[0]:.6f}", seconds
    board, seconds = timed(lambda: nbyk.compare(data))
    low, high = board.standing("m00").interval
    yield "intervals, ranks and pairs", f"{low:.3f} to {high:.3f}", seconds
    trials = np.array([[1.0] * n + [0.0] * (4 - n) for n in PASSED])
    alone, seconds = timed(lambda: nbyk.compare(None, {"gpt-4o": trials}, metric="pass@3"))
    yield "pass@3", f"{alone.standings[0].score:.4f}", seconds


def of_choix() -> Rows:
    """Answer by choix."""
    import choix

    pairs = [(x, y) if o == 0 else (y, x) for x, y, o in zip(*votes(), strict=True) if o != 1]
    found, seconds = timed(lambda: choix.ilsr_pairwise(20, pairs, alpha=0.0, tol=1e-12))
    yield "strength of m00 without ties", f"{found[0] - found.mean():.6f}", seconds


def of_evalica() -> Rows:
    """Answer by evalica."""
    from evalica import Winner, bradley_terry

    a, b, winner = votes()
    kept = winner != 1
    first, second = ([MODELS[place] for place in of[kept]] for of in (a, b))
    won = [Winner.X if outcome == 0 else Winner.Y for outcome in winner[kept]]
    found, seconds = timed(lambda: bradley_terry(first, second, won, tolerance=1e-14, limit=100_000))
    logs = np.log(found.scores)
    yield "strength of m00 without ties", f"{logs['m00'] - logs.mean():.6f}", seconds


def of_arenakit() -> Rows:
    """Answer by arenakit."""
    import arenakit

    codes = {0: "a", 1: "tie", 2: "b"}
    battles = [
        arenakit.Battle(model_a=MODELS[x], model_b=MODELS[y], winner=codes[o], item_id=str(number))
        for number, (x, y, o) in enumerate(zip(*(of.tolist() for of in votes()), strict=True))
    ]
    arena = arenakit.Arena(battles)
    found, seconds = timed(lambda: arenakit.bootstrap(arena))
    of_first = found.scores[:, arena.models.index("m00")] - found.scores.mean(axis=1)
    low, high = np.percentile(of_first, [2.5, 97.5])
    yield "intervals, ranks and pairs", f"{low:.3f} to {high:.3f} (bootstrap; a tie is half a win)", seconds


def of_passk() -> Rows:
    """Answer by passk-inference."""
    from passk_inference import core

    found, seconds = timed(lambda: core.pass_at_k(PASSED, np.full(50, 4), 3))
    yield "pass@3", f"{found.mean():.4f}", seconds


PACKAGES: dict[str, Callable[[], Rows]] = {
    "nbyk": of_nbyk,
    "choix": of_choix,
    "evalica": of_evalica,
    "arenakit": of_arenakit,
    "passk-inference": of_passk,
}

if __name__ == "__main__":
    for package, answers in PACKAGES.items():
        with contextlib.suppress(ImportError):
            for question, answer, seconds in answers():
                print(
                    f"{package} {importlib.metadata.version(package)}: {question}: {answer}; {seconds:.3f} s"
                )
