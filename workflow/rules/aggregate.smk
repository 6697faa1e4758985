def true_effects(wildcards):
    """True effects for each number of responses per item that the samplers yield."""
    ks = responses_per_item(wildcards.samplers, wildcards.k)
    cell = {**dict(wildcards), "k": ks}
    return expand(f"results/effects/true/{CELL}+{{metrics}}.parquet", **cell)


rule pvalues:
    input:
        estimated=f"results/effects/estimated/{CELL}+{{null}}+{{samplers}}+{{metrics}}.parquet",
        true=true_effects,
        code=code("testing/pvalues.py", "wein2023/pvalues.py", "wein2023/design.py"),
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
        true=lambda wildcards, input: options("--true", input.true),
        responses=lambda wildcards: options(
            "--true-responses", responses_per_item(wildcards.samplers, wildcards.k)
        ),
    message:
        "Computing p-values: {wildcards.source} ({wildcards.semantics}), ε = {wildcards.epsilon}, {wildcards.samplers} × {wildcards.metrics}"
    shell:
        "nbyk study pvalues {params.true:q} {params.responses}"
        " --epsilon {wildcards.epsilon} --items {wildcards.n} --responses {wildcards.k}"
        " --out {output} -- {input.estimated} > {log} 2>&1"


def pvalues_of(some_cells):
    """The p-value files of cells, for every sampler batch and metric batch."""
    return [
        f"results/pvalues/{CELL}+{null_of(cell['semantics'])}+{samplers}+{metrics}.parquet".format(
            **cell
        )
        for cell in some_cells
        for samplers in SAMPLERS
        for metrics in METRICS
    ]


def all_pvalues():
    """The p-value files of every cell that the configuration asks for."""
    return pvalues_of(cells())
