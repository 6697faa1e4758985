"""The settings of a design's comparisons: scores, draws, correction and decision."""

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

from nbyk.errors import NbykError
from nbyk.labels.results import Semantics
from nbyk.labels.scores import choose_scores
from nbyk.metrics import get
from nbyk.metrics.label_scores import Kind, LabelScore
from nbyk.testing.corrections import check_correction
from nbyk.testing.decision import check_level
from nbyk.testing.engine.run_draws import Runs
from nbyk.testing.intervals import check_confidence_level
from nbyk.testing.pvalues import MOST_DRAWS
from nbyk.yaml_text import explained

Family = Literal["score", "design"]
Test = Literal["bootstrap", "mcnemar", "mcnemar_mid_p", "cochran_mantel_haenszel"]
Alternative = Literal["greater", "two-sided"]


def _class_name(label: Any) -> Any:
    """Return a class as text; YAML reads 1 as a number and yes as true."""
    if isinstance(label, bool):
        raise NbykError(
            f"found {str(label).lower()}, which YAML also reads from yes and no; put it in quotes"
        )
    return str(label) if isinstance(label, int) else label


def as_list(value: Any) -> Any:
    """Return a single text as a list of one."""
    return [value] if isinstance(value, str) else value


def _known_score(name: str) -> str:
    return get(name, "labels").name


def _known_correction(name: str) -> str:
    check_correction(name)
    return name


def _level(alpha: float) -> float:
    check_level(alpha)
    return alpha


def _confidence_level(level: float) -> float:
    check_confidence_level(level)
    return level


ClassName = Annotated[str, BeforeValidator(_class_name), Field(min_length=1)]
ScoreName = Annotated[str, AfterValidator(_known_score)]
Correction = Annotated[str, AfterValidator(_known_correction)]


class DesignSection(BaseModel):
    """A part of a design in YAML; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class Settings(DesignSection):
    """The settings of a design's comparisons."""

    metric: Annotated[list[ScoreName], BeforeValidator(as_list)] | None = Field(None, min_length=1)
    """Metrics, the first of which decides; without any, those of `label_bootstrap`."""
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
    generalise: list[Literal["items", "raters"]] | None = Field(None, min_length=1)
    """Whom the first claim speaks of: items, or items and raters; without one both, where the targets are
    made of ratings and raters are shared."""
    n_resamples: int = Field(10_000, ge=1, le=MOST_DRAWS)
    """Resamples M of every comparison."""
    test: Test = "bootstrap"
    """bootstrap; or, of the accuracy alone, mcnemar (exact), mcnemar_mid_p or cochran_mantel_haenszel."""
    alternative: Alternative | None = None
    """two-sided: is the treatment better or worse? greater: is it better? Without one two-sided, or published
    greater."""
    alpha: Annotated[float, AfterValidator(_level)] = 0.05
    """Level of the decisions."""
    confidence_level: Annotated[float, AfterValidator(_confidence_level)] = 0.95
    """Coverage of the percentile intervals, which are not corrected."""
    correction: Correction | None = None
    """holm, bonferroni, benjamini_hochberg or none; without one holm, or published none."""
    family: Family = "score"
    """What is corrected together: all comparisons by one score, or all of the design by all scores."""
    seed: int = Field(0, ge=0)
    """Seed of the resamples."""

    @model_validator(mode="after")
    def _goes_together(self) -> Settings:
        if self.metric is not None and len(set(self.metric)) < len(self.metric):
            raise NbykError(f"found {self.metric}; expected each once", key="metric")
        if self.semantics == "published":
            if self.runs not in (None, "concatenated"):
                raise NbykError(f"found {self.runs!r}; published semantics concatenate runs", key="runs")
            if self.alternative == "two-sided":
                raise NbykError("found 'two-sided'; published semantics are one-sided", key="alternative")
            if self.test != "bootstrap":
                raise NbykError(f"found {self.test!r}; published semantics are a bootstrap", key="test")
        if self.test != "bootstrap" and (self.target_class or self.metric not in (None, ["accuracy"])):
            raise NbykError(
                f"found {self.test!r}, which tests the accuracy alone; leave out metric and target_class",
                key="test",
            )
        return self

    @property
    def chosen_correction(self) -> str:
        """The correction, or the semantics' own."""
        return self.correction or ("none" if self.semantics == "published" else "holm")

    @property
    def chosen_alternative(self) -> Alternative:
        """The alternative, or the semantics' own."""
        return self.alternative or ("greater" if self.semantics == "published" else "two-sided")

    def chosen_scores(self, kind: Kind) -> tuple[LabelScore, ...]:
        """Return the scores to compute, those of the target class last.

        Raises
        ------
        NbykError
            If a score needs the other kind of labels, or soft labels are given classes.
        """
        if kind == "soft":
            for key, value in (("labels", self.labels), ("target_class", self.target_class)):
                if value is not None:
                    raise NbykError("is for hard labels, and these are soft; leave it out", key=key)
        if self.test != "bootstrap":
            if kind == "soft":
                raise NbykError(f"found {self.test!r}, which is for hard labels", key="test")
            return choose_scores(["accuracy"], kind)
        names = [score.name for score in choose_scores(self.metric, kind)]
        of_class = [f"{measure}({self.target_class})" for measure in ("f1", "precision", "recall")]
        added = [name for name in of_class if name not in names] if self.target_class else []
        return choose_scores([*names, *added], kind)


def make_settings(**values: Any) -> Settings:
    """Return settings from keyword arguments.

    Raises
    ------
    NbykError
        If one is unknown, of the wrong type or out of its range, or a metric is given twice.
    """
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise explained(error.errors()[0], Settings)[1] from None
