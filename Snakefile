# nbyk: from ratings to priors to effects to p-values to tables, figures and a report.


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/priors.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/estimate.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/homan2025.smk"
include: "workflow/rules/calibration.smk"
include: "workflow/rules/labels.smk"
include: "workflow/rules/comparisons.smk"
include: "workflow/rules/cartpole.smk"
include: "workflow/rules/ulmer2022.smk"
include: "workflow/rules/boostsa2022.smk"
include: "workflow/rules/papers.smk"
include: "workflow/rules/datasets.smk"


# The report alone would do, were it not that a file that is missing behind one that is up to date is not made again.
rule all:
    default_target: True
    input:
        all_pvalues(),
        rules.tables.output,
        rules.figures.output,
        rules.report.output,
    message:
        "All of results/wein2023 is there"
