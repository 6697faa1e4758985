"""The cells of calibration: each test's rejection rate at one size of one source and one truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbyk.resampling.samplers import WEIN_SAMPLERS
from nbyk.studies.study import Cell
from nbyk_papers.batches import Axis, stored_keys
from nbyk_papers.calibration.design import METRICS, RateTests
from nbyk_papers.homan2025.cells import prior_file, size_name

if TYPE_CHECKING:
    import pyarrow as pa

    from nbyk.studies.steps import Work

RATE_METRICS = Axis("default", METRICS)
RATE_SAMPLERS = Axis("wein2023", tuple(WEIN_SAMPLERS))
AT_OWN_SIZE, EXPECTED = "at_own_size", "expected_"


def rate_cells(config: Any, settings: Any) -> Iterator[Cell]:
    """Yield the cells: of p-values and intervals, and of expected p by batches of samplers."""
    truths = [
        *((epsilon, epsilon) for epsilon in (0.0, *settings.weak_epsilons)),
        *((0.0, epsilon) for epsilon in settings.power_epsilons),
    ]
    sizes = [*((size, False) for size in settings.sizes), *((size, True) for size in settings.expected_sizes)]
    for source in settings.sources:
        folder = f"calibration/rates/source={source}"
        for size, is_expected in sizes:
            for epsilon_a, epsilon_b in truths:
                name = f"epsilon-{epsilon_a}-{epsilon_b}_{size_name((size.n_items, size.k_responses))}"
                stored = stored_keys(Path("results", folder), name)
                for part, samplers in (
                    _parts(settings.samplers, stored) if is_expected else [(AT_OWN_SIZE, [])]
                ):
                    keys = [metrics for of_part, metrics in stored if of_part == part]
                    for key, metrics in RATE_METRICS.plan(settings.metrics, keys).items():
                        drawn = {
                            "n_items": size.n_items,
                            "k_responses": size.k_responses,
                            "epsilon_a": epsilon_a,
                            "epsilon_b": epsilon_b,
                            "metrics": metrics,
                            "samplers": samplers,
                        }
                        yield _cell(f"{folder}/{name}+{part}+{key}.parquet", config, settings, source, drawn)


def _parts(samplers: Sequence[str], stored: Sequence[Sequence[str]]) -> list[tuple[str, list[str]]]:
    keys = [part.removeprefix(EXPECTED) for part, _ in stored if part.startswith(EXPECTED)]
    return [(f"{EXPECTED}{key}", names) for key, names in RATE_SAMPLERS.plan(samplers, keys).items()]


def _cell(file: str, config: Any, settings: Any, source: str, drawn: dict[str, Any]) -> Cell:
    n_resamples = settings.expected_resamples if drawn["samplers"] else settings.n_resamples
    draws = 5 * n_resamples if drawn["samplers"] else n_resamples
    responses = max(50, drawn["n_items"]) * drawn["k_responses"] / 2500
    return Cell(
        file,
        "rates",
        {
            **drawn,
            "alphas": settings.alphas,
            "n_sets": settings.n_sets,
            "n_resamples": n_resamples,
            "n_bootstraps": settings.n_bootstraps,
            "seed": config.seed,
        },
        {"prior": prior_file(source), "metric_files": config.files_of_metrics(drawn["metrics"])},
        memory=424,
        seconds=120 * responses * settings.n_sets / 1000 * draws / 199,
    )


def rates(
    prior: Path,
    *,
    n_items: int,
    k_responses: int,
    epsilon_a: float,
    epsilon_b: float,
    tests: RateTests,
    work: Work,
) -> tuple[pa.Table, dict[str, Any]]:
    """Compute each test's rejection rate at one size, on the same simulated test sets."""
    from nbyk.priors import read_prior
    from nbyk.resampling.population import Population
    from nbyk_papers.calibration.calibrate import calibrate

    population = Population(read_prior(prior), n_items, k_responses, epsilon_b, epsilon_a)
    with work.progress(tests.n_sets):
        table = calibrate(population, tests, work)
    return table, {"M": tests.n_resamples, "prior": population.prior.to_dict()}
