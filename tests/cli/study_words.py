"""What rules type after `nbyk`: the steps of a study on small files, and each mistake with its one error."""

from __future__ import annotations

SIZE = "--items 30 --responses 3"
FOLDER = "semantics=recommended/source=simulated"
STEPS = (
    "study prior toxicity --semantics published --out toxicity.json",
    "study prior simulated --semantics recommended --out prior.json",
    f"study reference prior.json {SIZE} --epsilon 0.2 --references 2 --seed 1 --out sets.parquet",
    f"study true prior.json {SIZE} --epsilon 0.2 --draws 20 --seed 1 --semantics recommended --metric mae"
    " --out true.parquet",
    "study estimate sets.parquet --sampler bootstrap_items/all --metric mae --null pooled --resamples 20"
    " --seed 1 --semantics recommended --out estimated.parquet",
    f"study pvalues estimated.parquet --true true.parquet --true-responses 3 {SIZE} --epsilon 0.2"
    f" --out {FOLDER}/p.parquet",
)
REFERENCE = "--references 2 --seed 1 --out x.parquet"
TRUE = f"study true prior.json {SIZE} --epsilon 0.2 --draws 20 --seed 1"
ESTIMATE = "--resamples 20 --seed 1 --semantics recommended --out x.parquet"
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
    "no prior": (
        f"study reference nowhere.json {SIZE} --epsilon 0 {REFERENCE}",
        "nowhere.json: no such file",
    ),
    "a cut prior": (f"study reference cut.json {SIZE} --epsilon 0 {REFERENCE}", "cut.json: not a JSON file"),
    "a list for a prior": (f"study reference list.json {SIZE} --epsilon 0 {REFERENCE}", "list.json"),
    "a prior with a wrong number": (f"study reference odd.json {SIZE} --epsilon 0 {REFERENCE}", "odd.json"),
    "one item": (
        f"study reference prior.json --items 1 --responses 3 --epsilon 0 {REFERENCE}",
        "at least 2 items",
    ),
    "no responses": (
        f"study reference prior.json --items 9 --responses 0 --epsilon 0 {REFERENCE}",
        "at least 1",
    ),
    "ε of 2": (f"study reference prior.json {SIZE} --epsilon 2 {REFERENCE}", "between 0 and 1"),
    "ε_A of 3": (
        f"{TRUE} --epsilon-a 3 --semantics recommended --metric mae --out x.parquet",
        "--epsilon-a: found 3",
    ),
    "a negative spread": (
        f"{TRUE} --sd-scale-b -1 --semantics recommended --metric mae --out x.parquet",
        "--sd-scale-b: found -1",
    ),
    "ε that is no number": (
        f"study reference prior.json {SIZE} --epsilon nan {REFERENCE}",
        "between 0 and 1",
    ),
    "no gold": (f"study reference prior.json {SIZE} --epsilon 0 --gold no.parquet {REFERENCE}", "no.parquet"),
    "cut gold": (
        f"study reference prior.json {SIZE} --epsilon 0 --gold cut.parquet {REFERENCE}",
        "cut.parquet: not",
    ),
    "other gold": (
        f"study reference prior.json {SIZE} --epsilon 0 --gold sets.parquet {REFERENCE}",
        "sets.parquet",
    ),
    "an unknown metric": (
        f"{TRUE} --semantics recommended --metric maee --out x.parquet",
        "did you mean mae",
    ),
    "a broken metric": (f"{TRUE} --semantics recommended --metric mae( --out x.parquet", "'mae('"),
    "no metric file": (
        f"{TRUE} --semantics recommended --metric mae --metric-file own.py --out x.parquet",
        "own.py: no such file",
    ),
    "no reference sets": (
        f"study estimate nowhere.parquet --sampler bootstrap_items/all --metric mae --null pooled {ESTIMATE}",
        "nowhere.parquet: no such file",
    ),
    "cut reference sets": (
        f"study estimate cut.parquet --sampler bootstrap_items/all --metric mae --null pooled {ESTIMATE}",
        "cut.parquet: not a readable Parquet file",
    ),
    "study reference sets without rows": (
        f"study estimate empty.parquet --sampler bootstrap_items/all --metric mae --null pooled {ESTIMATE}",
        "empty.parquet",
    ),
    "effects for reference sets": (
        f"study estimate true.parquet --sampler bootstrap_items/all --metric mae --null pooled {ESTIMATE}",
        "true.parquet: no column 'reference'",
    ),
    "an unknown sampler": (
        f"study estimate sets.parquet --sampler bootstrap/all --metric mae --null pooled {ESTIMATE}",
        "unknown item sampler 'bootstrap'",
    ),
    "a sampler twice": (
        "study estimate sets.parquet --sampler all_items/sample(1) --sampler all_items/sample(1) --metric mae"
        f" --null pooled {ESTIMATE}",
        "twice",
    ),
    "an unknown null": (
        f"study estimate sets.parquet --sampler bootstrap_items/all --metric mae --null poold {ESTIMATE}",
        "did you mean pooled",
    ),
    "study true effects of another K": (
        f"study pvalues estimated.parquet --true true.parquet --true-responses 2 {SIZE} --epsilon 0.2"
        " --out x.parquet",
        "3 responses",
    ),
    "a K without true effects": (
        "study pvalues estimated.parquet --true true.parquet --true-responses 3 --true-responses 1"
        f" {SIZE} --epsilon 0.2 --out x.parquet",
        "--true-responses",
    ),
    "true effects for estimated ones": (
        f"study pvalues true.parquet --true true.parquet --true-responses 3 {SIZE} --epsilon 0.2"
        " --out x.parquet",
        "true.parquet: no column 'sampler'",
    ),
    "estimated effects for true ones": (
        f"study pvalues estimated.parquet --true estimated.parquet --true-responses 3 {SIZE} --epsilon 0.2"
        " --out x.parquet",
        "estimated.parquet",
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
        "study aggregate wein2023 study=wein2023 epsilons=[0.2] epsilon_a=[0] sizes=[[30,3]] n_references=2"
        ' seed=1 samplers=["bootstrap_items/all"] metrics=["mae"] --all-from estimate_p=p.parquet'
        " --all-from true_p=p.parquet --out x",
        "semantics=",
    ),
    "a setting that a report does not have": (
        f"{REPORT} {SHOWN} metric=3 --all-from pvalues=p.parquet",
        "wein2023 report: unknown setting 'metric'; did you mean metrics",
    ),
    "a file without a name": (f"{REPORT} {SHOWN} --from p.parquet", "p.parquet: expected a name and a file"),
    "a study that is unknown": ("study report wein --out x", "unknown study 'wein'; did you mean wein2023"),
    "a step that is unknown": ("study cell homan2025 gird --out x", "did you mean grid?"),
    "no tables to align": ("study align no.csv no.csv no.csv --out x.parquet", "no.csv"),
    "a scale upside down": ("study align g.csv g.csv g.csv --scale 1..0 --out x.parquet", "from 1 to 0"),
    "a step without sizes": (f'{GRID} metrics=["mae"]', "nothing is given for sizes; give each as sizes=…"),
    "a word for a number": (
        f'{GRID.replace("=20", "=many")} metrics=["mae"] sizes=[[9,1]]',
        "n_draws: found 'many'; expected a whole number",
    ),
    "a name for names": (f"{GRID} metrics=mae sizes=[[9,1]]", "metrics: found 'mae'; expected a list"),
    "a size of one item": (f'{GRID} metrics=["mae"] sizes=[[1,5]]', "at least 2 items"),
    "a grid's metric that is unknown": (f'{GRID} metrics=["maee"] sizes=[[9,1]]', "did you mean mae"),
    "other p-values for those of a grid": (
        f"study report homan2025 fitted=[] seed=1 --all-from pvalues={FOLDER}/p.parquet --out x",
        "p.parquet: no column",
    ),
    "no grid": (
        "study report homan2025 fitted=[] seed=1 --all-from pvalues=nowhere.parquet --out x",
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
