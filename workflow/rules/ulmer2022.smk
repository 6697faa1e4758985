# Ulmer et al. 2022: what every test says of simulated scores, and what people read of it.

of_scores = run.ulmer2022
SCORE_TESTS = batches(of_scores.tests, ulmer2022.TESTS, "ulmer2022")


wildcard_constraints:
    distribution="[a-z0-9_]+",
    settings=r"ulmer2022|type_[a-z0-9_]+_n-[0-9]+_lead-[0-9.e-]+",
    tests="[a-z0-9_]+",


def settings_of(distribution):
    """Every setting that a distribution is to be simulated at."""
    return ulmer2022.settings(
        of_scores.sample_sizes,
        of_scores.leads.get(distribution),
        of_scores.differences,
    )


def score_settings(distribution):
    """The settings of each job's file: the paper's own share one, any other has its own."""
    asked = settings_of(distribution)
    papers = ulmer2022.papers_settings(distribution)
    shared = papers if set(papers) <= set(asked) else []
    singles = {
        f"{each.error}_n-{each.sample_size}_lead-{each.lead}": [each]
        for each in asked
        if each not in shared
    }
    return ({"ulmer2022": shared} if shared else {}) | singles


def score_work(wildcards):
    """What a job has to do beside the slowest measured: its scores times its simulations and draws."""
    settings = score_settings(wildcards.distribution)[wildcards.settings]
    simulations = max(of_scores.n_simulations, 2 * of_scores.aso_simulations) / 1000
    return (
        max(0.1, sum(each.sample_size for each in settings) / 120)
        * simulations
        * of_scores.n_resamples
        / 1000
    )


def all_score_files():
    """The files of every semantics, distribution, batch of settings and batch of tests."""
    return [
        f"results/ulmer2022/scores/semantics={semantics}/distribution={distribution}/{settings}+{tests}.parquet"
        for semantics in ulmer2022.SEMANTICS
        for distribution in of_scores.distributions
        for settings in score_settings(distribution)
        for tests in SCORE_TESTS
    ]


SCORE_CELLS = [
    (distribution, setting)
    for distribution in of_scores.distributions
    for setting in settings_of(distribution)
]
SCORE_PRODUCTS = {
    "experiments": {
        (distribution, setting.error) for distribution, setting in SCORE_CELLS
    },
    "published": ulmer2022.has_published(
        SCORE_CELLS, of_scores.thresholds, of_scores.tests
    ),
}


rule ulmer_scores:
    input:
        code=code(
            "resampling",
            "testing/pvalues.py",
            "data/arrays.py",
            "resampling/random_subsets.py",
            *[
                f"testing/scores/{name}.py"
                for name in (
                    "aso",
                    "battery",
                    "bootstrap",
                    "classical",
                    "draws",
                    "kernels",
                    "randomisation",
                    "result",
                    "subset_sums",
                    "violation_ratio",
                )
            ],
            "ulmer2022/score_cells.py",
            "ulmer2022/design.py",
        ),
    output:
        "results/ulmer2022/scores/semantics={semantics}/distribution={distribution}/{settings}+{tests}.parquet",
    log:
        "logs/ulmer2022/scores/semantics={semantics}/distribution={distribution}/{settings}+{tests}.log",
    benchmark:
        "logs/benchmarks/ulmer2022/scores/semantics={semantics}/distribution={distribution}/{settings}+{tests}.tsv"
    threads: 1
    resources:
        mem_mb=memory(315),
        runtime=minutes(4, score_work),
    params:
        settings=lambda wildcards: options(
            "--setting",
            [
                f"{error}:{n}:{lead}"
                for error, n, lead in score_settings(wildcards.distribution)[
                    wildcards.settings
                ]
            ],
        ),
        tests=lambda wildcards: options("--test", SCORE_TESTS[wildcards.tests]),
        simulations=of_scores.n_simulations,
        aso_simulations=of_scores.aso_simulations,
        resamples=of_scores.n_resamples,
        seed=run.seed,
    message:
        "Testing simulated scores: {wildcards.distribution}, {wildcards.settings}, {wildcards.tests},"
        " {wildcards.semantics}"
    shell:
        "nbyk study ulmer2022 scores --semantics {wildcards.semantics}"
        " {params.settings} {params.tests} --simulations {params.simulations}"
        " --aso-simulations {params.aso_simulations} --resamples {params.resamples}"
        " --seed {params.seed} --threads {threads} --out {output} -- {wildcards.distribution} > {log} 2>&1"


