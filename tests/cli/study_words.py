"""What rules type after `nbyk`: the steps of a study on small files, and each mistake with its one error."""

from __future__ import annotations

FOLDER = "semantics=recommended/source=simulated"
CELLS = "semantics=recommended seed=1 cells=epsilon-0.2_n-30_k-3"
SIMULATE = (
    "study cell wein2023 simulate sets=[0,1] semantics=recommended seed=1 --out x.parquet --from prior="
)
TRUE = f'study cell wein2023 true_p {CELLS} metrics=["mae"] n_draws=20 --from prior=prior.json'
ESTIMATE = (
    f'study cell wein2023 estimate_p {CELLS} sets=[0,1] metrics=["mae"] n_resamples=20 n_spread_resamples=20'
)
BY_ALL = 'null=pooled samplers=["bootstrap_items/all"]'
GATHER = (
    "study aggregate wein2023 study=wein2023 epsilons=[0.2] epsilon_a=[0] sizes=[[30,3]] n_references=2"
    ' seed=1 samplers=["bootstrap_items/all"] metrics=["mae"]'
)
STEPS = (
    "study prior toxicity --semantics published --out toxicity.json",
    "study prior simulated --semantics recommended --out prior.json",
    f"study cell wein2023 simulate {CELLS} sets=[0,1] --from prior=prior.json --out sets.parquet",
    f"{TRUE} --out {FOLDER}/true.parquet",
    f"{ESTIMATE} {BY_ALL} --from sets_file=sets.parquet --out {FOLDER}/p.parquet",
    f"{GATHER} --all-from true_p={FOLDER}/true.parquet --all-from estimate_p={FOLDER}/p.parquet --out .",
)
REPORT = 'study report wein2023 metrics=["mae"] samplers=["bootstrap_items/all"] fitted=[] seed=1 --out x'
SHOWN = "shown=[[30,3,0]]"

GRID = "study cell homan2025 grid --from prior=toxicity.json epsilon_b=0.2 n_draws=20 seed=1 --out x.parquet"
SCORES = (
    "study cell ulmer2022 scores distribution=normal semantics=published n_simulations=2 aso_simulations=2"
    " n_resamples=9 seed=1 --out x.parquet"
)

