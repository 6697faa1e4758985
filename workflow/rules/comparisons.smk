# Comparisons of the user's own systems: one `nbyk compare` each.


def compared_metric_files(wildcards):
    return run.files_of_metrics(run.comparisons[wildcards.comparison].metrics)


def comparison_work(wildcards):
    """What a comparison takes beside one of a megabyte of ratings."""
    files = run.comparisons[wildcards.comparison].files()
    return max(1.0, sum(Path(file).stat().st_size for file in files) / 1e6)


rule comparison:
    input:
        ratings=lambda wildcards: run.comparisons[wildcards.comparison].files(),
        metric_files=compared_metric_files,
    output:
        report(
            "results/comparisons/{comparison}/compare.html",
            caption="../report/comparisons.rst",
            category="Comparisons",
        ),
        "results/comparisons/{comparison}/compare.json",
        directory("results/comparisons/{comparison}/tables"),
        directory("results/comparisons/{comparison}/figures"),
    log:
        "logs/comparisons/{comparison}.log",
    benchmark:
        "logs/benchmarks/comparisons/{comparison}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(297, 15, comparison_work),
        runtime=minutes(31, comparison_work),
    params:
        systems=lambda wildcards: run.comparisons[wildcards.comparison].systems,
        options=lambda wildcards: run.comparisons[wildcards.comparison].options(),
        metric_files=lambda wildcards, input: options(
            "--metric-file", input.metric_files
        ),
        folder="results/comparisons/{comparison}",
        seed=run.seed,
        code=lambda wildcards: code("nbyk.cli.compare:compare"),
    message:
        "Comparing: {wildcards.comparison}"
    shell:
        "nbyk compare {params.options:q} {params.metric_files:q} --seed {params.seed} --threads {threads}"
        " --out {params.folder} -- {params.systems:q} > {log} 2>&1"


rule comparisons:
    input:
        expand(rules.comparison.output, comparison=run.comparisons),
    message:
        "All of results/comparisons is there"
