"""The command line: one subcommand per workflow rule, and those that users call themselves."""

from __future__ import annotations

import sys

import typer

from nbyk.cli import config, doctor, homan2025, plan, why, workflow
from nbyk.errors import NbykError
from nbyk.provenance.recording import recording

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Is system A really better than B, and how many items N and ratings per item K show it?",
)
workflow.add_to(app)
app.add_typer(homan2025.app, name="homan2025")
app.command()(plan.plan)
app.command()(why.why)
app.command()(doctor.doctor)
app.add_typer(config.app, name="config")


@app.command()
def version() -> None:
    """Print nbyk's version."""
    import nbyk

    print(nbyk.__version__)


def main() -> None:
    """Run the command line; bad input ends with one message and exit code 2, never with a traceback."""
    try:
        with recording(sys.argv[1:]):
            app(prog_name="nbyk")
    except NbykError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"error: {error.filename or 'file'}: {error.strerror or error}", file=sys.stderr)
        sys.exit(2)
