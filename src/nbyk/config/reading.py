"""Reading and checking a configuration; errors name every wrong key or value with its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nbyk.bounded import content_of
from nbyk.config.sections import Downloads
from nbyk.config.whole import Config, config_model
from nbyk.errors import NbykError
from nbyk.metrics import load_file
from nbyk.validation import Location, explained
from nbyk.yaml_text import parse_mapping, place_of

_MOST_SHOWN = 20


def check_files(files: Sequence[str | Path]) -> None:
    """Check for errors that Snakemake's YAML reader does not report, such as keys that come twice.

    Parameters
    ----------
    files
        Configurations; those that do not exist are skipped.

    Raises
    ------
    NbykError
        As `load_config`, if a file is not YAML; values are not checked.
    """
    for path in files:
        if Path(path).exists():
            _read_yaml(path)


def load_config(path: str | Path) -> Config:
    """Read and validate a YAML configuration.

    Raises
    ------
    NbykError
        If the file is missing or is not YAML, a key or value is wrong, or a file that it names is missing.
        The message names file and line.
    """
    return validate(_read_yaml(path), files=[path])


def load_downloads(path: str | Path) -> Downloads:
    """Read and validate the `downloads` of a YAML configuration; ignore the other keys.

    Raises
    ------
    NbykError
        As `load_config`, for that section alone.
    """
    values = _read_yaml(path)
    section = {key: values[key] for key in ("downloads",) if key in values}
    return validate(section, files=[path]).downloads


def named_copies(path: str | Path) -> dict[str, Path]:
    """Return the copies of sources under `ratings` that exist; ignore the other keys of the configuration."""
    named = _read_yaml(path).get("ratings")
    copies = {str(name): Path(str(copy)) for name, copy in named.items()} if isinstance(named, dict) else {}
    return {name: copy for name, copy in copies.items() if copy.exists()}


def validate(values: Mapping[str, Any], *, files: Sequence[str | Path] = ()) -> Config:
    """Validate a configuration that has been read.

    Parameters
    ----------
    values
        The merged configuration.
    files
        The files it came from, to find the line of an error; the last file that has a key wins.

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
            raise _placed(error, ("metric_files", index), files) from None
    try:
        config = config_model().model_validate(dict(values))
    except ValidationError as error:
        errors = error.errors()
        found = [explained(problem, config_model()) for problem in errors[:_MOST_SHOWN]]
        problems = [str(_placed(problem, location, files)) for location, problem in found]
        if len(errors) > _MOST_SHOWN:
            problems.append(f"and {len(errors) - _MOST_SHOWN} more like these")
        raise NbykError("\n".join(problems)) from None
    for key, sources in (("ratings", config.ratings), ("own_ratings", config.own_ratings)):
        for source in sources:
            try:
                config.rating_files(source)
            except NbykError as error:
                raise _placed(error, (key, source), files, f"{key}.{source}") from None
    for name, comparison in config.comparisons.items():
        try:
            comparison.files()
        except NbykError as error:
            raise _placed(error, ("comparisons", name), files, f"comparisons.{name}") from None
    return config


def _read_yaml(path: str | Path) -> dict[str, Any]:
    try:
        return parse_mapping(path, content_of(path))
    except FileNotFoundError:
        raise NbykError(
            "no such file; give the path of a configuration, such as config.yaml", file=path
        ) from None


def _placed(
    error: NbykError, location: Location, files: Sequence[str | Path], key: str | None = None
) -> NbykError:
    """Return the error about the file and line of a key; about "configuration" if no file has the key.

    An error about another file, which the configuration names, comes after them.
    """
    problem = error if error.file is None else NbykError(str(error))
    found = place_of(location, files)
    if found is None:
        return problem.about(name="configuration", key=key)
    return problem.about(file=found[0], row=found[1], key=key)
