# The studies: their cells, by the steps that each brings, and what people read of them.

STUDIES = {study.name: study for study in studies() if study.report}
OF_FOLDER = {study.folder or study.name: study for study in STUDIES.values()}


@cache
def cells_of(name):
    """The cells that the configuration asks of a study, by file."""
    return {cell.file: cell for cell in STUDIES[name].cells(run)}


@cache
def reported(name):
    """What a study's report is told and reads."""
    return STUDIES[name].reported(run)


def cell_of(wildcards):
    file = f"{wildcards.study}/{wildcards.cell}.parquet"
    cells = cells_of(wildcards.study)
    if file not in cells:
        raise WorkflowError(
            f"results/{file}: the configuration asks for no such cell; add it there"
        )
    return cells[file]


def study_in(wildcards):
    return OF_FOLDER[wildcards.folder]


wildcard_constraints:
    study="|".join(name for name, study in STUDIES.items() if study.steps),
    folder="|".join(OF_FOLDER),
    cell="(?!tables/).+",


rule cell:
    input:
        unpack(lambda wildcards: dict(cell_of(wildcards).inputs)),
    output:
        "results/{study}/{cell}.parquet",
    log:
        "logs/{study}/{cell}.log",
    benchmark:
        "logs/benchmarks/{study}/{cell}.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: memory(cell_of(wildcards).memory)(
            wildcards, attempt
        ),
        runtime=lambda wildcards, attempt: minutes(cell_of(wildcards).seconds)(
            wildcards, attempt
        ),
    params:
        step=lambda wildcards: cell_of(wildcards).step,
        options=lambda wildcards: cell_of(wildcards).options(),
        words=lambda wildcards: cell_of(wildcards).words(),
        code=lambda wildcards: code(
            STUDIES[wildcards.study].steps[cell_of(wildcards).step]
        ),
    message:
        "Computing {wildcards.study}: {wildcards.cell}"
    shell:
        "nbyk study cell {params.options:q} --threads {threads} --out {output}"
        " -- {wildcards.study} {params.step} {params.words:q} > {log} 2>&1"


rule study_report:
    input:
        unpack(lambda wildcards: dict(reported(study_in(wildcards).name).inputs)),
    output:
        report(
            "results/{folder}/report.html",
            caption="../report/study.rst",
            category="Studies",
        ),
        "results/{folder}/summary.json",
        directory("results/{folder}/tables"),
        directory("results/{folder}/figures"),
    log:
        "logs/report/{folder}.log",
    benchmark:
        "logs/benchmarks/report/{folder}.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: memory(
            reported(study_in(wildcards).name).memory
        )(wildcards, attempt),
        runtime=lambda wildcards, attempt: minutes(
            reported(study_in(wildcards).name).seconds
        )(wildcards, attempt),
    params:
        name=lambda wildcards: study_in(wildcards).name,
        options=lambda wildcards: reported(study_in(wildcards).name).options(),
        words=lambda wildcards: reported(study_in(wildcards).name).words(),
        code=lambda wildcards: code(study_in(wildcards).report),
    message:
        "Writing what people read of {wildcards.folder}"
    shell:
        "nbyk study report {params.options:q} --out results/{wildcards.folder}"
        " -- {params.name} {params.words:q} > {log} 2>&1"


def products(name):
    """Everything of a study: its cells, and what people read of them."""
    study = STUDIES[name]
    return [
        *(f"results/{file}" for file in cells_of(name)),
        *expand(rules.study_report.output, folder=study.folder or name),
    ]


# A target for each study, by its name.
for name in STUDIES:

    rule:
        name:
            name
        input:
            lambda wildcards, name=name: products(name),
        message:
            "All of a study is there"
