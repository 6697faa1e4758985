# Homan et al. 2025: p-values over a grid of sizes N × K, power, and what people read of them.


def grid_points():
    """The sizes of each job's file: those of the paper's grid share one, any other size has its own."""
    papers = set(homan2025.grid_sizes(homan2025.BUDGETS, homan2025.RESPONSES))
    asked = homan2025.grid_sizes(study.budgets, study.k_responses)
    shared = [size for size in asked if size in papers]
    further = [size for size in asked if size not in papers]
    further += [(size.n_items, size.k_responses) for size in study.sizes]
    singles = {f"n-{n}_k-{k}": [(n, k)] for n, k in further if (n, k) not in shared}
    return ({"grid": shared} if shared else {}) | singles


def figure_5_points():
    """The sizes of Figure 5, which has further metrics."""
    sizes = homan2025.grid_sizes([homan2025.FIGURE_5_BUDGET], study.k_responses)
    return [size for points in GRID_POINTS.values() for size in points if size in sizes]


study = run.homan2025
GRID_POINTS = grid_points()
GRID_METRICS = batches(study.metrics, homan2025.METRICS, "homan2025")
FIGURE_5_POINTS = figure_5_points()
FIGURE_5_METRICS = [
    name for name in homan2025.FIGURE_5_METRICS if name not in study.metrics
]
GRID_CELLS = [
    (source, epsilon) for source in study.sources for epsilon in study.epsilons
]


wildcard_constraints:
    points="grid|figure_05|n-[0-9]+_k-[0-9]+",


def points_of(wildcards):
    return (
        FIGURE_5_POINTS
        if wildcards.points == "figure_05"
        else GRID_POINTS[wildcards.points]
    )


def grid_metrics_of(wildcards):
    return (
        FIGURE_5_METRICS
        if wildcards.points == "figure_05"
        else GRID_METRICS[wildcards.metrics]
    )


def grid_prior_of(wildcards):
    """An own fit's prior, or the published one."""
    if homan2025.is_own_fit(wildcards.source):
        return f"results/homan2025/fits/{homan2025.published_source(wildcards.source)}/prior.json"
    return f"results/priors/published/{wildcards.source}.json"


def grid_work(wildcards):
    """What a job of the grid has to do beside one of the paper's: its responses times its draws."""
    papers = homan2025.grid_sizes(homan2025.BUDGETS, homan2025.RESPONSES)
    share = sum(n * k for n, k in points_of(wildcards)) / sum(n * k for n, k in papers)
    return share * study.n_draws / 10_000


def power_work(wildcards):
    """What a size of the power study has to do beside the slowest measured: its test sets times their resamples."""
    sizes = max(1.0, int(wildcards.n) * int(wildcards.k) / 20_000)
    return sizes * study.power_n_sets / 1000 * study.power_resamples / 10_000


def all_grid_files():
    """The p-value files of every source, ε, batch of sizes and batch of metrics."""
    files = [
        f"results/homan2025/pvalues/source={source}/epsilon-{epsilon}+{points}+{metrics}.parquet"
        for source, epsilon in GRID_CELLS
        for points in GRID_POINTS
        for metrics in GRID_METRICS
    ]
    if FIGURE_5_POINTS and FIGURE_5_METRICS:
        files += [
            f"results/homan2025/pvalues/source={source}/epsilon-{epsilon}+figure_05+further.parquet"
            for source, epsilon in homan2025.PANELS
            if (source, epsilon) in GRID_CELLS
        ]
    return files


def all_power_files():
    cell = f"source={study.power_source}/epsilon-{study.power_epsilon}"
    return [
        f"results/homan2025/power/{cell}_n-{size.n_items}_k-{size.k_responses}.parquet"
        for size in study.power_sizes
    ]


def fit_files(name):
    """A file of each own fit."""
    return [
        f"results/homan2025/fits/{homan2025.published_source(source)}/{name}"
        for source in study.fitted
    ]


