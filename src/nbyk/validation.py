"""pydantic's errors in a configuration or a design, as errors of nbyk."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from nbyk.errors import NbykError, unknown_name
from nbyk.yaml_text import wrong_value

Location = tuple[int | str, ...]


def explained(problem: Any, model: type[BaseModel]) -> tuple[Location, NbykError]:
    """Return the place of a problem that pydantic found, and the error that names its key.

    Parameters
    ----------
    problem
        One of `ValidationError.errors`.
    model
        The model that was validated.

    Returns
    -------
    location
        The keys, and places in lists, that lead there.
    error
        An error without the file and line, which `nbyk.yaml_text.place_of` finds by the location.
    """
    # pydantic ends the place of a mapping's wrong key with this.
    location = tuple(part for part in problem["loc"] if part != "[key]")
    if problem["type"] == "value_error":
        cause = problem["ctx"]["error"]
        error = cause if isinstance(cause, NbykError) else NbykError(str(cause))
        # A rule about several keys names the key at fault itself.
        named = error.key.split(".") if error.key else []
        location += tuple(int(part) if part.isdecimal() else part for part in named)
        key = _dotted(location)
        return location, NbykError(error.problem, file=error.file, row=error.row, key=key)
    if problem["type"] == "extra_forbidden":
        return location, unknown_name(
            "key", str(location[-1]), _section_at(location[:-1], model).model_fields
        )
    if problem["type"] == "missing":
        return location[:-1], NbykError("is missing; expected it", key=_dotted(location))
    return location, NbykError(wrong_value(problem), key=_dotted(location))


def _dotted(location: Location) -> str | None:
    return ".".join(str(part) for part in location) or None


def _section_at(location: Location, model: type[BaseModel]) -> type[BaseModel]:
    """Return the model of a part of a model, given the keys that lead there."""
    for part in location:
        field = model.model_fields.get(str(part))
        inner = _models_in(field.annotation if field else None)
        if not inner:
            return model
        model = inner[0]
    return model


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for each in getattr(annotation, "__args__", ()) for found in _models_in(each)]
