rule normalise:
    input:
        files=lambda wildcards: run.rating_files(wildcards.source),
        code=code("data"),
    output:
        "results/ratings/{source}.parquet",
    log:
        "logs/normalise/{source}.log",
    benchmark:
        "logs/benchmarks/normalise/{source}.tsv"
    threads: 1
    resources:
        mem_mb=memory(141),
        runtime=minutes(2),
    params:
        path=lambda wildcards: (
            ["--path", run.ratings[wildcards.source]]
            if wildcards.source in run.ratings
            else []
        ),
    message:
        "Normalising the ratings of {wildcards.source}"
    shell:
        "nbyk normalise {wildcards.source} {params.path:q} --out {output} > {log} 2>&1"
