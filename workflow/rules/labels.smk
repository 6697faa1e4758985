# Label predictions: one job per design of controls, treatments and runs.

DESIGN_TABLES = ["comparisons", "conditions"]
DESIGN_FIGURES = ["leads", "scores"]


def files_of_designs():
    """The files that each design reads, itself first."""
    if not run.labels.designs:
        return {}
    from nbyk.labels.designs import design_files

    return {
        name: [workflow_path(file) for file in design_files(path)]
        for name, path in run.labels.designs.items()
    }


try:
    DESIGN_FILES = files_of_designs()
except NbykError as error:
    raise WorkflowError(f"a design under labels.designs is wrong:\n{error}") from None


wildcard_constraints:
    design="[a-z0-9_]+",


# Comparisons that were computed before lie in results/labels/DESIGN/comparisons, which is no output: Snakemake would
# delete it before the job that is to keep them.
rule labels_design:
    input:
        files=lambda wildcards: DESIGN_FILES[wildcards.design],
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
    benchmark:
        "logs/benchmarks/labels/{design}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(300),
        runtime=minutes(60),
    params:
        code=lambda wildcards: code("nbyk.cli.labels:labels"),
    message:
        "Comparing the treatments of design {wildcards.design} with their controls"
    shell:
        "nbyk labels --out results/labels/{wildcards.design} --threads {threads}"
        " -- {input.files[0]:q} > {log} 2>&1"


rule labels:
    input:
        expand("results/labels/{design}/labels.html", design=run.labels.designs),
    message:
        "All of results/labels is there"
