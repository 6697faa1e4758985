"""The tables of Homan et al. 2025 beside the published numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.data.ratings import stored_ratings
from nbyk.priors import published_prior, read_prior
from nbyk_papers import placed
from nbyk_papers.gathered import read_partitioned
from nbyk_papers.homan2025.comparison import (
    compare,
    in_papers_order,
    of_columns,
    overstatement,
    own_fit_p_values,
    pick_beyond_paper,
    picks_of_rule,
)
from nbyk_papers.homan2025.description import Description, describe_fit
from nbyk_papers.homan2025.design import (
    ALPHA,
    CLAIM_ITEMS,
    COLUMNS,
    METRIC_OF_COLUMN,
    TESTS,
    label,
    own_size,
    published_source,
    table_name,
)
from nbyk_papers.homan2025.size_claims import Numbers

if TYPE_CHECKING:
    import pandas as pd

POWER = ("n_items", "k_responses", "epsilon_b", "metric", "test", "n_sets", "power", "low", "high")

_MOMENTS = {
    "mean of item means": "mean",
    "standard deviation of item means": "sd",
    "variance within items": "within",
}
_DISTANCES = {
    "mean of μ": "mu_mean",
    "Kolmogorov-Smirnov distance of item means": "means_ks",
    "total variation of item means": "means_tv",
    "the same by chance": "means_tv_chance",
    "total variation of responses": "responses_tv",
}


def all_tables(
    numbers: Numbers, fits: Mapping[str, tuple[Path, Path]]
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield every table as (file name, caption, table); `fits` has ratings and prior of each own fit."""
    grid, power = numbers.grid, numbers.power
    if numbers.claims is not None:
        yield "own_sizes", "Expected p at each data set's own N and K", own_sizes_table(numbers.claims)
        yield (
            "raters",
            f"Expected p of MAE with {CLAIM_ITEMS} items, by responses per item",
            raters_table(numbers),
        )
    yield from tables_of(grid)
    for source, (ratings, prior) in fits.items():
        base = f"fit_{published_source(source)}"
        own, matrix = read_prior(prior), stored_ratings(ratings)[0].matrix()
        name = f"{own.caution} {label(published_source(source))}".lstrip()
        caption = f"{name}: how well the published prior and our own fit describe the ratings"
        priors = (published_prior(published_source(source)), own)
        yield base, caption, fit_table(*(describe_fit(each, matrix, own.response) for each in priors))
        table = own_fit_p_values(grid, source)
        if len(table):
            caption = f"{name}: expected p under the published prior and under our own fit (recommended)"
            yield f"{base}_p_values", caption, own_fit_table(table)
    if power is not None:
        yield "power", "Figure 6: power of each test, with 95 % Clopper-Pearson intervals", power_table(power)


