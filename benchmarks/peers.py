# mypy: disable-error-code="import-not-found,import-untyped,misc"
"""The same small data through nbyk and the packages beside it: the rows of docs/peers.md.

Each package wants an environment of its own, so this file needs numpy alone. Run it in each of them, from the
folder above ``benchmarks``; it adds the rows of the packages that are installed there to one table::

    python -m benchmarks.peers benchmarks/peers.csv
"""

from __future__ import annotations

import contextlib
import csv
import importlib.metadata
import io
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

QUESTIONS = {
    "items": "p of 30 items with one score each, two-sided",
    "exact": "p of 8 items, all better by A: 2/256 = .0078 exactly",
    "runs": "p of 30 items and 5 runs each, where the runs differ as wholes",
    "three": "p of A against B, of three systems, corrected for three pairs",
    "plan": "items for a power of .8 to find .05 where differences have an SD of .5",
    "labels": "p of the accuracy of 200 labels",
}
"""What each package is asked; a package without a function for it answers nothing."""

Answers = Iterator[tuple[str, float | str]]


def scores() -> np.ndarray[Any, Any]:
    """Return three systems' scores, shape (3, 30, 5): items share their difficulty, runs their luck."""
    rng = np.random.default_rng(18)
    difficulty = rng.normal(0.5, 0.15, (1, 30, 1))
    luck = rng.normal(0.0, 0.06, (3, 1, 5))
    lead = np.array([0.05, 0.0, -0.02])[:, None, None]
    found: np.ndarray[Any, Any] = difficulty + luck + lead + rng.normal(0.0, 0.08, (3, 30, 5))
    return found


EIGHT = (np.arange(1.0, 9.0) / 10.0, np.zeros(8))


def labels() -> tuple[np.ndarray[Any, Any], ...]:
    """Return 200 targets and two systems' labels, of which A has 170 right and B 156."""
    target = np.arange(200) % 2
    a, b = target.copy(), target.copy()
    a[:30] = 1 - a[:30]
    b[12:56] = 1 - b[12:56]
    return target, a, b


def of_nbyk() -> Answers:
    """Answer by nbyk."""
    import nbyk

    a, b, c = scores()
    yield "items", nbyk.compare(None, a[:, :1], b[:, :1], metric="mean", generalise=["items"]).p
    eight = (values[:, None] / 10.0 for values in EIGHT)
    yield "exact", nbyk.compare(None, *eight, metric="mean", generalise=["items"]).p
    yield "runs", nbyk.compare(None, a, b, metric="mean").p
    board = nbyk.compare(None, {"a": a, "b": b, "c": c}, metric="mean")
    yield "three", next(pair.p for pair in board.pairs if {pair.a, pair.b} == {"a", "b"})
    yield "plan", nbyk.plan(nbyk.Spread(0.25), k_responses=1, effect=0.05, power=0.8).n_items
    target, first, second = labels()
    yield "labels", nbyk.compare(target, first, second, kind="classes").p


def of_scipy() -> Answers:
    """Answer by scipy.stats."""
    from scipy import stats

    a, b, _ = scores()

    def mean_difference(x: Any, y: Any, axis: int) -> Any:
        return np.mean(x - y, axis=axis)

    def swapped(x: Any, y: Any) -> float:
        found = stats.permutation_test((x, y), mean_difference, permutation_type="samples", rng=1)
        return float(found.pvalue)

    yield "items", swapped(a[:, 0], b[:, 0])
    yield "exact", swapped(*EIGHT)
    yield "runs", swapped(a.mean(1), b.mean(1))


def of_errorbars() -> Answers:
    """Answer by errorbars: a paired t-test of the items' means over runs."""
    from errorbars.compare import paired_compare
    from errorbars.leaderboard import build_leaderboard
    from errorbars.power import questions_needed

    a, b, c = scores()
    yield "items", paired_compare(a[:, 0], b[:, 0]).p_value
    yield "exact", paired_compare(*EIGHT).p_value
    yield "runs", paired_compare(a.mean(1), b.mean(1)).p_value
    yield "three", _errorbars_board(build_leaderboard, {"a": a, "b": b, "c": c})
    yield "plan", questions_needed(0.05, variance=0.125).n_questions
    target, first, second = labels()
    mcnemar = paired_compare((first == target) * 1.0, (second == target) * 1.0).mcnemar
    yield "labels", mcnemar.p_value


def _errorbars_board(build: Callable[..., Any], systems: dict[str, Any]) -> float:
    from errorbars.io import load_csv

    rows = ["question_id,model,score,sample"]
    for name, values in systems.items():
        for item, of_item in enumerate(values):
            rows += [f"q{item},{name},{score},{run}" for run, score in enumerate(of_item)]
    path = Path("errorbars-scores.csv")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    try:
        found = build(load_csv(path))
    finally:
        path.unlink()
    (pair,) = [each for each in found.pairwise if {each.model_a, each.model_b} == {"a", "b"}]
    return float(pair.p_holm)


