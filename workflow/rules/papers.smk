# Every paper's study, and one page of them all.


rule papers_report:
    input:
        rules.tables.output,
        rules.figures.output,
        rules.homan_tables.output,
        rules.homan_figures.output,
        rules.ulmer_tables.output,
        rules.ulmer_figures.output,
        rules.boostsa_tables.output,
        rules.boostsa_figures.output,
        code=code(
            "papers.py",
            "report/html.py",
            "report/templates",
            "templates",
            "wein2023/page.py",
            "homan2025/page.py",
            "ulmer2022/page.py",
            "boostsa2022/page.py",
        ),
    output:
        "results/report.html",
    log:
        "logs/papers_report.log",
    benchmark:
        "logs/benchmarks/papers_report.tsv"
    threads: 1
    resources:
        mem_mb=memory(150),
        runtime=minutes(2),
    message:
        "Writing one page of all papers"
    shell:
        "nbyk study papers-report --out {output} -- results > {log} 2>&1"


rule papers:
    input:
        all_pvalues(),
        rules.report.output,
        rules.homan2025.input,
        rules.ulmer2022.input,
        rules.boostsa2022.input,
        rules.papers_report.output,
    message:
        "Every paper is there, and results/report.html of them all"