rule ulmer_tables:
    input:
        scores=all_score_files(),
        code=code(
            "ulmer2022/design.py",
            "agreement.py",
            "planning/power/estimate.py",
            "ulmer2022",
            "report/formats.py",
            "partitions.py",
        ),
    output:
        report(
            expand(
                "results/ulmer2022/tables/{name}.csv",
                name=ulmer2022.table_names(**SCORE_PRODUCTS),
            ),
            caption="../report/ulmer_tables.rst",
            category="Tables of Ulmer et al. 2022",
        ),
        expand(
            "results/ulmer2022/tables/{name}.{suffix}",
            name=ulmer2022.table_names(**SCORE_PRODUCTS),
            suffix=["md", "tex"],
        ),
        rates="results/ulmer2022/rates.parquet",
        summary="results/ulmer2022/summary.json",
    log:
        "logs/ulmer2022/tables.log",
    benchmark:
        "logs/benchmarks/ulmer2022/tables.tsv"
    threads: 1
    resources:
        mem_mb=memory(335),
        runtime=minutes(3),
    params:
        thresholds=options("--threshold", of_scores.thresholds),
    message:
        "Writing the tables and the summary of Ulmer et al. 2022"
    shell:
        "nbyk study ulmer2022 tables {params.thresholds} --out results/ulmer2022"
        " -- {input.scores:q} > {log} 2>&1"


rule ulmer_figures:
    input:
        scores=all_score_files(),
        code=code(
            "ulmer2022/design.py",
            "ulmer2022/score_cells.py",
            "agreement.py",
            "planning/power/estimate.py",
            "ulmer2022",
            "report/drawing.py",
            "partitions.py",
        ),
    output:
        report(
            expand(
                "results/ulmer2022/figures/{name}.svg",
                name=ulmer2022.figure_names(**SCORE_PRODUCTS),
            ),
            caption="../report/ulmer_figures.rst",
            category="Figures of Ulmer et al. 2022",
        ),
        expand(
            "results/ulmer2022/figures/{name}.png",
            name=ulmer2022.figure_names(**SCORE_PRODUCTS),
        ),
    log:
        "logs/ulmer2022/figures.log",
    benchmark:
        "logs/benchmarks/ulmer2022/figures.tsv"
    threads: 1
    resources:
        mem_mb=memory(411),
        runtime=minutes(7),
    params:
        thresholds=options("--threshold", of_scores.thresholds),
    message:
        "Drawing the figures of Ulmer et al. 2022"
    shell:
        "nbyk study ulmer2022 figures {params.thresholds} --out results/ulmer2022/figures"
        " -- {input.scores:q} > {log} 2>&1"


rule ulmer_report:
    input:
        rules.ulmer_tables.output,
        rules.ulmer_figures.output,
        code=code(
            "page.py", "report/html.py", "report/templates", "templates", "ulmer2022"
        ),
    output:
        "results/ulmer2022/report.html",
    log:
        "logs/ulmer2022/report.log",
    benchmark:
        "logs/benchmarks/ulmer2022/report.tsv"
    threads: 1
    resources:
        mem_mb=memory(68),
        runtime=minutes(1),
    message:
        "Writing the report of Ulmer et al. 2022"
    shell:
        "nbyk study ulmer2022 report --out {output} -- results/ulmer2022 > {log} 2>&1"


rule ulmer2022:
    input:
        all_score_files(),
        rules.ulmer_tables.output,
        rules.ulmer_figures.output,
        rules.ulmer_report.output,
        rules.ulmer_case_study.output,
    message:
        "All of results/ulmer2022 is there"
