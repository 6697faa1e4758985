# Downloads are kept and verified in the user's folder; the copies here are Snakemake's, which may delete them.
DOWNLOADS = "results/downloads"


def files_of(source):
    """The files of a source's ratings: the user's own, those to be fetched, or none if they are embedded."""
    if run.downloaded(source):
        return [
            f"{DOWNLOADS}/{source}/{file.name}" for file in source_named(source).remote
        ]
    return run.rating_files(source)


def normalise_options(source):
    """Where `nbyk study normalise` finds a source's ratings, and the scale of a table of the user's own."""
    if source in run.own_ratings:
        own = run.own_ratings[source]
        return ["--path", own.path, "--scale", own.scale]
    if source in run.ratings:
        return ["--path", run.ratings[source]]
    if run.downloaded(source):
        return ["--path", source_named(source).copy_in(Path(DOWNLOADS))]
    return []


# No parameter of the rule: the bytes are pinned, so that another address is no reason to fetch them again.
PLACES = options("--folder", filter(None, [run.downloads.folder])) + options(
    "--mirror", filter(None, [run.downloads.mirror])
)


# It needs the network, which the nodes of a cluster may not have.
localrules:
    download,
    terms,


rule terms:
    output:
        "results/terms/{source}.txt",
    log:
        "logs/terms/{source}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        terms=lambda wildcards: terms_of(source_named(wildcards.source)),
    message:
        "{params.terms}"
    shell:
        "nbyk data terms --out {output} -- {wildcards.source} > {log} 2>&1"


rule download:
    input:
        ancient("results/terms/{source}.txt"),
    output:
        f"{DOWNLOADS}/{{source}}/{{file}}",
    log:
        "logs/download/{source}/{file}.log",
    benchmark:
        "logs/benchmarks/download/{source}/{file}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(138),
        runtime=minutes(60),
    params:
        copies=DOWNLOADS,
    message:
        "Fetching {wildcards.file} of {wildcards.source}"
    shell:
        "nbyk data fetch --file {wildcards.file:q} {PLACES:q}"
        " --copy-to {params.copies} -- {wildcards.source} > {log} 2>&1"


rule normalise:
    input:
        files=lambda wildcards: files_of(wildcards.source),
    output:
        "results/ratings/{source}.parquet",
    log:
        "logs/normalise/{source}.log",
    benchmark:
        "logs/benchmarks/normalise/{source}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(141, 5, rating_work),
        runtime=minutes(2, rating_work),
    params:
        options=lambda wildcards: normalise_options(wildcards.source),
        code=lambda wildcards: code("nbyk.cli.ratings:write_normalised"),
    message:
        "Normalising the ratings of {wildcards.source}"
    shell:
        "nbyk study normalise {params.options:q} --out {output} -- {wildcards.source} > {log} 2>&1"
