"""How the comparisons of a design are made: what is scored, drawn, corrected and decided."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from nbyk.errors import NbykError, unknown_name
from nbyk.inference.comparison.adjusted import CORRECTIONS
from nbyk.inference.pvalues import MOST_DRAWS
from nbyk.labels.results import Runs, Semantics
from nbyk.labels.scores import Kind, LabelScore, choose_scores, get_score

Family = Literal["score", "design"]
Alternative = Literal["greater", "two-sided"]


def _class_name(label: Any) -> Any:
    """Return a class as text; YAML reads 1 as a number and yes as true."""
    if isinstance(label, bool):
        raise NbykError(f"found {str(label).lower()}, which YAML makes of yes and no too; put it in quotes")
    return str(label) if isinstance(label, int) else label


def as_list(value: Any) -> Any:
    """Return one text as a list of it."""
    return [value] if isinstance(value, str) else value


def _known_score(name: str) -> str:
    return get_score(name).name


def _known_correction(name: str) -> str:
    if name not in CORRECTIONS:
        raise unknown_name("correction", name, CORRECTIONS)
    return name


ClassName = Annotated[str, BeforeValidator(_class_name), Field(min_length=1)]
ScoreName = Annotated[str, AfterValidator(_known_score)]
Correction = Annotated[str, AfterValidator(_known_correction)]


class Section(BaseModel):
    """A part of a design in YAML: keys that it does not know are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class Settings(Section):
    """How the comparisons of a design are made."""

    scores: Annotated[list[ScoreName], BeforeValidator(as_list)] | None = Field(None, min_length=1)
    """Scores, the first of which decides; without any, those of `label_bootstrap`."""
    labels: list[ClassName] | None = Field(None, min_length=2)
    """The classes of hard labels, where the targets do not hold all of them."""
    target_class: ClassName | None = None
    """A class whose precision, recall and F1 are scored too."""
    semantics: Semantics = "recommended"
    """recommended, or published: BooStSa's."""
    fraction: float | None = Field(None, gt=0.0, le=1.0)
    """Share f of the items that a resample draws; without one 1, or published .1."""
    runs: Runs | None = None
    """independent, paired, fixed or concatenated; without one independent, or published concatenated."""
    n_resamples: int = Field(10_000, ge=1, le=MOST_DRAWS)
    """Resamples M of every comparison."""
    alternative: Alternative = "greater"
    """greater: is the treatment better? two-sided: is it better or worse?"""
    alpha: float = Field(0.05, gt=0.0, lt=1.0)
    """Level of the decisions."""
    confidence: float = Field(0.95, gt=0.0, lt=1.0)
    """Coverage of the percentile intervals, which are not corrected."""
    correction: Correction | None = None
    """holm, benjamini_hochberg or none; without one holm, or published none."""
    family: Family = "score"
    """What is corrected together: all comparisons by one score, or all of the design by all scores."""
    seed: int = Field(0, ge=0)
    """Seed of the resamples."""

    @model_validator(mode="after")
    def _goes_together(self) -> Settings:
        if self.semantics == "published":
            if self.runs not in (None, "concatenated"):
                raise NbykError(f"runs: found {self.runs!r}; published semantics concatenate runs")
            if self.alternative != "greater":
                raise NbykError("alternative: found 'two-sided'; published semantics are one-sided")
        return self

    @property
    def chosen_correction(self) -> str:
        """The correction, or the semantics' own."""
        return self.correction or ("none" if self.semantics == "published" else "holm")

    def chosen_scores(self, kind: Kind) -> tuple[LabelScore, ...]:
        """Return the scores to compute, those of the target class last.

        Raises
        ------
        NbykError
            If a score needs the other kind of labels or is listed twice, or soft labels are given classes.
        """
        if kind == "soft":
            for key, value in (("labels", self.labels), ("target_class", self.target_class)):
                if value is not None:
                    raise NbykError(f"{key}: is for hard labels, and these are soft; leave it out")
        names = [score.name for score in choose_scores(self.scores, kind)]
        of_class = [f"{measure}({self.target_class})" for measure in ("f1", "precision", "recall")]
        added = [name for name in of_class if name not in names] if self.target_class else []
        return choose_scores([*names, *added], kind)


def make_settings(**values: Any) -> Settings:
    """Return settings from keyword arguments.

    Raises
    ------
    NbykError
        If one is unknown, of the wrong type or out of its range.
    """
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise NbykError(explained(error.errors()[0], Settings)[1]) from None


def explained(problem: Any, model: type[BaseModel]) -> tuple[tuple[int | str, ...], str]:
    """Return where a problem that pydantic found is, and what it is, beginning with its key.

    Parameters
    ----------
    problem
        One of `ValidationError.errors`.
    model
        The model that was validated.
    """
    location = tuple(part for part in problem["loc"] if part != "[key]")
    if not location:
        message = str(problem["ctx"]["error"])
        return tuple(message.partition(": ")[0].split(".")), message
    if problem["type"] == "extra_forbidden":
        section = _section_at(location[:-1], model)
        return location, str(unknown_name("key", str(location[-1]), section.model_fields))
    key = ".".join(str(part) for part in location)
    if problem["type"] == "missing":
        return location[:-1], f"{key}: is missing; expected it"
    if problem["type"] == "value_error":
        return location, f"{key}: {problem['ctx']['error']}"
    message = problem["msg"]
    return location, f"{key}: found {problem['input']!r}; {message[0].lower()}{message[1:]}"


def _section_at(location: tuple[int | str, ...], model: type[BaseModel]) -> type[BaseModel]:
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
