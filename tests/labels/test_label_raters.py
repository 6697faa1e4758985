"""Targets made of ratings: the claim over new raters, beside that with these raters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.label_raters import equally_good_rated
from nbyk.data.labels import check_labels
from nbyk.errors import NbykError
from nbyk.labels import label_bootstrap, majority_labels, rated_targets, soft_labels
from nbyk.labels.designs import compare_design, read_design
from nbyk.labels.raters import rater_components
from nbyk.labels.scores import choose_scores
from nbyk.report.labels.answer import design_answer, passes

LEVELS = (0.0, 1.0, 2.0)


def one_set(
    kind: Any = "soft", n_raters: int = 5, n_items: int = 60, per_item: int | None = None
) -> tuple[Any, Any, Any, Any]:
    """Return ratings with NaN where there is none, targets made of them, and two systems' predictions."""
    ((codes, a, b),) = equally_good_rated(kind, n_items, n_raters, 0, 1, lean=1.0, per_item=per_item)
    ratings = np.where(codes < 0, np.nan, codes)
    made = soft_labels(ratings, LEVELS) if kind == "soft" else majority_labels(ratings, LEVELS, ties="lowest")
    return ratings, made if kind == "soft" else made.labels.astype(int), a, b


def test_the_variance_over_raters_of_a_linear_score_is_that_of_their_own_effects() -> None:
    """Cross entropy is linear in the shares: the jackknife is the variance of the raters' effects over J."""
    ratings, target, a, b = one_set()
    said = ratings[:, :, None] == np.array(LEVELS)
    of_raters = (said * (np.log(a) - np.log(b))[:, None, :]).sum(axis=2).mean(axis=0)
    found = rater_components(
        rated_targets(ratings, LEVELS),
        check_labels(target, {"a": a, "b": b}),
        choose_scores("cross_entropy", "soft"),
    )
    assert found is not None
    assert found[0].total == pytest.approx(of_raters.var(ddof=1) / 5)
    assert found[0].df == pytest.approx(4.0, rel=0.2)
    assert 0.0 < found[0].within < found[0].total


@pytest.mark.parametrize("kind", ["hard", "soft"])
@pytest.mark.parametrize("per_item", [None, 4])
def test_the_order_of_raters_changes_nothing(kind: str, per_item: int | None) -> None:
    ratings, target, a, b = one_set(kind, 6, per_item=per_item)
    rated = rated_targets(ratings, LEVELS, ties="lowest")
    other = rated_targets(ratings[:, [3, 0, 5, 1, 4, 2]], LEVELS, ties="lowest")
    one, two = (label_bootstrap(target, a, b, n_resamples=99, rated=each) for each in (rated, other))
    for left, right in zip(one.comparisons, two.comparisons, strict=True):
        assert left.claims[1] == right.claims[1]
        assert (left.p, *left.interval) == pytest.approx((right.p, *right.interval), rel=1e-9)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_systems_exchanged_mirror_the_broad_claim(kind: str) -> None:
    ratings, target, a, b = one_set(kind)
    rated = rated_targets(ratings, LEVELS, ties="lowest")
    one, two = (label_bootstrap(target, *of, n_resamples=99, rated=rated) for of in ((a, b), (b, a)))
    for left, right in zip(one.comparisons, two.comparisons, strict=True):
        assert left.p == pytest.approx(right.p)
        assert left.interval == pytest.approx((-right.interval[1], -right.interval[0]))


def test_items_alone_give_the_numbers_without_raters() -> None:
    ratings, target, a, b = one_set()
    rated = rated_targets(ratings, LEVELS)
    plain = label_bootstrap(target, a, b, n_resamples=99)
    both = label_bootstrap(target, a, b, n_resamples=99, rated=rated)
    items = label_bootstrap(target, a, b, n_resamples=99, rated=rated, generalise=["items"])
    for known, broad, alone in zip(plain.comparisons, both.comparisons, items.comparisons, strict=True):
        assert (alone.p, alone.interval) == (known.p, known.interval)
        assert [claim.population for claim in broad.claims] == [
            "new items and raters",
            "new items, with these 5 raters",
        ]
        assert broad.claims[1].p == known.p
        assert broad.p == broad.claims[0].p
        assert (broad.p <= 0.05) == (not broad.interval[0] <= 0.0 <= broad.interval[1])
        assert broad.interval[1] - broad.interval[0] > 0.9 * (known.interval[1] - known.interval[0])
    assert "for new items and raters: 95 % interval" in both.sentence
    assert any("five raters are few" in text for text in both.warnings)
    assert any("not over raters" in text for text in items.warnings)


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_ratings_that_give_other_targets_are_refused(kind: str) -> None:
    ratings, target, a, b = one_set(kind)
    other = ratings.copy()
    other[[2, 7]] = (
        np.where(target[[2, 7], None] == LEVELS[0], LEVELS[1], LEVELS[0]) if kind == "hard" else LEVELS[0]
    )
    rated = rated_targets(other, LEVELS, ties="lowest")
    with pytest.raises(NbykError, match=r"item 3 has another target than its ratings give.* 2 of") as refused:
        label_bootstrap(target, a, b, n_resamples=9, rated=rated)
    assert refused.value.argument == "rated"
    with pytest.raises(NbykError, match="ratings of 9 items, expected"):
        label_bootstrap(target, a, b, n_resamples=9, rated=rated_targets(ratings[:9], LEVELS, ties="lowest"))
    if kind == "hard":
        with pytest.raises(NbykError, match="with the levels 11, 12, 13"):
            label_bootstrap(
                target, a, b, n_resamples=9, rated=rated_targets(ratings + 11, (11, 12, 13), ties="lowest")
            )


