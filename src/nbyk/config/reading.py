"""Reading and checking a configuration; every wrong key or value is named with its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from nbyk.config.sections import Downloads, Size
from nbyk.config.whole import Config, config_model, config_sections
from nbyk.errors import NbykError, unknown_name
from nbyk.metrics import load_file
from nbyk.yaml_text import parse_mapping, place_of, wrong_value

_MOST_SHOWN = 20


def check_files(files: Sequence[str | Path]) -> None:
    """Check what YAML's own reader, which Snakemake uses, would not say: keys that come twice, and others.

    Parameters
    ----------
    files
        Configurations; those that do not exist are passed over.

    Raises
    ------
    NbykError
        As `load_config`, where a file is not YAML; values are not looked at.
    """
    for path in files:
        if Path(path).exists():
            _read_yaml(path)


def load_config(path: str | Path) -> Config:
    """Read and validate a YAML configuration.

    Raises
    ------
    NbykError
        If the file is missing, is not YAML, or a key or value is wrong, or a file that it names is missing;
        the message names file and line.
    """
    return validate(_read_yaml(path), files=[path])


def load_downloads(path: str | Path) -> Downloads:
    """Read and validate the `downloads` of a YAML configuration, whatever else is in it.

    Raises
    ------
    NbykError
        As `load_config`, of that section alone.
    """
    values = _read_yaml(path)
    section = {key: values[key] for key in ("downloads",) if key in values}
    return validate(section, files=[path]).downloads


def named_copies(path: str | Path) -> dict[str, Path]:
    """Return the copies of sources under `ratings` that are there, whatever else is in a configuration."""
    named = _read_yaml(path).get("ratings")
    copies = {str(name): Path(str(copy)) for name, copy in named.items()} if isinstance(named, dict) else {}
    return {name: copy for name, copy in copies.items() if copy.exists()}


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
        One line for each wrong key or value, or one for a file that is missing.
    """
    metric_files = values.get("metric_files")
    for index, metric_file in enumerate(metric_files if isinstance(metric_files, list) else []):
        try:
            if isinstance(metric_file, str):
                load_file(metric_file)
        except NbykError as error:
            raise NbykError(f"{_place(('metric_files', index), files)}: {error}") from None
    try:
        config = config_model().model_validate(dict(values))
    except ValidationError as error:
        errors = error.errors()
        problems = [_explain(problem, files) for problem in errors[:_MOST_SHOWN]]
        if len(errors) > _MOST_SHOWN:
            problems.append(f"and {len(errors) - _MOST_SHOWN} more like these")
        raise NbykError("\n".join(problems)) from None
    for key, sources in (("ratings", config.ratings), ("own_ratings", config.own_ratings)):
        for source in sources:
            try:
                config.rating_files(source)
            except NbykError as error:
                raise NbykError(f"{_place((key, source), files)}: {key}.{source}: {error}") from None
    for name, comparison in config.comparisons.items():
        try:
            comparison.files()
        except NbykError as error:
            place = _place(("comparisons", name), files)
            raise NbykError(f"{place}: comparisons.{name}: {error}") from None
    return config


def _read_yaml(path: str | Path) -> dict[str, Any]:
    try:
        return parse_mapping(path, Path(path).read_bytes())
    except FileNotFoundError:
        raise NbykError(
            f"{path}: no such file; give the path of a configuration, such as config.yaml"
        ) from None


def _explain(problem: Any, files: Sequence[str | Path]) -> str:
    # pydantic ends the place of a mapping's wrong key so.
    location = tuple(part for part in problem["loc"] if part != "[key]")
    if not location:
        # A rule that ties keys together names the one at fault itself.
        named, _, _ = str(problem["ctx"]["error"]).partition(": ")
        keys = [int(key) if key.isdecimal() else key for key in named.split(".")]
        return f"{_place(keys, files)}: {problem['ctx']['error']}"
    place = _place(location, files)
    key = ".".join(str(part) for part in location)
    if problem["type"] == "extra_forbidden":
        return f"{place}: {unknown_name('key', str(location[-1]), _section_at(location).model_fields)}"
    if problem["type"] == "value_error":
        return f"{place}: {key}: {problem['ctx']['error']}"
    return f"{place}: {key}: {wrong_value(problem)}"


def _section_at(location: Sequence[int | str]) -> type[BaseModel]:
    """Return the section that a key is in."""
    if len(location) > 2 and isinstance(location[-2], int):
        return Size
    whole = config_model()
    return config_sections().get(str(location[0]), whole) if len(location) > 1 else whole


def _place(location: Sequence[int | str], files: Sequence[str | Path]) -> str:
    """Return "file:line" of a key or value, or "configuration" where no file has it."""
    return place_of(location, files) or "configuration"
