"""The metrics that papers published and that only reproduce their numbers (`nbyk_papers.histograms`)."""

from __future__ import annotations

from collections.abc import Sequence

from nbyk.metrics import Metric, Parameter
from nbyk.metrics.metric import FromCounts, Traits
from nbyk.metrics.registry import OF_PACKAGES

_WEIN = "Wein, Homan, Aroyo and Welty 2023, Follow the leader(board) with confidence"
_HOMAN = "Homan, Korn, Pandita and Welty 2025, How many ratings per item are necessary"
_BINS = (Parameter("bins", whole=True, minimum=1, maximum=100_000, example=50),)
_FEW_BINS = (Parameter("bins", whole=True, minimum=1, maximum=100_000, example=5),)
_HISTOGRAMS = "nbyk_papers.histograms"
_JUMPS = Traits("jumps")

METRICS = (
    Metric(
        "histogram_emd_aggregated",
        f"{_HISTOGRAMS}:histogram_emd_aggregated",
        "lower",
        "As published: distance between the histogram counts of item means, taken as values.",
        parameters=_BINS,
        source=_WEIN,
        traits=_JUMPS,
    ),
    Metric(
        "histogram_emd_aggregated_vectorized",
        f"{_HISTOGRAMS}:histogram_emd_aggregated_vectorized",
        "lower",
        "As published: distance between the histogram counts of all responses, taken as values.",
        needs="responses",
        parameters=_BINS,
        source=_WEIN,
        traits=_JUMPS,
    ),
    Metric(
        "histogram_mean_of_emds",
        f"{_HISTOGRAMS}:histogram_mean_of_emds",
        "lower",
        "As published: mean over items of the distance between histogram counts, taken as values.",
        needs="responses",
        parameters=_FEW_BINS,
        source=f"{_WEIN}; {_HOMAN}",
        additive=True,
        traits=_JUMPS,
        counts=FromCounts(f"{_HISTOGRAMS}:histogram_earth_movers", "bin"),
    ),
)

OF_PACKAGES.update({metric.name: metric for metric in METRICS})


def as_metrics(metrics: str | Metric | Sequence[str | Metric]) -> tuple[Metric, ...]:
    """Return metrics from their names, a name, or metrics; the names may be of those above."""
    from nbyk.resampling import effects

    return effects.as_metrics(metrics)