def test_raters_who_all_agree_leave_the_claim_over_items() -> None:
    """Nothing varies: A is right and B wrong on every item, whoever rates it; p was 0."""
    target = np.arange(30) % 2
    ratings = np.repeat(target[:, None], 5, axis=1).astype(float)
    rated = rated_targets(ratings, (0, 1))
    (found,) = label_bootstrap(
        target, target, 1 - target, "accuracy", n_resamples=99, rated=rated
    ).comparisons
    broad, items = found.claims
    assert broad.p == items.p == pytest.approx(0.02)
    assert broad.population == "new items and raters"


def test_two_raters_cannot_speak_for_others() -> None:
    ratings, target, a, b = one_set(n_raters=2)
    found = label_bootstrap(
        target, a, b, "cross_entropy", n_resamples=99, rated=rated_targets(ratings, LEVELS)
    )
    assert np.isnan(found.p)
    assert found.parts[0].claims[0].reason == "two raters cannot speak for others"
    assert "inconclusive, two raters cannot speak for others" in found.sentence


@pytest.mark.parametrize(
    ("generalise", "message"),
    [
        (["raters"], "found no items"),
        (["items", "seeds"], "factor to generalise over"),
        (["items", "raters"], "items share no two raters here"),
    ],
)
def test_what_cannot_be_generalised_over_is_refused(generalise: list[str], message: str) -> None:
    _, target, a, b = one_set()
    with pytest.raises(NbykError, match=message):
        label_bootstrap(target, a, b, n_resamples=9, generalise=generalise)


def test_the_level_where_raters_differ() -> None:
    """54 sets with 5 raters who lean by λ = 1, two-sided at .05; the standard error of a rate is .03.

    With these raters alone .68 are called different; over new raters .06 (docs/labels.md, 400 sets).
    """
    rejected = np.zeros(2)
    sets = equally_good_rated("soft", 200, 5, 0, 54, lean=1.0)
    for seed, (codes, a, b) in enumerate(sets):
        rated = rated_targets(codes.astype(float), LEVELS)
        target = soft_labels(codes.astype(float), LEVELS)
        (found,) = label_bootstrap(
            target, a, b, "cross_entropy", n_resamples=199, rated=rated, seed=seed
        ).comparisons
        rejected += [claim.p <= 0.05 for claim in found.claims]
    broad, items = rejected / 54
    assert broad <= 0.05 + 4 * 0.03
    assert items >= 0.5


def laid(folder: Path, n_raters: int, more: str = "") -> Path:
    ratings, _, a, b = one_set(n_raters=n_raters)
    rows = [f"{i},r{j},{v:g}" for i, row in enumerate(ratings) for j, v in enumerate(row)]
    (folder / "ratings.csv").write_text("item,rater,value\n" + "\n".join(rows) + "\n")
    for name, values in (("new", a), ("old", b)):
        np.save(folder / f"{name}.npy", values)
    design = folder / "design.yaml"
    design.write_text(
        'kind: soft\nratings: {path: ratings.csv, scale: "0,1,2"}\ncontrols: {old: old.npy}\n'
        f"treatments: {{new: new.npy}}\nmetric: cross_entropy\nn_resamples: 999\n{more}"
    )
    return design


def test_a_design_with_ratings_speaks_of_new_raters(tmp_path: Path) -> None:
    made, settings = read_design(laid(tmp_path, 5))
    result = compare_design(made, settings)
    (finding,) = result.deciding
    assert [claim.method for claim in finding.found.claims] == ["t", "bootstrap"]
    assert finding.p == finding.found.claims[0].p_two_sided
    sentence = design_answer(result).sentences[0]
    assert " for new items and raters: cross_entropy" in sentence
    assert "For new items, with these 5 raters, this lead has a 95 % interval" in sentence
    narrow = compare_design(*read_design(laid(tmp_path, 5, "generalise: [items]\n")))
    assert narrow.deciding[0].p == finding.found.claims[1].p_two_sided
    assert any("not over raters" in text for text in design_answer(narrow).cautions)


def test_a_design_with_two_raters_is_inconclusive(tmp_path: Path) -> None:
    made, settings = read_design(laid(tmp_path, 2))
    result = compare_design(made, settings)
    answer = design_answer(result)
    assert answer.sentences[0].startswith(
        "Inconclusive for new items and raters: two raters cannot speak for others. For new items, with "
        "these 2 raters, new has a cross_entropy of "
    )
    assert passes(result) == [(False, False)]
    assert answer.details["comparisons"][0]["p"] is None
