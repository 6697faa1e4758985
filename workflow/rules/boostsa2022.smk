# Fornaciari et al. 2022, BooStSa: p-values of simulated label predictions, Type-I errors, and what people read of them.

labels_study = run.boostsa2022
HARD_SCORES, SOFT_SCORES = (
    batches(
        [name for name in labels_study.scores if name in known],
        [name for name in boostsa2022.SCORES if name in known],
        "default",
    )
    for known in (boostsa2022.HARD_SCORES, boostsa2022.SOFT_SCORES)
)


def share_batches(shares):
    """The shares of each job's file: the default ones have one in common, any other has its own."""
    default = [str(share) for share in boostsa2022.FRACTIONS]
    return batches([str(share) for share in shares], default, "default")


SHARES = share_batches(labels_study.fractions)
# The example is compared at the share that the paper printed it for.
EXAMPLE_SHARES = share_batches(
    dict.fromkeys([*labels_study.fractions, boostsa2022.EXAMPLE_FRACTION])
)


wildcard_constraints:
    shares=r"default|[0-9.e-]+",
    discordance=r"[0-9.e-]+",
    kind="hard|soft",


def label_p_value_files():
    """The p-value files of every cell of Figures 1 to 3, batch of shares and batch of scores."""
    cells = [
        *(("balanced", f"n-{n}", SHARES) for n in labels_study.sizes),
        *(
            ("tagging", f"discordance-{discordance}", SHARES)
            for discordance in labels_study.discordances
        ),
        ("example", "all", EXAMPLE_SHARES),
    ]
    return [
        f"results/boostsa2022/pvalues/design={design}/{cell}+{shares}+{scores}.parquet"
        for design, cell, batched in cells
        for shares in batched
        for scores in HARD_SCORES
    ]


def label_level_files():
    """The files of Type-I errors of every kind of labels, size, semantics, batch of shares and batch of scores."""
    return [
        f"results/boostsa2022/levels/kind={kind}/n-{n}_{semantics}+{shares}+{scores}.parquet"
        for kind, batched in (("hard", HARD_SCORES), ("soft", SOFT_SCORES))
        for n in labels_study.level_sizes
        for semantics in boostsa2022.SEMANTICS
        for shares in SHARES
        for scores in batched
    ]


def label_scores_of(wildcards):
    """The scores of a batch, hard or soft, as options."""
    batched = SOFT_SCORES if wildcards.get("kind") == "soft" else HARD_SCORES
    return options("--score", batched[wildcards.scores])


def shares_of(wildcards):
    """The shares of a batch, as options."""
    return options("--fraction", (SHARES | EXAMPLE_SHARES)[wildcards.shares])


def label_tables():
    return boostsa2022.table_names(tagging=bool(labels_study.discordances))


def label_figures():
    return boostsa2022.figure_names(tagging=bool(labels_study.discordances))


LABEL_CODE = (
    "data/labels.py",
    "labels",
    "metrics",
    "testing/engine",
    "boostsa2022/design.py",
    "boostsa2022/label_sets.py",
    "boostsa2022/label_cells.py",
    "testing/pvalues.py",
    "planning/power/estimate.py",
    *[f"resampling/{name}.py" for name in ("effects", "lanes", "streams")],
)


rule boostsa_balanced:
    input:
        code=code(*LABEL_CODE),
    output:
        "results/boostsa2022/pvalues/design=balanced/n-{n}+{shares}+{scores}.parquet",
    log:
        "logs/boostsa2022/balanced/n-{n}+{shares}+{scores}.log",
    benchmark:
        "logs/benchmarks/boostsa2022/balanced/n-{n}+{shares}+{scores}.tsv"
    threads: 1
    resources:
        mem_mb=memory(261),
        runtime=minutes(3),
    params:
        scores=label_scores_of,
        shares=shares_of,
        accuracy=labels_study.accuracy,
        simulations=labels_study.n_simulations,
        resamples=labels_study.n_resamples,
        seed=run.seed,
    message:
        "Testing balanced classifiers on {wildcards.n} items"
    shell:
        "nbyk study boostsa2022 balanced --items {wildcards.n} --accuracy {params.accuracy} {params.scores}"
        " {params.shares} --simulations {params.simulations} --resamples {params.resamples}"
        " --seed {params.seed} --threads {threads} --out {output} > {log} 2>&1"


rule boostsa_tagging:
    input:
        code=code(*LABEL_CODE),
    output:
        "results/boostsa2022/pvalues/design=tagging/discordance-{discordance}+{shares}+{scores}.parquet",
    log:
        "logs/boostsa2022/tagging/discordance-{discordance}+{shares}+{scores}.log",
    benchmark:
        "logs/benchmarks/boostsa2022/tagging/discordance-{discordance}+{shares}+{scores}.tsv"
    threads: 1
    resources:
        mem_mb=memory(238),
        runtime=minutes(9),
    params:
        scores=label_scores_of,
        shares=shares_of,
        simulations=labels_study.n_simulations,
        resamples=labels_study.tagging_resamples,
        seed=run.seed,
    message:
        "Testing taggers of which exactly one is right on a share of {wildcards.discordance}"
    shell:
        "nbyk study boostsa2022 tagging --discordance {wildcards.discordance} {params.scores} {params.shares}"
        " --simulations {params.simulations} --resamples {params.resamples}"
        " --seed {params.seed} --threads {threads} --out {output} > {log} 2>&1"


