"""Write what docs/calibration.md says of calibration from the rates in docs/calibration.

`python scripts/calibration_docs.py` fills the marked parts of the page and draws its figures.
`--rates results/calibration/rates` first takes the rates of a new run, and `--check` writes nothing, and
exits with 1 if the text is not that of the rates.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pandas as pd

from nbyk.files import write_text
from nbyk.report.drawing import pictures
from nbyk_papers.calibration.design import IN_WORDS
from nbyk_papers.calibration.figures import metrics_figure, sizes_figure
from nbyk_papers.calibration.labels import read_labels
from nbyk_papers.calibration.reading import (
    COLUMNS,
    MAIN_ALPHA,
    METHOD,
    TESTS,
    band,
    groups,
    named,
    placed,
    read_rates,
    test_name,
)
from nbyk_papers.calibration.report import default_rates, summarise
from nbyk_papers.calibration.verdicts import BCA, EXPECTED_P, P_VALUE, PERCENTILE, TIES_AT_RANDOM

ROOT = Path(__file__).resolve().parents[1]
PAGE, SHIPPED = ROOT / "docs/calibration.md", ROOT / "docs/calibration"
RATES, UNLIKE, LABELS = (SHIPPED / name for name in ("rates.parquet", "unlike.csv", "labels.csv"))
METRIC = "mae"
INTERVAL_SAMPLER = "bootstrap_items/all"
DERIVED = ["rate", "low", "high"]
_KEY = ["definition", "sampler", "null", "alternative", "metric", "alpha", "source", "k_responses", "n_items"]
_MARKED = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write everything, or check that it is written."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rates", type=Path, help="folder of the rates of a new run")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if anything differs")
    chosen = parser.parse_args(arguments)
    if chosen.rates is not None:
        pack(chosen.rates)
    rates = shipped_rates()
    texts = {
        PAGE: page(
            PAGE.read_text(encoding="utf-8"),
            rates,
            pd.read_csv(UNLIKE, keep_default_na=False),
            pd.read_csv(LABELS),
        ),
    }
    if chosen.check:
        stale = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
        for path in stale:
            print(
                f"{path.relative_to(ROOT)} is not that of the rates; run: python scripts/calibration_docs.py"
            )
        sys.exit(bool(stale))
    for path, text in texts.items():
        write_text(path, text)
    main_rates = named(rates[rates["alpha"] == MAIN_ALPHA])
    is_power = main_rates["scenario"] == "power"
    figures = ROOT / "docs/figures"
    drawn = {"calibration": sizes_figure(main_rates[~is_power], "Type-I error")}
    drawn["calibration_metrics"] = metrics_figure(main_rates[~is_power])
    for name, figure in drawn.items():
        (figures / f"{name}.png").write_bytes(pictures(figure)[".png"])


def pack(folder: Path) -> None:
    """Keep the counts of a run's rates as one file; what follows from them is left out."""
    rates = read_rates(sorted(folder.rglob("*.parquet")))
    kept = rates[[*(name for name in COLUMNS if name not in DERIVED), "source"]]
    ordered = kept.sort_values([*_KEY, "epsilon_a", "epsilon_b"], ignore_index=True)
    ordered.to_parquet(RATES, index=False, compression="zstd")
    if of_labels := sorted((folder.parent / "labels").rglob("*.parquet")):
        counts = read_labels(of_labels).drop(columns=["low", "high"])
        write_text(LABELS, counts.to_csv(index=False, lineterminator="\n"))


def shipped_rates() -> pd.DataFrame:
    """Return the rates in docs/calibration as `read_rates` does."""
    counts = pd.read_parquet(RATES)
    return placed(counts.assign(rate=counts["rejections"] / counts["n_sets"]))


def page(text: str, rates: pd.DataFrame, unlike: pd.DataFrame, labels: pd.DataFrame) -> str:
    """Return the page with its marked parts made from the rates."""
    parts: dict[str, Callable[[], str]] = {
        "summary": lambda: summary(rates),
        "default": lambda: default(rates),
        "tests": lambda: tests(rates),
        "worst": lambda: worst(rates),
        "power": lambda: power(rates),
        "folded": lambda: expected(rates),
        "unlike": lambda: unlike_systems(unlike),
        "labels": lambda: of_labels(labels),
    }
    return _MARKED.sub(lambda found: found[1] + parts[found[2]]() + found[3], text)


