# What the rules share: the validated configuration, the studies, and what a job takes.

import os
import sysconfig
from functools import cache
from math import ceil
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

from nbyk.config import check_files, validate
from nbyk.config.values import NAME, workflow_path
from nbyk.data import load_source, read_ratings, scale_from_text
from nbyk.data import source as source_named
from nbyk.data import source_names
from nbyk.data.download import is_complete, terms_of
from nbyk.errors import NbykError
from nbyk.studies import studies
from nbyk.studies.code import Code
from nbyk_papers import papers

min_version("9.0")

# Rules call the `nbyk` of the Python that runs Snakemake, whether or not its environment is activated.
os.environ["PATH"] = os.pathsep.join(
    [sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)]
)


CONFIG_FILES = ["config.yaml", *workflow.overwrite_configfiles]

# Snakemake's own reader keeps the last of two keys, so that the files are checked before it merges them.
try:
    check_files(CONFIG_FILES)
except NbykError as error:
    raise WorkflowError(f"the configuration is wrong:\n{error}") from None


configfile: "config.yaml"


try:
    run = validate(config, files=CONFIG_FILES)
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


CODE = Code(memory=Path(".snakemake/nbyk_code.json"))


@cache
def code(*functions):
    """The checksum of all code and data behind functions: a parameter, so that an edit there runs a job again."""
    return CODE.checksum(*functions)


def options(flag, values):
    """Repeat a command-line option for each value."""
    return [word for value in values for word in (flag, str(value))]


def memory(measured, grows=0, work=lambda wildcards: 1.0):
    """Memory (MB) to ask for: twice what a job was measured to use, and 350 for the two Snakemakes that a cluster
    runs around it. It grows with each attempt; docs/cluster.md has what was measured.

    `work` is as in `minutes`; every further such work `grows` what is used.
    """
    return lambda wildcards, attempt: (
        50 * ceil((2 * (measured + grows * (work(wildcards) - 1)) + 350) / 50) * attempt
    )


def minutes(seconds, work=lambda wildcards: 1.0):
    """Time limit (minutes): thrice what the longest job was measured to take, but 2 or more, for a cold start.

    `work` is what a job has to do as a multiple of that of the measured one. The limit grows with each attempt.
    """
    return lambda wildcards, attempt: attempt * max(
        2, ceil(3 * seconds * work(wildcards) / 60)
    )


@cache
def own_counts(source):
    """How many ratings each item of a table of the user's own has."""
    own = run.own_ratings[source]
    return read_ratings(own.path, scale=scale_from_text(own.scale)).counts()


for name in run.own_ratings:
    try:
        own_counts(name)
    except NbykError as error:
        raise WorkflowError(
            f"the configuration is wrong:\nown_ratings.{name}: {error}"
        ) from None


def rating_work(wildcards):
    """What ratings take beside those of ConvAbuse: by their items or their number, whichever is more."""
    measured = source_named("convabuse")
    if wildcards.source in run.own_ratings:
        counts = own_counts(wildcards.source)
        n_items, n_ratings = len(counts), counts.sum()
    else:
        entry = source_named(wildcards.source)
        n_items, n_ratings = entry.n_items, entry.n_ratings
    return float(max(n_items / measured.n_items, n_ratings / measured.n_ratings))
