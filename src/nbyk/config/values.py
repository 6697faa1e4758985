"""The kinds of values that the configuration has, each with what it may be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from nbyk.data.scales import scale_from_text
from nbyk.data.sources import source as source_named
from nbyk.data.sources import source_names
from nbyk.errors import NbykError, unknown_name
from nbyk.metrics import get
from nbyk.resampling.samplers import check_null, get_sampler
from nbyk.studies import boostsa2022, homan2025, ulmer2022

NAME = "[A-Za-z0-9_-]+"
"""What a comparison may be called, as a regular expression: its name is that of a folder."""


def _own_name(name: str) -> str:
    if name == "simulated" or name in source_names():
        raise NbykError(f"{name!r} is a source that nbyk knows; call yours otherwise, or use ratings")
    if not re.fullmatch("[a-z0-9_]+", name) or name.endswith(homan2025.OWN_FIT):
        raise NbykError(f"found {name!r}; a name has lower-case letters, digits and _, and ends not in _fit")
    return name


def _folder_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise NbykError(f"found {name!r}; a name has letters, digits, _ and -")
    return name


def _written_scale(text: str) -> str:
    scale_from_text(text)
    return text


def _known_ratings(name: str) -> str:
    return source_named(name).name


_GRID_SOURCES = (*homan2025.LABELS, *(f"{source}{homan2025.OWN_FIT}" for source in homan2025.LABELS))


def workflow_path(path: str) -> str:
    """Return a path that Snakemake takes for nothing else.

    Raises
    ------
    NbykError
        If the command line of a job would take it for an option, or Snakemake finds a wildcard in it.
    """
    if path.startswith("-"):
        raise NbykError(f"found {path!r}; expected a path, and this would be an option: write ./{path}")
    if re.search(r"\{.*\}", path):
        raise NbykError(
            f"found {path!r}; expected no braces, which Snakemake fills in: rename the file, or run nbyk "
            "without the workflow"
        )
    return path


def _one_of(what: str, known: Sequence[str]) -> AfterValidator:
    def check(name: str) -> str:
        if name not in known:
            raise unknown_name(what, name, known)
        return name

    return AfterValidator(check)


def _canonical_sampler(name: str) -> str:
    return get_sampler(name).name


def _distinct(values: list[Any]) -> list[Any]:
    seen: list[Any] = []
    for value in values:
        if value in seen:
            raise NbykError(f"{value!r} is listed twice; keep one")
        seen.append(value)
    return values


Epsilon = Annotated[float, Field(ge=0.0, le=1.0)]
ComparisonName = Annotated[str, AfterValidator(_folder_name)]
OwnName = Annotated[str, AfterValidator(_own_name)]
DesignName = Annotated[str, Field(pattern="^[a-z0-9_]+$")]
ScaleText = Annotated[str, AfterValidator(_written_scale)]
RatingsName = Annotated[str, AfterValidator(_known_ratings)]
Text = Annotated[str, Field(min_length=1)]
DataPath = Annotated[Text, AfterValidator(workflow_path)]
GridSourceName = Annotated[str, _one_of("source", _GRID_SOURCES)]
CalibrationSourceName = Annotated[str, _one_of("source", ("simulated", *_GRID_SOURCES))]
DistributionName = Annotated[
    str, _one_of("distribution", (*ulmer2022.DISTRIBUTIONS, *ulmer2022.FURTHER_DISTRIBUTIONS))
]
ScoreTestName = Annotated[str, _one_of("test", (*ulmer2022.TESTS, *ulmer2022.FURTHER_TESTS))]
SampleSize = Annotated[int, Field(ge=2)]
Lead = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Level = Annotated[float, Field(gt=0.0, lt=1.0)]
Fraction = Annotated[float, Field(gt=0.0, le=1.0)]
BalancedSize = Annotated[int, Field(ge=boostsa2022.SIZE_STEP, multiple_of=boostsa2022.SIZE_STEP)]
LevelSize = Annotated[int, Field(ge=20)]
Discordance = Annotated[float, Field(ge=0.005, le=0.25)]
ScoreName = Annotated[str, _one_of("score", (*boostsa2022.HARD_SCORES, *boostsa2022.SOFT_SCORES))]
PositiveEpsilon = Annotated[float, Field(gt=0.0, le=1.0)]
Budget = Annotated[int, Field(ge=2)]
Responses = Annotated[int, Field(ge=1)]
SamplerName = Annotated[str, AfterValidator(_canonical_sampler)]
MetricName = Annotated[str, AfterValidator(lambda spec: get(spec).name)]
NullName = Annotated[str, AfterValidator(check_null)]
Distinct = AfterValidator(_distinct)
