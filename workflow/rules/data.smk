rule normalise:
    input:
        path=lambda wildcards: (
            [] if source_named(wildcards.source).embedded else run.toxicity_ratings
        ),
        code=code("data"),
    output:
        "results/ratings/{source}.parquet",
    log:
        "logs/normalise/{source}.log",
    benchmark:
        "logs/benchmarks/normalise/{source}.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        path=lambda wildcards, input: options(
            "--path", [input.path] if input.path else []
        ),
    message:
        "Normalising the ratings of {wildcards.source}"
    shell:
        "nbyk normalise {wildcards.source} {params.path:q} --out {output} > {log} 2>&1"
