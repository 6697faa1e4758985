"""Comparisons of a design: those of `label_bootstrap`, corrected together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbyk
from nbyk.errors import NbykError
from nbyk.labels import cochran_mantel_haenszel, mcnemar
from nbyk.labels.designs import Settings, compare_design, design, make_settings, read_design
from nbyk.labels.designs import compare as compare_module
from nbyk.report.labels.answer import design_answer, passes

ROOT = Path(__file__).parents[3]
N = 150


def simulated(seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return targets, two controls in two runs, and three treatments in two runs, right ever more often."""
    generator = np.random.default_rng(seed)
    target = generator.integers(0, 3, N)
    made = {
        name: np.where(generator.random((2, N)) < right, target, (target + 1) % 3)
        for name, right in (("c1", 0.6), ("c2", 0.65), ("t1", 0.66), ("t2", 0.75), ("t3", 0.9))
    }
    return (
        target,
        {name: made[name] for name in ("c1", "c2")},
        {name: made[name] for name in ("t1", "t2", "t3")},
    )


def settings(**values: Any) -> Settings:
    return make_settings(**{"n_resamples": 199, "metric": ["accuracy", "f1_macro"], **values})


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar_mid_p", "cochran_mantel_haenszel"])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_classical_tests_give_p_and_the_bootstrap_the_interval(
    test: str, alternative: str, tmp_path: Path
) -> None:
    target, controls, treatments = simulated()
    n_runs = 2 if test == "cochran_mantel_haenszel" else 1
    controls, treatments = (
        {name: runs[:n_runs] for name, runs in of.items()} for of in (controls, treatments)
    )
    asked = make_settings(test=test, n_resamples=199, correction="none", alternative=alternative)
    result = compare_design(design(target, controls, treatments), asked)
    drawn = compare_design(
        design(target, controls, treatments),
        settings(metric="accuracy", alternative=alternative),
    )
    assert [score.name for score in result.scores] == ["accuracy"]
    for finding, alone in zip(result.deciding, drawn.deciding, strict=True):
        a, b = treatments[finding.pair.treatment], controls[finding.pair.control]
        if test == "cochran_mantel_haenszel":
            expected = cochran_mantel_haenszel(target, list(a), list(b), alternative=alternative)
        else:
            method = "exact" if test == "mcnemar" else "mid_p"
            expected = mcnemar(target, a[0], b[0], method=method, alternative=alternative)
        assert finding.p == expected.p
        assert finding.found.effect == pytest.approx(expected.effect)
        assert (finding.found.low, finding.found.high) == (alone.found.low, alone.found.high)
        assert finding.found.p != alone.found.p


def test_what_a_classical_test_cannot_take_is_refused() -> None:
    target, controls, treatments = simulated()
    with pytest.raises(NbykError, match="t1 has 2 runs, c1 2; McNemar's test takes one of each: use cochran"):
        compare_design(design(target, controls, treatments), make_settings(test="mcnemar"))
    with pytest.raises(NbykError, match="accuracy alone"):
        settings(test="mcnemar")
    with pytest.raises(NbykError, match="published semantics are a bootstrap"):
        make_settings(test="mcnemar", semantics="published")
    soft = np.full((4, 2), 0.5)
    with pytest.raises(NbykError, match="which is for hard labels"):
        compare_design(design(soft, {"c": soft}, {"t": soft}), make_settings(test="mcnemar"))


def test_the_answer_says_whether_it_holds_at_the_stricter_level() -> None:
    target, controls, treatments = simulated()
    result = compare_design(
        design(target, controls, treatments), make_settings(test="cochran_mantel_haenszel", n_resamples=99)
    )
    better = [finding for finding in result.deciding if finding.verdict == "better"]
    strictly = sum(finding.p_adjusted <= 0.0025 for finding in better)
    assert 0 < strictly < len(better)
    sentences = design_answer(result).sentences
    assert sentences[1].startswith(f"{strictly} of these {len(better)} also hold")
    assert sentences[2].startswith(
        "Cochran–Mantel–Haenszel test of right and wrong answers to each item; 150"
    )
    level = make_settings(test="cochran_mantel_haenszel", n_resamples=99, alpha=0.0025)
    strict = compare_design(design(target, controls, treatments), level)
    assert len(design_answer(strict).sentences) == 2
    assert sum(finding.verdict == "better" for finding in strict.deciding) == strictly


