"""Designs of labels and files of outcomes with one thing wrong each, as `label_files` has files of labels."""

from __future__ import annotations

from tests.cli.label_files import BY_OUTCOMES, GOOD, RATED, RUN, SOFT, fed, hard, keyed, without

BAD_DESIGNS: list[tuple[str, dict[str, str], str]] = [
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
    (
        "an unknown key",
        keyed("metrics: accuracy"),
        r"design.yaml:7: unknown key 'metrics'; did you mean metric",
    ),
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
        r"design.yaml: targets: is missing; expected targets, ratings, counts or outcomes",
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
    (
        "a data set with ties",
        keyed("ratings: {source: convabuse}", without("targets")),
        r"convabuse: found \d+ of 4185 items without a single most frequent label",
    ),
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
    ("an α of one", keyed("alpha: 1"), r"alpha: found 1\.0, expected a level between 0 and 1"),
    (
        "an unknown score",
        keyed("metric: [acuracy]"),
        r"metric.0: unknown score 'acuracy'; did you mean accuracy",
    ),
    (
        "a score of soft labels",
        keyed("metric: js_distance"),
        r"design.yaml: metric 'js_distance' scores soft labels",
    ),
    ("a score twice", keyed("metric: [accuracy, accuracy]"), r"design.yaml:6: metric: found .* each once"),
    ("an unknown target class", keyed("target_class: c"), r"design.yaml: .*'f1\(c\)', but no such class"),
    (
        "a class that YAML eats",
        keyed("target_class: yes"),
        r"target_class: found true, which YAML also reads from yes",
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
    ("outcomes that are cut off", fed('{"h0": {'), r"o.json:1: not JSON"),
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
        r"o.json: h0.preds\[0\], row 1: found 1; expected a list of 1",
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
        r"o.json: h0.h1.t.preds\[0\], row 1: label '2' is not",
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
