"""The section `comparisons` of the configuration: comparisons, with the options of `nbyk compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from nbyk.config.sections import Section
from nbyk.config.values import DataPath, Level, MetricName, NullName, ScaleText, Text, workflow_path
from nbyk.data.given_systems import named_systems
from nbyk.errors import NbykError, unknown_name
from nbyk.metrics import get
from nbyk.testing.corrections import Correction


class Comparison(Section):
    """A comparison of your own systems, under a name that you choose. `snakemake comparisons` runs all."""

    systems: list[DataPath] = Field(min_length=1)
    """Files or logs of responses, as path or name=path, or one table of all systems. System A comes first."""
    gold: DataPath | None = None
    """File of people's ratings. If you leave it out, nbyk compares the systems' own ratings."""
    metrics: list[MetricName] = Field([])
    """Metrics to compare by (`nbyk metrics` lists them). By default mae, or mean if there is no gold."""
    null: NullName = "swap_items"
    """Null hypothesis. swap_items and shifted: A and B are equally good. permutation, pooled and
    pooled_twice: A and B answer every item alike."""
    alternative: Literal["two-sided", "greater", "less"] = "two-sided"
    """Side to test: two-sided (A and B differ), greater (A is better) or less (B is better)."""
    alpha: Level = 0.05
    """Level α of the test: it rejects the null if p ≤ α."""
    confidence_level: Level = 0.95
    """Confidence level of the intervals."""
    interval: Literal["percentile", "bca"] = "percentile"
    """Interval that the sentence prints: percentile or bca."""
    against: Text | None = None
    """Name of a baseline. nbyk then compares every other system with the baseline only."""
    correction: Correction = "holm"
    """Correction of p for the number of pairs, if you compare three systems or more."""
    generalise: list[Literal["items", "clusters", "raters", "runs"]] | None = Field(None, min_length=1)
    """Population of the claim. By default items, their clusters, and the raters and runs that items share, if
    two or more."""
    rater_ids: Literal["shared", "fresh"] | None = None
    """Meaning of the ids of gold's raters: shared (people) or fresh (slots, with other people on each item).
    By default shared, if an id answers two items or more."""
    run_ids: Literal["shared", "fresh"] | None = None
    """Meaning of the ids of the systems' runs: shared or fresh, as for raters."""
    pair_runs: bool = False
    """Whether runs of one name are the same for all systems, as runs of one seed may be."""
    scale: ScaleText | None = None
    """Scale of all ratings: two ends (1..5), levels ("1,2,3,4,5") or binary. By default from 0 to 1."""
    on_missing: Literal["refuse", "drop"] = "refuse"
    """What to do if files lack items: refuse, or drop the items that some files lack."""
    item: Text = "item"
    """Column of items."""
    rater: Text = "rater"
    """Column of raters, or of a system's runs."""
    value: Text = "value"
    """Column of values."""
    cluster: Text | None = None
    """Column of clusters of items, such as the text of a question. By default there are none."""
    gold_item: Text | None = None
    """Gold's column of items, if it has another name."""
    gold_rater: Text | None = None
    """Gold's column of raters, if it has another name."""
    gold_value: Text | None = None
    """Gold's column of values, if it has another name."""
    system: Text | None = None
    """Column of systems, if one table holds them all."""
    on_duplicates: Literal["refuse", "first", "last", "mean"] = "refuse"
    """What to do if a rater rates an item twice: refuse, or take the first, the last or the mean."""
    on_empty: Literal["refuse", "drop"] = "refuse"
    """What to do about rows without a value: refuse or drop."""
    samples_metric: Text | None = None
    """For logs of lm_eval: the score to use, if a log has several."""
    task: Text | None = None
    """For logs of lm_eval: the task to use, if a log has several."""
    filter: Text | None = None
    """For logs of lm_eval: the filter to use, if a log has several."""
    full: bool = False
    """For two systems: also test by every metric, null and sampler, and find the size that would
    settle it."""
    n_resamples: int = Field(9_999, ge=1)
    """Draws M of the bootstrap. The null begins with as many and may take more."""
    max_resamples: int = Field(999_999, ge=1)
    """Largest number of draws of the null."""

    @model_validator(mode="after")
    def _goes_together(self) -> Comparison:
        names = list(named_systems(self.systems))
        if len(names) == 1 and self.system is None:
            raise NbykError(
                f"found {self.systems}, expected at least two, or one table and the column of its systems "
                "under system",
                key="systems",
            )
        if len(names) > 1 and self.against is not None and self.against not in names:
            raise unknown_name("system", self.against, names).about(key="against")
        if len(names) > 2 and self.alternative != "two-sided" and self.against is None:
            raise NbykError(
                f"found {self.alternative!r} for all pairs of {len(names)} systems; name a "
                "baseline under against, or choose two-sided",
                key="alternative",
            )
        if self.gold is None:
            for name in self.metrics:
                get(name).check_gold(False)
        return self

    def files(self) -> list[str]:
        """Return the files that are compared, including those in folders of logs.

        Raises
        ------
        NbykError
            If a file is missing, or `workflow_path` refuses its name.
        """
        found: list[str] = []
        for path in [*([self.gold] if self.gold else []), *named_systems(self.systems).values()]:
            place = Path(path)
            if not place.exists():
                raise NbykError("no such file; check the path", file=path)
            inside = sorted(place.rglob("samples_*.jsonl")) if place.is_dir() else [place]
            found += [workflow_path(str(file)) for file in inside]
        return found

    def options(self) -> list[str]:
        """Return the options of `nbyk compare`, except files of metrics, the seed and the output."""
        options = [f"--metric={metric}" for metric in self.metrics]
        if self.full:
            options.append("--full")
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, list):
                value = ",".join(value)
            if name == "pair_runs":
                value = "yes" if value else "no"
            if name not in ("systems", "metrics", "full") and value is not None:
                options.append(f"--{name.removeprefix('n_').replace('_', '-')}={value}")
        return options