def summary(rates: pd.DataFrame) -> str:
    """Return in a sentence or two how many rates of the default lie where."""
    found = summarise(rates)["default"]
    wide, random = found["outside_simultaneous"], found["with_ties_at_random"]
    axes = {name: rates[name].nunique() for name in ("source", "metric", "alpha")}
    kept = default_rates(rates)
    sizes = kept[["n_items", "k_responses"]].drop_duplicates()
    above = [
        f"`{row.metric}`, {row.dataset}, {row.size}, {row.true}, {row.alternative}, α = {row.alpha:g}: "
        f"{_number(row.rate)}"
        for row in named(kept[kept["place"] == "above"]).itertuples()
    ]
    listed = f" ({'; '.join(above)})" if above else ""
    return (
        f"Of the default's {found['rates']} Type-I errors ({axes['source']} sources, {len(sizes)} sizes, "
        f"{kept['epsilon_b'].nunique()} truths, {axes['metric']} metrics, {axes['alpha']} levels, one- and "
        f"two-sided) **{found['above']} lie above the 99 % band** around α{listed}, {found['inside']} "
        f"inside and {found['below']} below. If every test were exactly at its level, about "
        f"{found['outside_by_chance']:.0f} would lie outside by chance, half of them above. With wider "
        f"bands, which hold all {found['rates']} rates at once with a chance of 99 % (Bonferroni), "
        f"{wide['above']} lie above and {wide['below']} below. If chance decides ties, on the same draws, "
        f"{random['above']} lie above the 99 % band, {random['inside']} inside and {random['below']} below.\n"
    )


def default(rates: pd.DataFrame) -> str:
    """Return the default's two-sided Type-I error at every size, source and truth."""
    kept = default_rates(rates[(rates["metric"] == METRIC) & (rates["alpha"] == MAIN_ALPHA)])
    rows = []
    for key, of in groups(named(kept[kept["alternative"] == "two-sided"]), ["dataset", "true"]):
        cells = {size: _rate(rows_of.iloc[0]) for size, rows_of in _sizes(of)}
        rows.append({"source": key["dataset"], "true": key["true"], **cells})
    return _table(rows)


def tests(rates: pd.DataFrame) -> str:
    """Return every test's Type-I error on one metric at every size and truth, over sources."""
    shown = named(_at_main_level(rates[(rates["scenario"] != "power") & (rates["metric"] == METRIC)]))
    rows = []
    for key, of in groups(shown, ["test"]):
        cells = {
            f"{truth['true']}, K {'=' if single else '>'} 1": _range(part)
            for single in (True, False)
            for truth, part in groups(_truths(of[(of["k_responses"] == 1) == single]), ["true"])
        }
        rows.append({"test": _code(key["test"]), **cells})
    return _table(rows)


def worst(rates: pd.DataFrame) -> str:
    """Return for every test how many of its two-sided rates lie where, and the largest, over all metrics."""
    under_null = rates[(rates["scenario"] != "power") & rates["definition"].isin(TESTS)]
    rows = []
    for key, of in groups(under_null[under_null["alternative"] == "two-sided"], METHOD):
        main = named(of[of["alpha"] == MAIN_ALPHA])
        largest = main.loc[main["rate"].idxmax()]
        rows.append(
            {
                "test": _code(test_name(**key)),
                **{
                    f"above, {what}": f"{100 * (part['place'] == 'above').mean():.0f} %"
                    for what, part in of.groupby("scenario")
                },
                "below": f"{100 * (of['place'] == 'below').mean():.0f} %",
                "largest": f"{_number(largest['rate'])}: `{largest['metric']}`, {largest['dataset']}, "
                f"{largest['size']}, {largest['true']}",
            }
        )
    return _table(rows)


def power(rates: pd.DataFrame) -> str:
    """Return every test's power by one metric with K > 1, a column per source and size."""
    better = rates[(rates["scenario"] == "power") & (rates["metric"] == METRIC)]
    shown = named(_at_main_level(better[better["k_responses"] > 1]))
    rows = []
    for key, of in groups(shown, ["test"]):
        cells = {
            f"{source['dataset']}, {size}": _number(part["rate"].item())
            for source, parts in groups(of, ["dataset"])
            for size, part in _sizes(parts)
        }
        rows.append({"test": _code(key["test"]), **cells})
    return _table(rows)


