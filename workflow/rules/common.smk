# What the rules share: the validated configuration, the cells it asks for, and where their files are.

import os
import re
import sys
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
from nbyk.data.download import is_complete, missing_files, terms_of
from nbyk.errors import NbykError
from nbyk.metrics import load_file
from nbyk.resampling.samplers import WEIN_SAMPLERS, get_sampler
from nbyk_papers.boostsa2022 import design as boostsa2022
from nbyk_papers.homan2025 import design as homan2025
from nbyk_papers.ulmer2022 import design as ulmer2022
from nbyk_papers.calibration import design as calibration
from nbyk_papers.wein2023.design import (
    COLUMNS,
    PRIORS,
    SEMANTICS,
    full_table_name,
    has_published,
    minima_figure_name,
    minima_table_name,
    stage_figure_name,
)

min_version("9.0")


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
    announce_downloads()


wildcard_constraints:
    semantics="published|recommended",
    source="[a-z0-9_]+",
    epsilon=r"[0-9.e-]+",
    n="[0-9]+",
    k="[0-9]+",
    null="[a-z_]+",
    samplers="[A-Za-z0-9_.=-]+",
    metrics="[A-Za-z0-9_.=-]+",
    comparison=NAME,


CELL = "semantics={semantics}/source={source}/epsilon-{epsilon}_n-{n}_k-{k}"


def code(*packages):
    """Module files that a rule's numbers depend on, by package or file: editing one re-runs the rule."""
    found = []
    for package in packages:
        places = [
            place
            for root in ("nbyk", "nbyk_papers")
            for place in [Path(workflow.basedir, "src", root, package)]
            if place.exists()
        ]
        if not places:
            raise WorkflowError(f"{package}: no such module of nbyk or nbyk_papers")
        found += [
            path for place in places for path in [place, *sorted(place.rglob("*"))]
        ]
    return [str(path) for path in found if path.suffix in (".py", ".csv", ".html")]


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


def wein_work(draws):
    """What a cell has to do beside one of the paper's: its size times its draws, which `draws` are of the paper's."""
    return lambda wildcards: int(wildcards.n) * int(wildcards.k) / 5000 * draws


@cache
def own_counts(source):
    """How many ratings each item of a table of the user's own has."""
    own = run.own_ratings[source]
    return read_ratings(own.path, scale=scale_from_text(own.scale)).counts()


# Jobs have a Snakemake each, which need not read again what was right.
if workflow.is_main_process:
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


def slug(name):
    """A metric's or sampler's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9_.=]+", "-", name).strip("-")


def batches(asked, together, name):
    """Group names into jobs by file name: the paper's own set shares one, any other name has its own."""
    core = (
        [item for item in together if item in asked]
        if set(together) <= set(asked)
        else []
    )
    singles = {slug(item): [item] for item in asked if item not in core}
    return ({name: core} if core else {}) | singles


METRICS = batches(run.metrics, COLUMNS, "wein2023")
SAMPLERS = batches(run.samplers, WEIN_SAMPLERS, "wein2023")


def cells():
    """Wildcards of every cell: a semantics, a source, an ε and a size."""
    return [
        dict(
            semantics=semantics,
            source=source,
            epsilon=epsilon,
            n=size.n_items,
            k=size.k_responses,
        )
        for semantics in run.semantics
        for source in run.sources
        if semantics == "recommended" or source in PRIORS
        for epsilon in run.epsilons
        for size in run.sizes
    ]


def null_of(semantics):
    return (
        SEMANTICS["published"].null
        if semantics == "published"
        else run.recommended_null
    )


def prior_of(wildcards):
    """The published prior where the semantics ask for it, or there are no ratings to fit one to."""
    if wildcards.semantics == "published" or not run.has_ratings(wildcards.source):
        return f"results/priors/{wildcards.semantics}/{wildcards.source}.json"
    return f"results/fits/{wildcards.source}/prior.json"


def ratings_of(wildcards):
    return (
        f"results/ratings/{wildcards.source}.parquet"
        if run.has_ratings(wildcards.source)
        else []
    )


FILE_OF_METRIC = {name: path for path in run.metric_files for name in load_file(path)}


def metric_files_of(metric_batch):
    """The user's metric files that a batch's metrics are in."""
    return metric_files_behind(METRICS[metric_batch])


def metric_files_behind(metrics):
    """The user's metric files that metrics are in."""
    names = [spec.partition("(")[0] for spec in metrics]
    return sorted({FILE_OF_METRIC[name] for name in names if name in FILE_OF_METRIC})


def responses_per_item(sampler_batch, k):
    """The distinct numbers of responses per item that a batch of samplers yields."""
    return sorted(
        {
            get_sampler(name).responses_per_item(int(k))
            for name in SAMPLERS[sampler_batch]
        }
    )
