"""The kinds of values in the configuration, and nbyk's own sections; studies add theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from nbyk.data.columns import Columns
from nbyk.data.download import default_folder, default_mirror
from nbyk.data.given import named_systems
from nbyk.data.lm_eval import results_beside
from nbyk.data.scales import scale_from_text
from nbyk.data.sources import OWN_FIT, source_names
from nbyk.data.sources import source as source_named
from nbyk.errors import NbykError, check_name, no_such_file, unknown_name
from nbyk.metrics import get
from nbyk.metrics.registry import kind_scored, named
from nbyk.options import NOT_OF_JUDGE, OF_GOLD, OF_ITEMS, OF_JUDGE
from nbyk.resampling.samplers import check_null, get_sampler
from nbyk.testing.corrections import Correction
from nbyk.testing.scores.facts import ASO, TESTS
from nbyk.words import number_in

NAME = "[A-Za-z0-9_-]+"
"""The names that a comparison may have, as a regular expression; its folder has the same name."""


def _own_name(name: str) -> str:
    if name == "simulated" or name in source_names():
        raise NbykError(f"{name!r} is a source that nbyk knows; give yours another name, or use ratings")
    if not re.fullmatch("[a-z0-9_]+", name) or name.endswith(OWN_FIT):
        raise NbykError(
            f"found {name!r}; a name has lower-case letters, digits and _, and does not end in _fit"
        )
    return name


def _folder_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise NbykError(f"found {name!r}; a name has letters, digits, _ and -")
    return name


def _class_name(name: str) -> str:
    if "," in name:
        raise NbykError(f"found {name!r}; commas stand between classes: write it otherwise, in the files too")
    return name


def _written_scale(text: str) -> str:
    try:
        scale_from_text(text)
    except NbykError as error:
        raise NbykError(error.problem) from None  # the key has the name of the argument
    return text


def workflow_path(path: str) -> str:
    """Return a path if Snakemake cannot mistake it for something else."""
    if path.startswith("-"):
        raise NbykError(f"found {path!r}; expected a path, and this would be an option: write ./{path}")
    if re.search(r"\{.*\}", path):
        raise NbykError(
            f"found {path!r}; expected no braces, which Snakemake fills in: rename the file, or run nbyk "
            "without the workflow"
        )
    return path


def one_of(what: str, known: Sequence[str]) -> AfterValidator:
    """Return the check that a value is one of these names; `what` is the word for them in the error."""

    def check(name: str) -> str:
        check_name(what, name, known)
        return name

    return AfterValidator(check)


def _distinct(values: list[Any]) -> list[Any]:
    earlier: list[Any] = []
    for value in values:
        if value in earlier:
            raise NbykError(f"{value!r} is listed twice; keep one")
        earlier.append(value)
    return values


Epsilon = Annotated[float, Field(ge=0.0, le=1.0)]
PositiveShare = Annotated[float, Field(gt=0.0, le=1.0)]
ComparisonName = Annotated[str, AfterValidator(_folder_name)]
OwnName = Annotated[str, AfterValidator(_own_name)]
ScaleText = Annotated[str, AfterValidator(_written_scale)]
RatingsName = Annotated[str, AfterValidator(lambda name: source_named(name).name)]
Text = Annotated[str, Field(min_length=1)]
ClassName = Annotated[Text, AfterValidator(_class_name)]
DataPath = Annotated[Text, AfterValidator(workflow_path)]
Level = Annotated[float, Field(gt=0.0, lt=1.0)]
Responses = Annotated[int, Field(ge=1)]
SamplerName = Annotated[str, AfterValidator(lambda name: get_sampler(name).name)]
MetricName = Annotated[str, AfterValidator(lambda spec: get(spec).name)]
AnyMetricName = Annotated[str, AfterValidator(lambda spec: named(spec, kind_scored(spec) or "numbers").name)]
NullName = Annotated[str, AfterValidator(check_null)]
Population = Literal["items", "clusters", "raters", "runs", "tasks"]
TestName = Annotated[str, one_of("test", ("recommended", ASO, *TESTS))]
Distinct = AfterValidator(_distinct)


class Section(BaseModel):
    """A section of the configuration: no key that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse yes and no where a number belongs, which pydantic takes for 1 and 0."""
        of = cls.model_fields[str(info.field_name)].annotation
        kinds = {getattr(kind, "__origin__", kind) for kind in (of, *get_args(of))}
        booleans = [of for of in (value if isinstance(value, list) else [value]) if isinstance(of, bool)]
        if booleans and kinds & {int, float}:
            raise NbykError(f"found {'yes' if booleans[0] else 'no'}, which is no number; expected one")
        return value


class SizeSection(Section):
    """The number of items and of responses per item in a test set."""

    n_items: int = Field(1000, ge=2)
    """Items N of a test set."""
    k_responses: int = Field(5, ge=1)
    """Responses per item K of the gold and of either system."""


class OwnRatings(Section):
    """A table of ratings of your own."""

    path: DataPath
    """Path of the table. nbyk reads it as `nbyk.read_ratings` does."""
    scale: ScaleText
    """Scale of its values: levels (1,2,3,4,5), two ends (0..100) or binary."""


class Downloads(Section):
    """Downloads of published ratings, by `nbyk data fetch` and by the workflow (docs/data.md)."""

    folder: DataPath | None = None
    """Folder of downloads. By default the value of the variable NBYK_DATA. Without it, nbyk's folder in
    your cache."""
    mirror: DataPath | None = None
    """Address below which the files lie as SOURCE/FILE, or a folder with that layout. By default the value of
    the variable NBYK_MIRROR. Without it, nbyk downloads from the makers of the data."""

    @property
    def chosen_folder(self) -> Path:
        """The folder of downloads."""
        return default_folder(self.folder)

    @property
    def chosen_mirror(self) -> str | None:
        """The mirror, if there is one."""
        return default_mirror(self.mirror)


class Comparison(Section):
    """A comparison of your own systems, under a name that you choose. `snakemake comparisons` runs all."""

    systems: list[DataPath] = Field(min_length=1)
    """Files or logs of responses, as path or name=path; or one file, of one system or all, or of votes.
    System A comes first."""
    gold: DataPath | None = None
    """File of people's ratings. If you leave it out, nbyk compares the systems' own ratings."""
    judge: DataPath | None = None
    """A judge's scores of all outputs. Systems is then one table of people's ratings of some, which correct
    the judge (docs/judge.md)."""
    judge_name: Text | None = None
    """The judge to take, if a column judge names several."""
    counts: Text | None = None
    """Beside a judge: what each class or vote counts, as in yes=1,no=0."""
    chance: Text | None = None
    """Beside a judge: people's column of the chance with which each output was chosen."""
    batch: Text | None = None
    """Beside a judge: people's column of batches."""
    slices: Text | None = None
    """Beside a judge: the judge's column of slices of items."""
    metrics: Annotated[list[AnyMetricName], Distinct] = Field([])
    """Metrics to compare by (`nbyk metrics` lists them). By default mae, or mean if there is no gold;
    accuracy for classes, cross_entropy for distributions."""
    kind: Literal["numbers", "classes", "distributions", "scores"] | None = None
    """What the responses are. By default what the files and the metrics say."""
    lower_is_better: bool | None = None
    """Without gold: whether lower values or scores are better, as of errors and times. By default higher, or
    what a log says."""
    margin: float | None = Field(None, gt=0)
    """The largest difference that does not matter, in the ratings' own unit: is A worse than B by that much,
    and are they equivalent within it?"""
    looks: int = Field(1, ge=1)
    """How often you look as data come in, at about equal steps; all looks together keep α."""
    suite: Text | None = None
    """Column of the task of each item. The score is then a weighted mean of the tasks' scores."""
    weights: Text | None = None
    """Beside a suite: macro (all tasks alike, the default), micro (by items), or as in law=2,art=1."""
    test: TestName | None = None
    """Test of scores of runs (docs/tests.md). By default recommended."""
    classes: Annotated[list[ClassName], Distinct] | None = Field(None, min_length=2)
    """The classes in their order. By default those of gold."""
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
    only: list[Text] | None = Field(None, min_length=1)
    """Names of the systems to compare, if not all; the first is A."""
    against: Text | None = None
    """Name of a baseline. nbyk then compares every other system with the baseline only. Or a score, as in
    "0.8", that each system is compared with."""
    correction: Correction = "holm"
    """Correction of p for the number of pairs, if you compare three systems or more."""
    generalise: list[Literal["items", "clusters", "raters", "runs", "tasks"]] | None = Field(
        None, min_length=1
    )
    """Population of the claim. By default items, their clusters, and the raters and runs that items share, if
    two or more. Beside a suite, tasks are new ones too."""
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
        names = self.only or list(named_systems(self.systems))
        against = self.against if self.against in names else None
        is_score = against is None and number_in(self.against or "") is not None
        if len(names) > 1 and self.against is not None and against is None and not is_score:
            raise unknown_name("system", self.against, names).about(key="against")
        if len(names) > 2 and self.alternative != "two-sided" and self.against is None:
            raise NbykError(
                f"found {self.alternative!r} for all pairs of {len(names)} systems; name a "
                "baseline under against, or choose two-sided",
                key="alternative",
            )
        unused = [
            (OF_GOLD, self.gold is None, "it is about gold, and there is none"),
            (OF_JUDGE, self.judge is None, "it is about people and a judge, and there is none"),
            (NOT_OF_JUDGE - {"generalise"}, self.judge is not None, "people and a judge have no use for it"),
            (OF_ITEMS, self.kind == "scores", "scores of runs have no items"),
            ({"weights"}, self.suite is None, "it is of a suite, and there is none"),
            ({"full"}, len(names) > 2 or is_score or self.suite, "it looks closer at a pair of systems"),
        ]
        for name in self._given():
            for parameters, is_unused, why in unused:
                if is_unused and {"metrics": "metric", "filter": "filter_"}.get(name, name) in parameters:
                    raise NbykError(f"{why}; leave it out", key=name)
        Columns(self.item, self.rater, self.value, self.cluster)  # a column has one role
        if self.gold is None:
            for name in self.metrics:
                named(name, self.kind or kind_scored(name) or "numbers").check_gold(False)
        return self

    def files(self) -> list[str]:
        """Return the files that are compared, including those in folders and the results beside a log."""
        files: list[str] = []
        for path in [*filter(None, (self.gold, self.judge)), *named_systems(self.systems).values()]:
            place = Path(path)
            if not place.exists():
                raise no_such_file(path)
            inside = [place, *results_beside(place)]
            if place.is_dir():
                inside = sorted(file for file in place.rglob("[!.]*") if file.is_file())
            files += [workflow_path(str(file)) for file in inside]
        return [*dict.fromkeys(files)]

    def _given(self) -> list[str]:
        """Return the keys whose options are given to `nbyk compare`."""
        empty = {"metrics": [], "full": False}
        given = {
            name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set
        }
        return [name for name, value in given.items() if value not in (None, empty.get(name))]

    def options(self) -> list[str]:
        """Return the options of `nbyk compare` that are given, except files of metrics and the seed."""
        options = [f"--metric={metric}" for metric in self.metrics]
        which = "lower" if self.lower_is_better else "higher"
        flags = {"full": "full", "lower_is_better": f"{which}-is-better"}
        for name in self._given():
            value = getattr(self, name)
            if name in ("systems", "metrics"):
                continue
            if isinstance(value, list):
                value = ",".join(value)
            if name == "pair_runs":
                value = "yes" if value else "no"
            said = f"{name.removeprefix('n_').replace('_', '-')}={value}"
            options.append(f"--{flags.get(name, said)}")
        return options
