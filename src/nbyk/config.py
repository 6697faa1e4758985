"""The typed configuration: the source of the defaults, the JSON schema and the config reference.

`load_config` reads a file; `validate` checks a mapping that Snakemake has already merged. Both raise an
error that names the file, the line and the key before any job starts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from nbyk.data.sources import source_names
from nbyk.errors import NbykError, unknown_name
from nbyk.metrics import get, load_file
from nbyk.resampling.samplers import WEIN_SAMPLERS, check_null, get_sampler
from nbyk.studies.wein2023 import COLUMNS


def _known_source(name: str) -> str:
    known = ("simulated", *source_names())
    if name not in known:
        raise unknown_name("source", name, known)
    return name


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
SourceName = Annotated[str, AfterValidator(_known_source)]
SamplerName = Annotated[str, AfterValidator(_canonical_sampler)]
MetricName = Annotated[str, AfterValidator(lambda spec: get(spec).name)]
NullName = Annotated[str, AfterValidator(check_null)]
Distinct = AfterValidator(_distinct)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Size(_Section):
    """How many items and responses per item a test set has."""

    n_items: int = Field(1000, ge=2)
    """Items N of a test set."""
    k_responses: int = Field(5, ge=1)
    """Responses per item K of the gold and of either system."""


class Config(_Section):
    """Everything a run depends on; one key, one meaning."""

    seed: int = Field(2023, ge=0)
    """Seed of every random number. Another seed gives another, equally valid, set of results."""
    semantics: Annotated[list[Literal["published", "recommended"]], Distinct] = Field(
        ["published", "recommended"], min_length=1
    )
    """How a p-value is computed: as the paper's published numbers were, as nbyk recommends, or both."""
    sources: Annotated[list[SourceName], Distinct] = Field(
        ["simulated", "toxicity", "convabuse"], min_length=1
    )
    """Where items and responses come from: a published prior, or ratings that a prior is fitted to."""
    toxicity_ratings: str | None = None
    """Path of your decrypted toxicity_ratings.json (Kumar et al. 2021); else the published prior serves."""
    epsilons: Annotated[list[Epsilon], Distinct] = Field([0.0, 0.05, 0.1, 0.3, 0.7], min_length=1)
    """Perturbations ε_B of system B's item means, each in [0, 1]; 0 makes the systems equal."""
    sizes: Annotated[list[Size], Distinct] = Field([Size(n_items=1000, k_responses=5)], min_length=1)
    """Sizes (N, K) of the test sets. The tables show the first; results/pvalues holds them all."""
    samplers: Annotated[list[SamplerName], Distinct] = Field(list(WEIN_SAMPLERS), min_length=1)
    """Item sampler/response sampler pairs that resample a test set."""
    metric_files: Annotated[list[str], Distinct] = Field([])
    """Python files of your own that register metrics (docs/guide.md)."""
    metrics: Annotated[list[MetricName], Distinct] = Field(list(COLUMNS), min_length=1)
    """Metrics that compare a system with the gold: the paper's nine columns, any other built-in, or yours."""
    recommended_null: NullName = "pooled"
    """Null of the recommended semantics: pooled, pooled_twice, permutation, swap_items or shifted."""
    n_draws: int = Field(1000, ge=2)
    """Draws M under either hypothesis behind each true p-value."""
    n_resamples: int = Field(1000, ge=2)
    """Resamples M under either hypothesis behind each estimated p-value."""
    n_references: int = Field(20, ge=2)
    """Reference test sets per cell: the first is reported, all of them give the estimate's distribution."""
    n_spread_resamples: int = Field(200, ge=2)
    """Resamples M of the reference test sets after the first."""

    @model_validator(mode="after")
    def _shifted_null_bootstraps_items(self) -> Config:
        fixed = [name for name in self.samplers if name.startswith("all_items")]
        if self.recommended_null == "shifted" and "recommended" in self.semantics and fixed:
            raise NbykError(
                f"recommended_null: the shifted null is for samplers that bootstrap items; drop {fixed[0]}"
            )
        return self


def load_config(path: str | Path) -> Config:
    """Read and validate a YAML configuration.

    Raises
    ------
    NbykError
        If the file is missing, is not YAML, or a key or value is wrong; the message names file and line.
    """
    return validate(_read_yaml(path), files=[path])


def validate(values: Mapping[str, Any], *, files: Sequence[str | Path] = ()) -> Config:
    """Validate a configuration that was read already.

    Parameters
    ----------
    values
        The merged configuration.
    files
        The files it came from, to find the line of what is wrong; the last one that has a key wins.

    Raises
    ------
    NbykError
        One line for each wrong key or value.
    """
    metric_files = values.get("metric_files")
    for index, metric_file in enumerate(metric_files if isinstance(metric_files, list) else []):
        try:
            if isinstance(metric_file, str):
                load_file(metric_file)
        except NbykError as error:
            raise NbykError(f"{_place(('metric_files', index), files)}: {error}") from None
    try:
        return Config.model_validate(dict(values))
    except ValidationError as error:
        problems = [_explain(problem, files) for problem in error.errors()]
        raise NbykError("\n".join(problems)) from None


def json_schema() -> str:
    """Return the JSON schema of the configuration, for editors that check YAML as it is typed."""
    return json.dumps(Config.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def reference_page() -> str:
    """Return the config reference as Markdown: every key with its default and meaning."""
    lines = [
        "# Configuration",
        "",
        "<!-- Written by `nbyk config reference`; edit src/nbyk/config.py instead. -->",
        "",
        "Every key of `config.yaml`. A key that is left out has its default; a key that does not exist, or a",
        "value out of range, stops the run before its first job.",
        "",
        "| key | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Config.model_fields.items():
        default = json.loads(Config.model_validate({}).model_dump_json())[name]
        shown = json.dumps(default, ensure_ascii=False)
        lines.append(f"| `{name}` | `{shown}` | {field.description} |")
    return "\n".join(lines) + "\n"


def _read_yaml(path: str | Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NbykError(
            f"{path}: no such file; give the path of a configuration, such as config.yaml"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        where = getattr(error, "problem_mark", None)
        line = f":{where.line + 1}" if where else ""
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise NbykError(f"{path}{line}: not YAML ({problem})") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise NbykError(f"{path}: expected keys and values, found {type(content).__name__}")
    return content


def _explain(problem: Any, files: Sequence[str | Path]) -> str:
    location = tuple(part for part in problem["loc"])
    place = _place(location, files)
    key = ".".join(str(part) for part in location)
    if problem["type"] == "extra_forbidden":
        section = Size if location[0] == "sizes" else Config
        return f"{place}: {unknown_name('key', str(location[-1]), section.model_fields)}"
    if problem["type"] == "value_error":
        return f"{place}: {key}: {problem['ctx']['error']}"
    found = problem["input"]
    return f"{place}: {key}: found {found!r}; {problem['msg'][0].lower()}{problem['msg'][1:]}"


def _place(location: Sequence[int | str], files: Sequence[str | Path]) -> str:
    """Return "file:line" of a key or value, or "configuration" where no file has it."""
    for path in reversed(files):
        try:
            node = yaml.compose(Path(path).read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError):
            continue
        line = _line(node, location)
        if line is not None:
            return f"{path}:{line}"
    return "configuration"


def _line(node: yaml.Node | None, location: Sequence[int | str]) -> int | None:
    line = None
    for part in location:
        if isinstance(node, yaml.MappingNode):
            match = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            if match is None:
                return line
            line, node = match[0].start_mark.line + 1, match[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line
