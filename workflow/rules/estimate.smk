rule estimate:
    input:
        references=f"results/references/{CELL}.parquet",
        metric_files=lambda wildcards: metric_files_of(wildcards.metrics),
        code=code("metrics", "resampling", "wein2023/cells.py", "wein2023/design.py"),
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
        samplers=lambda wildcards: options("--sampler", SAMPLERS[wildcards.samplers]),
        metrics=lambda wildcards: options("--metric", METRICS[wildcards.metrics]),
        metric_files=lambda wildcards, input: options(
            "--metric-file", input.metric_files
        ),
        resamples=run.n_resamples,
        spread=run.n_spread_resamples,
        seed=run.seed,
    message:
        "Resampling reference sets: {wildcards.source} ({wildcards.semantics}), ε = {wildcards.epsilon}, {wildcards.samplers} × {wildcards.metrics}"
    shell:
        "nbyk study estimate {params.samplers:q} {params.metrics:q} {params.metric_files:q}"
        " --semantics {wildcards.semantics} --null {wildcards.null} --resamples {params.resamples}"
        " --spread-resamples {params.spread} --seed {params.seed} --threads {threads} --out {output} -- {input.references} > {log} 2>&1"
