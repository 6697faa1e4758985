"""The ratings that `nbyk compare` reads: on any scale, in clusters, and from runs of lm_eval."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nbyk as package
from tests.cli.compare.ratings import found, read, results, write
from tests.cli.conftest import Run
from tests.data.lm_eval_log import runs


def test_items_that_one_file_lacks_are_refused_or_dropped_and_counted(nbyk: Run) -> None:
    lines = Path("sim_b.csv").read_text().splitlines(keepends=True)
    Path("short.csv").write_text("".join([lines[0], *lines[11:]]))
    code, text, errors = nbyk("compare --gold gold.csv sim_a.csv short.csv")
    assert (code, text) == (2, "")
    assert "short.csv" in errors
    assert "--on-missing drop" in errors
    answer = found(nbyk, "--gold gold.csv sim_a.csv short.csv --on-missing drop --quick")
    assert answer["dropped"] == {"gold.csv": 2, "sim_a.csv": 2}
    assert answer["cautions"][0] == (
        "nbyk dropped items that another file lacks (2 of gold.csv and 2 of sim_a.csv) and compares the 298 "
        "others"
    )


def test_a_metric_of_ones_own_and_a_scale(nbyk: Run) -> None:
    Path("mine.py").write_text(
        "import numpy as np\nimport nbyk\n\n\n"
        '@nbyk.metrics.register(direction="lower")\n'
        "def halved(system, gold):\n    return 0.5 * np.abs(system - gold).mean()\n"
    )
    if "halved" in package.metrics.names():
        pytest.skip("registered by another test in this process")
    for name in ("gold", "sim_a", "sim_b"):
        ratings = read(name)
        write(f"{name}.csv", 1.0 + 4.0 * ratings)
    options = "--scale 1..5 --metric-file mine.py --metric halved --metric mae --quick"
    answer = found(nbyk, f"--gold gold.csv sim_a.csv sim_b.csv {options}")
    halved, mae = results(answer)
    assert halved["effect"] == pytest.approx(0.5 * mae["effect"])
    assert halved["claims"][-1]["p"] == mae["claims"][-1]["p"]


def on_five_points(*names: str) -> None:
    """Write the example's ratings from 0 to 1 on the scale from 1 to 5."""
    for name in names:
        write(f"{name}.csv", 1.0 + 4.0 * read(name))


def test_gold_has_columns_of_its_own(nbyk: Run) -> None:
    own = found(nbyk, "--gold gold.csv sim_a.csv sim_b.csv --quick")
    gold = pd.read_csv("gold.csv", dtype=str)[["item", "rater", "value"]]
    gold.set_axis(["post", "who", "given"], axis=1).to_csv("people.csv", index=False)
    columns = {"item": "post", "rater": "who", "value": "given"}
    options = [f"--gold-{name} {column}" for name, column in columns.items()]
    systems = "--gold people.csv sim_a.csv sim_b.csv --quick"
    said = "people.csv: items = post (300), raters = who (8), values = given\n"
    assert results(found(nbyk, f"{systems} {' '.join(options)}", said)) == results(own)
    for missing in range(3):
        left = " ".join(option for place, option in enumerate(options) if place != missing)
        code, text, errors = nbyk(f"compare {systems} {left}")
        assert (code, text) == (2, "")
        assert errors.startswith("error: people.csv: ")


@pytest.mark.parametrize("choice", ["first", "last", "mean"])
def test_ratings_that_come_twice_are_taken_as_asked(choice: str, nbyk: Run) -> None:
    own = pd.read_csv("sim_b.csv")
    twice = own.assign(value=own["value"] / 2)
    pd.concat([own, twice]).to_csv("twice.csv", index=False)
    kept = {"first": 1.0, "last": 0.5, "mean": 0.75}[choice]
    own.assign(value=kept * own["value"]).to_csv("kept.csv", index=False)
    systems = "--gold gold.csv sim_a.csv sim_b={} --quick"
    answer = found(nbyk, f"{systems.format('twice.csv')} --on-duplicates {choice}")
    assert results(answer) == results(found(nbyk, systems.format("kept.csv")))
    said = f"{len(own)} further ratings of an item by the same rater"
    assert any(said in text for text in answer["cautions"])
    code, _, errors = nbyk(f"compare {systems.format('twice.csv')}")
    assert (code, errors.count("\n")) == (2, 1)
    assert "--on-duplicates" in errors


def test_rows_without_a_value_are_refused_or_dropped_and_counted(nbyk: Run) -> None:
    own = pd.read_csv("sim_b.csv")
    gaps = own.assign(value=own["value"].where(own.index % 7 != 3))
    gaps.to_csv("gaps.csv", index=False)
    gaps.dropna().to_csv("kept.csv", index=False)
    systems = "--gold gold.csv sim_a.csv sim_b={} --quick"
    answer = found(nbyk, f"{systems.format('gaps.csv')} --on-empty drop")
    assert results(answer) == results(found(nbyk, systems.format("kept.csv")))
    n_empty = int(gaps["value"].isna().sum())
    assert f"gaps.csv: {n_empty} rows without a value were left out" in answer["cautions"]
    code, _, errors = nbyk(f"compare {systems.format('gaps.csv')}")
    assert (code, errors.count("\n")) == (2, 1)
    assert "--on-empty drop" in errors


PAIR = ("sim_a", "sim_c")


