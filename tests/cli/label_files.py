"""Files of labels: good ones, and bad ones with what is wrong, and what is said of it."""

from __future__ import annotations

GOLD = "a\nb\nb\na\nb\na\n"
GOOD = {
    "gold.txt": GOLD,
    "base.txt": "a\nb\na\nb\nb\na\n",
    "new.txt": GOLD,
    "design.yaml": (
        "kind: hard\ntargets: gold.txt\ncontrols: {base: base.txt}\ntreatments: {new: new.txt}\n"
        "metric: accuracy\nn_resamples: 99\n"
    ),
}
ROWS = "0.5,0.5\n0.2,0.8\n0.9,0.1\n"
SOFT = {
    "gold.csv": ROWS,
    "base.csv": "0.4,0.6\n0.3,0.7\n0.5,0.5\n",
    "new.csv": "0.5,0.5\n0.3,0.7\n0.8,0.2\n",
    "design.yaml": (
        "kind: soft\ntargets: gold.csv\ncontrols: {base: base.csv}\ntreatments: {new: new.csv}\n"
        "metric: [js_divergence]\nn_resamples: 99\n"
    ),
}
RUN = '{"exp_idxs": ["r"], "preds": [[[0], [1]]], "targs": [[[0], [1]]], "idxs": [[[0], [1]]], "epochs": []'
BY_OUTCOMES = {"design.yaml": "kind: hard\noutcomes: o.json\nmetric: accuracy\n"}
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


BAD_FILES: list[tuple[str, dict[str, str], str]] = [
    # lengths, labels, missing values
    ("a run is too short", hard(new_txt="a\nb\n"), r"new.txt: 2 labels, the target has 6"),
    ("a run is empty", hard(new_txt=""), r"new.txt: is empty; expected one label"),
    (
        "an unseen label",
        hard(new_txt="a\nb\nc\na\nb\na\n"),
        r"new.txt:3: label 'c' is not one",
    ),
    ("an empty line", hard(new_txt="a\nb\n\na\nb\na\n"), r"new.txt:3: is empty, expected a label"),
    ("a missing label", hard(base_txt="a\nb\nNaN\na\nb\na\n"), r"base.txt:3: found NaN, expected one"),
    ("a single class", hard(gold_txt="a\n" * 6), r"gold.txt: every label is 'a'; expected at least two"),
    ("one item", hard(gold_txt="a\n"), r"gold.txt: 1 items; at least two are needed"),
    ("not text", hard(new_txt="a\0b\n"), r"new.txt:1: byte 2 is NUL"),
    (
        "two fields",
        {**keyed("treatments: {new: new.csv}"), "new.csv": "1,a\n2,b\n"},
        r"new.csv:1: found 2 ",
    ),
    (
        "a ragged line",
        {**keyed("treatments: {new: new.csv}"), "new.csv": "item,label\n1,a\n2\n"},
        r"new.csv:3: found 1 field, expected 2",
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
        r"new.jsonl:2: found 0.5; expected a class",
    ),
    (
        "null for a class",
        {**keyed("treatments: {new: new.jsonl}"), "new.jsonl": '{"label": "a"}\n{"label": null}\n'},
        r"new.jsonl:2: found no label, expected one",
    ),
    (
        "items that differ",
        {
            **keyed("treatments: {new: new.csv}", keyed("targets: gold.csv")),
            "gold.csv": "item,label\n1,a\n2,b\n",
            "new.csv": "item,label\n1,a\n3,b\n",
        },
        r"new.csv: lacks 1 of gold.csv's items \(2\) and has 1 that gold.csv lacks \(3\)",
    ),
    (
        "an item twice",
        {
            **keyed("treatments: {new: new.csv}", keyed("targets: gold.csv")),
            "gold.csv": "item,label\n1,a\n2,b\n",
            "new.csv": "item,label\n1,a\n1,b\n",
        },
        r"new.csv:3: item '1' comes twice",
    ),
    (
        "an item twice in targets and predictions",
        {
            **keyed("treatments: {new: new.csv}", keyed("targets: gold.csv")),
            "gold.csv": "item,label\n1,a\n1,b\n",
            "new.csv": "item,label\n1,a\n1,b\n",
        },
        r"gold.csv:3: item '1' comes twice",
    ),
    *(
        (
            f"{what} for an item",
            {
                **keyed("treatments: {new: new.jsonl}"),
                "new.jsonl": f'{{"item": 0, "label": "a"}}\n{{"item": {item}, "label": "b"}}\n',
            },
            rf"new.jsonl:2: {found}",
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
        r"new.jsonl:2: found 'a\\x00'; expected a class without NUL",
    ),
    # soft labels
    (
        "a sum above one",
        soft(new_csv="0.5,0.5\n0.5,0.6\n1,0\n"),
        r"new.csv:2: sums to 1.1, 0.1 more than one",
    ),
    (
        "a sum below one",
        soft(gold_csv="0.5,0.4\n0.5,0.5\n1,0\n"),
        r"gold.csv:1: sums to 0.9, 0.1 less than",
    ),
    (
        "a negative",
        soft(new_csv="0.5,0.5\n1.5,-0.5\n1,0\n"),
        r"new.csv:2: class 1 is -0.5; expected a prob",
    ),
    ("NaN", soft(new_csv="0.5,0.5\nnan,0.5\n1,0\n"), r"new.csv:2: class 0 is nan; expected a finite"),
    (
        "an empty field",
        soft(new_csv="0.5,0.5\n,0.5\n1,0\n"),
        r"new.csv:2: column 1: found '', expected a prob",
    ),
    ("text in numbers", soft(new_csv="0.5,0.5\n0.5,x\n1,0\n"), r"new.csv:2: column 2: found 'x'"),
    (
        "another width",
        soft(new_csv="0.5,0.5\n0.2,0.3,0.5\n1,0\n"),
        r"new.csv:2: found 3 fields, expected 2",
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
        keyed("metric: entropy_correlation", soft(gold_csv="1,0\n0,1\n1,0\n")),
        r"design.yaml: new and base: score 'entropy_correlation' of new is undefined",
    ),
    # ratings
    (
        "a rating off the levels",
        {**RATED, "r.csv": "item,rater,value\nx,1,3\ny,1,1\n"},
        r"r.csv: ratings, item 'x': found 3",
    ),
    (
        "a scale without levels",
        {**RATED, **keyed("ratings: {path: r.csv, scale: 0..1}", RATED)},
        r"r.csv: the scale runs",
    ),
    (
        "a scale and classes",
        keyed("ratings: {path: r.csv, scale: '1,2', classes: [a, b]}", RATED),
        r"design.yaml:\d: ratings: found scale and classes; a scale's levels are the classes",
    ),
    (
        "classes of a data set",
        keyed("ratings: {source: convabuse, classes: [a, b]}", RATED),
        r"design.yaml:\d: ratings: found source and classes; a data set has its own scale",
    ),
    (
        "a rating of no class",
        {**RATED, **keyed("ratings: {path: r.csv, classes: [a, b]}", RATED)},
        r"r.csv:\d: column 'value': found '1', expected one of the classes a, b; mend it",
    ),
    (
        "ratings of one class",
        {**keyed("ratings: {path: r.csv}", RATED), "r.csv": "item,rater,value\nx,1,a\ny,1,a\n"},
        r"r.csv: 'a' is the only class, expected two or more",
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
        r"r.csv: found 1 of 3 items without a single most frequent label, the first is 'x'",
    ),
]
