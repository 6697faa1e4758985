# Shared by all rules: the plan. Rules look up a job's inputs, settings, time and memory in it.

import os
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

from nbyk.config.values import NAME
from nbyk.errors import NbykError
from nbyk.workflow import RunPlan, memory, minutes, prepare_jobs, repeated

min_version("9.0")
prepare_jobs()


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


wildcard_constraints:
    semantics="published|recommended",
    source="[a-z0-9_]+",
    comparison=NAME,
    design="[a-z0-9_]+",
    store="|".join(plan.stores),
    folder="|".join(plan.folders),
    cell="(?!tables/).+",
