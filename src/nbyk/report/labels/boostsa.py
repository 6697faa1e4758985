"""BooStSa's tables of results, plus the p-values that BooStSa leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nbyk.labels.designs import DesignResult
from nbyk.labels.designs.results import ConditionScore, ScoreVerdict
from nbyk.words import csv_text

if TYPE_CHECKING:
    import pandas as pd

_HARD = {"f1": "f1_macro", "acc": "accuracy", "prec": "precision_macro", "rec": "recall_macro"}
_SOFT = {
    "jsd": "js_distance",
    "ce": "cross_entropy",
    "sim": "entropy_similarity",
    "cor": "entropy_correlation",
}
_OF_CLASS = {"tf1": "f1", "tprec": "precision", "trec": "recall"}
_WITH_SD = ("f1", "jsd", "tf1")
_DECIMALS = 4


def results_files(result: DesignResult) -> dict[str, bytes]:
    """Return ``results.tsv`` as BooStSa lays it out, and ``results_targetclass.tsv`` for a target class.

    Scores that BooStSa does not have get no file.
    """
    columns = _HARD if result.kind == "hard" else _SOFT
    label = result.settings.target_class
    of_class = {name: f"{measure}({label})" for name, measure in _OF_CLASS.items()}
    tables = {
        "results": results_table(result, columns),
        "results_targetclass": results_table(result, of_class) if label is not None else None,
    }
    return {
        f"{name}.tsv": csv_text(table, separator="\t", index=True).encode()
        for name, table in tables.items()
        if table is not None
    }


def results_table(result: DesignResult, columns: Mapping[str, str]) -> pd.DataFrame | None:
    """Return results with a row per condition, each control above its treatments.

    As in BooStSa, a score X has these columns: the score, d_X (treatment minus control, on the score's own
    scale), s_X (stars) and std_X (over runs, for some scores). p_X is the corrected p-value behind the stars.
    A treatment with several controls has a row for each; h0 names the control.

    Parameters
    ----------
    result
        The comparisons.
    columns
        nbyk's name of each score by BooStSa's name, in BooStSa's order.

    Returns
    -------
    pandas.DataFrame or None
        None if none of the scores was computed.
    """
    import pandas as pd

    computed = {score.name for score in result.scores}
    columns = {short: name for short, name in columns.items() if name in computed}
    if not columns:
        return None
    found = {(f.pair.control, f.pair.treatment, f.score.name): f for f in result.findings}
    of_control = {(f.pair.control, f.score.name): f.found.score_control for f in result.findings}
    conditions = list(dict.fromkeys((each.control, each.condition) for each in result.conditions))
    rows = []
    for control, condition in conditions:
        epochs = result.epochs.get((control, condition))
        row: dict[str, Any] = {"mean_epochs": None if epochs is None else round(epochs, 2)}
        for short, name in columns.items():
            row |= _cells(
                short,
                result.condition(control, condition, name),
                found.get((control, condition, name)),
                of_control.get((control, name)),
            )
        rows.append({**row, "h0": "" if condition == control else control})
    return pd.DataFrame(rows, index=[condition for _, condition in conditions])


def _cells(
    short: str, of_condition: ConditionScore, finding: ScoreVerdict | None, of_control: float | None
) -> dict[str, Any]:
    """Return the cells of one score; a control has no result, because it is not compared with anything."""
    if finding is None:
        score = of_condition.mean if of_control is None else of_control
        cells: dict[str, Any] = {short: round(score, _DECIMALS)}
        cells |= {f"d_{short}": "", f"s_{short}": "", f"p_{short}": ""}
    else:
        found = finding.found
        cells = {
            short: round(found.score_treatment, _DECIMALS),
            f"d_{short}": round(found.score_treatment - found.score_control, _DECIMALS),
            f"s_{short}": finding.stars,
            f"p_{short}": finding.p_adjusted,
        }
    if short in _WITH_SD:
        cells[f"std_{short}"] = round(of_condition.sd, _DECIMALS)
    return cells
