from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbyk.data import (
    Binary,
    Interval,
    Levels,
    Ratings,
    Source,
    load_source,
    parse_convabuse,
    parse_dices,
    parse_lewidi,
    parse_mhs,
    parse_toxicity,
    source,
    source_names,
)
from nbyk.errors import NbykError

ROOT = Path(__file__).resolve().parents[2]
SPLITS = ("train", "valid", "test")
SCORES = (1, 0, -1, -2, -3)


def convabuse_split(path: Path, rows: list[tuple[str, dict[int, tuple[str, ...]]]]) -> None:
    """Write a file in the upstream layout; each row gives some annotators' five cells."""
    columns = [f"Annotator{j}_is_abuse.{score}" for j in range(1, 9) for score in SCORES]
    # Upstream repeats a header name among the columns that are not read.
    lines = [",".join(["example_id", "user", *columns, "Annotator6_transphobic", "Annotator6_transphobic"])]
    for example, rated in rows:
        cells = [f'"{cell}"' for j in range(1, 9) for cell in rated.get(j, ("",) * 5)]
        lines.append(",".join([example, '"hi, you"', *cells, "", ""]))
    path.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")


def one_hot(*scores: int) -> tuple[str, ...]:
    return tuple(", ".join(str(int(score == column)) for score in scores) for column in SCORES)


def toxicity_file(path: Path, *comments: object) -> Path:
    path.write_text("".join(json.dumps(comment) + "\n" for comment in comments), encoding="utf-8")
    return path


def lewidi_file(path: Path, **items: tuple[str, str]) -> Path:
    """Write a file in the upstream layout; an item's key follows "i", with its labels and annotators."""
    content = {
        key.removeprefix("i"): {"text": "", "annotations": labels, "annotators": annotators, "lang": "en"}
        for key, (labels, annotators) in items.items()
    }
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def loaded(entry: Source) -> tuple[Ratings | None, str]:
    """Return what a source gives without a path: its ratings, or why it has none."""
    try:
        return entry.load(None), ""
    except NbykError as refusal:
        return None, str(refusal)


def scored(*pairs: tuple[int, str]) -> dict[str, object]:
    return {"comment": "same text", "ratings": [{"toxic_score": s, "worker_id": w} for s, w in pairs]}


def test_embedded_convabuse_has_the_published_totals():
    ratings = load_source("convabuse")
    assert (ratings.n_items, ratings.n_ratings, len(ratings.raters)) == (4185, 12411, 8)
    counts, items = np.unique(ratings.counts(), return_counts=True)
    assert dict(zip(counts, items, strict=True)) == {2: 1094, 3: 2445, 4: 377, 5: 235, 6: 33, 7: 1}
    values, times = np.unique(ratings.values, return_counts=True)
    assert dict(zip(values, times, strict=True)) == {0: 276, 0.2: 899, 0.4: 788, 0.6: 651, 0.8: 9797}


def test_upstream_convabuse_is_what_is_embedded(tmp_path, datasets):
    """The embedded file against the real splits, where they are at hand."""
    splits = datasets / "convabuse" / "2_splits"
    assert load_source("convabuse", splits) == load_source("convabuse")
    script = [sys.executable, str(ROOT / "scripts" / "embed_convabuse.py"), str(splits)]
    done = subprocess.run([*script, "--output", str(tmp_path / "again.csv")], capture_output=True, check=True)
    assert b"4185 items, 12411 ratings" in done.stdout
    embedded = ROOT / "src" / "nbyk" / "data" / "embedded" / "convabuse.csv"
    assert (tmp_path / "again.csv").read_bytes() == embedded.read_bytes()


