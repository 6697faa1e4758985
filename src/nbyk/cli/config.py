"""`nbyk config`: check a configuration, print its JSON schema or its reference page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Check and describe the workflow's configuration.")


@app.command()
def check(
    path: Annotated[Path, typer.Argument(help="Configuration to check.")] = Path("config.yaml"),
) -> None:
    """Check a configuration. nbyk names every wrong key or value with its line."""
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
