"""The rows of each study in the datasets of all studies; those of Wein et al. 2023 are in `wein2023`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk_papers.gathered import P_VALUES, RATES, as_rows, read_partitioned

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def homan2025_p_values(*, grid: Sequence[Path], claims: Sequence[Path] = (), seed: int) -> pa.Table:
    """Return the p-values of fresh test sets, whose sampler is the bootstrap."""
    from nbyk_papers.homan2025.comparison import read_grid

    names = {"bootstrap": "sampler", "p": "true_p", "standard_error": "true_se", "effect": "true_effect"}
    table = read_grid([*grid, *claims]).rename(columns=names)
    return as_rows(P_VALUES, "homan2025", seed, table, epsilon_a=0.0)


def homan2025_rates(*, power: Sequence[Path] = (), seed: int) -> pa.Table:
    """Return the power of each test."""
    import pandas as pd

    if not power:
        return as_rows(RATES, "homan2025", seed, pd.DataFrame())
    table = read_partitioned(power, ("test", "power", "n_sets"), ("source",))
    named = table.rename(columns={"test": "sampler", "power": "rate"})
    return as_rows(RATES, "homan2025", seed, _with_error(named), epsilon_a=0.0)


def ulmer2022_p_values(*, scores: Sequence[Path], seed: int) -> pa.Table:
    """Return the p-value of each test on each simulation; eps_min, the result of aso, is none."""
    from nbyk_papers.ulmer2022.comparison import read_scores
    from nbyk_papers.ulmer2022.design import ASO

    names = {
        "distribution": "source",
        "simulation": "reference",
        "score": "estimated_p",
        "lead": "true_effect",
    }
    table = read_scores(scores).rename(columns=names | _OF_TESTS)
    return as_rows(P_VALUES, "ulmer2022", seed, table[table["sampler"] != ASO], k_responses=1, metric="mean")


def ulmer2022_rates(*, scores: Sequence[Path], thresholds: Sequence[float], seed: int) -> pa.Table:
    """Return the share of simulations that each test rejects at each threshold."""
    from nbyk_papers.ulmer2022.comparison import error_rates, read_scores, type_of

    names = {"distribution": "source", "threshold": "alpha", "n_simulations": "n_sets"}
    table = error_rates(read_scores(scores), thresholds).rename(columns=names | _OF_TESTS)
    is_level = table["error"].map(type_of) == "I"
    rates = _with_error(table.assign(rate=table["rate"].where(is_level, 1.0 - table["rate"])))
    return as_rows(RATES, "ulmer2022", seed, rates, k_responses=1, metric="mean")


def boostsa2022_p_values(
    *,
    balanced: Sequence[Path] = (),
    tagging: Sequence[Path] = (),
    example: Sequence[Path] = (),
    seed: int,
) -> pa.Table:
    """Return the p-value of each score on each simulation, whose sampler is the share of a resample."""
    from nbyk_papers.boostsa2022.comparison import read_p_values

    names = {"design": "source", "score": "metric", "simulation": "reference", "p": "estimated_p"}
    names |= {"standard_error": "estimated_se", "effect": "estimated_effect"}
    table = _with_share(read_p_values([*balanced, *tagging, *example]).rename(columns=names))
    return as_rows(P_VALUES, "boostsa2022", seed, table, k_responses=1)


def boostsa2022_rates(*, levels: Sequence[Path], seed: int) -> pa.Table:
    """Return the levels of each score, whose source is the kind of labels."""
    from nbyk_papers.boostsa2022.comparison import read_levels

    table = _with_share(read_levels(levels).rename(columns={"kind": "source", "score": "metric"}))
    return as_rows(RATES, "boostsa2022", seed, _with_error(table), k_responses=1)


def pandita2026_p_values(
    *, grid: Sequence[Path], table: Sequence[Path], estimates: Sequence[Path] = (), seed: int
) -> pa.Table:
    """Return the mean p of the grid's cells and of Table 2's, and p estimated from single sets.

    The sampler of a mean p says how ties are counted.
    """
    import pandas as pd

    from nbyk_papers.pandita2026.comparison import read_grid
    from nbyk_papers.pandita2026.estimates import K_RESPONSES, N_ITEMS, read_estimates

    cells = pd.concat([read_grid(grid), read_grid(table)])
    names = {"epsilon": "epsilon_b", "delta": "true_effect", "n_sets": "n_draws"}
    counted = [
        cells.rename(columns={**names, column: "true_p", f"{column}_error": "true_se"}).assign(
            sampler=sampler
        )
        for column, sampler in (("p_with_ties", "ties counted"), ("p", "ties left out"))
    ]
    rows = [table[[*_OF_P, *names.values()]].assign(semantics="published") for table in counted]
    if estimates:
        size = {"n_items": N_ITEMS, "k_responses": K_RESPONSES}
        rows.append(read_estimates(estimates).by_reference.assign(**size, semantics="recommended"))
    return as_rows(P_VALUES, "pandita2026", seed, pd.concat(rows), epsilon_a=0.0)


def pandita2026_rates(*, grid: Sequence[Path], table: Sequence[Path], seed: int) -> pa.Table:
    """Return the power of the t-test over items, and its level under the null that mixes A and B."""
    import pandas as pd

    from nbyk_papers.pandita2026.comparison import read_grid
    from nbyk_papers.pandita2026.design import ALPHA

    cells = pd.concat([read_grid(grid), read_grid(table)]).rename(columns={"epsilon": "epsilon_b"})
    same = cells.drop(columns=["power", "level"])
    rows = pd.concat(
        [same.assign(rate=cells["power"], null=""), same.assign(rate=cells["level"], null="mixed")]
    )
    told = {"semantics": "recommended", "sampler": "t_test_over_items", "alpha": ALPHA, "epsilon_a": 0.0}
    return as_rows(RATES, "pandita2026", seed, _with_error(rows), **told)


def calibration_rates(*, rates: Sequence[Path], seed: int) -> pa.Table:
    """Return the rate of each test, whose sampler is its definition of p with the sampler, if it has one."""
    table = read_partitioned(rates, ("definition", "sampler", "rate", "n_sets"), ("source",))
    sampler = table["sampler"].fillna("")
    named = (table["definition"] + "/" + sampler).str.removesuffix("/")
    return as_rows(RATES, "calibration", seed, _with_error(table.assign(sampler=named)))


def raters_p_values(*, pvalues: Sequence[Path], categories: Sequence[Path] = (), seed: int) -> pa.Table:
    """Return the mean p of test sets, whose sampler is what is known of raters, or of labels, what draws."""
    import pandas as pd

    from nbyk_papers.raters.categories import read_categories

    of_labels = read_categories(categories).assign(semantics="published")
    both = pd.concat([_of_raters(pvalues), of_labels.rename(columns={"epsilon": "epsilon_b"})])
    named = both.rename(columns={"p": "true_p", "standard_error": "true_se", "delta": "true_effect"})
    return as_rows(P_VALUES, "raters", seed, named.assign(n_draws=named["n_sets"]), epsilon_a=0.0)


def raters_rates(*, pvalues: Sequence[Path], seed: int) -> pa.Table:
    """Return the share of test sets with a p below the level."""
    from nbyk_papers.raters.design import ALPHA

    named = _of_raters(pvalues).rename(columns={"rejected": "rate"})
    return as_rows(RATES, "raters", seed, _with_error(named), alpha=ALPHA, epsilon_a=0.0)


_OF_P = ["source", "n_items", "k_responses", "metric", "sampler", "true_p", "true_se"]
_OF_TESTS = {"test": "sampler", "sample_size": "n_items"}


def _of_raters(files: Sequence[Path]) -> pd.DataFrame:
    table = read_partitioned(files, ("epsilon", "shift", "raters", "p", "rejected"), ("source",))
    shifted = ", shifted by " + table["shift"].astype(str)
    source = table["source"] + shifted.where(table["shift"] != 0.0, "")
    return table.assign(source=source).rename(columns={"epsilon": "epsilon_b", "raters": "sampler"})


def _with_share(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(sampler="share " + table["fraction"].astype(str))


def _with_error(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(rate_se=(table["rate"] * (1.0 - table["rate"]) / table["n_sets"]) ** 0.5)