def test_convabuse_splits_in_the_upstream_layout(tmp_path):
    convabuse_split(tmp_path / "ConvAbuseEMNLPtrain.csv", [("278.0", {2: one_hot(1), 8: one_hot(-3)})])
    convabuse_split(tmp_path / "ConvAbuseEMNLPvalid.csv", [("10.0", {1: one_hot(-1, 0)})])
    convabuse_split(tmp_path / "ConvAbuseEMNLPtest.csv", [("9.0", {1: one_hot(0, 0, 1), 5: one_hot(-2)})])
    raw = parse_convabuse([tmp_path / f"ConvAbuseEMNLP{split}.csv" for split in SPLITS])
    assert raw.items == ("278", "10", "9")
    assert raw.raters == ("Annotator2", "Annotator8", "Annotator1", "Annotator5")
    np.testing.assert_array_equal(raw.values, [1, -3, -1, 0, -2])
    np.testing.assert_array_equal(load_source("convabuse", tmp_path).values, [0.8, 0, 0.4, 0.6, 0.2])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([("1.0", {1: ("0",) * 5})], "line 2, Annotator1"),
        ([("1.0", {1: ("1", "1", "0", "0", "0")})], "expected 1 in one cell"),
        ([("1.0", {1: ("1", "0", "", "0", "0")})], "line 2, Annotator1"),
        ([("1.0", {1: ("1, 0", "0", "0", "0", "0")})], "line 2, Annotator1"),
        ([("1.0", {1: one_hot(1)}), ("2.0", {1: ("yes", "0", "0", "0", "0")})], "line 3, Annotator1"),
        ([("1.0", {1: one_hot(1)}), ("2.0", {})], "line 3: no annotator"),
        ([("1.0", {1: one_hot(1)}), ("1.0", {2: one_hot(1)})], "line 3: example_id '1.0' is already on"),
        ([("1.0", {1: one_hot(1)}), ("", {2: one_hot(1)})], "line 3: the item id is empty"),
    ],
)
def test_a_malformed_convabuse_row_is_named(tmp_path, rows, says):
    convabuse_split(tmp_path / "split.csv", rows)
    with pytest.raises(NbykError) as refusal:
        parse_convabuse([tmp_path / "split.csv"])
    assert f"{tmp_path / 'split.csv'}" in str(refusal.value)
    assert says in str(refusal.value)


def test_an_item_in_two_convabuse_splits_is_refused(tmp_path):
    for split in SPLITS:
        convabuse_split(tmp_path / f"ConvAbuseEMNLP{split}.csv", [("1.0", {1: one_hot(1)})])
    with pytest.raises(NbykError, match=r"valid\.csv, line 2: .* is already on .*train\.csv, line 2"):
        load_source("convabuse", tmp_path)


def test_another_file_is_not_taken_for_convabuse(tmp_path):
    (tmp_path / "other.csv").write_text("example_id,user\n1,hi\n")
    with pytest.raises(NbykError, match=r"other\.csv: no column 'Annotator1_is_abuse\.1'.*upstream"):
        parse_convabuse([tmp_path / "other.csv"])


def test_toxicity_normalises_its_five_levels(tmp_path):
    path = toxicity_file(
        tmp_path / "toxicity_ratings.json",
        scored((0, "w1"), (1, "w2"), (2, "w3"), (3, "w4"), (4, "w5")),
        scored((4, "w1"), (0, "w9")),
    )
    assert parse_toxicity(path).items == ("1", "2")
    ratings = load_source("toxicity", path)
    np.testing.assert_array_equal(ratings.values, [0, 0.2, 0.4, 0.6, 0.8, 0.8, 0])
    assert ratings.raters[ratings.rater_index[5]] == "w1"


def test_toxicity_takes_ids_where_there_are_some(tmp_path):
    first = {"comment_id": 71, "ratings": [{"toxic_score": 1}, {"toxic_score": 1.0, "worker_id": "w"}]}
    second = {"comment_id": "072", "ratings": [{"toxic_score": 3, "worker_id": "w"}]}
    ratings = parse_toxicity(toxicity_file(tmp_path / "t.json", first, second))
    assert ratings.items == ("71", "072")
    assert ratings.raters == ("1", "2", "w")