def homan_tables():
    """Every table of the study, by name as `nbyk study homan2025 tables` gives them."""
    names = [
        f"{semantics}/{homan2025.table_name(epsilon)}"
        for semantics in ("published", "recommended")
        for epsilon in study.epsilons
    ]
    if homan2025.published_cells(GRID_CELLS, grid_sizes(), study.metrics):
        names.append("overstatement")
    names += ["power"] if study.power_sizes else []
    for source in study.fitted:
        of_source = homan2025.published_source(source)
        names.append(f"fit_{of_source}")
        if {source, of_source} <= set(study.sources):
            names.append(f"fit_{of_source}_p_values")
    return names


def grid_sizes():
    return [size for points in GRID_POINTS.values() for size in points]


def homan_figures():
    return homan2025.figure_names(
        GRID_CELLS,
        grid_sizes(),
        study.metrics,
        with_power=bool(study.power_sizes),
        fitted=study.fitted,
    )


rule homan_fit:
    input:
        ratings="results/ratings/{source}.parquet",
        code=code("data", "priors"),
    output:
        prior="results/homan2025/fits/{source}/prior.json",
        check="results/homan2025/fits/{source}/check.json",
    log:
        "logs/homan2025/fit/{source}.log",
    benchmark:
        "logs/benchmarks/homan2025/fit/{source}.tsv"
    threads: 1
    resources:
        mem_mb=memory(203),
        runtime=minutes(5),
    message:
        "Fitting a prior to the ratings of {wildcards.source} by likelihood"
    shell:
        "nbyk study homan2025 fit --name {wildcards.source} --check {output.check}"
        " --out {output.prior} -- {input.ratings} > {log} 2>&1"


rule homan_grid:
    input:
        prior=grid_prior_of,
        metric_files=lambda wildcards: metric_files_behind(grid_metrics_of(wildcards)),
        code=code(
            "priors",
            "metrics",
            "resampling",
            "testing/pvalues.py",
            "planning/sizes",
        ),
    output:
        "results/homan2025/pvalues/source={source}/epsilon-{epsilon}+{points}+{metrics}.parquet",
    log:
        "logs/homan2025/grid/source={source}/epsilon-{epsilon}+{points}+{metrics}.log",
    benchmark:
        "logs/benchmarks/homan2025/grid/source={source}/epsilon-{epsilon}+{points}+{metrics}.tsv"
    threads: 1
    resources:
        mem_mb=memory(355),
        runtime=minutes(245, grid_work),
    params:
        sizes=lambda wildcards: options(
            "--size", [f"{n}x{k}" for n, k in points_of(wildcards)]
        ),
        metrics=lambda wildcards: options("--metric", grid_metrics_of(wildcards)),
        metric_files=lambda wildcards, input: options(
            "--metric-file", input.metric_files
        ),
        draws=study.n_draws,
        seed=run.seed,
    message:
        "Computing p-values: {wildcards.source}, ε = {wildcards.epsilon}, {wildcards.points} × {wildcards.metrics}"
    shell:
        "nbyk study homan2025 grid {params.sizes} {params.metrics:q} {params.metric_files:q}"
        " --epsilon {wildcards.epsilon} --draws {params.draws} --seed {params.seed} --threads {threads}"
        " --out {output} -- {input.prior} > {log} 2>&1"


rule homan_power:
    input:
        prior=grid_prior_of,
        code=code(
            "priors",
            "metrics",
            "resampling",
            "testing/pvalues.py",
            *[
                f"testing/engine/{name}.py"
                for name in ("draws", "forms", "rows", "swaps", "weights")
            ],
            "planning/power",
            "resampling/random_subsets.py",
        ),
    output:
        "results/homan2025/power/source={source}/epsilon-{epsilon}_n-{n}_k-{k}.parquet",
    log:
        "logs/homan2025/power/source={source}/epsilon-{epsilon}_n-{n}_k-{k}.log",
    benchmark:
        "logs/benchmarks/homan2025/power/source={source}/epsilon-{epsilon}_n-{n}_k-{k}.tsv"
    threads: 1
    resources:
        mem_mb=memory(331),
        runtime=minutes(64, power_work),
    params:
        sets=study.power_n_sets,
        resamples=study.power_resamples,
        seed=run.seed,
    message:
        "Computing power: {wildcards.source}, ε = {wildcards.epsilon}, {wildcards.n} × {wildcards.k}"
    shell:
        "nbyk study homan2025 power --items {wildcards.n} --responses {wildcards.k}"
        " --epsilon {wildcards.epsilon} --sets {params.sets} --resamples {params.resamples}"
        " --seed {params.seed} --threads {threads} --out {output} -- {input.prior} > {log} 2>&1"