def own_sizes_table(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the p-values at each data set's own size: a row per source, ε, metric and semantics."""
    import pandas as pd

    parts = []
    for semantics in METRIC_OF_COLUMN:
        rows = in_papers_order(of_columns(claims, semantics))
        sizes = zip(rows["source"], rows["n_items"], rows["k_responses"], strict=True)
        parts.append(rows[[own_size(source) == (n, k) for source, n, k in sizes]])
    rows = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(
        {
            "dataset": rows["source"].map(label),
            "N": rows["n_items"],
            "K": rows["k_responses"],
            "ε": rows["epsilon_b"].map("{:g}".format),
            "metric": rows["column"].map(COLUMNS),
            "semantics": rows["semantics"],
            "p": rows["p"],
            "± MC": rows["standard_error"],
            "p < .05": (rows["p"] < ALPHA).map({True: "yes", False: "no"}),
        }
    )


def raters_table(numbers: Numbers) -> pd.DataFrame:
    """Return the p-values of MAE with 1000 items: a row per source, ε and semantics, a column per K."""
    import pandas as pd

    parts = [numbers.extra(semantics) for semantics in METRIC_OF_COLUMN]
    rows = in_papers_order(pd.concat(parts, ignore_index=True))
    rows = rows[(rows["n_items"] == CLAIM_ITEMS) & (rows["column"] == "mae")]
    key = ["source", "epsilon_b", "semantics"]
    wide = rows.set_index([*key, "k_responses"])["p"].unstack("k_responses")
    wide = (
        wide.reindex(pd.MultiIndex.from_frame(rows[key].drop_duplicates()))
        .rename(columns="p, K = {}".format)
        .reset_index()
    )
    wide = wide.assign(source=wide["source"].map(label), epsilon_b=wide["epsilon_b"].map("{:g}".format))
    return wide.rename(columns={"source": "dataset", "epsilon_b": "ε"}).rename_axis(columns=None)


def tables_of(grid: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the tables of p-values as (file name, caption, table)."""
    tables = []
    for semantics in METRIC_OF_COLUMN:
        cells, picks = compare(grid, semantics), pick_beyond_paper(grid, semantics)
        for epsilon in sorted(set(grid["epsilon_b"])):
            title = table_name(epsilon).replace("table_0", "Table ").replace("_", " ")
            rule = f"smallest N·K with p < .05, ε = {epsilon:g} ({semantics})"
            at = cells[cells["epsilon_b"] == epsilon]
            if semantics == "published" and len(at):
                caption = f"{title}: {rule}, published and ours"
                tables.append((table_name(epsilon), caption, published_and_ours(at)))
            else:
                chosen = picks[picks["epsilon_b"] == epsilon]
                caption = f"{title}: {rule}"
                tables.append((placed(semantics, table_name(epsilon)), caption, picked(chosen)))
    ratios = overstatement(grid)
    if len(ratios):
        caption = "The published p-value as a multiple of the recommended one, at the published N·K and K"
        tables.append(("overstatement", caption, overstatement_table(ratios)))
    return tables


def published_and_ours(cells: pd.DataFrame) -> pd.DataFrame:
    """Return one of Tables 1 to 3: a row per dataset and metric, the published cell beside ours."""
    import pandas as pd

    return pd.DataFrame(
        {
            "dataset": cells["source"].map(label),
            "metric": cells["column"].map(COLUMNS),
            "NK": _whole(cells["published_n_times_k"]),
            "K": _whole(cells["published_k"]),
            "published p": cells["published_p"],
            "p": cells["p"],
            "± MC": cells["standard_error"],
            "z p": cells["z_p"],
            "published Δ": cells["published_effect"],
            "Δ": cells["effect"],
            "z Δ": cells["z_effect"],
            "our NK": _whole(cells["picked_n_times_k"]),
            "our K": _whole(cells["picked_k"]),
            "p there": cells["picked_p"],
            "Δ there": cells["picked_effect"],
            "pick": picks_of_rule(cells),
        }
    )


def picked(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the picks of the paper's rule from our numbers: a row per dataset and metric that has one."""
    import pandas as pd

    return pd.DataFrame(
        {
            "dataset": rows["source"].map(label),
            "metric": rows["column"].map(COLUMNS),
            "NK": _whole(rows["picked_n_times_k"]),
            "K": _whole(rows["picked_k"]),
            "p": rows["picked_p"],
            "± MC": rows["picked_error"],
            "Δ": rows["picked_effect"],
        }
    )


def overstatement_table(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return `overstatement` for people."""
    import pandas as pd

    return pd.DataFrame(
        {
            "dataset": ratios["source"].map(label),
            "metric": ratios["column"].map(COLUMNS),
            "ε": ratios["epsilon_b"].map("{:g}".format),
            "NK": _whole(ratios["published_n_times_k"]),
            "K": _whole(ratios["published_k"]),
            "published p": ratios["p"],
            "recommended p": ratios["plain_p"],
            "ratio": ratios["ratio"],
            "± MC": ratios["ratio_error"],
        }
    )


def own_fit_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return `own_fit_p_values` for people."""
    import pandas as pd

    return pd.DataFrame(
        {
            "metric": rows["column"].map(COLUMNS),
            "ε": rows["epsilon_b"].map("{:g}".format),
            "NK": rows["n_times_k"],
            "K": rows["k_responses"],
            "p, published prior": rows["p_published"],
            "± MC": rows["standard_error_published"],
            "p, own fit": rows["p_own"],
            "± MC of own": rows["standard_error_own"],
            "Δ, published prior": rows["effect_published"],
            "Δ, own fit": rows["effect_own"],
        }
    )


def fit_table(published: Description, own: Description) -> pd.DataFrame:
    """Return ratings, a published prior and our own fit side by side: a row per measure."""
    import pandas as pd

    rows = [
        (
            measure,
            getattr(own, f"{name}_data"),
            getattr(published, f"{name}_prior"),
            getattr(own, f"{name}_prior"),
        )
        for measure, name in _MOMENTS.items()
    ]
    rows += [
        (measure, None, getattr(published, name), getattr(own, name)) for measure, name in _DISTANCES.items()
    ]
    table = pd.DataFrame(rows, columns=["measure", "ratings", "published prior", "own fit"])
    return table.astype(dict.fromkeys(table.columns[1:], float))


def read_power(files: Sequence[str | os.PathLike[str]]) -> pd.DataFrame:
    """Return files of power, as the step power writes them, as one table in order of size."""
    table = read_partitioned(files, POWER, ("source",))
    return table.sort_values(["source", "epsilon_b", "n_items", "k_responses"], kind="stable")


def power_table(power: pd.DataFrame) -> pd.DataFrame:
    """Return power for people: a row per size and test."""
    import pandas as pd

    return pd.DataFrame(
        {
            "dataset": power["source"].map(label),
            "ε": power["epsilon_b"].map("{:g}".format),
            "N": power["n_items"],
            "K": power["k_responses"],
            "test": power["test"].map(lambda test: TESTS.get(test, test)),
            "power": power["power"],
            "low": power["low"],
            "high": power["high"],
        }
    )


def _whole(values: pd.Series) -> pd.Series:
    """Return whole numbers, missing where the paper or our rule has a dash."""
    whole: pd.Series = values.astype("Int64").astype(object)
    return whole.where(values.notna(), None)
