def figure_names():
    """Every figure of the run, by name as `nbyk figures` gives them."""
    shown = {
        f"{cell['semantics']}/{minima_figure_name(cell['source'])}"
        for cell in tabulated()
    }
    if (
        any(
            cell["semantics"] == "published"
            and has_published(cell["source"], cell["epsilon"], cell["n"], cell["k"])
            for cell in tabulated()
        )
        and set(run.metrics) & set(COLUMNS)
        and set(run.samplers) & set(WEIN_SAMPLERS)
    ):
        shown.add("agreement")
    shown |= {
        f"priors/{stage_figure_name(s, stage)}"
        for s in {"toxicity", *FITTED}
        for stage in ("means", "sds")
    }
    return sorted(shown)


rule figures:
    input:
        pvalues=all_pvalues(),
        ratings=expand("results/ratings/{source}.parquet", source=FITTED),
        priors=expand("results/fits/{source}/prior.json", source=FITTED),
        code=code(
            "agreement.py",
            "wein2023/design.py",
            "wein2023",
            "report/drawing.py",
            "partitions.py",
        ),
    output:
        report(
            expand("results/wein2023/figures/{name}.svg", name=figure_names()),
            caption="../report/figures.rst",
            category="Figures",
        ),
        expand("results/wein2023/figures/{name}.png", name=figure_names()),
    log:
        "logs/figures.log",
    benchmark:
        "logs/benchmarks/figures.tsv"
    threads: 1
    resources:
        mem_mb=memory(388),
        runtime=minutes(6),
    params:
        size=["--items", run.sizes[0].n_items, "--responses", run.sizes[0].k_responses],
        metrics=options("--metric", run.metrics),
        samplers=options("--sampler", run.samplers),
        fitted=fits_as_options,
        seed=run.seed,
    message:
        "Drawing the figures"
    shell:
        "nbyk study wein2023 figures --out results/wein2023/figures {params.size}"
        " {params.metrics:q} {params.samplers:q} {params.fitted:q} --seed {params.seed} -- {input.pvalues:q} > {log} 2>&1"


rule report:
    input:
        rules.tables.output,
        rules.figures.output,
        code=code(
            "page.py", "report/html.py", "report/templates", "templates", "wein2023"
        ),
    output:
        "results/wein2023/report.html",
    log:
        "logs/report.log",
    benchmark:
        "logs/benchmarks/report.tsv"
    threads: 1
    resources:
        mem_mb=memory(68),
        runtime=minutes(1),
    message:
        "Writing the report"
    shell:
        "nbyk study wein2023 report --out {output} -- results/wein2023 > {log} 2>&1"
