"""The cells of Fornaciari et al. 2022: p-values of simulated label predictions, and Type-I errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.studies.batches import Axis, plan_of_axes, stored_keys
from nbyk.studies.cell import Cell
from nbyk_papers.boostsa2022.design import (
    ALPHA,
    EXAMPLE_FRACTION,
    FRACTIONS,
    HARD_SCORES,
    SCORES,
    SEMANTICS,
    SOFT_SCORES,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.studies.steps import Work

SHARES = Axis("default", tuple(str(share) for share in FRACTIONS))
SCORES_OF_KIND = {
    kind: Axis("default", tuple(name for name in SCORES if name in known))
    for kind, known in (("hard", HARD_SCORES), ("soft", SOFT_SCORES))
}


def p_value_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of Figures 1 to 3: of each design, by batches of shares and of scores."""
    scores = [name for name in settings.scores if name in HARD_SCORES]
    simulations = {"n_simulations": settings.n_simulations}
    for n in settings.sizes:
        told = {
            "n_items": n,
            "accuracy": settings.accuracy,
            "n_resamples": settings.n_resamples,
            **simulations,
        }
        yield from _cells(
            config,
            "boostsa2022/pvalues/design=balanced",
            f"n-{n}",
            "balanced",
            told,
            settings.fractions,
            scores,
            "hard",
            261,
            3,
        )
    told = {"n_resamples": settings.tagging_resamples, **simulations}
    for discordance in settings.discordances:
        yield from _cells(
            config,
            "boostsa2022/pvalues/design=tagging",
            f"discordance-{discordance}",
            "tagging",
            {"discordance": discordance, **told},
            settings.fractions,
            scores,
            "hard",
            238,
            9,
        )
    # The example is compared at the share that the paper printed it for.
    shares = list(dict.fromkeys([*settings.fractions, EXAMPLE_FRACTION]))
    yield from _cells(
        config, "boostsa2022/pvalues/design=example", "all", "example", told, shares, scores, "hard", 261, 5
    )


def level_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells of Type-I error: of each kind of labels, size and semantics, by batches."""
    for kind, known in (("hard", HARD_SCORES), ("soft", SOFT_SCORES)):
        scores = [name for name in settings.scores if name in known]
        for n in settings.level_sizes:
            work = max(1000, n) / 1000 * settings.n_sets / 2000 * settings.level_resamples / 999
            for semantics in SEMANTICS:
                told = {
                    "kind": kind,
                    "n_items": n,
                    "semantics": semantics,
                    "n_sets": settings.n_sets,
                    "n_resamples": settings.level_resamples,
                    "alpha": ALPHA,
                }
                yield from _cells(
                    config,
                    f"boostsa2022/levels/kind={kind}",
                    f"n-{n}_{semantics}",
                    "levels",
                    told,
                    settings.fractions,
                    scores,
                    kind,
                    299,
                    113 * work,
                )


def _cells(
    config: Any,
    folder: str,
    name: str,
    step: str,
    told: dict[str, Any],
    shares: Sequence[float],
    scores: Sequence[str],
    kind: str,
    memory: float,
    seconds: float,
) -> Iterator[Cell]:
    asked = [(SHARES, [str(share) for share in shares]), (SCORES_OF_KIND[kind], scores)]
    for (shares_key, of_shares), (scores_key, of_scores) in plan_of_axes(
        asked, stored_keys(Path("results", folder), name)
    ):
        batch = {"scores": of_scores, "fractions": [float(share) for share in of_shares]}
        yield Cell(
            f"{folder}/{name}+{shares_key}+{scores_key}.parquet",
            step,
            {**told, **batch, "seed": config.seed},
            memory=memory,
            seconds=seconds,
        )


def balanced(*, work: Work, **settings: Any) -> tuple[pa.Table, dict[str, Any]]:
    """Test two balanced classifiers, one a point better, at one test-set size (Figure 1)."""
    from nbyk_papers.boostsa2022.label_cells import balanced_p_values

    return _p_values(balanced_p_values, work, settings)


def tagging(*, work: Work, **settings: Any) -> tuple[pa.Table, dict[str, Any]]:
    """Test two taggers with the right answers of Figure 2's on as many items."""
    from nbyk_papers.boostsa2022.label_cells import tagging_p_values

    return _p_values(tagging_p_values, work, settings)


def example(*, work: Work, **settings: Any) -> tuple[pa.Table, dict[str, Any]]:
    """Test the two systems of the paper's printed example (Figure 3)."""
    from nbyk_papers.boostsa2022.label_cells import example_p_values

    return _p_values(example_p_values, work, settings)


def levels(*, kind: Any, work: Work, **settings: Any) -> tuple[pa.Table, dict[str, Any]]:
    """Measure how often the test rejects where both systems are equally good."""
    from nbyk_papers.boostsa2022.label_cells import levels_table

    return levels_table(kind, work=work, **settings), {"M": settings["n_resamples"]}


def _p_values(
    p_values: Callable[..., pa.Table], work: Work, settings: dict[str, Any]
) -> tuple[pa.Table, dict[str, Any]]:
    with work.progress(settings["n_simulations"]):
        table = p_values(**settings, work=work)
    return table, {"M": settings["n_resamples"]}
