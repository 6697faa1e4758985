"""`nbyk metrics`: lists the metrics, and whether higher or lower is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbyk.cli.options import MetricFiles, load_metric_files

if TYPE_CHECKING:
    from nbyk.metrics.builtin import Definition


def metrics(metric_file: MetricFiles = None) -> None:
    """List all metrics: the name, whether higher or lower is better, and one line of explanation.

    `--metric` of the other commands takes these names, with parameters in parentheses as shown. Add your
    own with --metric-file. The scores of `nbyk labels`, and the metrics of outputs in Python, follow.
    """
    from nbyk.metrics import get, names
    from nbyk.metrics.registry import snapshot

    load_metric_files(metric_file)
    of_ratings = [(_spec(metric), metric.direction, metric.summary) for metric in snapshot().values()]
    of_labels = [get(name, "labels") for name in names("labels")]
    of_outputs = [get(name, "outputs") for name in names("outputs")]
    listed = {
        "Metrics of ratings": of_ratings,
        "Scores of label predictions": [(m.name, m.direction, m.summary) for m in of_labels],
        "Metrics of outputs, for nbyk.paired_bootstrap": [
            (m.name, m.direction, m.summary) for m in of_outputs
        ],
    }
    width = max(len(name) for rows in listed.values() for name, *_ in rows)
    for heading, rows in listed.items():
        print(heading)
        for name, direction, summary in rows:
            print(f"  {name:<{width}}  {direction:<6}  {summary}")


def _spec(metric: Definition) -> str:
    """Return a metric's name with its parameters, at their defaults or else at an example."""
    given = [
        f"{parameter.name}={(parameter.example if parameter.default is None else parameter.default):g}"
        for parameter in metric.parameters
    ]
    return f"{metric.name}({', '.join(given)})" if given else metric.name