rule boostsa_example:
    input:
        code=code(*LABEL_CODE),
    output:
        "results/boostsa2022/pvalues/design=example/all+{shares}+{scores}.parquet",
    log:
        "logs/boostsa2022/example/{shares}+{scores}.log",
    benchmark:
        "logs/benchmarks/boostsa2022/example/{shares}+{scores}.tsv"
    threads: 1
    resources:
        mem_mb=memory(261),
        runtime=minutes(5),
    params:
        scores=label_scores_of,
        shares=shares_of,
        simulations=labels_study.n_simulations,
        resamples=labels_study.tagging_resamples,
        seed=run.seed,
    message:
        "Testing the systems of the paper's printed example"
    shell:
        "nbyk study boostsa2022 example {params.scores} {params.shares}"
        " --simulations {params.simulations} --resamples {params.resamples}"
        " --seed {params.seed} --threads {threads} --out {output} > {log} 2>&1"


rule boostsa_levels:
    input:
        code=code(*LABEL_CODE),
    output:
        "results/boostsa2022/levels/kind={kind}/n-{n}_{semantics}+{shares}+{scores}.parquet",
    log:
        "logs/boostsa2022/levels/{kind}_n-{n}_{semantics}+{shares}+{scores}.log",
    benchmark:
        "logs/benchmarks/boostsa2022/levels/{kind}_n-{n}_{semantics}+{shares}+{scores}.tsv"
    threads: 1
    resources:
        mem_mb=memory(299),
        runtime=minutes(
            113,
            lambda wildcards: (
                max(1000, int(wildcards.n))
                / 1000
                * labels_study.n_sets
                / 2000
                * labels_study.level_resamples
                / 999
            ),
        ),
    params:
        scores=label_scores_of,
        shares=shares_of,
        sets=labels_study.n_sets,
        resamples=labels_study.level_resamples,
        alpha=boostsa2022.ALPHA,
        seed=run.seed,
    message:
        "Measuring Type-I error: {wildcards.kind} labels, {wildcards.n} items, {wildcards.semantics}"
    shell:
        "nbyk study boostsa2022 levels --items {wildcards.n} --semantics {wildcards.semantics}"
        " {params.scores} {params.shares} --sets {params.sets} --resamples {params.resamples}"
        " --alpha {params.alpha} --seed {params.seed} --threads {threads} --out {output} -- {wildcards.kind} > {log} 2>&1"


rule boostsa_tables:
    input:
        pvalues=label_p_value_files(),
        levels=label_level_files(),
        code=code(
            "boostsa2022/design.py",
            "boostsa2022",
            "report/formats.py",
            "partitions.py",
        ),
    output:
        report(
            expand("results/boostsa2022/tables/{name}.csv", name=label_tables()),
            caption="../report/boostsa_tables.rst",
            category="Tables of Fornaciari et al. 2022",
        ),
        expand(
            "results/boostsa2022/tables/{name}.{suffix}",
            name=label_tables(),
            suffix=["md", "tex"],
        ),
        summary="results/boostsa2022/summary.json",
    log:
        "logs/boostsa2022/tables.log",
    benchmark:
        "logs/benchmarks/boostsa2022/tables.tsv"
    threads: 1
    resources:
        mem_mb=memory(206),
        runtime=minutes(2),
    params:
        pvalues=lambda wildcards, input: options("--pvalues", input.pvalues),
        levels=lambda wildcards, input: options("--levels", input.levels),
    message:
        "Writing the tables and the summary of Fornaciari et al. 2022"
    shell:
        "nbyk study boostsa2022 tables {params.pvalues:q} {params.levels:q} --out results/boostsa2022 > {log} 2>&1"


rule boostsa_figures:
    input:
        pvalues=label_p_value_files(),
        levels=label_level_files(),
        code=code(
            "boostsa2022/design.py",
            "boostsa2022",
            "report/drawing.py",
            "partitions.py",
        ),
    output:
        report(
            expand("results/boostsa2022/figures/{name}.svg", name=label_figures()),
            caption="../report/boostsa_figures.rst",
            category="Figures of Fornaciari et al. 2022",
        ),
        expand("results/boostsa2022/figures/{name}.png", name=label_figures()),
    log:
        "logs/boostsa2022/figures.log",
    benchmark:
        "logs/benchmarks/boostsa2022/figures.tsv"
    threads: 1
    resources:
        mem_mb=memory(267),
        runtime=minutes(4),
    params:
        pvalues=lambda wildcards, input: options("--pvalues", input.pvalues),
        levels=lambda wildcards, input: options("--levels", input.levels),
    message:
        "Drawing the figures of Fornaciari et al. 2022"
    shell:
        "nbyk study boostsa2022 figures {params.pvalues:q} {params.levels:q}"
        " --out results/boostsa2022/figures > {log} 2>&1"


rule boostsa_report:
    input:
        rules.boostsa_tables.output,
        rules.boostsa_figures.output,
        code=code(
            "page.py", "report/html.py", "report/templates", "templates", "boostsa2022"
        ),
    output:
        "results/boostsa2022/report.html",
    log:
        "logs/boostsa2022/report.log",
    benchmark:
        "logs/benchmarks/boostsa2022/report.tsv"
    threads: 1
    resources:
        mem_mb=memory(68),
        runtime=minutes(1),
    message:
        "Writing the report of Fornaciari et al. 2022"
    shell:
        "nbyk study boostsa2022 report --out {output} -- results/boostsa2022 > {log} 2>&1"


rule boostsa2022:
    input:
        label_p_value_files(),
        label_level_files(),
        rules.boostsa_tables.output,
        rules.boostsa_figures.output,
        rules.boostsa_report.output,
    message:
        "All of results/boostsa2022 is there"
