"""The command line: what people call, in groups, and below `nbyk study` what the workflow's rules call."""

from __future__ import annotations

from typing import NoReturn


def program() -> NoReturn:
    """Run the command line as a process, and end it there and then."""
    from nbyk.cli import app

    app.program()


def main() -> None:
    """Run the command line; whatever goes wrong ends with one message, never with a traceback."""
    from nbyk.cli import app

    app.main()