def expected(rates: pd.DataFrame) -> str:
    """Return how often expected p is below the level by sampler, null and truth: the largest over sources."""
    chosen = rates[
        (rates["definition"] == EXPECTED_P)
        & (rates["alternative"] == "folded")
        & (rates["alpha"] == MAIN_ALPHA)
        & (rates["scenario"] != "power")
        & (rates["metric"] == METRIC)
    ]
    rows = []
    for key, of in groups(chosen.sort_values("k_responses", kind="stable"), ["k_responses", "sampler"]):
        cells = {
            f"`{null['null']}`": " ".join(
                _rate(part.loc[part["rate"].idxmax()]) for _, part in groups(_truths(part_of), ["epsilon_b"])
            )
            for null, part_of in groups(of, ["null"])
        }
        rows.append({"K": f"{key['k_responses']}", "sampler": f"`{key['sampler']}`", **cells})
    return _table(rows)


def unlike_systems(unlike: pd.DataFrame) -> str:
    """Return the two-sided rates where unlike systems have the same mean error."""
    kept = unlike[(unlike["alpha"] == MAIN_ALPHA) & (unlike["definition"] != TIES_AT_RANDOM)]
    rows = []
    for key, of in groups(kept[kept["alternative"] == "two-sided"], METHOD):
        name = test_name(key["definition"], key["sampler"], key["null"])
        cells = {}
        for row in of.itertuples():
            low, high = band(row.n_sets, row.alpha)
            bold = "**" if not low <= row.rejections <= high else ""
            size = f"{row.source}, {row.n_items} × {row.k_responses} (s = {row.scale:.2f})"
            cells[size] = f"{bold}{_number(row.rate)}{bold}"
        rows.append({"test": _code(name), **cells})
    return _table(rows)


def of_labels(labels: pd.DataFrame) -> str:
    """Return the level of the recommended test of labels by metric, kind of people and number of classes."""
    at_main = labels[labels["alpha"] == MAIN_ALPHA]
    rows = []
    for key, of in groups(at_main, ["metric", "people"]):
        row = {"metric": f"`{key['metric']}`", "raters of an item": IN_WORDS[key["people"]]}
        for rate in of.sort_values("classes").itertuples():
            low, high = band(rate.n_sets, rate.alpha)
            bold = "" if low <= rate.rejections <= high else "**"
            row[f"{rate.classes} classes"] = f"{bold}{_number(rate.rate)}{bold}"
        rows.append(row)
    return _table(rows)


def _at_main_level(rates: pd.DataFrame) -> pd.DataFrame:
    """Return two-sided tests at the main level, of intervals those by whole items."""
    of_tests = (rates["definition"] == P_VALUE) & (rates["alternative"] == "two-sided")
    of_intervals = rates["definition"].isin([PERCENTILE, BCA]) & (rates["sampler"] == INTERVAL_SAMPLER)
    return rates[(of_tests | of_intervals) & (rates["alpha"] == MAIN_ALPHA)]


def _sizes(rates: pd.DataFrame) -> Iterable[tuple[str, pd.DataFrame]]:
    ordered = rates.sort_values(["k_responses", "n_items"], kind="stable")
    return ((str(key["size"]), rows) for key, rows in groups(ordered, ["size"]))


def _truths(rates: pd.DataFrame) -> pd.DataFrame:
    return rates.sort_values("epsilon_b", kind="stable")


def _rate(row: pd.Series) -> str:
    """Return a rate, bold where it lies outside its band."""
    return _number(row["rate"]) if row["place"] == "inside" else f"**{_number(row['rate'])}**"


def _range(rates: pd.DataFrame) -> str:
    """Return the least and the largest rate, each bold where it lies outside its band."""
    least, largest = (rates.loc[index] for index in (rates["rate"].idxmin(), rates["rate"].idxmax()))
    return f"{_rate(least)} – {_rate(largest)}"


def _number(rate: float) -> str:
    return f"{rate:.3f}".removeprefix("0")


def _code(test: str) -> str:
    return test if " " in test else f"`{test}`"


def _table(rows: list[dict[str, str]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [columns, *([row.get(name, "") for name in columns] for row in rows)]
    shown = [f"| {' | '.join(line)} |\n" for line in lines]
    return "\n" + "".join([shown[0], "|" + "---|" * len(columns) + "\n", *shown[1:]]) + "\n"


if __name__ == "__main__":
    main()
