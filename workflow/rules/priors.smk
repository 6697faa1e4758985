rule prior:
    input:
        code=code("priors"),
    output:
        "results/priors/{semantics}/{source}.json",
    log:
        "logs/prior/{semantics}/{source}.log",
    benchmark:
        "logs/benchmarks/prior/{semantics}/{source}.tsv"
    threads: 1
    resources:
        mem_mb=memory(68),
        runtime=minutes(4),
    message:
        "Writing the published prior of {wildcards.source} ({wildcards.semantics})"
    shell:
        "nbyk study prior --semantics {wildcards.semantics} --out {output} -- {wildcards.source} > {log} 2>&1"


rule fit:
    input:
        ratings="results/ratings/{source}.parquet",
        code=code("data", "priors"),
    output:
        prior="results/fits/{source}/prior.json",
        families="results/fits/{source}/families.csv",
        check="results/fits/{source}/check.json",
    log:
        "logs/fit/{source}.log",
    benchmark:
        "logs/benchmarks/fit/{source}.tsv"
    threads: 1
    resources:
        mem_mb=memory(180, 21, rating_work),
        runtime=minutes(20, rating_work),
    params:
        seed=run.seed,
    message:
        "Fitting a two-stage prior to {wildcards.source}"
    shell:
        "nbyk fit --name {wildcards.source} --seed {params.seed}"
        " --families {output.families} --check {output.check} --out {output.prior} -- {input.ratings} > {log} 2>&1"
