"""Names that look alike are told apart or joined by choice, and never in silence."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbyk import read_systems
from nbyk.data import read_ratings
from nbyk.data.ratings import ordered_ids
from nbyk.data.text import look_alikes, shown
from nbyk.errors import NbykError

PAIRS = {"case": ("pos", "Pos"), "numbers": ("1", "1.0"), "zeros": ("1", "01"), "width": ("1", "\uff11")}
UNSEEN = {
    "a space": ("pos", "pos "),
    "two spaces": ("so so", "so  so"),
    "no width": ("pos", "pos\u200b"),
    "a soft hyphen": ("pos", "p\u00ados"),
    "a selector": ("pos", "pos\ufe0f"),
    "a filler": ("pos", "pos\u3164"),
    "a joiner": ("pos", "p\u034fos"),
    "accents": ("\u00e4", "a\u0308"),
}


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("pair", [*PAIRS.values(), *UNSEEN.values()], ids=[*PAIRS, *UNSEEN])
def test_classes_that_look_alike_are_named_and_told_apart_only_by_choice(
    pair: tuple[str, str], tmp_path: Path
) -> None:
    one, two = pair
    gold = written(tmp_path / "g.csv", f"item,label\na,{one}\nb,neg\nc,{two}\nd,neg\ne,neg\n")
    a = written(tmp_path / "a.csv", f"item,label\na,{one}\nb,neg\nc,{one}\nd,neg\ne,neg\n")
    b = written(tmp_path / "b.csv", f"item,label\na,neg\nb,{one}\nc,neg\nd,neg\ne,neg\n")
    with pytest.raises(NbykError, match=r"g\.csv: the classes .* and .* look alike; .* with `classes`"):
        read_systems([a, b], gold, kind="classes")
    told = read_systems([a, b], gold, kind="classes", classes=[one, two, "neg"])
    assert told.gold is not None
    assert len(set(told.gold[:, 0])) == 3


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_items_and_raters_that_look_alike_are_named(pair: tuple[str, str], tmp_path: Path) -> None:
    one, two = pair
    texts = {
        "items": f"item,rater,value\n{one},r,1\n{two},r,0\n",
        "raters or runs": f"item,rater,value\na,{one},1\na,{two},0\nb,{one},1\n",
    }
    for what, text in texts.items():
        a, b = written(tmp_path / "x.csv", text), written(tmp_path / "y.csv", text.replace(",1\n", ",0.5\n"))
        (note,) = read_systems([a, b]).notes
        assert note.startswith(f"the {what} ")
        assert note.endswith(" look alike, and nbyk tells them apart")


@pytest.mark.parametrize("pair", UNSEEN.values(), ids=UNSEEN)
def test_ids_that_nobody_can_tell_apart_are_refused(pair: tuple[str, str], tmp_path: Path) -> None:
    one, two = pair
    for role, text in (("item", f"{one},r,1\n{two},r,0\n"), ("rater", f"a,{one},1\nb,{two},0\n")):
        with pytest.raises(NbykError, match=f":3: the {role} id .* differs from .* alone|nobody sees"):
            read_ratings(written(tmp_path / "a.csv", "item,rater,value\n" + text))


def test_systems_and_columns_that_look_alike_are_named(tmp_path: Path) -> None:
    text = "item,model,value\na,X,1\nb,X,0\na,x,0\nb,x,0.5\n"
    (note,) = read_systems(written(tmp_path / "a.csv", text)).notes
    assert note == "the systems 'X' and 'x' look alike, and nbyk tells them apart"
    path = written(tmp_path / "b.csv", "item,Item,value\na,b,1\nb,a,0\n")
    with pytest.raises(NbykError, match=r"the columns 'item' and 'Item' look alike; rename one"):
        read_ratings(path)


def test_floats_that_hold_no_whole_number_of_their_own_name_nothing() -> None:
    for role in ("item", "rater"):
        columns = {"item": [1.0, 2.0], "rater": [1.0, 1.0], "value": [1.0, 0.0]}
        columns[role] = [2.0**53, 2.0**53 + 2]
        pd = pytest.importorskip("pandas")
        with pytest.raises(
            NbykError, match=f"column '{role}': found 9007199254740992.0, a number of so many"
        ):
            read_ratings(pd.DataFrame(columns))
        columns[role] = [2.0**53 - 1, 2.0**53 - 2]
        read = read_ratings(pd.DataFrame(columns))
        assert "9007199254740991" in (*read.items, *read.raters)
    labels = {"item": ["a", "b"], "value": [2.0**53, 1.0]}
    with pytest.raises(NbykError, match=r"found 9007199254740992\.0, a number of so many digits"):
        read_systems(
            {"a": pd.DataFrame(labels), "b": pd.DataFrame(labels)}, pd.DataFrame(labels), kind="classes"
        )


@given(
    st.sampled_from(
        ["q01", "1230", "aA1.", "nai f-", "é1 ٣", "0123456789", "\0\x01\n09", "e\u03011"]
    ).flatmap(
        lambda signs: st.lists(st.text(signs, min_size=1, max_size=4), min_size=1, max_size=8, unique=True)
    ),
    st.sampled_from(["", "x", "n", "inf", "1", "7" * 4001]),
)
def test_plain_ids_taken_together_are_told_apart_and_ordered_as_one_by_one(
    tails: list[str], head: str
) -> None:
    ids = [head + tail for tail in tails]
    assert (look_alikes(ids) is None) == (look_alikes([*ids, "zz é"]) is None)  # no short cut is open with it

    def parts(name: str) -> tuple[list[str | int], str]:
        text_and_numbers = re.split("([0-9]{1,4000})", unicodedata.normalize("NFC", name))
        return [int(of) if place % 2 else of for place, of in enumerate(text_and_numbers)], name

    assert list(ordered_ids(ids)) == sorted(ids, key=parts)


def test_a_value_too_large_to_be_written_out_is_shown_by_its_kind() -> None:
    assert shown(10**5000) == "a value too large to show (int)"
