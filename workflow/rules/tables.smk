def tabulated():
    """The cells of the first size: those that the tables and figures show."""
    first = run.sizes[0]
    return [
        cell
        for cell in cells()
        if (cell["n"], cell["k"]) == (first.n_items, first.k_responses)
    ]


def table_names(cell):
    source = cell["source"]
    return (
        minima_table_name(source, "sampler"),
        minima_table_name(source, "metric"),
        full_table_name(source, cell["epsilon"]),
    )


TABLES = sorted(
    {
        f"results/wein2023/tables/{cell['semantics']}/{name}.{suffix}"
        for cell in tabulated()
        for name in table_names(cell)
        for suffix in ("csv", "md", "tex")
    }
)


# The sources whose gold is real: a prior is fitted to their ratings.
FITTED = [
    source
    for source in run.sources
    if run.has_ratings(source) and "recommended" in run.semantics
]


def fits_as_options(wildcards, input):
    return (
        options("--fitted", FITTED)
        + options("--ratings", input.ratings)
        + options("--prior", input.priors)
    )


rule tables:
    input:
        pvalues=all_pvalues(),
        ratings=expand("results/ratings/{source}.parquet", source=FITTED),
        priors=expand("results/fits/{source}/prior.json", source=FITTED),
        code=code(
            "agreement.py",
            "wein2023/design.py",
            "wein2023",
            "resampling",
            "report/formats.py",
            "partitions.py",
        ),
    output:
        report(
            [path for path in TABLES if path.endswith(".csv")],
            caption="../report/tables.rst",
            category="Tables",
        ),
        [path for path in TABLES if not path.endswith(".csv")],
        summary="results/wein2023/summary.json",
    log:
        "logs/tables.log",
    benchmark:
        "logs/benchmarks/tables.tsv"
    threads: 1
    resources:
        mem_mb=memory(238),
        runtime=minutes(3),
    params:
        size=["--items", run.sizes[0].n_items, "--responses", run.sizes[0].k_responses],
        metrics=options("--metric", run.metrics),
        samplers=options("--sampler", run.samplers),
        fitted=fits_as_options,
        seed=run.seed,
    message:
        "Writing the tables and the summary"
    shell:
        "nbyk study wein2023 tables --out results/wein2023 {params.size}"
        " {params.metrics:q} {params.samplers:q} {params.fitted:q} --seed {params.seed}"
        " -- {input.pvalues:q} > {log} 2>&1"
