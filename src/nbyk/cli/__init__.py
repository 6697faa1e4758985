"""The command line: commands for people in groups, and below `nbyk study` those of the workflow's rules."""

from __future__ import annotations

from typing import NoReturn


def program() -> NoReturn:
    """Run the command line, then end the process at once."""
    from nbyk.cli import app

    app.program()


def main() -> None:
    """Run the command line; every error ends in one message, never in a traceback."""
    from nbyk.cli import app

    app.main()