def test_a_workers_first_rating_of_a_comment_counts(tmp_path):
    path = toxicity_file(tmp_path / "t.json", scored((1, "w"), (4, "v"), (3, "w")), scored((2, "w")))
    np.testing.assert_array_equal(parse_toxicity(path).matrix(), [[1, 4], [2, np.nan]])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"ratings": [{"toxic_score": 1}', "not JSON"),
        ("[]", "an array"),
        ("{}", "ratings is None"),
        ('{"ratings": []}', "ratings is []"),
        ('{"ratings": {"toxic_score": 1}}', "expected a list"),
        ('{"ratings": [3]}', "expected a list"),
        ('{"ratings": [{"toxic_score": 1}, {}]}', "rating 2: toxic_score is None"),
        ('{"ratings": [{"toxic_score": 5}]}', "rating 1: toxic_score is 5; expected one of 0, 1, 2, 3, 4"),
        ('{"ratings": [{"toxic_score": 2.5}]}', "toxic_score is 2.5"),
        ('{"ratings": [{"toxic_score": NaN}]}', "toxic_score is nan"),
        ('{"ratings": [{"toxic_score": "3"}]}', "toxic_score is '3'"),
        ('{"ratings": [{"toxic_score": true}]}', "toxic_score is True"),
        ('{"ratings": [{"toxic_score": 1, "worker_id": " "}]}', "worker_id is ' '"),
        ('{"ratings": [{"toxic_score": 1}], "comment_id": [1]}', "comment_id is [1]"),
        ('{"ratings": [{"toxic_score": 1}], "comment_id": 1}', "'1' is already on line 1"),
    ],
)
def test_a_malformed_toxicity_line_is_named(tmp_path, line, says):
    path = tmp_path / "toxicity_ratings.json"
    path.write_text(json.dumps(scored((1, "w"))) + "\n" + line + "\n")
    with pytest.raises(NbykError) as refusal:
        parse_toxicity(path)
    assert f"{path}, line 2" in str(refusal.value)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_toxicity_without_a_path_says_where_to_get_it():
    with pytest.raises(
        NbykError, match=r"data\.esrg\.stanford\.edu/study/toxicity-perspectives.*password.*path"
    ):
        load_source("toxicity")


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
        ('{"annotations": "0,2", "annotators": "a,b"}', "holds '2'; expected 0 or 1"),
        ('{"annotations": "0,", "annotators": "a,b"}', "holds ''; expected 0 or 1"),
        ('{"annotations": "0,1", "annotators": "a"}', "found 2 annotations and 1 annotators"),
        ('{"annotations": "0,1"}', "found 2 annotations and 0 annotators"),
        ('{"annotations": "", "annotators": ""}', "annotations is ''"),
        ('{"annotators": "a,b"}', "annotations is None"),
        ('{"annotations": [0, 1], "annotators": "a,b"}', "annotations is [0, 1]"),
        ('"0,1"', "annotations is None"),
        ('{"annotations": "0,1", "annotators": "a,"}', "the rater id is empty"),
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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"1": {"annotations": "0,1",\n', "line 2: not JSON"),
        ('{"1": {}, "1": {}}', "the key '1' comes twice"),
        ("[]", "found an array; expected one object"),
        ("{}", "holds no items"),
        ("", "not JSON"),
        ('{" ": {"annotations": "0", "annotators": "a"}}', "the item id is empty"),
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


@pytest.mark.parametrize(("name", "lowest"), [("amazon", 1), ("mhs", 0)])
def test_five_levels_come_as_a_table_of_ones_own(tmp_path, name, lowest):
    path = tmp_path / "mine.csv"
    path.write_text(f"item,rater,value\na,r,{lowest}\na,s,{lowest + 4}\nb,r,{lowest + 2}\n")
    np.testing.assert_array_equal(load_source(name, path).matrix(), [[0, 0.8], [0.4, np.nan]])
    path.write_text(f"item,rater,value\na,r,{lowest}\nb,s,{lowest + 5}\n")
    with pytest.raises(NbykError, match=rf"mine\.csv: the rating of item 'b' by rater 's' is {lowest + 5}; "):
        load_source(name, path)


@pytest.mark.parametrize("name", source_names())
def test_a_source_that_is_not_at_its_path_is_named(tmp_path, name):
    missing = tmp_path / ("gone.csv" if name in ("amazon", "mhs", "dices_350", "dices_990") else "gone")
    with pytest.raises(NbykError, match=r"gone.*no such file"):
        load_source(name, missing)


def test_an_unknown_source_names_the_nearest():
    with pytest.raises(NbykError, match="unknown source 'convabus'; did you mean convabuse"):
        load_source("convabus")


@pytest.mark.quick
@pytest.mark.parametrize("name", source_names())
def test_every_source_keeps_the_catalogues_contract(name):
    entry = source(name)
    assert entry.name == name
    assert isinstance(entry.scale, Levels | Interval | Binary)
    assert entry.url.startswith("https://")
    assert all((entry.title, entry.licence, entry.terms, entry.citation, entry.version))
    assert entry.n_ratings >= 2 * entry.n_items > 2
    assert (entry.embedded or entry.fetchable) != bool(entry.get)
    assert len({file.name for file in entry.remote}) == len(entry.remote)
    for file in entry.remote:
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.url.startswith("https://")
        assert file.url.endswith(f"/{file.name}")
        # The address holds the commit or revision that the version names.
        assert entry.version.split()[1].removesuffix(",") in file.url
        assert file.size is None or file.size > 10_000
    ratings, refusal = loaded(entry)
    if ratings is not None:
        assert entry.embedded
        assert not entry.scale.outside(ratings.values).any()
        return
    # Data that cannot be shipped must be findable, and it must be clear where to name them.
    assert entry.url in refusal
    assert f"--path, or {name} under ratings in config.yaml" in refusal


DICES = "diverse_safety_adversarial_dialog_350.csv"


def dices_file(path: Path, *rows: tuple[str, str, str]) -> Path:
    """Write a file in the upstream layout; its texts have line breaks, commas and quotes."""
    lines = ["id,rater_id,rater_gender,item_id,context,Q_overall,Q_overall_gold"]
    for number, (item, rater, answer) in enumerate(rows):
        lines.append(f'{number},{rater},Woman,{item},"LAMDA: hi,\nUSER: ""no""",{answer},Yes')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_dices_has_the_harm_that_raters_see(tmp_path):
    rows = [("1", "r1", "No"), ("1", "r2", "Unsure"), ("2", "r1", "Yes")]
    path = dices_file(tmp_path / DICES, *rows)
    raw = parse_dices(path)
    assert (raw.items, raw.raters) == (("1", "2"), ("r1", "r2"))
    np.testing.assert_array_equal(raw.values, [0, 0.5, 1])
    for name in ("dices_350", "dices_990"):
        # As on every scale of levels, a level is its rank over their number.
        np.testing.assert_allclose(load_source(name, path).values, [0, 1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([("1", "r", "No"), ("2", "r", "Maybe")], "line 4: Q_overall is 'Maybe'; expected Yes, No or Unsure"),
        ([("1", "r", "No"), ("2", "r", "")], "line 4: Q_overall is ''"),
        (
            [("1", "r", "No"), ("2", "r", "No"), ("1", "r", "Yes")],
            "line 6: rater 'r' has already rated item '1'",
        ),
        ([("1", "r", "No"), ("", "r", "No")], "line 4: the item id is empty"),
        ([("1", "r", "No")], "is the only item"),
    ],
)
def test_a_malformed_row_of_dices_is_named(tmp_path, rows, says):
    path = dices_file(tmp_path / DICES, *rows)
    with pytest.raises(NbykError) as refusal:
        load_source("dices_350", path)
    assert f"{path}, {says}" in str(refusal.value) or says in str(refusal.value)


def test_another_file_is_not_taken_for_dices(tmp_path):
    (tmp_path / "other.csv").write_text("item_id,rater_id,Q_all\n1,r,No\n")
    with pytest.raises(
        NbykError, match=r"no column 'Q_overall'; found 'item_id', .*nearest: 'Q_all'.*upstream"
    ):
        parse_dices(tmp_path / "other.csv")


def mhs_file(path: Path, *rows: tuple[int, int, float, float]) -> Path:
    """Write a file in the upstream layout: comment, annotator, respect and hatespeech of each row."""
    comments, annotators, respect, hatespeech = zip(*rows, strict=True)
    columns = {
        "comment_id": pa.array(comments, pa.int32()),
        "annotator_id": pa.array(annotators, pa.int32()),
        "text": ["text"] * len(rows),
        "respect": pa.array(respect, pa.float64()),
        "hatespeech": pa.array(hatespeech, pa.float64()),
    }
    pq.write_table(pa.table(columns), path)
    return path


def test_a_question_of_measuring_hate_speech(tmp_path):
    path = mhs_file(tmp_path / "mhs.parquet", (47777, 10873, 0, 0), (47777, 2, 4, 2), (39773, 10873, 3, 1))
    ratings = load_source("mhs", path)
    assert (ratings.items, ratings.raters) == (("47777", "39773"), ("10873", "2"))
    np.testing.assert_array_equal(ratings.values, [0, 0.8, 0.6])
    assert load_source("mhs", path, "respect") == ratings
    np.testing.assert_allclose(load_source("mhs", path, "hatespeech").values, [0, 2 / 3, 1 / 3])
    with pytest.raises(NbykError, match=r"unknown question of mhs 'respekt'; did you mean respect"):
        load_source("mhs", path, "respekt")
    with pytest.raises(NbykError, match=r"no column 'insult'; .*; expected an upstream measuring-"):
        load_source("mhs", path, "insult")
    with pytest.raises(NbykError, match=r"'armis' has no questions to choose from; leave 'respect' out"):
        load_source("armis", path, "respect")


def test_an_annotators_first_answer_of_a_comment_counts(tmp_path):
    path = mhs_file(tmp_path / "mhs.parquet", (1, 5, 3, 0), (1, 6, 4, 0), (1, 5, 0, 0), (2, 5, 1, 0))
    np.testing.assert_array_equal(parse_mhs(path).matrix(), [[3, 4], [1, np.nan]])


@pytest.mark.parametrize(
    ("value", "says"),
    [(5.0, "item '2' by rater '5' is 5; expected one of 0"), (float("nan"), "row 1, column 'respect'")],
)
def test_an_answer_off_the_scale_is_named(tmp_path, value, says):
    path = mhs_file(tmp_path / "mhs.parquet", (1, 5, 3, 0), (2, 5, value, 0))
    with pytest.raises(NbykError) as refusal:
        load_source("mhs", path)
    assert str(path) in str(refusal.value)
    assert says in str(refusal.value)
