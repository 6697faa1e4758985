# Shared by all rules: the plan. Rules look up a job's inputs, settings, time and memory in it.

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

from nbyk.errors import NbykError
from nbyk import health
from nbyk.workflow import (
    RunPlan,
    memory,
    minutes,
    prepare_jobs,
    repeated,
    show_stages,
)

min_version("9.0")
if workflow.is_main_process and health.release(Path()):
    print("Released the lock of a run that was stopped.", file=sys.stderr)
prepare_jobs()
show_stages(workflow)


configfile: "config.yaml"


try:
    plan = RunPlan(config, files=["config.yaml", *workflow.overwrite_configfiles])
except NbykError as error:
    raise WorkflowError(f"the configuration is wrong:\n{error}") from None


onstart:
    # Snakemake deletes a job's outputs before it runs, and ends with a traceback where it may not.
    if Path("results").exists() and not os.access("results", os.W_OK):
        raise WorkflowError(
            "results: cannot be written: read-only; make it writable, or run in another folder"
        )
    health.mark(Path())


onsuccess:
    health.unmark(Path())


onerror:
    health.unmark(Path())


wildcard_constraints:
    semantics="published|recommended",
    source="|".join(plan.sources),
    comparison="|".join(plan.config.comparisons) or "(?!)",
    cell="(?!tables/).+",
