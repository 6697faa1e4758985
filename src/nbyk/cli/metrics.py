"""`nbyk metrics`: lists the metrics, and whether higher or lower is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbyk.cli.options import MetricFiles, load_metric_files

if TYPE_CHECKING:
    from nbyk.metrics import LabelScore, Metric
    from nbyk.metrics.corpus import CorpusMetric


def metrics(metric_file: MetricFiles = None) -> None:
    """List all metrics: the name, whether higher or lower is better, and one line of explanation.

    `--metric` of the other commands takes these names, with parameters in parentheses as shown. Add your
    own with --metric-file. The scores of `nbyk labels`, and the metrics of outputs in Python, follow.
    """
    from nbyk.metrics import get, names
    from nbyk.metrics.registry import snapshot

    load_metric_files(metric_file)
    listed: dict[str, list[tuple[str, Metric | LabelScore | CorpusMetric]]] = {
        "Metrics of ratings": [(_spec(metric), metric) for metric in snapshot().values()],
        "Scores of label predictions": [(name, get(name, "labels")) for name in names("labels")],
        "Metrics of outputs, for nbyk.paired_bootstrap": [
            (name, get(name, "outputs")) for name in names("outputs")
        ],
    }
    width = max(len(spec) for rows in listed.values() for spec, _ in rows)
    for heading, rows in listed.items():
        print(heading)
        for spec, metric in rows:
            print(f"  {spec:<{width}}  {metric.direction:<6}  {metric.summary}")


def _spec(metric: Metric) -> str:
    """Return a metric's name with its parameters, at their defaults or else at an example."""
    given = [
        f"{parameter.name}={(parameter.example if parameter.default is None else parameter.default):g}"
        for parameter in metric.parameters
    ]
    return f"{metric.name}({', '.join(given)})" if given else metric.name