rule homan_tables:
    input:
        pvalues=all_grid_files(),
        power=all_power_files(),
        checks=fit_files("check.json"),
        code=code(
            "homan2025/design.py",
            "agreement.py",
            "homan2025",
            "report/formats.py",
            "partitions.py",
        ),
    output:
        report(
            expand("results/homan2025/tables/{name}.csv", name=homan_tables()),
            caption="../report/homan_tables.rst",
            category="Tables of Homan et al. 2025",
        ),
        expand(
            "results/homan2025/tables/{name}.{suffix}",
            name=homan_tables(),
            suffix=["md", "tex"],
        ),
        summary="results/homan2025/summary.json",
    log:
        "logs/homan2025/tables.log",
    benchmark:
        "logs/benchmarks/homan2025/tables.tsv"
    threads: 1
    resources:
        mem_mb=memory(221),
        runtime=minutes(9),
    params:
        power=lambda wildcards, input: options("--power", input.power),
        fitted=lambda wildcards, input: (
            options("--fitted", study.fitted) + options("--check", input.checks)
        ),
    message:
        "Writing the tables and the summary of Homan et al. 2025"
    shell:
        "nbyk study homan2025 tables {params.power:q} {params.fitted:q}"
        " --out results/homan2025 -- {input.pvalues:q} > {log} 2>&1"


rule homan_figures:
    input:
        pvalues=all_grid_files(),
        power=all_power_files(),
        ratings=[
            f"results/ratings/{homan2025.published_source(source)}.parquet"
            for source in study.fitted
        ],
        priors=fit_files("prior.json"),
        code=code(
            "homan2025/design.py",
            "agreement.py",
            "homan2025",
            "report/drawing.py",
            "fits.py",
            "partitions.py",
        ),
    output:
        report(
            expand("results/homan2025/figures/{name}.svg", name=homan_figures()),
            caption="../report/homan_figures.rst",
            category="Figures of Homan et al. 2025",
        ),
        expand("results/homan2025/figures/{name}.png", name=homan_figures()),
    log:
        "logs/homan2025/figures.log",
    benchmark:
        "logs/benchmarks/homan2025/figures.tsv"
    threads: 1
    resources:
        mem_mb=memory(380),
        runtime=minutes(39),
    params:
        power=lambda wildcards, input: options("--power", input.power),
        fitted=lambda wildcards, input: (
            options("--fitted", study.fitted)
            + options("--ratings", input.ratings)
            + options("--prior", input.priors)
        ),
        seed=run.seed,
    message:
        "Drawing the figures of Homan et al. 2025"
    shell:
        "nbyk study homan2025 figures {params.power:q} {params.fitted:q}"
        " --out results/homan2025/figures --seed {params.seed} -- {input.pvalues:q} > {log} 2>&1"


rule homan_report:
    input:
        rules.homan_tables.output,
        rules.homan_figures.output,
        code=code(
            "page.py", "report/html.py", "report/templates", "templates", "homan2025"
        ),
    output:
        "results/homan2025/report.html",
    log:
        "logs/homan2025/report.log",
    benchmark:
        "logs/benchmarks/homan2025/report.tsv"
    threads: 1
    resources:
        mem_mb=memory(68),
        runtime=minutes(1),
    message:
        "Writing the report of Homan et al. 2025"
    shell:
        "nbyk study homan2025 report --out {output} -- results/homan2025 > {log} 2>&1"


rule homan2025:
    input:
        all_grid_files(),
        all_power_files(),
        rules.homan_tables.output,
        rules.homan_figures.output,
        rules.homan_report.output,
    message:
        "All of results/homan2025 is there"
