# Every paper's study, and one page of them all.

from nbyk_papers.papers import PAPERS

PAPERS = [paper.study for paper in PAPERS]


rule papers_report:
    input:
        lambda wildcards: plan.report_files(*PAPERS),
    output:
        "results/report.html",
    log:
        "logs/papers_report.log",
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=memory(150),
        runtime=minutes(2),
    params:
        code=lambda wildcards: plan.code("nbyk_papers.papers:write_report"),
    message:
        "Writing one page of all papers"
    shell:
        "nbyk study papers-report --out {output} -- results > {log} 2>&1"


rule papers:
    input:
        lambda wildcards: plan.product_files(*PAPERS, "cartpole"),
        rules.papers_report.output,
    message:
        "Every paper is complete; results/report.html shows them all"
