# The case study of Ulmer et al. 2022, from the rewards that come with nbyk: `nbyk study cartpole train` makes new ones.

CASE_STUDY_FIGURES = ["rewards", "quantiles", "episodes"]


rule ulmer_case_study:
    input:
        code=code(
            "ulmer2022/cartpole",
            "testing/scores",
            "ulmer2022/cartpole/answer.py",
            "report/scores",
            "report/answer.py",
            "report/drawing.py",
        ),
    output:
        report(
            expand(
                "results/ulmer2022/case_study/figures/{name}.svg",
                name=CASE_STUDY_FIGURES,
            ),
            caption="../report/ulmer_case_study.rst",
            category="Case study of Ulmer et al. 2022",
        ),
        expand(
            "results/ulmer2022/case_study/figures/{name}.png", name=CASE_STUDY_FIGURES
        ),
        expand(
            "results/ulmer2022/case_study/tables/{name}.{suffix}",
            name=["tests", "power", "eps_min", "episodes"],
            suffix=["csv", "parquet", "md", "tex"],
        ),
        "results/ulmer2022/case_study/case_study.json",
        "results/ulmer2022/case_study/case_study.html",
    log:
        "logs/ulmer2022/case_study.log",
    benchmark:
        "logs/benchmarks/ulmer2022/case_study.tsv"
    threads: 1
    resources:
        mem_mb=memory(200),
        runtime=minutes(5),
    message:
        "Testing the agents of the case study of Ulmer et al. 2022"
    shell:
        "nbyk study cartpole study --out results/ulmer2022/case_study > {log} 2>&1"
