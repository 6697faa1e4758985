"""What jobs ask for, and what a quiet run prints of them."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Callable
from math import ceil
from typing import Any

Measured = float | Callable[[Any], float]
"""Memory or time of a job: a number, or a function of the job's wildcards."""

_SNAKEMAKES = 350
"""MB of the two Snakemakes that a cluster runs around a job."""


def memory(measured: Measured) -> Callable[[Any, int], int]:
    """Return the memory (MB) to ask for: twice what a job takes, and room for Snakemake.

    It grows with each attempt.
    """
    return lambda wildcards, attempt: 50 * ceil((2 * _of(measured, wildcards) + _SNAKEMAKES) / 50) * attempt


def minutes(seconds: Measured) -> Callable[[Any, int], int]:
    """Return the time limit (minutes): thrice what a job takes, and at least 2 for a cold start.

    It grows with each attempt.
    """
    return lambda wildcards, attempt: max(2, ceil(3 * _of(seconds, wildcards) / 60)) * attempt


def _of(measured: Measured, wildcards: Any) -> float:
    return measured(wildcards) if callable(measured) else measured


_SHOWN = ("terms", "download")
"""Rules whose messages a reader must see: they fetch another's data."""


_LOCKED = (
    "error: another run has locked this folder; wait for it, or, if no run is alive in it, type `make "
    "unlock` (`snakemake --unlock`), and run again"
)
"""In place of Snakemake's four lines, which do not say what to type."""


class StageLines(logging.Handler):
    """A handler of Snakemake's log that prints a line whenever a quarter of a stage's jobs is done."""

    def __init__(self) -> None:
        from snakemake.logging import DefaultFormatter

        super().__init__()
        self.formatter = DefaultFormatter(show_failed_logs=True)
        self._rules: dict[int, str] = {}
        self._asked: dict[str, int] = {}
        self._done = Counter[str]()

    def emit(self, record: logging.LogRecord) -> None:
        """Print the line that an event of the run asks for, if any."""
        event, fields = str(getattr(record, "event", None) or ""), vars(record)
        if record.levelno >= logging.ERROR or event in ("job_error", "group_error", "error"):
            text = self.format(record)
            self._print(_LOCKED if "Directory cannot be locked" in text else text)
        elif event == "run_info":
            self._asked = dict(fields["stats"])
            self._print(f"jobs to do: {self._asked.get('total', 0)}")
        elif event == "job_info":
            self._rules[fields["jobid"]] = fields["rule_name"]
            if fields["rule_name"] in _SHOWN and fields["rule_msg"]:
                self._print(fields["rule_msg"])
        elif event == "job_finished":
            self._finished(self._rules.get(fields["job_id"], ""))

    def _finished(self, rule: str) -> None:
        self._done[rule] += 1
        done, asked = self._done[rule], self._asked.get(rule, 0)
        if done == asked or (asked and done % -(-asked // 4) == 0):
            left = self._asked.get("total", 0) - self._done.total()
            self._print(f"{rule}: {done} of {asked} done; jobs left: {left}")

    @staticmethod
    def _print(text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def show_stages(workflow: Any) -> None:
    """Print the stages of a run if Snakemake is told to be quiet about everything, and is no job's own."""
    from snakemake.logging import logger
    from snakemake.settings.enums import Quietness

    if workflow.is_main_process and Quietness.ALL in (workflow.output_settings.quiet or ()):
        logger.addHandler(StageLines())
