"""The cells of Ulmer et al. 2022: results of tests on simulated scores of one distribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.studies.study import Cell
from nbyk_papers.batches import Axis, plan_of_axes, stored_keys
from nbyk_papers.ulmer2022.design import (
    ASO,
    SEMANTICS,
    TESTS,
    Setting,
    get_semantics,
    papers_settings,
    settings,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.studies.steps import Work

SCORE_TESTS = Axis("ulmer2022", tuple(TESTS))


def score_cells(config: Any, section: Any) -> Iterator[Cell]:
    """Yield the cells: of each semantics and distribution, by batches of settings and of tests."""
    for semantics in SEMANTICS:
        for distribution in section.distributions:
            folder = f"ulmer2022/scores/semantics={semantics}/distribution={distribution}"
            papers = papers_settings(distribution)
            lead = section.leads.get(distribution)
            asked = settings(section.sample_sizes, lead, section.differences)
            of_name = {setting.name: setting for setting in (*papers, *asked)}
            axis = Axis("ulmer2022", tuple(setting.name for setting in papers))
            stored = stored_keys(Path("results", folder), "scores")
            plan = plan_of_axes(
                [(axis, [setting.name for setting in asked]), (SCORE_TESTS, section.tests)], stored
            )
            for (at, names), (tests_key, tests) in plan:
                of_cell = [of_name[name] for name in names]
                simulations = max(section.n_simulations, 2 * section.aso_simulations) / 1000
                scores = max(0.1, sum(setting.sample_size for setting in of_cell) / 120)
                yield Cell(
                    f"{folder}/scores+{at}+{tests_key}.parquet",
                    "scores",
                    {
                        "distribution": distribution,
                        "semantics": semantics,
                        "at": [list(setting) for setting in of_cell],
                        "tests": tests,
                        "n_simulations": section.n_simulations,
                        "aso_simulations": section.aso_simulations,
                        "n_resamples": section.n_resamples,
                        "seed": config.seed,
                    },
                    memory=315,
                    seconds=4 * scores * simulations * section.n_resamples / 1000,
                )


def scores(
    *,
    distribution: str,
    semantics: str,
    at: Sequence[Sequence[Any]],
    tests: Sequence[str],
    n_simulations: int,
    aso_simulations: int,
    n_resamples: int,
    seed: int,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Simulate scores of two systems and compute every test's result on each simulation."""
    from nbyk.testing.scores.draws import Drawing
    from nbyk_papers.ulmer2022.score_cells import scores_table

    sizes = {name: aso_simulations if name == ASO else n_simulations for name in tests}
    with work.progress(max(sizes.values()) * len(at)):
        table = scores_table(
            distribution,
            [Setting(error, int(n), float(lead)) for error, n, lead in at],
            sizes,
            get_semantics(semantics),
            Drawing(n_resamples, seed, work.threads),
            progress=work.advance,
        )
    return table, {"M": n_resamples}
