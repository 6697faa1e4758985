"""The result of a design, in the common form of all commands' answers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from nbyk.labels import STRICT_ALPHA
from nbyk.labels.designs import DesignResult
from nbyk.labels.designs.results import PairScore, ScoreVerdict
from nbyk.labels.notes import FEW_ITEMS
from nbyk.report.answer import Answer, AnswerFigure, AnswerTable
from nbyk.report.labels.figures import distinct_scores, leads_figure, scores_figure
from nbyk.testing.corrections import WHOSE
from nbyk.testing.pvalues import p_relation, sides_of
from nbyk.testing.results import plain
from nbyk.testing.systems.claims import Claim

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 6
_TESTS = {
    "mcnemar": "McNemar's exact test of the items on which exactly one of the two is right",
    "mcnemar_mid_p": "McNemar's mid-p test of the items on which exactly one of the two is right",
    "cochran_mantel_haenszel": "Cochran–Mantel–Haenszel test of right and wrong answers to each item",
}
_RUNS = {
    "independent": "items and of runs",
    "paired": "items and of pairs of runs",
    "fixed": "items",
    "concatenated": "items of all runs, appended",
}


def design_answer(result: DesignResult) -> Answer:
    """Return the answer to a design: whether its treatments are better than their controls."""
    return Answer(
        title="Are the treatments better than their controls?",
        sentences=(
            f"{_verdict_sentence(result)}{_more_draws(result)}",
            *_strict_sentence(result),
            _method_sentence(result),
        ),
        tables=(
            AnswerTable("comparisons", _caption(result), comparisons_table(result)),
            AnswerTable(
                "conditions",
                "The score of each condition: mean and SD over its runs",
                conditions_table(result),
            ),
        ),
        figures=(
            AnswerFigure(
                "leads",
                f"The lead of each treatment over its control, with {_level(result)} intervals (not "
                "corrected). Above 0 the treatment is better, also if lower scores are better",
                lambda: leads_figure(result),
            ),
            AnswerFigure(
                "scores",
                "The score of every run of every condition. A bar is the mean over runs. Controls are grey",
                lambda: scores_figure(result),
            ),
        ),
        cautions=_cautions(result),
        details=details(result),
    )


def passes(result: DesignResult) -> list[tuple[bool, bool]]:
    """Return for each treatment whether the first score shows it to be better, and if this is decided.

    Draws never show a treatment to be better that is not ahead.
    """
    return [
        (each.verdict == "better", each.decided or (not each.reason and each.found.effect <= 0.0))
        for each in result.deciding
    ]


def comparisons_table(result: DesignResult) -> pd.DataFrame:
    """Return a row per score and pair."""
    import pandas as pd

    rows = []
    for finding in result.findings:
        found = finding.found
        rows.append(
            {
                "score": finding.score.name,
                "treatment": finding.pair.treatment,
                "control": finding.pair.control,
                "its score": found.score_treatment,
                "against": found.score_control,
                "lead": found.effect,
                "low": found.low,
                "high": found.high,
                "p": finding.p_uncorrected,
                "p corrected": finding.p_adjusted,
                **_of_these_raters(result, found),
                "it is": _verdict_in_words(finding),
            }
        )
    return pd.DataFrame(rows)


def _of_these_raters(result: DesignResult, found: PairScore) -> dict[str, float]:
    """Return the cell of the claim over new items with these raters, if there is a broader claim."""
    if len(found.claims) == 1:
        return {}
    return {"p, these raters": found.claims[-1].p_of(result.settings.chosen_alternative)}


def _verdict_in_words(finding: ScoreVerdict) -> str:
    return finding.verdict if finding.decided else "inconclusive"


def conditions_table(result: DesignResult) -> pd.DataFrame:
    """Return a row per score and condition."""
    import pandas as pd

    rows = [
        {
            "score": score.name,
            "condition": each.condition,
            "runs": len(each.of_runs),
            "mean": each.mean,
            "SD": each.sd,
        }
        for score in result.scores
        for each in distinct_scores(result, score)
    ]
    return pd.DataFrame(rows)


def details(result: DesignResult) -> dict[str, Any]:
    """Return everything as plain values that JSON can hold."""
    settings = result.settings.model_dump(include=set(_setting_names()))
    return {
        "kind": result.kind,
        "settings": settings
        | {
            "correction": result.settings.chosen_correction,
            "alternative": result.settings.chosen_alternative,
        },
        "passed": all(better for better, _ in passes(result)),
        "comparisons": [
            {
                "control": finding.pair.control,
                "treatment": finding.pair.treatment,
                "score": finding.score.name,
                "direction": finding.score.direction,
                "score_treatment": finding.found.score_treatment,
                "score_control": finding.found.score_control,
                "effect": finding.found.effect,
                "interval": plain((finding.found.low, finding.found.high)),
                "p": plain(finding.p),
                "p_uncorrected": plain(finding.p_uncorrected),
                "p_greater": plain(finding.found.p),
                "p_two_sided": plain(finding.found.p_two_sided),
                "standard_error": finding.standard_error,
                "verdict": finding.verdict,
                "claims": [plain(claim) for claim in finding.found.claims],
                "decided": finding.decided,
                "n_items": finding.pair.n_items,
                "n_drawn": finding.pair.n_drawn,
                "runs_treatment": finding.pair.runs_treatment,
                "runs_control": finding.pair.runs_control,
                "runs": finding.pair.runs,
                "flags": list(finding.found.flags),
                "notes": list(finding.pair.notes),
            }
            for finding in result.findings
        ],
        "conditions": [
            {
                "control": each.control,
                "condition": each.condition,
                "score": each.score,
                "of_runs": [None if math.isnan(value) else value for value in each.of_runs],
            }
            for each in result.conditions
        ],
    }


def _setting_names() -> tuple[str, ...]:
    from nbyk.labels.designs import Settings

    return tuple(Settings.model_fields)


def _verdict_sentence(result: DesignResult) -> str:
    deciding, name = result.deciding, result.scores[0].name
    if len(deciding) == 1:
        finding = deciding[0]
        found, pair = finding.found, finding.pair
        *broader, narrow = found.claims
        if broader and not broader[0].is_conclusive:
            return (
                f"Inconclusive for {broader[0].population}: {broader[0].reason}. For {narrow.population}, "
                f"{pair.treatment} has a {name} of {found.score_treatment:.4f} against "
                f"{found.score_control:.4f} of {pair.control}, a lead of {found.effect:.4f} "
                f"({_of_claim(result, narrow, 1.0)})."
            )
        names, scores = (pair.treatment, pair.control), (found.score_treatment, found.score_control)
        lead, low, high = found.effect, found.low, found.high
        if finding.verdict == "worse":
            names, scores, lead, low, high = names[::-1], scores[::-1], -lead, -high, -low
        verb = "is better than"
        if finding.verdict == "undecided":
            one_sided = result.settings.chosen_alternative == "greater"
            verb = f"is not shown to {'be better than' if one_sided else 'differ from'}"
        sign = -1.0 if finding.verdict == "worse" else 1.0
        also = (
            f" For {narrow.population}, this lead has a {_of_claim(result, narrow, sign)}." if broader else ""
        )
        of_whom = f" for {broader[0].population}" if broader else ""
        return (
            f"{names[0]} {verb} {names[1]}{of_whom}: {name} {scores[0]:.4f} against {scores[1]:.4f}, "
            f"a lead of {lead:.4f} ({_level(result)} interval {low:.4f} to {high:.4f}, "
            f"{_p(result, finding)}, {_sided(result)}).{also}"
        )
    better = [finding for finding in deciding if finding.verdict == "better"]
    worse = [finding for finding in deciding if finding.verdict == "worse"]
    told = [
        f"the {what} is better in {len(found)} ({_named(found)})"
        for found, what in ((better, "treatment"), (worse, "control"))
        if found
    ]
    of_all = f"Of {len(deciding)} comparisons by {name}, "
    how = f"at α = {result.settings.alpha:g} ({_sided(result)}, {_corrected(result)})"
    if not told:
        what = "better" if result.settings.chosen_alternative == "greater" else "different"
        return f"{of_all}none shows a {what} treatment {how}."
    return f"{of_all}{' and '.join(told)} {how}."


def _more_draws(result: DesignResult) -> str:
    """Return the sentence about decisions that more draws could change; empty if there are none."""
    left = [finding for finding in result.deciding if not finding.decided]
    reasons = {finding.reason for finding in left}
    if not left or (len(result.deciding) == 1 and left[0].found.claims[0].reason):
        return ""
    if len(result.deciding) == 1:
        return f" This is inconclusive: {left[0].reason or 'more draws could change it'}."
    if reasons != {""}:
        population = left[0].found.claims[0].population
        return (
            f" For {population}, the data are inconclusive on {_named(left)}: "
            f"{'; '.join(sorted(reasons - {''}))}."
        )
    return f" More draws could change the verdict on {_named(left)}."


def _of_claim(result: DesignResult, claim: Claim, sign: float) -> str:
    """Return the interval and p, not corrected, of a claim; `sign` is −1 if the control comes first."""
    low, high = sorted((sign * claim.low, sign * claim.high))
    p = claim.p_of(result.settings.chosen_alternative)
    ends = f"{_level(result)} interval {low:.4f} to {high:.4f}"
    return f"{ends}, {_p_in_words(result, claim, p, p)}, {_sided(result)}"


def _strict_sentence(result: DesignResult) -> tuple[str, ...]:
    """Return a sentence on whether the differences hold at the stricter level of Søgaard et al., if any."""
    shown = [finding for finding in result.deciding if finding.verdict != "undecided"]
    too_few = any(
        finding.pair.n_items < FEW_ITEMS and finding.found.claims[0].method == "bootstrap"
        for finding in shown
    )
    if not shown or result.settings.alpha <= STRICT_ALPHA or too_few:
        return ()
    n = sum(finding.p_adjusted <= STRICT_ALPHA for finding in shown)
    if len(shown) == 1:
        what = "This also holds" if n else "This does not hold"
    else:
        these = "Both of these" if len(shown) == 2 else f"All {len(shown)} of these"
        what = f"{n} of these {len(shown)} also hold{'s' * (n == 1)}" if n else "None of these holds"
        what = f"{these} also hold" if n == len(shown) else what
    return (f"{what} at α = {STRICT_ALPHA:g}, the level that Søgaard et al. (2014) recommend for NLP.",)


def _named(findings: list[ScoreVerdict]) -> str:
    pairs = [(finding.pair.treatment, finding.pair.control, finding.verdict) for finding in findings[:_SHOWN]]
    names = [f"{b} against {a}" if verdict == "worse" else f"{a} against {b}" for a, b, verdict in pairs]
    return "; ".join(names) + ("; …" if len(findings) > _SHOWN else "")


def _method_sentence(result: DesignResult) -> str:
    pairs = result.pairs
    items = sorted({pair.n_items for pair in pairs})
    n_items = f"{items[0]}" if len(items) == 1 else f"{items[0]} to {items[-1]}"
    runs = sorted({count for pair in pairs for count in (pair.runs_control, pair.runs_treatment)})
    n_runs = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    drawn = {pair.runs if max(pair.runs_control, pair.runs_treatment) > 1 else "fixed" for pair in pairs}
    what = " or ".join(sorted(_RUNS[each] for each in drawn))
    fraction = result.settings.fraction or (0.1 if result.settings.semantics == "published" else 1.0)
    share = "" if fraction == 1.0 else f", of {fraction:g} of them each"
    how_many = f"{n_runs} run{'' if runs[-1] == 1 else 's'} per condition"
    if result.settings.test != "bootstrap":
        return (
            f"{_TESTS[result.settings.test]}; {n_items} items, {how_many}. The intervals come from a paired "
            f"bootstrap ({result.settings.n_resamples} resamples of {what})."
        )
    claims = pairs[0].scores[0].claims
    broad = ""
    if len(claims) > 1 and claims[0].is_conclusive:
        broad = (
            f" The first claim is about {claims[0].population}. Its variance adds the variance over "
            "raters to that of the resamples. Its p and interval use Student's t."
        )
    return (
        f"Paired bootstrap, {result.settings.semantics} semantics: {result.settings.n_resamples} resamples "
        f"of {what}{share}; {n_items} items, {how_many}.{broad}"
    )


def _caption(result: DesignResult) -> str:
    return (
        f"Leads with {_level(result)} intervals. Above 0 the treatment is better, also if lower "
        f"scores are better. p is {_sided(result)}, {_corrected(result)}"
    )


def _family_size(result: DesignResult) -> int:
    return len(result.pairs) * (len(result.scores) if result.settings.family == "design" else 1)


def _corrected(result: DesignResult) -> str:
    method = result.settings.chosen_correction
    if method == "none" or _family_size(result) == 1:
        return "not corrected"
    families = "families" if result.settings.family == "score" else "a family"
    return f"corrected by {WHOSE[method]} method in {families} of {_family_size(result)}"


def _cautions(result: DesignResult) -> tuple[str, ...]:
    told: dict[str, None] = dict.fromkeys(result.warnings)
    of_names: dict[str, dict[str, None]] = {}
    shared = set.intersection(*(set(pair.notes) for pair in result.pairs))
    for pair in result.pairs:
        for note in pair.notes:
            named = [name for name in (pair.treatment, pair.control) if note.startswith(f"{name} has ")]
            if named:
                of_names.setdefault(note.removeprefix(f"{named[0]} "), {})[named[0]] = None
            else:
                told[note if note in shared else f"{pair.treatment} against {pair.control}: {note}"] = None
    for what, names in of_names.items():
        told[f"{'each of ' if len(names) > 1 else ''}{', '.join(names)} {what}"] = None
    for finding in result.findings:
        for flag in finding.found.flags:
            pair = finding.pair
            told[f"{finding.score.name}, {pair.treatment} against {pair.control}: {flag}"] = None
        found, pair = finding.found, finding.pair
        if result.settings.chosen_alternative == "greater" and found.high < 0.0:
            told[
                f"{finding.score.name}: {pair.control} leads {pair.treatment}, and the interval excludes 0; "
                "a one-sided test cannot show that a treatment is worse, so use alternative: two-sided"
            ] = None
    n_scores, n_pairs = len(result.scores), len(result.pairs)
    if result.settings.chosen_correction == "none" and n_pairs > 1:
        told[f"{n_pairs} comparisons by each score, and p is not corrected for their number"] = None
    elif result.settings.family == "score" and n_scores > 1:
        told[
            f"nbyk tests by each of {n_scores} scores and does not correct for their number; the first, "
            f"{result.scores[0].name}, decides"
        ] = None
    settings = result.settings
    drawn = settings.test == "bootstrap" and settings.semantics == "recommended"
    if drawn and settings.chosen_correction in ("holm", "bonferroni"):
        least = _family_size(result) * sides_of(settings.chosen_alternative) / (1 + settings.n_resamples)
        if least > settings.alpha:
            told[
                f"{settings.n_resamples} resamples cannot give a corrected p below {least:.2g}, so no "
                "comparison can reach α; raise n_resamples"
            ] = None
    return tuple(told)


def _level(result: DesignResult) -> str:
    return f"{100.0 * result.settings.confidence_level:g} %"


def _sided(result: DesignResult) -> str:
    return "one-sided" if result.settings.chosen_alternative == "greater" else "two-sided"


def _p(result: DesignResult, finding: ScoreVerdict) -> str:
    return _p_in_words(result, finding.found.claims[0], finding.p_uncorrected, finding.p_adjusted)


def _p_in_words(result: DesignResult, claim: Claim, drawn: float, p: float) -> str:
    """Return a p-value of a claim in words; `drawn` is the p-value before correction."""
    settings = result.settings
    is_drawn = claim.method == "bootstrap"
    relation = p_relation(drawn, settings.n_resamples, settings.chosen_alternative) if is_drawn else "="
    return f"p {relation} {p:.4f}" if p >= 1e-4 else f"p {relation} {p:.1e}"
