# The studies. Each step is a rule, and so are a study's rows of the datasets, its figures and its page. The rules of the
# default run are simulate, true_p, estimate_p, aggregate, plot and report; those of another study begin with its name.
# Lists go through standard input, which `@-` reads: a command line is limited in length, and a plan is not.

for step in plan.steps:

    rule:
        name:
            step.rule
        input:
            unpack(lambda wildcards, step=step: plan.inputs(step, wildcards.cell)),
        output:
            f"results/{step.folder}/{{cell}}.parquet",
        log:
            f"logs/{step.folder}/{{cell}}.log",
        conda:
            "../../envs/environment.yaml"
        threads: 1
        resources:
            mem_mb=memory(
                lambda wildcards, step=step: plan.cell(step, wildcards.cell).memory
            ),
            runtime=minutes(
                lambda wildcards, step=step: plan.cell(step, wildcards.cell).seconds
            ),
        params:
            study=step.study.name,
            step=step.step,
            options=lambda wildcards, step=step: plan.cell(
                step, wildcards.cell
            ).options(),
            words=lambda wildcards, step=step: plan.cell(step, wildcards.cell).words(),
            code=lambda wildcards, step=step: plan.code(step.function),
        message:
            f"{step.rule}: {{wildcards.cell}}"
        shell:
            "nbyk study cell --threads {threads} --out {output}"
            " @- < <(printf '%s\\0' {params.options:q} -- {params.study} {params.step} {params.words:q}) > {log} 2>&1"


for study in plan.studies.values():

    if study.datasets:

        rule:
            name:
                study.rule("aggregate")
            input:
                unpack(
                    lambda wildcards, study=study: plan.part(study, "gathered").inputs
                ),
            output:
                plan.dataset_files(study),
            log:
                f"logs/aggregate/{study.name}.log",
            conda:
                "../../envs/environment.yaml"
            threads: 1
            resources:
                mem_mb=memory(
                    lambda wildcards, study=study: plan.part(study, "gathered").memory
                ),
                runtime=minutes(
                    lambda wildcards, study=study: plan.part(study, "gathered").seconds
                ),
            params:
                study=study.name,
                options=lambda wildcards, study=study: plan.part(
                    study, "gathered"
                ).options(),
                words=lambda wildcards, study=study: plan.part(
                    study, "gathered"
                ).words(),
                code=lambda wildcards, study=study: [
                    plan.code(function) for function in study.datasets.values()
                ],
            message:
                f"Gathering the rows of {study.name}"
            shell:
                "nbyk study aggregate --out results"
                " @- < <(printf '%s\\0' {params.options:q} -- {params.study} {params.words:q}) > {log} 2>&1"

    rule:
        name:
            study.rule("plot")
        input:
            unpack(lambda wildcards, study=study: plan.part(study, "reported").inputs),
        output:
            report(
                plan.figure_files(study),
                caption="../report/figures.rst",
                category=study.name,
                subcategory="Figures",
            ),
        log:
            f"logs/plot/{study.name}.log",
        conda:
            "../../envs/environment.yaml"
        threads: 1
        resources:
            mem_mb=memory(
                lambda wildcards, study=study: plan.part(study, "reported").memory
            ),
            runtime=minutes(
                lambda wildcards, study=study: plan.part(study, "reported").seconds
            ),
        params:
            folder=lambda wildcards, study=study: plan.folder(study),
            study=study.name,
            options=lambda wildcards, study=study: plan.part(
                study, "reported"
            ).options(),
            words=lambda wildcards, study=study: plan.part(study, "reported").words(),
            code=lambda wildcards, study=study: plan.code(study.report),
        message:
            f"Drawing the figures of {study.name}"
        shell:
            "nbyk study plot --out {params.folder}"
            " @- < <(printf '%s\\0' {params.options:q} -- {params.study} {params.words:q}) > {log} 2>&1"

    rule:
        name:
            study.rule("report")
        input:
            unpack(lambda wildcards, study=study: plan.part(study, "reported").inputs),
            drawn=plan.figure_files(study),
        output:
            report(
                f"{plan.folder(study)}/report.html",
                caption="../report/study.rst",
                category=study.name,
            ),
            f"{plan.folder(study)}/summary.json",
            report(
                plan.table_files(study),
                caption="../report/tables.rst",
                category=study.name,
                subcategory="Tables",
            ),
        log:
            f"logs/report/{study.name}.log",
        conda:
            "../../envs/environment.yaml"
        threads: 1
        resources:
            mem_mb=memory(
                lambda wildcards, study=study: plan.part(study, "reported").memory
            ),
            runtime=minutes(
                lambda wildcards, study=study: plan.part(study, "reported").seconds
            ),
        params:
            folder=lambda wildcards, study=study: plan.folder(study),
            study=study.name,
            options=lambda wildcards, study=study: plan.part(
                study, "reported"
            ).options(),
            words=lambda wildcards, study=study: plan.part(study, "reported").words(),
            code=lambda wildcards, study=study: plan.code(study.report),
        message:
            f"Writing the report of {study.name}"
        shell:
            "nbyk study report --out {params.folder}"
            " @- < <(printf '%s\\0' {params.options:q} -- {params.study} {params.words:q}) > {log} 2>&1"

    # A target for each study, by its name.
    rule:
        name:
            study.name
        input:
            lambda wildcards, study=study: plan.product_files(study.name),
        params:
            message=lambda wildcards, study=study: plan.complete(study),
        message:
            "{params.message}"


del step, study
