# Label predictions: one job per design of controls, treatments and runs.

DESIGN_TABLES = ["comparisons", "conditions"]
DESIGN_FIGURES = ["leads", "scores"]


rule labels_design:
    input:
        files=lambda wildcards: plan.design_files[wildcards.design],
    output:
        report(
            expand(
                "results/labels/{{design}}/figures/{name}.svg", name=DESIGN_FIGURES
            ),
            caption="../report/labels_figures.rst",
            category="Label predictions",
        ),
        report(
            expand("results/labels/{{design}}/tables/{name}.csv", name=DESIGN_TABLES),
            caption="../report/labels_tables.rst",
            category="Label predictions",
        ),
        "results/labels/{design}/labels.json",
        "results/labels/{design}/labels.html",
    log:
        "logs/labels/{design}.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(300),
        runtime=minutes(60),
    params:
        design=lambda wildcards, input: input.files[0],
        folder=subpath(output[-1], parent=True),
        code=lambda wildcards: plan.code("nbyk.cli.labels:labels"),
    message:
        "Comparing the treatments of design {wildcards.design} with their controls"
    shell:
        "nbyk labels --out {params.folder} --threads {threads}"
        " -- {params.design:q} > {log} 2>&1"


rule labels:
    input:
        expand("results/labels/{design}/labels.html", design=plan.design_files),
    message:
        "results/labels is complete"
