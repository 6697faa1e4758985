"""The paired bootstrap by its published definitions against what BooStSa itself counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nbyk.testing.engine.item_draws import KindCounts
from nbyk_papers.boostsa2022.label_bootstrap import label_bootstrap, label_scorer, scores_of

BOOSTSA = json.loads((Path(__file__).parent / "boostsa.json").read_text(encoding="utf-8"))
HARD = {"acc": "accuracy", "prec": "precision_macro", "rec": "recall_macro", "f1": "f1_macro"}
OF_CLASS_0 = {"tprec": "precision(0)", "trec": "recall(0)", "tf1": "f1(0)"}
SOFT = {
    "jsd": "js_distance",
    "ce": "cross_entropy",
    "sim": "entropy_similarity",
    "cor": "entropy_correlation",
}


def boostsas_counts(n_items: int, run: dict[str, Any]) -> np.ndarray:
    """Return how often each item is drawn in the resamples that BooStSa drew."""
    generator = np.random.RandomState(run["seed"])
    drawn = [generator.choice(n_items, int(n_items * run["f"])) for _ in range(run["n_loops"])]
    return np.stack([np.bincount(items, minlength=n_items) for items in drawn])


def scored(scorer: Any, counts: np.ndarray) -> np.ndarray:
    """Return the scores of draws, given how often each has a kind of item, shape (scores, S, draws)."""
    batches = (counts[first : first + 64] for first in range(0, len(counts), 64))
    return np.concatenate([scorer.scores(KindCounts(of))[:, :, : len(of)] for of in batches], axis=2)


@pytest.mark.parametrize("run", BOOSTSA["hard"]["runs"], ids=lambda run: f"f = {run['f']}")
def test_published_hard_counts_are_boostsas_on_its_own_resamples(run: dict[str, Any]) -> None:
    target, h0, h1 = (np.array(BOOSTSA["hard"][name]) for name in ("target", "h0", "h1"))
    names = HARD | OF_CLASS_0
    chosen = scores_of(list(names.values()), target)
    scorer = label_scorer(target, np.stack([h1, h0]), chosen, occurring=True)
    of_items = boostsas_counts(len(target), run)
    of_kinds = np.stack([np.bincount(scorer.kind_of, weights=row) for row in of_items]).astype(np.int64)
    scores = np.round(scored(scorer, of_kinds), 4)
    observed = label_bootstrap(
        target, h1, h0, list(names.values()), semantics="published", fraction=run["f"], n_resamples=2000
    )
    for short, drawn, comparison in zip(
        names, np.round(scores[:, 0] - scores[:, 1], 4), observed.comparisons, strict=True
    ):
        assert [comparison.score_b, comparison.score_a] == BOOSTSA["hard"]["scores"][short]
        assert int((drawn > 2 * comparison.effect).sum()) == run["counts"][short]
        spread = np.hypot(
            comparison.standard_error, np.sqrt(comparison.p * (1 - comparison.p) / run["n_loops"])
        )
        assert abs(comparison.p - run["counts"][short] / run["n_loops"]) < 4 * spread


@pytest.mark.parametrize("run", BOOSTSA["soft"]["runs"], ids=lambda run: f"f = {run['f']}")
def test_published_soft_counts_are_boostsas_but_for_the_sign_of_distances(run: dict[str, Any]) -> None:
    """BooStSa counts d* > −2d of distances, whose d is negative where h1 is better; it means d* < 2d."""
    of_soft = BOOSTSA["soft"]
    target, h0, h1 = (
        np.array(of_soft[name]) / total for name, total in (("target", 10), ("h0", 50), ("h1", 50))
    )
    scorer = label_scorer(target, np.stack([h1, h0]), scores_of(list(SOFT.values()), target))
    scores = scored(scorer, boostsas_counts(len(target), run))
    observed = label_bootstrap(target, h1, h0, list(SOFT.values()), semantics="published", fraction=run["f"])
    for short, drawn, comparison in zip(SOFT, scores[:, 0] - scores[:, 1], observed.comparisons, strict=True):
        assert [comparison.score_b, comparison.score_a] == pytest.approx(of_soft["scores"][short], rel=1e-9)
        theirs = comparison.score_a - comparison.score_b
        assert int((drawn > 2 * comparison.effect).sum()) == run["counts"][short]
        oriented = int((comparison.score.sign * drawn > 2 * comparison.effect).sum())
        if comparison.score.direction == "lower":
            assert comparison.effect == -theirs > 0
            assert oriented > run["counts"][short]
        spread = np.sqrt(comparison.p * (1 - comparison.p) * (1 / 10_000 + 1 / run["n_loops"]))
        assert abs(comparison.p - oriented / run["n_loops"]) < 4 * spread


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_published_semantics_find_identical_predictions_significant_as_boostsa_does(kind: str) -> None:
    identical = BOOSTSA[kind]["identical"]
    names = HARD if kind == "hard" else SOFT
    target, h0 = (np.array(BOOSTSA[kind][name]) for name in ("target", "h0"))
    if kind == "soft":
        target, h0 = target / 10, h0 / 50
    options: Any = {"semantics": "published", "fraction": 0.1, "n_resamples": 500}
    test = label_bootstrap(target, h0, h0, list(names.values()), **options)
    for short, comparison in zip(names, test.comparisons, strict=True):
        assert comparison.p == identical["counts"][short] == 0
