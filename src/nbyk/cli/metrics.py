"""`nbyk metrics`: lists the metrics, and whether higher or lower is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbyk.cli.options import MetricFiles, load_metric_files

if TYPE_CHECKING:
    from nbyk.metrics.builtin import Definition


def metrics(metric_file: MetricFiles = None) -> None:
    """List all metrics: the name, whether higher or lower is better, and one line of explanation.

    `--metric` of the other commands takes these names, with parameters in parentheses as shown. Add your
    own with --metric-file. The scores of `nbyk labels` follow.
    """
    from nbyk.metrics.label_scores import get_score, score_names
    from nbyk.metrics.registry import snapshot

    load_metric_files(metric_file)
    found = [(_spec(metric), metric.direction, metric.summary) for metric in snapshot().values()]
    scores = [(name, get_score(name).direction, get_score(name).summary) for name in score_names()]
    width = max(len(name) for name, *_ in (*found, *scores))
    for heading, rows in (("Metrics of ratings", found), ("Scores of label predictions", scores)):
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
