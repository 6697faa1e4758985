"""Specs, and metrics of users: from a decorator and from a file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbyk.errors import NbykError
from nbyk.metrics import get, load_file, names, register
from nbyk.metrics.registry import kind_scored

MEDIAN_ERROR = '''\
import numpy as np
from nbyk.metrics import register

@register(direction="lower")
def median_error(system, gold):
    """Median absolute error."""
    return np.median(np.abs(system - gold))
'''


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("mae", "mae"),
        (" mae ( ) ", "mae"),
        ("histogram_emd_aggregated(50)", "histogram_emd_aggregated(bins=50)"),
        ("histogram_emd_aggregated( bins = 50 )", "histogram_emd_aggregated(bins=50)"),
        ("accuracy", "accuracy"),
        ("accuracy(0.5)", "accuracy"),
        ("accuracy(threshold=.60)", "accuracy(threshold=0.6)"),
        ("auc(1)", "auc(threshold=1.0)"),
    ],
)
def test_specs_have_one_canonical_name(spec, name):
    assert get(spec).name == name
    assert get(name) == get(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("spearmann", "unknown metric 'spearmann'; did you mean spearman"),
        ("MAE", "unknown metric 'MAE'"),
        ("nope", "unknown metric 'nope'; known: accuracy, "),
        ("mae(3)", "mae takes no parameters"),
        ("accuracy(bins=3)", "unexpected parameter 'bins=3'; accuracy takes threshold"),
        ("accuracy(0.5, 0.6)", "unexpected parameter '0.6'"),
        ("accuracy(0.5, threshold=0.6)", "threshold is given twice"),
        ("accuracy(high)", "threshold must be a finite number, found 'high'"),
        ("accuracy(nan)", "threshold must be a finite number"),
        ("histogram_emd_aggregated", r"needs bins, a whole number .*: histogram_emd_aggregated\(bins=50\)"),
        ("histogram_emd_aggregated(2.5)", "bins must be a whole number from 1 to 100000, found '2.5'"),
        ("histogram_emd_aggregated(0)", "bins must be a whole number from 1"),
        ("histogram_emd_aggregated()", "needs bins"),
        ("accuracy(0.5", "is not a name or name"),
        ("", "is not a name or name"),
    ],
)
def test_bad_specs_say_what_is_expected(spec, message):
    with pytest.raises(NbykError, match=message):
        get(spec)


def test_one_name_may_stand_for_a_metric_of_each_kind_of_data() -> None:
    assert get("accuracy").summary != get("accuracy", "classes").summary
    assert get("mean").direction == get("mean", "outputs").direction == "higher"
    assert set(names("distributions")) < set(names("classes"))
    assert {get(name, "distributions").sign for name in names("distributions")} == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("f1(0.6)", None),
        ("f1(spam)", "classes"),
        ("f1_macro", "classes"),
        ("wins(f1_macro)", "classes"),
        ("tv_mean(pooled=1)", "distributions"),
        ("pass@5", None),
        ("nope", None),
    ],
)
def test_a_spec_says_what_it_needs(spec: str, kind: str | None) -> None:
    assert kind_scored(spec) == kind


@pytest.mark.parametrize(
    ("spec", "of", "message"),
    [
        (
            "f1_macro",
            "numbers",
            'scores classes, and these are numbers; read the data as `kind="classes"`, or choose from',
        ),
        ("mean_absolute_error", "numbers", "unknown metric 'mean_absolute_error'; here it is called mae"),
        ("bleu", "classes", "scores outputs, and these are classes; choose from accuracy"),
        ("pass^2", "classes", "scores numbers, and these are classes; choose from accuracy"),
        ("mae", "outputs", "scores numbers, and these are outputs; choose from mean, bleu"),
        (
            "f1(spam)",
            "distributions",
            "scores classes, and these are distributions; choose from cross_entropy",
        ),
        ("mae", "ratings", "unknown kind of data 'ratings'"),
    ],
)
def test_a_metric_of_other_data_is_refused_with_those_that_fit(spec: str, of: Any, message: str) -> None:
    with pytest.raises(NbykError, match=message):
        get(spec, of)


def _data():
    rng = np.random.default_rng(4)
    return rng.random((2, 3, 20)), rng.random((3, 20))


def test_a_metric_from_a_file_of_eight_lines(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MEDIAN_ERROR)
    assert load_file(file) == ("median_error",)
    assert load_file(str(file)) == ("median_error",)
    assert names()[-1] == "median_error"
    metric = get("median_error")
    assert metric.summary == "Median absolute error."
    systems, gold = _data()
    expected = np.median(np.abs(systems - gold), axis=2)
    np.testing.assert_array_equal(metric.scores(systems, gold), expected)
    np.testing.assert_array_equal(metric.effects(systems, gold), expected[1] - expected[0])


def test_an_edited_file_replaces_its_metric_at_once(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MEDIAN_ERROR)
    load_file(file)
    file.write_text(MEDIAN_ERROR.replace("np.median", "np.fmax.reduce"))
    load_file(file)
    systems, gold = _data()
    np.testing.assert_array_equal(
        get("median_error").scores(systems, gold), get("max_error").scores(systems, gold)
    )


def test_a_name_taken_by_another_file_is_refused_and_the_first_stays(tmp_path):
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(MEDIAN_ERROR)
    load_file(tmp_path / "one.py")
    kept = get("median_error")
    with pytest.raises(
        NbykError, match=r"two\.py: metric 'median_error' exists already in .*one\.py; rename"
    ):
        load_file(tmp_path / "two.py")
    assert get("median_error") == kept


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import numpy\n1 / 0\n", r"mine\.py: line 2: ZeroDivisionError: division by zero"),
        ("def f(:\n", r"mine\.py: line 1: SyntaxError"),
        ("import no_such_module_anywhere\n", "line 1: ModuleNotFoundError: No module named"),
        ("raise SystemExit\n", "line 1: SystemExit"),
        ("x = 1\n", r"mine\.py: it registers no metric; decorate a function"),
        (MEDIAN_ERROR.replace("median_error", "mae"), r"mine\.py: metric 'mae' exists already in nbyk"),
        (MEDIAN_ERROR.replace("median_error", "MedianError"), "a name is lower-case letters"),
        (MEDIAN_ERROR.replace("lower", "down"), "unknown metric direction 'down'"),
        (MEDIAN_ERROR + "\nraise RuntimeError('late\\nand long')\n", "line 9: RuntimeError: late and long"),
    ],
)
def test_a_file_that_fails_is_named_in_one_line_and_leaves_nothing(tmp_path, text, message):
    file = tmp_path / "mine.py"
    file.write_text(text)
    before = names()
    with pytest.raises(NbykError, match=message) as caught:
        load_file(file)
    assert "\n" not in str(caught.value)
    assert names() == before


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NbykError, match=r"nowhere\.py: no such file"):
        load_file(tmp_path / "nowhere.py")


def test_a_users_comparison_without_gold_on_responses():
    @register(direction="lower", needs="responses", kind="comparison", needs_gold=False)
    def spread_lead(a, b):
        return np.nanstd(a) - np.nanstd(b)

    rng = np.random.default_rng(9)
    systems = rng.normal(size=(2, 3, 10, 4)) * np.array([1.0, 5.0]).reshape(2, 1, 1, 1)
    systems[..., 5:, 3] = np.nan
    expected = [np.nanstd(systems[1, r]) - np.nanstd(systems[0, r]) for r in range(3)]
    np.testing.assert_array_equal(get("spread_lead").effects(systems), expected)


def test_a_users_metric_takes_parameters():
    @register(direction="higher")
    def hits(system, gold, times: int, within=0.1):
        return times * np.mean(np.abs(system - gold) <= within)

    assert get("hits(3)").name == "hits(times=3)"
    assert get("hits(times=3, within=0.25)").name == "hits(times=3, within=0.25)"
    with pytest.raises(NbykError, match="times must be a whole number"):
        get("hits(1.5)")
    systems, gold = _data()
    expected = 3 * np.mean(np.abs(systems - gold) <= 0.25, axis=2)
    np.testing.assert_array_equal(get("hits(3, 0.25)").scores(systems, gold), expected)


def test_a_users_compiled_function_is_a_metric_too():
    from numba import njit

    @register(direction="lower")
    @njit
    def compiled_error(system, gold):
        """Mean absolute error, again."""
        return np.mean(np.abs(system - gold))

    systems, gold = _data()
    metric = get("compiled_error")
    assert metric.summary == "Mean absolute error, again."
    np.testing.assert_allclose(metric.scores(systems, gold), get("mae").scores(systems, gold), rtol=1e-14)


@pytest.mark.parametrize("result", [None, "0.5", np.zeros(3), 1j])
def test_a_return_that_is_no_number_is_refused(result):
    @register(direction="lower")
    def strange(system, gold):
        return result

    with pytest.raises(NbykError, match="metric 'strange' must return one number, but returned"):
        get("strange").scores(*_data())


@pytest.mark.parametrize("result", [1, np.float32(0.5), np.int64(3), np.array(2.5)])
def test_any_scalar_number_is_taken(result):
    @register(direction="lower")
    def plain(system, gold):
        return result

    np.testing.assert_array_equal(get("plain").scores(*_data()), np.full((2, 3), float(result)))


def test_a_metric_that_sorts_in_place_cannot_spoil_the_draws_of_others():
    @register(direction="lower")
    def careless(system, gold):
        system.sort()
        return 0.0

    with pytest.raises(NbykError, match=r"metric .careless. failed with ValueError: .*read-only"):
        get("careless").scores(*_data())


def test_a_function_with_too_few_arrays_is_refused():
    with pytest.raises(NbykError, match="'lonely': the function must take 2 arrays"):

        @register(direction="lower")
        def lonely(system):
            return 0.0
