# Reference sets resampled by samplers and scored by metrics, and the p-values of both kinds of effects.


rule estimate:
    input:
        references=f"results/references/{CELL}.parquet",
        metric_files=metric_files_of,
    output:
        f"results/effects/estimated/{CELL}+{{null}}+{{samplers}}+{{metrics}}.parquet",
    log:
        f"logs/estimate/{CELL}+{{null}}+{{samplers}}+{{metrics}}.log",
    benchmark:
        f"logs/benchmarks/estimate/{CELL}+{{null}}+{{samplers}}+{{metrics}}.tsv"
    threads: 1
    resources:
        mem_mb=memory(321),
        runtime=minutes(
            20,
            wein_work(
                (run.n_resamples + (run.n_references - 1) * run.n_spread_resamples)
                / 4800
            ),
        ),
    params:
        samplers=lambda wildcards: options("--sampler", samplers_of(wildcards)),
        metrics=lambda wildcards: options("--metric", metrics_of(wildcards)),
        metric_files=lambda wildcards, input: options(
            "--metric-file", input.metric_files
        ),
        resamples=run.n_resamples,
        spread=run.n_spread_resamples,
        seed=run.seed,
        code=lambda wildcards: code("nbyk_papers.wein2023.effects:estimate"),
    message:
        "Resampling reference sets: {wildcards.source} ({wildcards.semantics}), ε = {wildcards.epsilon}, {wildcards.samplers} × {wildcards.metrics}"
    shell:
        "nbyk study estimate {params.samplers:q} {params.metrics:q} {params.metric_files:q}"
        " --semantics {wildcards.semantics} --null {wildcards.null} --resamples {params.resamples}"
        " --spread-resamples {params.spread} --seed {params.seed} --threads {threads} --out {output} -- {input.references} > {log} 2>&1"


def true_responses(wildcards):
    """The numbers of responses per item that the samplers yield, each of which has true effects."""
    return road.responses_of(samplers_of(wildcards), int(wildcards.k))


def true_effects(wildcards):
    cell = {**dict(wildcards), "k": true_responses(wildcards)}
    return expand(f"results/effects/true/{CELL}+{{metrics}}.parquet", **cell)


rule pvalues:
    input:
        estimated=f"results/effects/estimated/{CELL}+{{null}}+{{samplers}}+{{metrics}}.parquet",
        true=true_effects,
    output:
        f"results/pvalues/{CELL}+{{null}}+{{samplers}}+{{metrics}}.parquet",
    log:
        f"logs/pvalues/{CELL}+{{null}}+{{samplers}}+{{metrics}}.log",
    benchmark:
        f"logs/benchmarks/pvalues/{CELL}+{{null}}+{{samplers}}+{{metrics}}.tsv"
    threads: 1
    resources:
        mem_mb=memory(191),
        runtime=minutes(2),
    params:
        epsilon_a=epsilon_a_of,
        true=lambda wildcards, input: options("--true", input.true),
        responses=lambda wildcards: options(
            "--true-responses", true_responses(wildcards)
        ),
        code=lambda wildcards: code("nbyk_papers.wein2023.effects:pvalues"),
    message:
        "Computing p-values: {wildcards.source} ({wildcards.semantics}), ε = {wildcards.epsilon}, {wildcards.samplers} × {wildcards.metrics}"
    shell:
        "nbyk study pvalues {params.true:q} {params.responses}"
        " --epsilon {wildcards.epsilon} {params.epsilon_a} --items {wildcards.n} --responses {wildcards.k}"
        " --out {output} -- {input.estimated} > {log} 2>&1"
