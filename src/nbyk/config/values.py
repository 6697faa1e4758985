"""The kinds of values in the configuration, each with its check."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from nbyk.data.scales import scale_from_text
from nbyk.data.sources import OWN_FIT, source_names
from nbyk.data.sources import source as source_named
from nbyk.errors import NbykError, unknown_name
from nbyk.metrics import get
from nbyk.resampling.samplers import check_null, get_sampler

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


def _written_scale(text: str) -> str:
    scale_from_text(text)
    return text


def _known_ratings(name: str) -> str:
    return source_named(name).name


def workflow_path(path: str) -> str:
    """Return a path if Snakemake cannot mistake it for something else.

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


def one_of(what: str, known: Sequence[str]) -> AfterValidator:
    """Return the check that a value is one of these names; `what` is the word for them in the error."""

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
PositiveShare = Annotated[float, Field(gt=0.0, le=1.0)]
ComparisonName = Annotated[str, AfterValidator(_folder_name)]
OwnName = Annotated[str, AfterValidator(_own_name)]
DesignName = Annotated[str, Field(pattern="^[a-z0-9_]+$")]
ScaleText = Annotated[str, AfterValidator(_written_scale)]
RatingsName = Annotated[str, AfterValidator(_known_ratings)]
Text = Annotated[str, Field(min_length=1)]
DataPath = Annotated[Text, AfterValidator(workflow_path)]
Level = Annotated[float, Field(gt=0.0, lt=1.0)]
Responses = Annotated[int, Field(ge=1)]
SamplerName = Annotated[str, AfterValidator(_canonical_sampler)]
MetricName = Annotated[str, AfterValidator(lambda spec: get(spec).name)]
NullName = Annotated[str, AfterValidator(check_null)]
Distinct = AfterValidator(_distinct)
