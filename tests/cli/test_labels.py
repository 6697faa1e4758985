"""`nbyk labels`: a design in, every form of answer out; or one error with file and row, nothing written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.cli.drawn import dollars_drawn
from tests.cli.label_designs import BAD_DESIGNS
from tests.cli.label_files import BAD_FILES, GOOD, RATED, SOFT, keyed
from tests.labels.test_label_raters import laid

BAD = [*BAD_FILES, *BAD_DESIGNS]


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
    assert printed.startswith("Inconclusive for new items and raters: two" if files is RATED else "new is ")
    said = "- the same 2 raters rated all 3 items: this test takes targets from their ratings as known"
    assert (said in " ".join(printed.split())) == (files is RATED)


def test_there_are_enough_bad_inputs_and_each_is_another() -> None:
    assert len({name for name, _, _ in BAD}) == len(BAD) >= 40


def test_every_form_of_the_answer_is_written_and_agrees(nbyk: Run) -> None:
    lay(GOOD)
    code, printed, _ = nbyk("labels design.yaml --out out --outcomes o/outcomes.json")
    assert code == 0
    found = json.loads(Path("out/labels.json").read_text())
    assert found["comparisons"][0]["effect"] == pytest.approx(1 / 3)
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
    assert list(Path("out").rglob("*.part")) == []

    lay({"again.yaml": "kind: hard\noutcomes: o/outcomes.json\nmetric: accuracy\nn_resamples: 99\n"})
    _, as_json, _ = nbyk("labels again.yaml --format json")
    again = json.loads(as_json)
    assert again["comparisons"] == found["comparisons"]


def test_figures_show_a_name_that_looks_like_mathematics_as_it_is(nbyk: Run) -> None:
    lay(keyed("treatments: {'a$b$_x': new.txt}"))
    assert nbyk("labels design.yaml --out out")[0] == 0
    for stem in ("leads", "scores"):
        assert dollars_drawn(Path(f"out/figures/{stem}.svg").read_text()) >= 2
        assert Path(f"out/figures/{stem}.png").stat().st_size > 5000


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
    assert (code, errors, Path("out/labels.json").exists()) == (3, "", True)
    assert printed.startswith("new is not shown to be better than base")
    assert "p = 1.0000" in printed


def test_an_out_folder_that_is_a_file_is_refused_before_anything(nbyk: Run) -> None:
    lay({**GOOD, "out": "x"})
    code, _, errors = nbyk("labels design.yaml --out out")
    assert code == 2
    assert errors.startswith("error: --out out: out is a file")


def test_whom_the_claim_speaks_of_is_an_option(nbyk: Run, tmp_path: Path) -> None:
    design = laid(tmp_path, 5)
    asked = {}
    for name, option in (
        ("both", ""),
        ("named", "--generalise items,raters"),
        ("items", "--generalise items"),
    ):
        code, text, errors = nbyk(f"labels {design} --format json {option}")
        assert code == 0, errors
        asked[name] = json.loads(text)
    assert asked["both"]["sentences"] == asked["named"]["sentences"] != asked["items"]["sentences"]
    design.write_text(design.read_text() + "generalise: [items]\n")
    for name, option in (("items", ""), ("named", "--generalise items,raters")):
        again = json.loads(nbyk(f"labels {design} --format json {option}")[1])
        assert again["sentences"] == asked[name]["sentences"]
    code, _, errors = nbyk(f"labels {design} --generalise items,seeds")
    assert code == 2
    assert "factor to generalise over" in errors
