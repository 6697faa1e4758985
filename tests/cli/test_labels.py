"""`nbyk labels`: a design in, every form of answer out; or one error with file and row, nothing written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run

GOLD = "a\nb\nb\na\nb\na\n"
GOOD = {
    "gold.txt": GOLD,
    "base.txt": "a\nb\na\nb\nb\na\n",
    "new.txt": GOLD,
    "design.yaml": (
        "kind: hard\ntargets: gold.txt\ncontrols: {base: base.txt}\ntreatments: {new: new.txt}\n"
        "scores: accuracy\nn_resamples: 99\n"
    ),
}
ROWS = "0.5,0.5\n0.2,0.8\n0.9,0.1\n"
SOFT = {
    "gold.csv": ROWS,
    "base.csv": "0.4,0.6\n0.3,0.7\n0.5,0.5\n",
    "new.csv": "0.5,0.5\n0.3,0.7\n0.8,0.2\n",
    "design.yaml": (
        "kind: soft\ntargets: gold.csv\ncontrols: {base: base.csv}\ntreatments: {new: new.csv}\n"
        "scores: [js_divergence]\nn_resamples: 99\n"
    ),
}
RUN = '{"exp_idxs": ["r"], "preds": [[[0], [1]]], "targs": [[[0], [1]]], "idxs": [[[0], [1]]], "epochs": []'
BY_OUTCOMES = {"design.yaml": "kind: hard\noutcomes: o.json\nscores: accuracy\n"}
RATED = {
    **SOFT,
    "r.csv": "item,rater,value\nx,1,1\nx,2,2\ny,1,2\ny,2,2\nz,1,1\nz,2,1\n",
    "design.yaml": SOFT["design.yaml"].replace("targets: gold.csv", "ratings: {path: r.csv, scale: '1,2'}"),
}


def hard(**files: str) -> dict[str, str]:
    return {**GOOD, **{name.replace("_", "."): text for name, text in files.items()}}


def soft(**files: str) -> dict[str, str]:
    return {**SOFT, **{name.replace("_", "."): text for name, text in files.items()}}


def keyed(line: str, base: dict[str, str] = GOOD) -> dict[str, str]:
    """Return good files whose design has one more line, in place of the one with the same key."""
    key = line.partition(":")[0]
    lines = [old for old in base["design.yaml"].splitlines() if old.partition(":")[0] != key]
    return {**base, "design.yaml": "\n".join([*lines, line]) + "\n"}


def without(key: str, base: dict[str, str] = GOOD) -> dict[str, str]:
    lines = [line for line in base["design.yaml"].splitlines() if line.partition(":")[0] != key]
    return {**base, "design.yaml": "\n".join(lines) + "\n"}


def fed(content: str) -> dict[str, str]:
    return {**BY_OUTCOMES, "o.json": content}


BAD: list[tuple[str, dict[str, str], str]] = [
    # lengths, labels, missing values
    ("a run is too short", hard(new_txt="a\nb\n"), r"new.txt: 2 labels, the target has 6"),
    ("a run is empty", hard(new_txt=""), r"new.txt: is empty; expected one label"),
    (
        "an unseen label",
        hard(new_txt="a\nb\nc\na\nb\na\n"),
        r"new.txt: label 'c' \(1 time, first in line 3\)",
    ),
    ("an empty line", hard(new_txt="a\nb\n\na\nb\na\n"), r"new.txt, line 3: is empty, expected a label"),
    ("a missing label", hard(base_txt="a\nb\nNaN\na\nb\na\n"), r"base.txt, line 3: found NaN, expected one"),
    ("a single class", hard(gold_txt="a\n" * 6), r"gold.txt: every label is 'a'; expected at least two"),
    ("one item", hard(gold_txt="a\n"), r"gold.txt: 1 items; at least two are needed"),
    ("not text", hard(new_txt="a\0b\n"), r"new.txt, line 1: byte 2 is NUL"),
    (
        "two fields",
        {**keyed("treatments: {new: new.csv}"), "new.csv": "1,a\n2,b\n"},
        r"new.csv, line 1: found 2 ",
    ),
    (
        "a ragged line",
        {**keyed("treatments: {new: new.csv}"), "new.csv": "item,label\n1,a\n2\n"},
        r"new.csv, line 3: found 1 field, expected 2",
    ),
    (
        "a column twice",
        {**keyed("treatments: {new: new.csv}"), "new.csv": "label,label\na,b\n"},
        r"new.csv: the header has 'label' twice",
    ),
    (
        "no column of labels",
        {**keyed("treatments: {new: new.jsonl}"), "new.jsonl": '{"item": 1, "lable": "a"}\n'},
        r"new.jsonl: no column 'label'; found 'item', 'lable' \(nearest: 'lable'\)",
    ),
    (
        "a decimal for a class",
        {**keyed("treatments: {new: new.jsonl}"), "new.jsonl": '{"label": "a"}\n{"label": 0.5}\n'},
        r"new.jsonl, line 2: found 0.5; expected a class",
    ),
    (
        "null for a class",
        {**keyed("treatments: {new: new.jsonl}"), "new.jsonl": '{"label": "a"}\n{"label": null}\n'},
        r"new.jsonl, line 2: found no label, expected one",
    ),
    (
        "items that differ",
        {
            **keyed("treatments: {new: new.csv}", keyed("targets: gold.csv")),
            "gold.csv": "item,label\n1,a\n2,b\n",
            "new.csv": "item,label\n1,a\n3,b\n",
        },
        r"design.yaml: new.csv lacks 1 of gold.csv's items \(2\) and has 1 that gold.csv lacks \(3\)",
    ),
    (
        "an item twice",
        {
            **keyed("treatments: {new: new.csv}", keyed("targets: gold.csv")),
            "gold.csv": "item,label\n1,a\n2,b\n",
            "new.csv": "item,label\n1,a\n1,b\n",
        },
        r"new.csv, line 3: item '1' comes twice",
    ),
    (
        "an item twice in targets and predictions",
        {
            **keyed("treatments: {new: new.csv}", keyed("targets: gold.csv")),
            "gold.csv": "item,label\n1,a\n1,b\n",
            "new.csv": "item,label\n1,a\n1,b\n",
        },
        r"gold.csv, line 3: item '1' comes twice",
    ),
    *(
        (
            f"{what} for an item",
            {
                **keyed("treatments: {new: new.jsonl}"),
                "new.jsonl": f'{{"item": 0, "label": "a"}}\n{{"item": {item}, "label": "b"}}\n',
            },
            rf"new.jsonl, line 2: {found}",
        )
        for what, item, found in (
            ("a list", "[1]", r"found the item \[1\]; expected text or a whole number"),
            ("true", "true", "found the item True; expected text or a whole number"),
            ("an object", '{"a": 1}', "found the item {'a': 1}; expected text or a whole number"),
            ("null", "null", "has no item; name every item, or none"),
            ("the same number", "0.0", "item '0' comes twice"),
        )
    ),
    (
        "a label that ends in NUL",
        {**keyed("treatments: {new: new.jsonl}"), "new.jsonl": '{"label": "a"}\n{"label": "a\\u0000"}\n'},
        r"new.jsonl, line 2: found 'a\\x00'; expected a class without NUL",
    ),
    # soft labels
    (
        "a sum above one",
        soft(new_csv="0.5,0.5\n0.5,0.6\n1,0\n"),
        r"new.csv: line 2 sums to 1.1, 0.1 more than one",
    ),
    (
        "a sum below one",
        soft(gold_csv="0.5,0.4\n0.5,0.5\n1,0\n"),
        r"gold.csv: line 1 sums to 0.9, 0.1 less than",
    ),
    (
        "a negative",
        soft(new_csv="0.5,0.5\n1.5,-0.5\n1,0\n"),
        r"new.csv: line 2, class 1 is -0.5; expected a prob",
    ),
    ("NaN", soft(new_csv="0.5,0.5\nnan,0.5\n1,0\n"), r"new.csv: line 2, class 0 is nan; expected a finite"),
    (
        "an empty field",
        soft(new_csv="0.5,0.5\n,0.5\n1,0\n"),
        r"new.csv, line 2, column 1: found '', expected a prob",
    ),
    ("text in numbers", soft(new_csv="0.5,0.5\n0.5,x\n1,0\n"), r"new.csv, line 2, column 2: found 'x'"),
    (
        "another width",
        soft(new_csv="0.5,0.5\n0.2,0.3,0.5\n1,0\n"),
        r"new.csv, line 2: found 3 fields, expected 2",
    ),
    (
        "other classes",
        soft(new_csv="0,0.5,0.5\n" * 3),
        r"new.csv: 3 rows of 3 probabilities, the target has 3 of 2",
    ),
    (
        "too few rows",
        soft(new_csv="0.5,0.5\n" * 2),
        r"new.csv: 2 rows of 2 probabilities, the target has 3 of 2",
    ),
    (
        "one class",
        soft(gold_csv="1\n1\n1\n"),
        r"gold.csv: rows of one number; expected probabilities of at least two classes",
    ),
    (
        "names of other classes",
        soft(gold_csv=f"a,b\n{ROWS}", new_csv=f"a,c\n{ROWS}"),
        r"new.csv: the classes are a, c, those of gold.csv a, b",
    ),
    (
        "an undefined score",
        keyed("scores: entropy_correlation", soft(gold_csv="1,0\n0,1\n1,0\n")),
        r"design.yaml: new and base: score 'entropy_correlation' of new is undefined",
    ),
    # ratings
    (
        "a rating off the levels",
        {**RATED, "r.csv": "item,rater,value\nx,1,3\ny,1,1\n"},
        r"r.csv: ratings: item 'x' has 3",
    ),
    (
        "a scale without levels",
        {**RATED, **keyed("ratings: {path: r.csv, scale: 0..1}", RATED)},
        r"r.csv: the scale runs",
    ),
    (
        "ratings without a scale",
        keyed("ratings: {path: r.csv}", RATED),
        r"design.yaml:\d: ratings: found path without scale",
    ),
    (
        "ratings of nothing",
        keyed("ratings: {scale: '1,2'}", RATED),
        r"design.yaml:\d: ratings: found neither path",
    ),
    (
        "an unknown data set",
        keyed("ratings: {source: convabus}", RATED),
        r"ratings.source: unknown source 'convabus'",
    ),
    (
        "items that are tied",
        {**RATED, **keyed("kind: hard", RATED)},
        r"r.csv: majority: 1 of 3 items are tied, the first is 'x'",
    ),
    # the design
    ("no such design", {}, r"design.yaml: no such file"),
    ("not YAML", hard(design_yaml="kind: [hard\n"), r"design.yaml:2: not YAML"),
    ("an empty design", hard(design_yaml=""), r"design.yaml: kind: is missing"),
    ("a list", hard(design_yaml="- kind\n"), r"design.yaml: expected keys and values, found list"),
    (
        "a key twice",
        hard(design_yaml=GOOD["design.yaml"] + "kind: soft\n"),
        r"design.yaml:7: the key 'kind' comes twice",
    ),
    *(
        (
            f"a treatment called {name}",
            keyed(f"treatments: {{{name}: new.txt, other: base.txt}}"),
            rf"design.yaml:\d+: YAML reads the key '{name}' as .*; put it in quotes",
        )
        for name in ("yes", "on", "off", "no", "1", "0x1", "010", "8", "~", "2024-01-01")
    ),
    *(
        (
            f"a class called {name}",
            keyed(f"labels: [a, {name}]"),
            f"design.yaml:7: {problem}.*put it in quotes",
        )
        for name, problem in {"010": "YAML may read '010' as another number", "yes": "labels.1: "}.items()
    ),
    ("an unknown key", keyed("score: accuracy"), r"design.yaml:7: unknown key 'score'; did you mean scores"),
    (
        "an unknown key of ratings",
        keyed("ratings: {path: r.csv, levels: '1,2'}", RATED),
        r"unknown key 'levels'",
    ),
    (
        "another kind",
        keyed("kind: medium"),
        r"design.yaml:6: kind: found 'medium'; input should be 'hard' or 'soft'",
    ),
    ("no kind", without("kind"), r"design.yaml: kind: is missing"),
    (
        "no targets",
        without("targets"),
        r"design.yaml: targets: is missing; expected targets, ratings or outcomes",
    ),
    (
        "no controls",
        without("controls"),
        r"design.yaml: controls: is missing; expected controls, or outcomes",
    ),
    (
        "no treatments",
        without("treatments"),
        r"design.yaml: treatments: is missing; expected treatments, or a fold",
    ),
    (
        "no such file",
        keyed("treatments: {new: nwe.txt}"),
        r"design.yaml:\d: treatments.new: nwe.txt: no such file",
    ),
    ("no such pattern", keyed("treatments: {new: 'n*.npy'}"), r"treatments.new: no file matches n\*.npy"),
    ("no such targets", keyed("targets: golden"), r"design.yaml:\d: targets: golden: no such file"),
    ("both a control and a treatment", keyed("treatments: {base: new.txt}"), r"'base' is a control too"),
    (
        "a file twice",
        keyed("treatments: {new: [new.txt, new.txt]}"),
        r"treatments.new: new.txt is named twice",
    ),
    (
        "an unknown suffix",
        {**keyed("treatments: {new: new.xls}"), "new.xls": "a\n"},
        r"new.xls: unknown suffix '.xls'",
    ),
    ("two kinds of place", keyed("table: gold.txt"), r"gold.txt: unknown suffix '.txt'"),
    (
        "an unknown column",
        {**keyed("table: t.csv"), "t.csv": "gold,base\na,b\n"},
        r"t.csv: no column 'base.txt'; found 'gold', 'base'",
    ),
    (
        "an f of zero",
        keyed("fraction: 0"),
        r"design.yaml:7: fraction: found 0; input should be greater than 0",
    ),
    (
        "an f above one",
        keyed("fraction: 1.5"),
        r"fraction: found 1.5; input should be less than or equal to 1",
    ),
    ("an f without items", keyed("fraction: 0.1"), r"design.yaml: .*fraction: 0.1 of 6 items is none"),
    ("an f that is text", keyed("fraction: half"), r"fraction: found 'half'; input should be a valid number"),
    (
        "no resamples",
        keyed("n_resamples: 0"),
        r"n_resamples: found 0; input should be greater than or equal to 1",
    ),
    ("a negative seed", keyed("seed: -1"), r"seed: found -1; input should be greater than or equal to 0"),
    ("an α of one", keyed("alpha: 1"), r"alpha: found 1; input should be less than 1"),
    (
        "an unknown score",
        keyed("scores: [acuracy]"),
        r"scores.0: unknown score 'acuracy'; did you mean accuracy",
    ),
    (
        "a score of soft labels",
        keyed("scores: js_distance"),
        r"design.yaml: score 'js_distance' needs soft labels",
    ),
    ("a score twice", keyed("scores: [accuracy, accuracy]"), r"design.yaml: scores: found .* each once"),
    ("an unknown target class", keyed("target_class: c"), r"design.yaml: .*'f1\(c\)': no such class"),
    (
        "a class that YAML eats",
        keyed("target_class: yes"),
        r"target_class: found true, which YAML makes of yes",
    ),
    ("classes of soft labels", keyed("labels: [a, b]", SOFT), r"labels: is for hard labels"),
    (
        "an unknown correction",
        keyed("correction: hulm"),
        r"correction: unknown correction 'hulm'; did you mean holm",
    ),
    (
        "published runs",
        keyed("runs: paired", keyed("semantics: published")),
        r":\d+: runs: found 'paired'; published",
    ),
    (
        "unpaired runs",
        keyed("runs: paired", keyed("treatments: {new: [new.txt, gold.txt]}")),
        r"design.yaml: runs: new has 2, base has 1; paired runs go in pairs",
    ),
    (
        "fewer targets than runs",
        keyed("targets: [gold.txt, base.txt]"),
        r"condition 'new': has 1 run, and there are 2 targets",
    ),
    # outcomes.json
    ("no outcomes", BY_OUTCOMES, r"design.yaml:2: outcomes: o.json: no such file"),
    ("outcomes that are cut off", fed('{"h0": {'), r"o.json, line 1: not JSON"),
    ("outcomes of nothing", fed("{}"), r"o.json: is empty"),
    ("outcomes as a list", fed("[1]"), r"o.json: found an array; expected one object"),
    ("a key of outcomes is missing", fed('{"h0": {"preds": []}}'), r"o.json: h0: has no 'exp_idxs'"),
    (
        "an unknown key of outcomes",
        fed(f'{{"h0": {RUN}, "h1": {{}}, "h2": {{}}}}}}'),
        r"o.json: h0: unknown key 'h2'",
    ),
    (
        "no treatments in outcomes",
        fed(f'{{"h0": {RUN}, "h1": {{}}}}}}'),
        r"treatments: there are none to compare",
    ),
    (
        "a ragged run of outcomes",
        fed(f'{{"h0": {RUN.replace("[[[0], [1]]]", "[[[0], 1]]", 1)}, "h1": {{}}}}}}'),
        r"o.json: h0.preds\[0\]: row 1 is 1; expected a list of 1",
    ),
    (
        "uneven lists of outcomes",
        fed(f'{{"h0": {RUN.replace("[[[0], [1]]]", "[]", 1)}, "h1": {{}}}}}}'),
        r"o.json: h0: found 1 exp_idxs, 0 preds, 1 targs, 1 idxs",
    ),
    (
        "a short run of outcomes",
        fed(f'{{"h0": {RUN.replace("[[[0], [1]]]", "[[[0]]]", 1)}, "h1": {{}}}}}}'),
        r"o.json: h0, run 0: found 1 preds, 2 targs, 2 idxs",
    ),
    (
        "two kinds in outcomes",
        fed(f'{{"h0": {RUN.replace("[[[0], [1]]]", "[[[0.5, 0.5], [1, 0]]]", 1)}, "h1": {{}}}}}}'),
        r"o.json: .*preds\[0\] has rows of probabilities",
    ),
    (
        "an unseen label in outcomes",
        fed(f'{{"h0": {RUN}, "h1": {{"t": {RUN.replace("[[[0], [1]]]", "[[[0], [2]]]", 1)}}}}}}}}}'),
        r"o.json: h0.h1.t.preds\[0\]: label '2' \(1 time, first in row 1\)",
    ),
    (
        "targets beside outcomes",
        {**fed(f'{{"h0": {RUN}, "h1": {{}}}}}}'), **keyed("targets: gold.txt", BY_OUTCOMES)},
        r"design.yaml:\d: targets: is given beside outcomes",
    ),
    (
        "other targets of treatment and control",
        fed(f'{{"h0": {RUN}, "h1": {{"t": {RUN.replace("[[[0], [1]]], ", "[[[1], [0]]], ", 2)}}}}}}}}}'),
        r"o.json: h0.h1.t.targs\[0\]: run 0 of 't' has other targets than run 0 of 'h0'",
    ),
]


def lay(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("files", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_input_is_one_line_and_nothing_is_written(files: dict[str, str], message: str, nbyk: Run) -> None:
    lay(files)
    code, printed, errors = nbyk("labels design.yaml --out out --outcomes written.json")
    assert (code, printed) == (2, "")
    assert re.match(f"error: .*{message}", errors), errors
    assert errors.count("\n") == 1
    assert {path.as_posix() for path in Path().rglob("*") if path.is_file()} == set(files)


@pytest.mark.parametrize("files", [GOOD, SOFT, RATED], ids=["hard", "soft", "rated"])
def test_the_good_files_behind_the_bad_ones_are_good(files: dict[str, str], nbyk: Run) -> None:
    lay(files)
    code, printed, errors = nbyk("labels design.yaml")
    assert (code, errors) == (0, "")
    assert printed.startswith("Not settled for new items and raters: two" if files is RATED else "new is ")
    said = "- the same 2 raters rated all 3 items: targets made of their ratings are taken as known"
    assert (said in " ".join(printed.split())) == (files is RATED)


def test_there_are_enough_bad_inputs_and_each_is_another() -> None:
    assert len({name for name, _, _ in BAD}) == len(BAD) >= 40


def test_every_form_of_the_answer_is_written_and_agrees(nbyk: Run) -> None:
    lay(GOOD)
    code, printed, _ = nbyk("labels design.yaml --out out --outcomes o/outcomes.json")
    assert code == 0
    found = json.loads(Path("out/labels.json").read_text())
    assert found["comparisons"][0]["lead"] == pytest.approx(1 / 3)
    assert found["settings"]["n_resamples"] == 99
    assert printed.startswith(found["sentences"][0][:30])
    for name in ("comparisons", "conditions"):
        for suffix in ("csv", "md", "tex", "parquet"):
            assert Path(f"out/tables/{name}.{suffix}").stat().st_size > 0
    for name in ("leads", "scores"):
        for suffix in ("png", "svg"):
            assert Path(f"out/figures/{name}.{suffix}").stat().st_size > 0
    assert found["sentences"][0] in Path("out/labels.html").read_text()
    assert Path("out/results.tsv").read_text().startswith("\tmean_epochs\tacc\td_acc\ts_acc\tp_acc\th0\n")
    assert [len(list(Path("out/comparisons").glob("*.json"))), len(list(Path("out").rglob("*.part")))] == [
        1,
        0,
    ]

    lay({"again.yaml": "kind: hard\noutcomes: o/outcomes.json\nscores: accuracy\nn_resamples: 99\n"})
    _, as_json, _ = nbyk("labels again.yaml --format json")
    again = json.loads(as_json)
    assert again["comparisons"] == found["comparisons"]


def test_the_gate_opens_where_every_treatment_is_better(nbyk: Run) -> None:
    generator = np.random.default_rng(1)
    gold = generator.integers(0, 2, 200)
    base = np.where(generator.random(200) < 0.6, gold, 1 - gold)
    texts = {name: "\n".join(map(str, labels)) for name, labels in (("gold", gold), ("base", base))}
    lay({**GOOD, "gold.txt": texts["gold"], "base.txt": texts["base"], "new.txt": texts["gold"]})
    assert nbyk("labels design.yaml --gate")[0] == 4  # 99 draws settle nothing near .05
    lay({"design.yaml": GOOD["design.yaml"].replace("99", "999")})
    assert nbyk("labels design.yaml --gate")[0] == 0
    lay({"new.txt": texts["base"]})
    code, printed, errors = nbyk("labels design.yaml --gate --out out")
    assert (code, Path("out/labels.json").exists()) == (3, True)
    assert printed.startswith("new is not shown to differ from base")
    assert "p = 1.0000" in printed
    assert errors == "1 of 1 comparisons computed, 0 kept\n"


def test_an_out_folder_that_is_a_file_is_refused_before_anything(nbyk: Run) -> None:
    lay({**GOOD, "out": "x"})
    code, _, errors = nbyk("labels design.yaml --out out")
    assert code == 2
    assert errors.startswith("error: --out out: out is a file")
