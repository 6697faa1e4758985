"""The labels of two systems, and the scores to compare them by: those named, or those used if none are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from numpy.typing import ArrayLike

from nbyk.data.labels import HardLabels, SoftLabels, check_labels
from nbyk.errors import NbykError
from nbyk.metrics import LabelScore, get
from nbyk.metrics.label_scores import Kind
from nbyk.metrics.registry import OfLabels

Labels: TypeAlias = ArrayLike | Sequence[ArrayLike]
"""Labels of a system: an array, or one for each run."""

DEFAULTS: dict[Kind, tuple[str, ...]] = {
    "hard": ("accuracy", "precision_macro", "recall_macro", "f1_macro"),
    "soft": (
        "cross_entropy",
        "js_divergence",
        "js_distance",
        "entropy_similarity",
        "entropy_correlation",
    ),
}
"""The scores used if none are named."""
_LABELS: dict[Kind, OfLabels] = {"hard": "hard labels", "soft": "soft labels"}


def check_pair(
    target: ArrayLike, a: Labels, b: Labels, labels: ArrayLike | None, names: tuple[str, str]
) -> HardLabels | SoftLabels:
    """Return the targets with the predictions of A and B; errors are those of `check_labels`, or of names."""
    if names[0] == names[1]:
        raise NbykError(f"found {names[0]!r} twice; expected two names", argument="names")
    return check_labels(target, {names[0]: a, names[1]: b}, labels)


def choose_scores(metric: str | Sequence[str] | None, kind: Kind) -> tuple[LabelScore, ...]:
    """Return the scores named, or the default ones for labels of a kind.

    Raises
    ------
    NbykError
        If a name is unknown or given twice, no name is given, or a score needs the other kind of labels.
    """
    named = DEFAULTS[kind] if metric is None else (metric,) if isinstance(metric, str) else tuple(metric)
    chosen = tuple(get(name, _LABELS[kind]) for name in named)
    if not chosen or len({score.name for score in chosen}) < len(chosen):
        raise NbykError(f"found {list(named)}; expected at least one, and each once", argument="metric")
    return chosen
