"""The data sets of Le-Wi-Di: files of items, folders of splits, and what is no such file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nbyk.data import load_source, parse_lewidi, source
from nbyk.errors import NbykError


def lewidi_file(path: Path, **items: tuple[str, str]) -> Path:
    """Write a file in the upstream layout; an item's key follows "i", with its labels and annotators."""
    content = {
        key.removeprefix("i"): {"text": "", "annotations": labels, "annotators": annotators, "lang": "en"}
        for key, (labels, annotators) in items.items()
    }
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def test_a_lewidi_file_has_labels_by_annotator(tmp_path):
    path = lewidi_file(tmp_path / "ArMIS_test.json", i1=("0,1,1", "a,b,c"), i7=("1, 0", "d, a"))
    raw = parse_lewidi(path)
    assert raw.items == ("test-1", "test-7")
    assert raw.raters == ("a", "b", "c", "d")
    np.testing.assert_array_equal(raw.matrix(), [[0, 1, 1], [1, 0, np.nan]])
    assert load_source("armis", path) == raw
    assert parse_lewidi(path.rename(tmp_path / "mine.json")).items == ("1", "7")


def test_the_splits_of_a_folder_are_one_dataset(tmp_path):
    for split, label in (("test", "1,1"), ("train", "0,0")):
        lewidi_file(tmp_path / f"HS-Brexit_{split}.json", i1=(label, "a,b"), i2=("0,1", "a,b"))
    (tmp_path / "notes.json").touch()
    ratings = load_source("hs_brexit", tmp_path)
    assert ratings.items == ("train-1", "train-2", "test-1", "test-2")
    np.testing.assert_array_equal(ratings.matrix(), [[0, 0], [0, 1], [1, 1], [0, 1]])
    names = [file.name for file in source("hs_brexit").files(tmp_path)]
    assert names == ["HS-Brexit_train.json", "HS-Brexit_test.json"]


def test_an_annotators_first_label_of_an_item_counts(tmp_path):
    """As item 2038 of upstream's MD-Agreement_test.json needs."""
    path = lewidi_file(tmp_path / "md.json", i1=("0,0,0,0,1", "e,b,c,b,d"), i2=("1,0", "b,e"))
    np.testing.assert_array_equal(parse_lewidi(path).counts(), [4, 2])


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ('{"annotations": "0,", "annotators": "a,b"}', "column 'value': found no value, expected a finite"),
        ('{"annotations": "0,1", "annotators": "a"}', "found 2 annotations and 1 annotators"),
        ('{"annotations": "0,1"}', "found 2 annotations and 0 annotators"),
        ('{"annotations": "", "annotators": ""}', "found 0 annotations and 0 annotators"),
        ('{"annotators": "a,b"}', "found 0 annotations and 2 annotators"),
        ('{"annotations": [0, 1], "annotators": "a,b"}', "found 0 annotations and 2 annotators"),
        ('"0,1"', "found 0 annotations and 0 annotators"),
        ('{"annotations": "0,1", "annotators": "a,"}', "column 'rater': the id is empty"),
    ],
)
def test_a_malformed_lewidi_item_is_named(tmp_path, item, says):
    path = tmp_path / "HS-Brexit_dev.json"
    path.write_text('{"1": {"annotations": "0,1", "annotators": "a,b"}, "2": ' + item + "}")
    with pytest.raises(NbykError) as refusal:
        parse_lewidi(path)
    assert f"{path}, item '2': " in str(refusal.value)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_label_off_the_scale_is_named(tmp_path):
    path = lewidi_file(tmp_path / "ArMIS_test.json", i1=("0,2", "a,b"), i2=("0,1", "a,b"))
    with pytest.raises(
        NbykError, match=r"ArMIS_test\.json: the rating of item 'test-1' by rater 'b': found 2"
    ):
        load_source("armis", path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"1": {"annotations": "0,1",\n', ":2: not JSON"),
        ('{"1": {}, "1": {}}', "the key '1' comes twice"),
        ("[]", "found an array; expected one object"),
        ("{}", "has no rows"),
        ("", "not JSON"),
        ('{" ": {"annotations": "0", "annotators": "a"}}', "column 'item': the id is empty"),
        ('{"1": {"annotations": "0", "annotators": "a"}}', "only item"),
    ],
)
def test_a_file_that_is_no_lewidi_dataset_is_refused(tmp_path, text, says):
    path = tmp_path / "ArMIS_dev.json"
    path.write_text(text)
    with pytest.raises(NbykError) as refusal:
        parse_lewidi(path)
    assert str(path) in str(refusal.value)
    assert says in str(refusal.value)


def test_a_folder_that_is_no_lewidi_dataset_is_refused(tmp_path):
    with pytest.raises(NbykError, match=r"no file named …_train\.json.*give the folder"):
        load_source("armis", tmp_path)
    for name in ("ArMIS_dev.json", "HS-Brexit_dev.json"):
        lewidi_file(tmp_path / name, i1=("0,1", "a,b"), i2=("0,1", "a,b"))
    with pytest.raises(NbykError, match=r"found ArMIS_dev\.json and HS-Brexit_dev\.json; expected one"):
        load_source("armis", tmp_path)


@pytest.mark.parametrize(
    ("name", "folder", "shape", "mean"),
    [
        ("hs_brexit", "HS-Brexit_dataset", (1120, 6720), 0.129),
        ("armis", "ArMIS_dataset", (943, 2829), 0.411),
        ("multidomain", "MD-Agreement_dataset", (10753, 53764), 0.341),
        ("multidomain", "MD-Agreement_dataset/MD-Agreement_test.json", (3057, 15284), 0.356),
        ("convabuse_lewidi", "ConvAbuse_dataset", (4050, 12168), 0.701),
    ],
)
def test_upstream_lewidi_has_its_published_totals(name, folder, shape, mean, datasets):
    ratings = load_source(name, datasets / "lewidi" / folder)
    assert (ratings.n_items, ratings.n_ratings) == shape
    assert np.nanmean(ratings.matrix(), axis=1).mean() == pytest.approx(mean, abs=5e-4)