@pytest.mark.parametrize(("metric", "factor"), [("mae", 4.0), ("mse", 16.0), ("spearman", 1.0)])
def test_all_numbers_are_in_the_unit_of_the_ratings(metric: str, factor: float, nbyk: Run) -> None:
    plain = f"--metric {metric} --quick --resamples 999"
    on_five_points("gold", "sim_a", "sim_b", "sim_c")
    Path("plain").mkdir()
    for name in ("gold", "sim_a", "sim_c"):
        table = pd.read_csv(f"{name}.csv", dtype={"item": str})
        table.assign(value=(table["value"] - 1.0) / 4.0).to_csv(f"plain/{name}.csv", index=False)
    (own,) = results(found(nbyk, f"--gold plain/gold.csv plain/sim_a.csv plain/sim_c.csv {plain}"))
    options = f"--scale 1..5 {plain}"
    answer = found(nbyk, f"--gold gold.csv sim_a.csv sim_c.csv {options}")
    board = found(nbyk, f"--gold gold.csv sim_a.csv sim_c.csv sim_b.csv {options}")
    (of_board,) = (pair for pair in board["boards"][0]["pairs"] if (pair["a"], pair["b"]) == PAIR)
    (pair,) = results(answer)
    assert of_board["effect"] == pair["effect"] == pytest.approx(factor * own["effect"])
    assert pair["interval"] == pytest.approx([factor * end for end in own["interval"]])
    assert pair["p"] == pytest.approx(own["p"])
    for part, own_part in zip(pair["claims"][0]["parts"], own["claims"][0]["parts"], strict=True):
        assert part["variance"] == pytest.approx(factor**2 * own_part["variance"])
        assert part["share"] == pytest.approx(own_part["share"])
    assert board["boards"][0]["scale"] == "1..5"
    assert f"{metric} on 1..5, 300 items" in answer["lines"][0]


def test_the_threshold_is_said_in_the_unit_of_the_ratings(nbyk: Run) -> None:
    options = "--scale 1..5 --metric accuracy --quick --resamples 999"
    on_five_points("gold", "sim_a", "sim_b", "sim_c")
    said = "accuracy calls an item positive if its mean rating is 3 or more"
    for systems in ("sim_a.csv sim_b.csv", "sim_a.csv sim_b.csv sim_c.csv"):
        cautions = found(nbyk, f"--gold gold.csv {systems} {options}")["cautions"]
        assert [text.partition(";")[0] for text in cautions].count(said) == 1
        finer = options.replace("accuracy", "accuracy(threshold=0.7)")
        cautions = found(nbyk, f"--gold gold.csv {systems} {finer}")["cautions"]
        assert any("calls an item positive if its mean rating is 3.8 or more" in text for text in cautions)
        by_mae = found(nbyk, f"--gold gold.csv {systems} {options.replace('accuracy', 'mae')}")
        assert not any("positive" in text for text in by_mae["cautions"])


def test_runs_of_lm_eval_are_systems(nbyk: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for name in ("good", "bad"):
        right = 0.9 if name == "good" else 0.4
        runs(tmp_path / name, (rng.random((3, 60)) < right).astype(float).tolist(), model=name)
    code, text, errors = nbyk("compare good bad --quick --format json")
    columns = "items = doc_id (60), runs = run (3), values = acc; not used: question, answer"
    assert (code, errors.splitlines()[:2]) == (
        0,
        [f"{name}: {columns}; model = {name}, seed = 1234" for name in ("good", "bad")],
    )
    (result,) = results(json.loads(text))
    assert (result["a"], result["b"], result["verdict"]) == ("good", "bad", "better")
    assert result["sample"]["responses"]["good"]["most"] == 3


def test_clusters_of_a_column_are_swapped_whole(nbyk: Run) -> None:
    for name in ("gold", "sim_a", "sim_c"):
        table = pd.read_csv(f"{name}.csv", dtype=str)
        table["text"] = pd.factorize(table["item"], sort=True)[0] // 30
        table.to_csv(f"{name}.csv", index=False)
    line = "--gold gold.csv sim_a.csv sim_c.csv --cluster text --quick --resamples 999"
    answer = found(nbyk, f"{line} --generalise items,clusters")
    result = results(answer)[0]
    assert "for new clusters of items, with these" in answer["sentences"][0]
    assert result["sample"]["n_clusters"] == 10
    assert result["claims"][0]["over"] == ["items", "clusters"]
    assert answer["variance_shares"][0]["clusters"]["share"] is not None
    assert "clusters of items" in " ".join(answer["sentences"])
    assert results(found(nbyk, line))[0]["claims"][0]["over"][:3] == ["items", "clusters", "raters"]
    for wrong, says in (
        ("--cluster chapter", "error: --cluster: found 'chapter', but no file has a column of that name"),
        ("--cluster=", "error: --cluster: found '', but no file has a column of that name"),
        ("--cluster rater", "error: --cluster: found 'rater', the column of the raters too"),
        ("--generalise items,clusters", "error: --generalise: found clusters, but items have none here"),
    ):
        code, _, errors = nbyk(f"compare --gold gold.csv sim_a.csv sim_c.csv {wrong}")
        assert (code, errors.count("\n")) == (2, 1)
        assert says in errors
    board = found(nbyk, "--gold gold.csv sim_a.csv sim_b.csv sim_c.csv --cluster text --resamples 999")
    assert board["boards"][0]["sample"]["n_clusters"] == 10
