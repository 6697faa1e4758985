# The studies: their cells, by the steps that each brings, and what people read of them.

STUDIES = {study.name: study for study in studies() if study.report}
OF_FOLDER = {study.folder or study.name: study for study in STUDIES.values()}
OF_STORE = {
    study.store or study.name: study for study in STUDIES.values() if study.steps
}


@cache
def cells_of(name):
    """The cells that the configuration asks of a study, by file."""
    return {cell.file: cell for cell in STUDIES[name].cells(run)}


@cache
def reported(name):
    """What a study's report is told and reads."""
    return STUDIES[name].reported(run)


@cache
def cell_in(store, name):
    """The cell in a file that the configuration asks for, or that is there."""
    study, file = OF_STORE[store], f"{store}/{name}.parquet"
    cell = cells_of(study.name).get(file) or study.cell(run, file)
    if cell is None:
        raise WorkflowError(
            f"results/{file}: the configuration asks for no such cell; add it there"
        )
    return cell


def cell_of(wildcards):
    return cell_in(wildcards.store, wildcards.cell)


def study_in(wildcards):
    return OF_FOLDER[wildcards.folder]


wildcard_constraints:
    store="|".join(OF_STORE),
    folder="|".join(OF_FOLDER),
    cell="(?!tables/).+",


rule cell:
    input:
        unpack(lambda wildcards: dict(cell_of(wildcards).inputs)),
    output:
        "results/{store}/{cell}.parquet",
    log:
        "logs/{store}/{cell}.log",
    benchmark:
        "logs/benchmarks/{store}/{cell}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: memory(cell_of(wildcards).memory)(
            wildcards, attempt
        ),
        runtime=lambda wildcards, attempt: minutes(cell_of(wildcards).seconds)(
            wildcards, attempt
        ),
    params:
        step=lambda wildcards: [
            OF_STORE[wildcards.store].name,
            cell_of(wildcards).step,
        ],
        options=lambda wildcards: cell_of(wildcards).options(),
        words=lambda wildcards: cell_of(wildcards).words(),
        code=lambda wildcards: code(
            OF_STORE[wildcards.store].steps[cell_of(wildcards).step]
        ),
    message:
        "Computing {wildcards.store}: {wildcards.cell}"
    shell:
        "nbyk study cell {params.options:q} --threads {threads} --out {output}"
        " -- {params.step} {params.words:q} > {log} 2>&1"


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
    conda:
        "../../envs/environment.yaml"
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