# What is typed, and what the one error says.
WRONG = {
    "an unknown prior": (
        "study prior simulate --semantics published --out x.json",
        "did you mean simulated?",
    ),
    "unknown semantics": (
        "study prior simulated --semantics publishd --out x.json",
        "did you mean published?",
    ),
    "a folder that cannot be": (
        "study prior simulated --semantics published --out prior.json/x.json",
        "prior.json",
    ),
    "a folder for a file": ("study prior simulated --semantics published --out folder", "folder"),
    "an unknown source": ("study normalise convabus --out x.parquet", "did you mean convabuse"),
    "ratings that do not come with nbyk": (
        "study normalise toxicity --out x.parquet",
        "toxicity_ratings.json",
    ),
    "no ratings": ("study normalise toxicity --path nowhere.json --out x.parquet", "nowhere.json"),
    "a cut rating file": ("study normalise toxicity --path cut.json --out x.parquet", "cut.json:1"),
    "no prior": (f"{SIMULATE}nowhere.json cells=epsilon-0_n-30_k-3", "nowhere.json: no such file"),
    "a cut prior": (f"{SIMULATE}cut.json cells=epsilon-0_n-30_k-3", "cut.json: not a JSON file"),
    "a list for a prior": (f"{SIMULATE}list.json cells=epsilon-0_n-30_k-3", "list.json"),
    "a prior with a wrong number": (f"{SIMULATE}odd.json cells=epsilon-0_n-30_k-3", "odd.json"),
    "one item": (f"{SIMULATE}prior.json cells=epsilon-0_n-1_k-3", "at least 2 items"),
    "no responses": (f"{SIMULATE}prior.json cells=epsilon-0_n-9_k-0", "at least 1"),
    "ε of 2": (f"{SIMULATE}prior.json cells=epsilon-2_n-9_k-3", "between 0 and 1"),
    "ε_A of 3": (f"{SIMULATE}prior.json cells=epsilon-0_a-3_n-9_k-3", "epsilon_a: found 3"),
    "cells that are none": (f"{SIMULATE}prior.json cells=epsilon", "expected cells such as epsilon-0.1"),
    "no gold": (f"{SIMULATE}prior.json cells=epsilon-0_n-30_k-3 --from gold=no.parquet", "no.parquet"),
    "cut gold": (
        f"{SIMULATE}prior.json cells=epsilon-0_n-30_k-3 --from gold=cut.parquet",
        "cut.parquet: not",
    ),
    "other gold": (f"{SIMULATE}prior.json cells=epsilon-0_n-30_k-3 --from gold=sets.parquet", "sets.parquet"),
    "an unknown metric": (f"{TRUE.replace('mae', 'maee')} --out x.parquet", "did you mean mae"),
    "a broken metric": (f"{TRUE.replace('mae', 'mae(')} --out x.parquet", "'mae('"),
    "no metric file": (f"{TRUE} --all-from metric_files=own.py --out x.parquet", "own.py: no such file"),
    "no reference sets": (
        f"{ESTIMATE} {BY_ALL} --from sets_file=nowhere.parquet --out x.parquet",
        "nowhere.parquet: no such file",
    ),
    "neither reference sets nor a prior": (f"{ESTIMATE} {BY_ALL} --out x.parquet", "--from prior="),
    "cut reference sets": (
        f"{ESTIMATE} {BY_ALL} --from sets_file=cut.parquet --out x.parquet",
        "cut.parquet: not a readable Parquet file",
    ),
    "reference sets without rows": (
        f"{ESTIMATE} {BY_ALL} --from sets_file=empty.parquet --out x.parquet",
        "empty.parquet",
    ),
    "true p-values for reference sets": (
        f"{ESTIMATE} {BY_ALL} --from sets_file={FOLDER}/true.parquet --out x.parquet",
        "true.parquet: no column 'reference'",
    ),
    "an unknown sampler": (
        f'{ESTIMATE} null=pooled samplers=["bootstrap/all"] --from sets_file=sets.parquet --out x.parquet',
        "unknown item sampler 'bootstrap'",
    ),
    "an unknown null": (
        f"{ESTIMATE} {BY_ALL.replace('pooled', 'poold')} --from sets_file=sets.parquet --out x.parquet",
        "did you mean pooled",
    ),
    "no p-values": (
        f"{REPORT} {SHOWN} --all-from pvalues=nowhere.parquet",
        "nowhere.parquet: no such file",
    ),
    "cut p-values": (
        f"{REPORT} {SHOWN} --all-from pvalues=cut.parquet",
        "cut.parquet: not a readable Parquet file",
    ),
    "p-values that are no part of the dataset": (
        f"{REPORT} {SHOWN} --all-from pvalues=p.parquet",
        "p.parquet: no column 'study'",
    ),
    "estimates without their folders": (
        f"{GATHER} --all-from estimate_p=p.parquet --all-from true_p=p.parquet --out x",
        "semantics=",
    ),
    "a setting that a report does not have": (
        f"{REPORT} {SHOWN} metric=3 --all-from pvalues=p.parquet",
        "wein2023 report: unknown setting 'metric'; did you mean metrics",
    ),
    "a file without a name": (f"{REPORT} {SHOWN} --from p.parquet", "p.parquet: expected a name and a file"),
    "a study that is unknown": ("study report wein --out x", "unknown study 'wein'; did you mean wein2023"),
    "a step that is unknown": ("study cell homan2025 gird --out x", "did you mean grid?"),
    "a step without sizes": (f'{GRID} metrics=["mae"]', "nothing is given for sizes; give each as sizes=…"),
    "a word for a number": (
        f'{GRID.replace("=20", "=many")} metrics=["mae"] sizes=[[9,1]]',
        "n_draws: found 'many'; expected a whole number",
    ),
    "a name for names": (f"{GRID} metrics=mae sizes=[[9,1]]", "metrics: found 'mae'; expected a list"),
    "a size of one item": (f'{GRID} metrics=["mae"] sizes=[[1,5]]', "at least 2 items"),
    "a grid's metric that is unknown": (f'{GRID} metrics=["maee"] sizes=[[9,1]]', "did you mean mae"),
    "other p-values for those of a grid": (
        f"study report homan2025 fitted=[] seed=1 --all-from grid={FOLDER}/p.parquet --out x",
        "p.parquet: no column",
    ),
    "no grid": (
        "study report homan2025 fitted=[] seed=1 --all-from grid=nowhere.parquet --out x",
        "nowhere.parquet: no such file",
    ),
    "a distribution of scores": (
        f'{SCORES.replace("normal", "norml")} at=[["type_1",5,0]] tests=["wilcoxon"]',
        "unknown distribution 'norml'; did you mean normal",
    ),
    "a test of scores": (
        f'{SCORES} at=[["type_1",5,0]] tests=["welch"]',
        "unknown test 'welch'; did you mean welch_t",
    ),
    "other p-values for scores": (
        f"study report ulmer2022 thresholds=[0.05] --all-from scores={FOLDER}/p.parquet --out x",
        "p.parquet: no column",
    ),
    "no configuration": ("config check nowhere.yaml", "nowhere.yaml: no such file"),
}
