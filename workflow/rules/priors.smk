# Priors, from which nbyk draws test sets: published ones, and fits to ratings.


rule prior:
    output:
        "results/priors/{semantics}/{source}.json",
    log:
        "logs/prior/{semantics}/{source}.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(68),
        runtime=minutes(4),
    params:
        code=lambda wildcards: plan.code("nbyk.cli.ratings:prior"),
    message:
        "Writing the published prior of {wildcards.source} ({wildcards.semantics})"
    shell:
        "nbyk study prior --semantics {wildcards.semantics} --out {output} -- {wildcards.source} > {log} 2>&1"


rule fit:
    input:
        ratings="results/ratings/{source}.parquet",
    output:
        prior="results/fits/{source}/prior.json",
        families="results/fits/{source}/families.csv",
        check="results/fits/{source}/check.json",
    log:
        "logs/fit/{source}.log",
    # Cells wait for it longest.
    priority: 1
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(lambda wildcards: 159 + 21 * plan.rating_work(wildcards.source)),
        runtime=minutes(lambda wildcards: 20 * plan.rating_work(wildcards.source)),
    params:
        seed=plan.config.seed,
        code=lambda wildcards: plan.code("nbyk.cli.fit:fit"),
    message:
        "Fitting a two-stage prior to {wildcards.source}"
    shell:
        "nbyk fit --name {wildcards.source} --seed {params.seed}"
        " --families {output.families} --check {output.check} --out {output.prior} -- {input.ratings} > {log} 2>&1"