def of_evalsig() -> Answers:
    """Answer by evalsig."""
    from evalsig.inference.mcnemar import mcnemar_test
    from evalsig.inference.mde import required_n
    from evalsig.inference.multiplicity import holm
    from evalsig.inference.paired import paired_permutation_test

    def swapped(x: Any, y: Any) -> float:
        return float(paired_permutation_test(y, x).p_value)

    a, b, c = scores()
    yield "items", swapped(a[:, 0], b[:, 0])
    yield "exact", swapped(*EIGHT)
    yield "runs", swapped(a.mean(1), b.mean(1))
    pairs = [(a, b), (a, c), (b, c)]
    p = np.array([swapped(x.mean(1), y.mean(1)) for x, y in pairs])
    yield "three", float(holm(p).p[0])
    yield "plan", required_n(0.05, 0.5)
    target, first, second = labels()
    yield "labels", mcnemar_test((second == target) * 1.0, (first == target) * 1.0).p_value


def of_evalstats() -> Answers:
    """Answer by evalstats, with the tests that it chooses."""
    import evalstats
    import pandas as pd

    def frame(systems: dict[str, Any]) -> Any:
        rows = [
            {"model": name, "item": f"q{item}", "run": run, "score": score}
            for name, values in systems.items()
            for item, of_item in enumerate(values)
            for run, score in enumerate(of_item)
        ]
        return evalstats.load_from(pd.DataFrame(rows))

    def compared(systems: dict[str, Any]) -> float:
        found = evalstats.compare(frame(systems), factors="model").to_dict()
        return float(_p_of(found, "a", "b"))

    a, b, c = scores()
    yield "items", compared({"a": a[:, :1], "b": b[:, :1]})
    try:
        yield "exact", compared({"a": EIGHT[0][:, None], "b": EIGHT[1][:, None]})
    except evalstats.errors.InsufficientItemsError:
        yield "exact", "refused: fewer than 15 items"
    yield "runs", compared({"a": a, "b": b})
    yield "three", compared({"a": a, "b": b, "c": c})


def _p_of(found: dict[str, Any], first: str, second: str) -> float:
    """Return the p-value of a pair in what evalstats has as plain values."""
    for pair in found["pairwise"]:
        if {pair["a"], pair["b"]} == {first, second}:
            return float(pair["p_value"])
    raise KeyError(f"{first} and {second}")


def of_deepsig() -> Answers:
    """Answer by deepsig: tests of scores, one-sided, whose pairing it does not use in the bootstrap."""
    import deepsig

    a, b, _ = scores()
    yield "items", 2.0 * deepsig.permutation_test(a[:, 0], b[:, 0], num_samples=9999, seed=1)
    yield "exact", 2.0 * deepsig.permutation_test(*EIGHT, num_samples=9999, seed=1)
    yield "runs", 2.0 * deepsig.permutation_test(a.mean(1), b.mean(1), num_samples=9999, seed=1)


def of_boostsa() -> Answers:
    """Answer by BooStSa, which draws half of the items at most."""
    from boostsa import Bootstrap

    np.random.seed(1)
    target, first, second = labels()
    tool = Bootstrap(save_results=False, save_outcomes=False)
    tool.test(targs=target, h0_preds=second, h1_preds=first, n_loops=100, sample_size=0.5)
    printed = sys.stdout.getvalue() if isinstance(sys.stdout, io.StringIO) else ""
    (count,) = re.findall(r"count sample diff acc\s+is twice.*?(\d+)\s*/", printed)
    yield "labels", int(count) / 100.0


PACKAGES: dict[str, Callable[[], Answers]] = {
    "nbyk": of_nbyk,
    "scipy": of_scipy,
    "errorbars": of_errorbars,
    "evalsig": of_evalsig,
    "evalstats": of_evalstats,
    "deepsig": of_deepsig,
    "boostsa": of_boostsa,
}


def rows() -> Iterator[dict[str, str]]:
    """Yield a row per package that is installed and question that it answers."""
    for package, answers in PACKAGES.items():
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = list(answers())
        for question, answer in found:
            shown = answer if isinstance(answer, str) else f"{answer:.4g}"
            yield {"package": package, "version": version, "question": question, "answer": shown}


def main() -> None:
    """Add the rows to the table that the command line names; rows of the same package are replaced."""
    table = Path(sys.argv[1])
    new = list(rows())
    packages = {row["package"] for row in new}
    old = []
    if table.exists():
        with table.open(encoding="utf-8", newline="") as file:
            old = [row for row in csv.DictReader(file) if row["package"] not in packages]
    order = list(PACKAGES)
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("package", "version", "question", "answer"), lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*old, *new], key=lambda row: order.index(row["package"])))
    print(f"{', '.join(sorted(packages))}: {len(new)} answers in {table}")


if __name__ == "__main__":
    main()
