from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbyk.data import Binary, Interval, Levels, read_ratings, scale_from_text
from nbyk.data.scales import as_scale
from nbyk.errors import NbykError

finite = st.floats(-1e6, 1e6)
scales = st.one_of(
    st.lists(finite, min_size=2, max_size=8, unique=True).map(lambda levels: Levels(tuple(sorted(levels)))),
    st.lists(finite, min_size=2, max_size=2, unique=True).map(lambda ends: Interval(*sorted(ends))),
    st.just(Binary()),
)


def test_five_levels_normalise_as_in_wein_2023():
    values = Levels((0, 1, 2, 3, 4)).normalise([[0, 1, 2], [3, 4, 0]])
    np.testing.assert_array_equal(values, [[0, 0.2, 0.4], [0.6, 0.8, 0]])


def test_ranks_count_not_distances():
    np.testing.assert_array_equal(Levels((-10, 0, 1, 100)).normalise([100, -10, 1]), [0.75, 0, 0.5])


def test_an_interval_maps_its_ends_to_0_and_1():
    np.testing.assert_array_equal(Interval(-3, 1).normalise([-3, -2, 1]), [0, 0.25, 1])


def test_labels_of_two_kinds_stay_what_they_are():
    np.testing.assert_array_equal(Binary().normalise([[0, 1], [1, 1]]), [[0, 1], [1, 1]])


@given(scales, st.data())
def test_normalising_keeps_order_and_stays_in_0_1(scale, data):
    if isinstance(scale, Interval):
        on_scale = st.floats(scale.low, scale.high)
    else:
        on_scale = st.sampled_from(scale.levels if isinstance(scale, Levels) else (0.0, 1.0))
    values = np.sort(data.draw(st.lists(on_scale, min_size=1, max_size=20)))
    normalised = scale.normalise(values)
    assert ((normalised >= 0) & (normalised <= 1)).all()
    assert (np.diff(normalised) >= 0).all()


@given(scales)
def test_a_scale_comes_back_from_its_text(scale):
    assert scale_from_text(str(scale)) == scale


@pytest.mark.parametrize(
    "scale", [Levels((0, 1, 2)), Interval(0, 2), Binary()], ids=["levels", "interval", "binary"]
)
@pytest.mark.parametrize("bad", [2.5, -1, np.nan, np.inf, 2.00000001])
def test_the_first_value_off_the_scale_is_named(scale, bad):
    with pytest.raises(NbykError, match=rf"index 1: found {bad}, expected") as refusal:
        scale.normalise([0, bad, bad])
    assert "\n" not in str(refusal.value)


def test_a_value_between_levels_is_refused_with_its_place_in_a_matrix():
    with pytest.raises(NbykError, match=r"index 2: found 0.5, expected one of 0, 1"):
        Levels((0, 1)).normalise([[0, 1], [0.5, 1]])


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("1,2,3,4,5", Levels((1, 2, 3, 4, 5))),
        ("-3, -1.5, 0", Levels((-3, -1.5, 0))),
        ("0..100", Interval(0, 100)),
        ("-1 .. 1", Interval(-1, 1)),
        ("binary", Binary()),
    ],
)
def test_a_scale_reads_as_people_write_it(text, scale):
    assert scale_from_text(text) == scale


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected levels as in 1,2,3,4,5, two ends as in 0..100, or binary"),
        ("1-5", "found '1-5', expected levels"),
        ("1,two", "found '1,two', expected levels"),
        ("3", "two levels or more"),
        ("2,1", "list levels lowest first"),
        ("1..0", "runs from 1 to 0"),
        ("0..0", "low end"),
        ("0..inf", "the high end is inf; expected a finite number"),
        ("-1e308..1e308", "low end"),
        ("1,1", "list levels lowest first"),
        ("0,nan", "a level is nan; expected a finite number"),
        ("..", "found '..', expected levels"),
    ],
)
def test_a_scale_that_is_none_is_refused(text, says):
    with pytest.raises(NbykError) as refusal:
        scale_from_text(text)
    assert says in str(refusal.value)


@pytest.mark.parametrize(
    ("written", "scale"),
    [
        (None, None),
        ((1, 5), Interval(1, 5)),
        ([0, 100.0], Interval(0, 100)),
        ("1..5", Interval(1, 5)),
        ("1,2,3", Levels((1, 2, 3))),
        ("binary", Binary()),
        (Levels((0, 1)), Levels((0, 1))),
    ],
)
def test_a_scale_is_given_in_any_form(written, scale) -> None:  # type: ignore[no-untyped-def]
    assert as_scale(written) == scale


@pytest.mark.parametrize("written", [5, (1, 2, 3), (5, 1), ("1", "5"), "one to five", {"low": 1}])
def test_what_is_no_scale_is_refused(written) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NbykError, match="scale"):
        as_scale(written)


def test_readers_take_the_ends_of_a_scale(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "r.csv"
    path.write_text("item,rater,value\na,x,1\nb,x,5\n")
    read = read_ratings(path, scale=(1, 5))
    assert read.matrix().tolist() == [[0.0], [1.0]]
