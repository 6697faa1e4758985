# Test sets drawn from a prior: the reference sets that p-values are estimated from, and the true effects.


rule reference:
    input:
        prior=prior_of,
        gold=ratings_of,
    output:
        f"results/references/{CELL}.parquet",
    log:
        f"logs/reference/{CELL}.log",
    benchmark:
        f"logs/benchmarks/reference/{CELL}.tsv"
    threads: 1
    resources:
        mem_mb=memory(309),
        runtime=minutes(3, wein_work(run.n_references / 20)),
    params:
        gold=lambda wildcards, input: options(
            "--gold", [input.gold] if input.gold else []
        ),
        epsilon_a=epsilon_a_of,
        references=run.n_references,
        seed=run.seed,
        code=lambda wildcards: code("nbyk_papers.wein2023.effects:reference"),
    message:
        "Drawing {params.references} reference sets: {wildcards.source} ({wildcards.semantics}), ε = {wildcards.epsilon}, {wildcards.n} × {wildcards.k}"
    shell:
        "nbyk study reference {params.gold} --items {wildcards.n} --responses {wildcards.k}"
        " --epsilon {wildcards.epsilon} {params.epsilon_a} --semantics {wildcards.semantics}"
        " --references {params.references} --seed {params.seed} --out {output} -- {input.prior} > {log} 2>&1"


rule true:
    input:
        prior=prior_of,
        metric_files=metric_files_of,
    output:
        f"results/effects/true/{CELL}+{{metrics}}.parquet",
    log:
        f"logs/true/{CELL}+{{metrics}}.log",
    benchmark:
        f"logs/benchmarks/true/{CELL}+{{metrics}}.tsv"
    threads: 1
    resources:
        mem_mb=memory(328),
        runtime=minutes(10, wein_work(run.n_draws / 1000)),
    params:
        metrics=lambda wildcards: options("--metric", metrics_of(wildcards)),
        metric_files=lambda wildcards, input: options(
            "--metric-file", input.metric_files
        ),
        epsilon_a=epsilon_a_of,
        draws=run.n_draws,
        seed=run.seed,
        code=lambda wildcards: code("nbyk_papers.wein2023.effects:true"),
    message:
        "Drawing true effects: {wildcards.source} ({wildcards.semantics}), ε = {wildcards.epsilon}, {wildcards.n} × {wildcards.k}, {wildcards.metrics}"
    shell:
        "nbyk study true --items {wildcards.n} --responses {wildcards.k}"
        " --epsilon {wildcards.epsilon} {params.epsilon_a} --semantics {wildcards.semantics} {params.metrics:q}"
        " {params.metric_files:q} --draws {params.draws} --seed {params.seed} --threads {threads}"
        " --out {output} -- {input.prior} > {log} 2>&1"
