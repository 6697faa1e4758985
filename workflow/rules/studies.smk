# The studies: their cells, computed by each study's own steps, and their reports.
# Lists go through standard input, which `@-` reads: a command line is limited in length, and a plan is not.


rule cell:
    input:
        unpack(lambda wildcards: plan.cell(wildcards.store, wildcards.cell).inputs),
    output:
        "results/{store}/{cell}.parquet",
    log:
        "logs/{store}/{cell}.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(
            lambda wildcards: plan.cell(wildcards.store, wildcards.cell).memory
        ),
        runtime=minutes(
            lambda wildcards: plan.cell(wildcards.store, wildcards.cell).seconds
        ),
    params:
        study=lambda wildcards: plan.stores[wildcards.store].name,
        step=lambda wildcards: plan.cell(wildcards.store, wildcards.cell).step,
        options=lambda wildcards: plan.cell(wildcards.store, wildcards.cell).options(),
        words=lambda wildcards: plan.cell(wildcards.store, wildcards.cell).words(),
        code=lambda wildcards: plan.code(plan.step(wildcards.store, wildcards.cell)),
    message:
        "Computing {wildcards.store}: {wildcards.cell}"
    shell:
        "nbyk study cell --threads {threads} --out {output}"
        " @- < <(printf '%s\\0' {params.options:q} -- {params.study} {params.step} {params.words:q}) > {log} 2>&1"


rule study_report:
    input:
        unpack(lambda wildcards: plan.report(wildcards.folder).inputs),
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
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(lambda wildcards: plan.report(wildcards.folder).memory),
        runtime=minutes(lambda wildcards: plan.report(wildcards.folder).seconds),
    params:
        folder=subpath(output[0], parent=True),
        study=lambda wildcards: plan.folders[wildcards.folder].name,
        options=lambda wildcards: plan.report(wildcards.folder).options(),
        words=lambda wildcards: plan.report(wildcards.folder).words(),
        code=lambda wildcards: plan.code(plan.folders[wildcards.folder].report),
    message:
        "Writing the report of {wildcards.folder}"
    shell:
        "nbyk study report --out {params.folder}"
        " @- < <(printf '%s\\0' {params.options:q} -- {params.study} {params.words:q}) > {log} 2>&1"


# A target for each study, by its name.
for study in plan.studies:

    rule:
        name:
            study
        input:
            lambda wildcards, study=study: plan.cell_files(study),
            expand(rules.study_report.output, folder=plan.report_folder(study)),
        message:
            "The study is complete"


del study
