"""`nbyk example`: files to try `nbyk compare` on."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.options import check_out_folder
from nbyk.errors import NbykError


def example(
    folder: Annotated[Path, typer.Argument(help="Folder to write to.")] = Path("example"),
) -> None:
    """Write gold ratings of 300 items and three simulated systems, to try `nbyk compare` on.

    The gold ratings are people's ratings from ConvAbuse (CC BY 4.0). README.md says how nbyk simulated the
    systems.
    """
    from nbyk.bounded import content_of
    from nbyk.data.example import example_files
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
