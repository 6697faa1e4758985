# Calibration: how often each test rejects, over simulated test sets, and what people read of it.

levels = run.calibration
RATE_METRICS = batches(levels.metrics, calibration.METRICS, "default")
RATE_SAMPLERS = batches(levels.samplers, WEIN_SAMPLERS, "wein2023")
PERTURBATIONS = [
    *((epsilon, epsilon) for epsilon in (0.0, *levels.weak_epsilons)),
    *((0.0, epsilon) for epsilon in levels.power_epsilons),
]


wildcard_constraints:
    epsilon_a=r"[0-9.e-]+",
    part="at_own_size|expected_[A-Za-z0-9_.=-]+",


def all_rate_files():
    """The files of every source, pair of ε, size and batch of metrics, and of expected p's samplers."""
    parts = [
        *((size, "at_own_size") for size in levels.sizes),
        *(
            (size, f"expected_{samplers}")
            for size in levels.expected_sizes
            for samplers in RATE_SAMPLERS
        ),
    ]
    return [
        f"results/calibration/rates/source={source}/epsilon-{epsilon_a}-{epsilon_b}"
        f"_n-{size.n_items}_k-{size.k_responses}+{part}+{metrics}.parquet"
        for source in levels.sources
        for size, part in parts
        for epsilon_a, epsilon_b in PERTURBATIONS
        for metrics in RATE_METRICS
    ]


def rate_samplers_of(wildcards):
    return RATE_SAMPLERS.get(wildcards.part.removeprefix("expected_"), [])


def rate_work(wildcards):
    """What a job has to do beside the slowest measured: its responses times its test sets and draws."""
    expected = wildcards.part != "at_own_size"
    draws = 5 * levels.expected_resamples if expected else levels.n_resamples
    responses = max(50, int(wildcards.n)) * int(wildcards.k) / 2500
    return responses * levels.n_sets / 1000 * draws / 199


def calibration_tables():
    return calibration.table_names(
        with_power=bool(levels.power_epsilons),
        with_expected=bool(levels.expected_sizes),
    )


def calibration_figures():
    return calibration.figure_names(
        with_power=bool(levels.power_epsilons),
        with_expected=bool(levels.expected_sizes),
    )


rule calibration_rates:
    input:
        prior=grid_prior_of,
        metric_files=lambda wildcards: metric_files_behind(
            RATE_METRICS[wildcards.metrics]
        ),
        code=code(
            "priors",
            "metrics",
            "resampling",
            "testing/pvalues.py",
            "testing/intervals.py",
            *[
                f"testing/engine/{name}.py"
                for name in ("draws", "forms", "rows", "swaps", "weights")
            ],
            "planning/power/estimate.py",
            "calibration/calibrate.py",
        ),
    output:
        "results/calibration/rates/source={source}/epsilon-{epsilon_a}-{epsilon}_n-{n}_k-{k}+{part}+{metrics}.parquet",
    log:
        "logs/calibration/rates/source={source}/epsilon-{epsilon_a}-{epsilon}_n-{n}_k-{k}+{part}+{metrics}.log",
    benchmark:
        "logs/benchmarks/calibration/rates/source={source}/epsilon-{epsilon_a}-{epsilon}_n-{n}_k-{k}+{part}+{metrics}.tsv"
    threads: 1
    resources:
        mem_mb=memory(424),
        runtime=minutes(120, rate_work),
    params:
        metrics=lambda wildcards: options("--metric", RATE_METRICS[wildcards.metrics]),
        samplers=lambda wildcards: options("--sampler", rate_samplers_of(wildcards)),
        alphas=options("--alpha", levels.alphas),
        metric_files=lambda wildcards, input: options(
            "--metric-file", input.metric_files
        ),
        sets=levels.n_sets,
        resamples=lambda wildcards: (
            levels.n_resamples
            if wildcards.part == "at_own_size"
            else levels.expected_resamples
        ),
        bootstraps=levels.n_bootstraps,
        seed=run.seed,
    message:
        "Calibrating: {wildcards.source}, ε = {wildcards.epsilon_a} and {wildcards.epsilon},"
        " {wildcards.n} × {wildcards.k}, {wildcards.part}"
    shell:
        "nbyk study calibration rates --items {wildcards.n} --responses {wildcards.k}"
        " --epsilon-a {wildcards.epsilon_a} --epsilon {wildcards.epsilon} {params.metrics:q}"
        " {params.samplers:q} {params.alphas} {params.metric_files:q} --sets {params.sets}"
        " --resamples {params.resamples} --bootstraps {params.bootstraps} --seed {params.seed}"
        " --threads {threads} --out {output} -- {input.prior} > {log} 2>&1"


rule calibration_tables:
    input:
        rates=all_rate_files(),
        code=code(
            "calibration/design.py",
            "homan2025/design.py",
            "calibration/verdicts.py",
            "calibration",
            "report/formats.py",
            "partitions.py",
        ),
    output:
        report(
            expand("results/calibration/tables/{name}.csv", name=calibration_tables()),
            caption="../report/calibration_tables.rst",
            category="Calibration",
        ),
        expand(
            "results/calibration/tables/{name}.{suffix}",
            name=calibration_tables(),
            suffix=["md", "tex"],
        ),
        summary="results/calibration/summary.json",
    log:
        "logs/calibration/tables.log",
    benchmark:
        "logs/benchmarks/calibration/tables.tsv"
    threads: 1
    resources:
        mem_mb=memory(250),
        runtime=minutes(20),
    message:
        "Writing the tables and the summary of calibration"
    shell:
        "nbyk study calibration tables --out results/calibration -- {input.rates:q} > {log} 2>&1"


rule calibration_figures:
    input:
        rates=all_rate_files(),
        code=code(
            "calibration/design.py",
            "homan2025/design.py",
            "calibration/verdicts.py",
            "calibration",
            "report/drawing.py",
            "partitions.py",
        ),
    output:
        report(
            expand(
                "results/calibration/figures/{name}.svg", name=calibration_figures()
            ),
            caption="../report/calibration_figures.rst",
            category="Calibration",
        ),
        expand("results/calibration/figures/{name}.png", name=calibration_figures()),
    log:
        "logs/calibration/figures.log",
    benchmark:
        "logs/benchmarks/calibration/figures.tsv"
    threads: 1
    resources:
        mem_mb=memory(300),
        runtime=minutes(20),
    message:
        "Drawing the heat maps of calibration"
    shell:
        "nbyk study calibration figures --out results/calibration/figures -- {input.rates:q} > {log} 2>&1"


rule calibration_report:
    input:
        rules.calibration_tables.output,
        rules.calibration_figures.output,
        code=code(
            "page.py", "report/html.py", "report/templates", "templates", "calibration"
        ),
    output:
        "results/calibration/report.html",
    log:
        "logs/calibration/report.log",
    benchmark:
        "logs/benchmarks/calibration/report.tsv"
    threads: 1
    resources:
        mem_mb=memory(68),
        runtime=minutes(1),
    message:
        "Writing the report of calibration"
    shell:
        "nbyk study calibration report --out {output} -- results/calibration > {log} 2>&1"


rule calibration:
    input:
        all_rate_files(),
        rules.calibration_tables.output,
        rules.calibration_figures.output,
        rules.calibration_report.output,
    message:
        "All of results/calibration is there"