def test_every_pair_has_the_numbers_of_the_bootstrap_alone() -> None:
    target, controls, treatments = simulated()
    result = compare_design(design(target, controls, treatments), settings(seed=3))
    assert [(pair.control, pair.treatment) for pair in result.pairs] == [
        (control, treatment) for control in controls for treatment in treatments
    ]
    for pair in result.pairs:
        test = nbyk.label_bootstrap(
            target,
            treatments[pair.treatment],
            controls[pair.control],
            ["accuracy", "f1_macro"],
            alternative="greater",
            n_resamples=199,
            seed=3,
        )
        for found, alone in zip(pair.scores, test.comparisons, strict=True):
            assert (found.effect, found.p, (found.low, found.high)) == (alone.effect, alone.p, alone.interval)
            assert (found.score_treatment, found.score_control) == (alone.score_a, alone.score_b)


@pytest.mark.parametrize("method", ["holm", "benjamini_hochberg", "none"])
@pytest.mark.parametrize("family", ["score", "design"])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_p_values_are_corrected_in_their_family(method: str, family: str, alternative: str) -> None:
    target, controls, treatments = simulated()
    chosen = settings(correction=method, family=family, alternative=alternative, n_resamples=999)
    findings = compare_design(design(target, controls, treatments), chosen).findings
    p = [finding.p_uncorrected for finding in findings]
    assert p == [f.found.claims[0].p for f in findings]
    assert p == [f.found.p if alternative == "greater" else f.found.p_two_sided for f in findings]
    families = [range(12)] if family == "design" else [range(6), range(6, 12)]
    for members in families:
        own = [p[place] for place in members]
        expected = own if method == "none" else nbyk.correct_p_values(own, method)
        np.testing.assert_allclose([findings[place].p for place in members], expected)
    for finding in findings:
        shown = finding.p_adjusted <= 0.05
        better = "better" if finding.found.effect > 0 else "worse"
        assert finding.verdict == (better if shown else "undecided")
    assert {finding.verdict for finding in findings} == {"better", "undecided"}


def test_a_worse_treatment_is_found_where_both_sides_are_asked_about() -> None:
    target, controls, treatments = simulated()
    made = design(target, {"good": treatments["t3"]}, {"bad": controls["c1"]})
    result = compare_design(made, settings(n_resamples=999))
    (finding,) = result.deciding
    assert (finding.verdict, finding.decided, finding.p) == ("worse", True, 2 / 1000)
    sentence, *_ = design_answer(result).sentences
    assert sentence.startswith("good is better than bad: accuracy ")
    assert f"a lead of {-finding.found.effect:.4f} (95 % interval {-finding.found.high:.4f} to" in sentence
    assert "p ≤ 0.0020, two-sided" in sentence
    one_sided = compare_design(made, settings(alternative="greater", n_resamples=999))
    assert one_sided.deciding[0].verdict == "undecided"
    assert one_sided.deciding[0].p == 1.0
    (told,) = (text for text in design_answer(one_sided).cautions if text.startswith("accuracy: good leads"))
    assert told.endswith("use alternative: two-sided")


def test_the_default_is_two_sided_but_under_published_semantics() -> None:
    assert settings().chosen_alternative == "two-sided"
    assert settings(semantics="published").chosen_alternative == "greater"


def test_a_verdict_that_more_draws_could_change_says_so() -> None:
    """With 59 draws the least p is .033: no draw beyond the effect does not settle p ≤ .05."""
    target, controls, treatments = simulated()
    made = design(target, {"c1": controls["c1"]}, {"t3": treatments["t3"]})
    few, many = (compare_design(made, settings(n_resamples=m)) for m in (59, 999))
    assert (few.deciding[0].verdict, few.deciding[0].decided) == ("better", False)
    assert "This is inconclusive: more draws could change it." in design_answer(few).sentences[0]
    assert passes(few) == [(True, False)]
    assert (many.deciding[0].verdict, many.deciding[0].decided) == ("better", True)
    assert "inconclusive" not in design_answer(many).sentences[0]
    several = compare_design(design(target, controls, treatments), settings(n_resamples=59))
    assert "More draws could change the verdict on " in design_answer(several).sentences[0]


