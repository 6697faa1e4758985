# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return"
"""Small data about people and a judge, and what other packages say of them: `judge_peers.json`.

The data need numpy alone. To write the file again, with ppi-python 0.2.3, truescore 0.7.4, krippendorff
0.9.0, scikit-learn 1.9.1, irrCAC 0.4.4 and pingouin 0.6.1 in an environment of their own::

    python -m tests.oracles.judge_peers

The last part, `alt_test`, is from github nitaytech/AltTest at 18428b1 (Calderon, Reichart and Dror 2025): run
its notebook's function on the five sets as `read_alt_test` reads them::

    python -m tests.oracles.judge_peers NOTEBOOK FOLDER
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).with_suffix(".json")
SETS = ("10k_prompts", "cebab_stars", "lgbteen", "mtbench", "summeval")
NUMBERS = {"10k_prompts", "cebab_stars", "summeval"}


def stored() -> dict[str, Any]:
    """Return what the packages say."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def labelled(seed: int, *, raters: int = 0, severity: float = 0.1) -> dict[str, np.ndarray]:
    """Return judge's scores of 300 items, and ratings of the first 80, by raters in turn if there are any."""
    rng = np.random.default_rng(seed)
    quality = rng.standard_normal(300)
    judge = quality + 0.6 * rng.standard_normal(300)
    rater = np.arange(80) % raters if raters else np.arange(80)
    people = quality[:80] + 0.5 * rng.standard_normal(80) + severity * rng.standard_normal(80)[rater]
    return {"judge": np.round(judge, 6), "people": np.round(people, 6), "rater": rater}


def ratings(seed: int, *, raters: int, missing: float = 0.0) -> np.ndarray:
    """Return levels 0 to 4 of 60 items by raters, NaN where one is missing; each item has two or more."""
    rng = np.random.default_rng(seed)
    latent = rng.standard_normal((60, 1)) + 0.7 * rng.standard_normal((60, raters))
    levels = np.clip(np.rint(latent + 0.3 * rng.standard_normal(raters) + 2.0), 0.0, 4.0)
    gone = rng.random(levels.shape) < missing
    gone[:, :2] = False
    return np.where(gone, np.nan, levels)


def read_alt_test(
    folder: Path, *, as_numbers: bool
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return the values of people and of judges by their ids and those of items."""

    def read(name: str, who: str) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        with (folder / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                value = float(row["value"]) if as_numbers else row["value"]
                found.setdefault(row[who], {})[row["item"]] = value
        return found

    return read("people.csv", "rater"), read("judges.csv", "judge")


def _of_packages() -> dict[str, Any]:
    import krippendorff
    import pandas as pd
    import pingouin
    import ppi_py
    import truescore
    from irrCAC.raw import CAC
    from scipy.stats import norm
    from sklearn.metrics import cohen_kappa_score

    found: dict[str, Any] = {"ppi_py": {}, "truescore": {}, "alpha": {}, "kappa": {}, "icc": {}}
    for seed in range(4):
        data = labelled(seed)
        given = data["people"], data["judge"][:80], data["judge"][80:]
        low, high = ppi_py.ppi_mean_ci(*given, alpha=0.05)
        error = (high[0] - low[0]) / 2.0 / norm.ppf(0.975)
        found["ppi_py"][seed] = [ppi_py.ppi_mean_pointestimate(*given)[0], error]
    for seed in range(40):
        data = labelled(seed, raters=8, severity=0.5)
        clusters = np.append(data["rater"], 100 + np.arange(220))
        said = truescore.ppi_estimate(data["judge"], data["people"], np.arange(80), clusters=clusters)
        found["truescore"][seed] = [said.point, said.standard_error, said.lambda_]
    for raters, missing in ((2, 0.0), (3, 0.0), (5, 0.4)):
        levels = ratings(raters, raters=raters, missing=missing)
        for level in ("nominal", "ordinal", "interval"):
            found["alpha"][f"{raters} {level}"] = krippendorff.alpha(levels.T, level_of_measurement=level)
        if missing:
            continue
        for name, weights in (("none", "identity"), ("linear", "linear"), ("quadratic", "quadratic")):
            by_conger = CAC(pd.DataFrame(levels), weights=weights, digits=12).conger()
            found["kappa"][f"{raters} {name}"] = by_conger["est"]["coefficient_value"]
            if raters == 2:
                by_two = levels[:, 0], levels[:, 1]
                found["kappa"][f"cohen {name}"] = cohen_kappa_score(
                    *by_two, weights=None if name == "none" else name
                )
        long = pd.DataFrame(
            [(i, r, levels[i, r]) for i in range(60) for r in range(raters)],
            columns=["item", "rater", "value"],
        )
        table = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="value")
        for kind, value in zip(table["Type"], table["ICC"], strict=True):
            found["icc"][f"{raters} {kind}"] = value
    return found


def _of_alt_test(notebook: Path, folder: Path) -> dict[str, Any]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    for cell in cells[:3]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    found: dict[str, Any] = {}
    for name in SETS:
        people, judges = read_alt_test(folder / name, as_numbers=name in NUMBERS)
        for judge, scores in judges.items():
            for epsilon in (0.1, 0.2):
                scoring = "neg_rmse" if name in NUMBERS else "accuracy"
                said = names["alt_test"](scores, people, scoring, epsilon)
                found[f"{name} {judge} {epsilon}"] = list(said)
    return found


if __name__ == "__main__":
    kept = stored() if STORED.exists() else {}
    kept |= {"alt_test": _of_alt_test(*map(Path, sys.argv[1:]))} if sys.argv[1:] else _of_packages()
    STORED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
