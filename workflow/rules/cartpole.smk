# The case study of Ulmer et al. 2022, from the rewards that come with nbyk: `nbyk cartpole train` makes new ones.


rule ulmer_case_study:
    input:
        code=code(
            "studies/cartpole",
            "inference/score_tests",
            "report/cartpole.py",
            "report/scores",
            "report/answer.py",
            "report/drawing.py",
        ),
    output:
        report(
            multiext("results/ulmer2022/case_study/figures/", "rewards.svg", "quantiles.svg", "episodes.svg"),
            caption="../report/ulmer_case_study.rst",
            category="Case study of Ulmer et al. 2022",
        ),
        multiext(
            "results/ulmer2022/case_study/tables/", "tests.csv", "power.csv", "eps_min.csv", "episodes.csv"
        ),
        "results/ulmer2022/case_study/case_study.json",
        "results/ulmer2022/case_study/case_study.html",
    log:
        "logs/ulmer2022/case_study.log",
    benchmark:
        "logs/benchmarks/ulmer2022/case_study.tsv"
    threads: 1
    resources:
        mem_mb=memory(400),
        runtime=minutes(5),
    message:
        "Testing the agents of the case study of Ulmer et al. 2022"
    shell:
        "nbyk cartpole study --out results/ulmer2022/case_study > {log} 2>&1"
