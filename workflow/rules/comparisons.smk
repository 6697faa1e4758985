# Comparisons of the user's own systems: one `nbyk compare` each.


rule comparison:
    input:
        ratings=lambda wildcards: plan.config.comparisons[wildcards.comparison].files(),
        metric_files=lambda wildcards: plan.metric_files(wildcards.comparison),
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
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(
            lambda wildcards: 282 + 15 * plan.comparison_work(wildcards.comparison)
        ),
        runtime=minutes(
            lambda wildcards: 31 * plan.comparison_work(wildcards.comparison)
        ),
    params:
        systems=lambda wildcards: plan.config.comparisons[wildcards.comparison].systems,
        options=lambda wildcards: plan.config.comparisons[
            wildcards.comparison
        ].options(),
        metric_files=lambda wildcards, input: repeated(
            "--metric-file", input.metric_files
        ),
        folder=subpath(output[0], parent=True),
        seed=plan.config.seed,
        code=lambda wildcards: plan.code("nbyk.cli.compare:compare"),
    message:
        "Comparing: {wildcards.comparison}"
    shell:
        "nbyk compare {params.options:q} {params.metric_files:q} --seed {params.seed} --threads {threads}"
        " --out {params.folder} -- {params.systems:q} > {log} 2>&1"


rule comparisons:
    input:
        expand(rules.comparison.output, comparison=plan.config.comparisons),
    message:
        "results/comparisons is complete"
