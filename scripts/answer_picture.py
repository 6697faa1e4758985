"""Draw the README's first answer: `python scripts/answer_picture.py docs/figures/answer.svg`."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ANSWER = ["nbyk", "compare", "--gold", "example/gold.csv", "example/sim_a.csv", "example/sim_c.csv"]
COLUMNS = 100


def answer() -> str:
    """Return what the command prints on a terminal of 100 columns, its files written for it."""
    program = Path(sys.executable).with_name("nbyk")
    with TemporaryDirectory() as folder:
        subprocess.run([program, "example"], cwd=folder, check=True, capture_output=True)
        printed = subprocess.run(
            [program, *ANSWER[1:]],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": str(COLUMNS)},
        )
    return printed.stdout


def drawn(command: str, output: str) -> str:
    """Return a picture of a terminal, as SVG, that shows a command and its output."""
    lines = [f"$ {command}", *output.rstrip().splitlines()]
    console = Console(record=True, width=max(map(len, lines)), file=io.StringIO())
    console.print(Text("\n".join(lines)))
    return console.export_svg(title="nbyk", theme=DIMMED_MONOKAI, unique_id="answer")


def main() -> None:
    """Write the picture to the file that the command line names."""
    Path(sys.argv[1]).write_text(drawn(" ".join(ANSWER), answer()), encoding="utf-8")


if __name__ == "__main__":
    main()
