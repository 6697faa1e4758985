# Ratings in one layout: those that come with nbyk, the user's own, and downloads. nbyk keeps and verifies downloads in
# the user's folder. The copies here are Snakemake's, which may delete them.


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
        terms=lambda wildcards: plan.terms(wildcards.source),
    message:
        "{params.terms}"
    shell:
        "nbyk data terms --out {output} -- {wildcards.source} > {log} 2>&1"


rule download:
    input:
        ancient("results/terms/{source}.txt"),
    output:
        "results/downloads/{source}/{file}",
    log:
        "logs/download/{source}/{file}.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(138),
        runtime=minutes(60),
    params:
        # nbyk checks the bytes, so a new address is no reason to download again: Snakemake does not compare a parameter
        # that is a function of the output.
        places=lambda wildcards, output: plan.download_options(),
        copies=subpath(output[0], ancestor=2),
    message:
        "Fetching {wildcards.file} of {wildcards.source}"
    shell:
        "nbyk data fetch --file {wildcards.file:q} {params.places:q}"
        " --copy-to {params.copies} -- {wildcards.source} > {log} 2>&1"


rule normalise:
    input:
        files=lambda wildcards: plan.rating_files(wildcards.source),
    output:
        "results/ratings/{source}.parquet",
    log:
        "logs/normalise/{source}.log",
    # Cells wait for the fit, and the fit for this.
    priority: 1
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(lambda wildcards: 136 + 5 * plan.rating_work(wildcards.source)),
        runtime=minutes(lambda wildcards: 2 * plan.rating_work(wildcards.source)),
    params:
        options=lambda wildcards: plan.rating_options(wildcards.source),
        code=lambda wildcards: plan.code("nbyk.cli.ratings:write_normalised"),
    message:
        "Normalising the ratings of {wildcards.source}"
    shell:
        "nbyk study normalise {params.options:q} --out {output} -- {wildcards.source} > {log} 2>&1"