@pytest.mark.parametrize(
    ("n_items", "alternative", "told"), [(5, "two-sided", 0), (5, "greater", 1), (6, "two-sided", 1)]
)
def test_so_few_items_that_no_exact_test_rejects_are_inconclusive(
    n_items: int, alternative: str, told: int
) -> None:
    """All of A's labels are right and all of B's wrong: the exact p is 2⁻ᴺ for each side."""
    target = np.arange(n_items) % 2
    made = design(target, {"b": 1 - target}, {"a": target})
    result = compare_design(made, make_settings(alternative=alternative, n_resamples=999))
    finding, (sentence, *others) = result.deciding[0], design_answer(result).sentences
    assert (finding.verdict, finding.decided) == (("better", True) if told else ("undecided", False))
    says = "This is inconclusive: with 5 items, not even an exact test can find a difference at α = 0.05."
    assert (says in sentence) == (not told)
    assert not any("Søgaard" in text for text in others)
    assert passes(result) == [(bool(told), bool(told))]
    exact = compare_design(made, make_settings(alternative=alternative, test="mcnemar", n_resamples=99))
    assert exact.deciding[0].decided
    assert (exact.deciding[0].verdict == "better") == bool(told)


def test_nothing_that_is_not_drawn_hangs_on_draws() -> None:
    target, controls, treatments = simulated()
    made = design(target, controls, treatments)
    result = compare_design(made, make_settings(test="cochran_mantel_haenszel", n_resamples=19))
    assert all(finding.decided for finding in result.findings)


def test_corrections_default_to_the_semantics() -> None:
    assert settings().chosen_correction == "holm"
    assert settings(semantics="published").chosen_correction == "none"
    assert settings(semantics="published", correction="holm").chosen_correction == "holm"


def test_a_target_class_adds_its_scores_once() -> None:
    names = [s.name for s in make_settings(metric=["f1(a)"], target_class="a").chosen_scores("hard")]
    assert names == ["f1(a)", "precision(a)", "recall(a)"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"fractoin": 1.0}, "unknown key 'fractoin'; did you mean fraction"),
        ({"fraction": 0.0}, "fraction: found 0.0"),
        ({"semantics": "published", "alternative": "two-sided"}, "alternative: found 'two-sided'; published"),
    ],
)
def test_bad_settings_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(NbykError, match=message):
        make_settings(**values)


def test_every_pair_is_checked_before_the_first_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_module, "label_bootstrap", lambda *given, **more: pytest.fail("compared"))
    target, controls, treatments = simulated()
    made = design(target, {"c1": controls["c1"][0]}, {"t1": treatments["t1"][0], "t2": treatments["t2"]})
    with pytest.raises(NbykError, match="t2 has 2 runs, c1 1; McNemar's test takes one of each"):
        compare_design(made, make_settings(test="mcnemar"))


def test_paired_runs_go_in_pairs() -> None:
    target, controls, treatments = simulated()
    with pytest.raises(NbykError, match="t2 has 1, c1 has 2; paired runs go in pairs"):
        compare_design(design(target, controls, {"t2": treatments["t2"][0]}), settings(runs="paired"))


def test_a_comparison_does_not_hang_on_the_others() -> None:
    target, controls, treatments = simulated()
    whole = compare_design(design(target, controls, treatments), settings())
    alone = compare_design(design(target, controls, {"t2": treatments["t2"]}), settings())
    assert alone.pairs == tuple(pair for pair in whole.pairs if pair.treatment == "t2")


def test_numbers_do_not_depend_on_threads() -> None:
    made = design(*simulated())
    assert compare_design(made, settings(), threads=2) == compare_design(made, settings())


@pytest.mark.parametrize("name", ["hard", "soft"])
def test_the_examples_are_what_the_documentation_shows(name: str) -> None:
    made, chosen = read_design(ROOT / f"docs/examples/labels/{name}.yaml")
    result = compare_design(made, chosen)
    page = (ROOT / "docs/labels.md").read_text(encoding="utf-8")
    for finding in result.deciding:
        shown = f"{finding.found.effect:.4f}"
        assert shown in page, (finding.pair.treatment, shown)
