"""`nbyk example`, `nbyk metrics` and `nbyk config`: files to try, names to use, and keys to set."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.options import MetricFiles, check_out_folder, load_metric_files
from nbyk.errors import NbykError

if TYPE_CHECKING:
    from nbyk.metrics import Metric
    from nbyk.metrics.metric import Data


_HEADINGS: dict[str, Data] = {
    "Metrics of ratings": "numbers",
    "Metrics of classes and distributions": "classes",
    "Metrics of outputs, for nbyk.paired_bootstrap": "outputs",
}


def example(
    folder: Annotated[Path, typer.Argument()] = Path("example"),
) -> None:
    """Write gold ratings of 300 items and three simulated systems, to try `nbyk compare` on.

    The gold ratings are people's ratings from ConvAbuse (CC BY 4.0). README.md says how nbyk simulated the
    systems.

    Parameters
    ----------
    folder
        Folder to write to.
    """
    from nbyk.bounded import content_of
    from nbyk.data.sources import example_files
    from nbyk.files import replacing

    check_out_folder(folder)
    files = example_files()
    for name, content in files.items():
        path = folder / name
        if path.exists() and content_of(path) != content:
            raise NbykError("already exists and differs; move it away, or give another folder", file=path)
    for name, content in files.items():
        # No record is kept: users are meant to change these files.
        with replacing(folder / name, noted=False) as scratch:
            scratch.write_bytes(content)
        print(folder / name)
    gold, a, b = (shlex.quote(str(folder / name)) for name in ("gold.csv", "sim_a.csv", "sim_b.csv"))
    print(f"\nTry: nbyk compare --gold {gold} {a} {b}")


def metrics(metric_file: MetricFiles = None) -> None:
    """List all metrics: the name, whether higher or lower is better, and one line of explanation.

    `--metric` of the other commands takes these names, with parameters in parentheses as shown. Add your
    own with --metric-file. Metrics of classes and distributions, and those of outputs in Python, follow.
    """
    from nbyk.metrics.registry import definitions

    load_metric_files(metric_file)
    listed = {
        heading: [(_spec(metric), metric) for metric in definitions(of).values()]
        for heading, of in _HEADINGS.items()
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
    return f"{metric.name}({','.join(given)})" if given else metric.name


app = typer.Typer(no_args_is_help=True, help="Check and describe the workflow's configuration.")


@app.command()
def check(
    path: Annotated[Path, typer.Argument()] = Path("config.yaml"),
) -> None:
    """Check a configuration. nbyk names every wrong key or value with its line.

    Parameters
    ----------
    path
        Configuration to check.
    """
    from nbyk.config import load_config

    load_config(path)
    print(f"{path}: valid")


@app.command()
def schema() -> None:
    """Print the JSON schema, for editors that check YAML as it is typed."""
    from nbyk.config import json_schema

    print(json_schema(), end="")


@app.command()
def reference() -> None:
    """Print the reference page docs/config.md."""
    from nbyk.config import reference_page

    print(reference_page(), end="")
