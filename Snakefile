# nbyk: from ratings to priors to effects to p-values to tables, figures and a report.


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/priors.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/papers.smk"
include: "workflow/rules/comparisons.smk"


# The report alone would do, were it not that a file that is missing behind one that is up to date is not made again.
rule all:
    default_target: True
    input:
        lambda wildcards: plan.product_files("wein2023"),
    params:
        message=lambda wildcards: plan.complete(plan.studies["wein2023"]),
    message:
        "{params.message}"
