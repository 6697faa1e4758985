"""`nbyk plan`: datasets, pilots and priors in; a sentence, a table, JSON and a figure out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from nbyk.files import write_json
from nbyk.priors import published_prior
from tests.cli.conftest import Run
from tests.cli.plan.pilots import QUICK, SIZE, likert, write_pilot


def test_a_published_prior_gives_a_sentence_and_progress(nbyk: Run, tmp_path: Path) -> None:
    code, text, errors = nbyk(f"plan toxicity {QUICK} --responses 5")
    assert code == 0
    text = " ".join(text.split())
    assert re.match(r"Collect \d+ items with 5 ratings each \(\d+ ratings\)\. Power 0\.\d\d ", text)
    assert "swap test on mae, two-sided, α = 0.05. Assumes: items like those of toxicity" in text
    assert errors == ""  # the line that moves is for terminals
    assert list(tmp_path.iterdir()) == []


def test_the_side_is_an_option_and_stands_in_the_answer(nbyk: Run) -> None:
    code, text, _ = nbyk(
        "plan toxicity --items 60 --responses 5 --epsilon 0.3 --alternative greater --precision 0.1"
        " --format json"
    )
    assert code == 0
    content = json.loads(text)
    assert content["alternative"] == "greater"
    assert "one-sided, α = 0.05" in content["lines"][1]


def test_an_open_k_gives_a_table_and_files(nbyk: Run, tmp_path: Path) -> None:
    code, text, _ = nbyk(f"plan amazon {QUICK} --max-responses 4 --cost-per-item 2 --out plans/amazon")
    assert code == 0
    assert re.search(r"items +ratings each +ratings +cost", text)
    assert "this plan\n" in text
    assert "N low" not in text
    folder = tmp_path / "plans" / "amazon"
    written = {path.name for path in folder.rglob("*.*") if path.is_file() and ".nbyk" not in path.parts}
    assert written == {
        *("plan.json", "plan.html", "plan.png", "plan.svg"),
        *(f"{name}.{kind}" for name in ("candidates", "ways") for kind in ("csv", "md", "parquet", "tex")),
    }
    content = json.loads((folder / "plan.json").read_text())
    assert " ".join(text.split()).startswith(content["sentence"])
    assert (folder / "figures/plan.png").read_bytes()[:4] == b"\x89PNG"
    svg = (folder / "figures/plan.svg").read_bytes()
    assert nbyk(f"plan amazon {QUICK} --max-responses 4 --cost-per-item 2 --out again --threads 1")[0] == 0
    assert (tmp_path / "again/figures/plan.svg").read_bytes() == svg


def test_json_is_all_that_is_printed(nbyk: Run) -> None:
    code, text, _ = nbyk(
        "plan toxicity --items 100 --responses 5 --epsilon 0.2 --precision 0.03 --format json"
    )
    assert code == 0
    content = json.loads(text)
    assert (content["open"], content["n_items"], content["k_responses"]) == (["power"], 100, 5)
    assert content["given"] == {"n_items": 100, "k_responses": 5, "epsilon": 0.2}


def test_convabuse_has_a_prior_of_its_own_ratings(nbyk: Run) -> None:
    size = "--items 60 --responses 5 --epsilon 0.2 --precision 0.04 --format json"
    fitted = json.loads(nbyk(f"plan convabuse {size}")[1])
    published = json.loads(nbyk(f"plan convabuse --published {size}")[1])
    assert fitted["prior"]["response"] == {"kind": "likert", "levels": 5}
    assert published["prior"] == published_prior("convabuse").to_dict()


def test_a_pilot_on_levels_and_one_of_yes_and_no(nbyk: Run) -> None:
    write_pilot("pilot.csv", likert())
    code, text, errors = nbyk(f"plan --pilot pilot.csv --scale 1,2,3,4,5 {QUICK} --responses 4")
    assert code == 0, errors
    text = " ".join(text.split())
    assert "items like the 60 of pilot, each rated by other people; " in text
    cautions = text.partition("Careful: ")[2]
    assert cautions.startswith("items share 4 raters: the plan is for these")
    write_pilot("binary.csv", (likert() > 2).astype(float))
    code, text, errors = nbyk(f"plan --pilot binary.csv --scale 0..1 {QUICK} --responses 4 --format json")
    assert code == 0, errors
    assert json.loads(text)["prior"]["response"] == {"kind": "binary"}
    assert [text.partition(":")[0] for text in json.loads(text)["warnings"]] == ["items share 4 raters"]


def test_a_prior_of_ones_own_and_a_metric_of_ones_own(nbyk: Run) -> None:
    write_json("prior.json", published_prior("mhs").to_dict())
    Path("own.py").write_text(
        "import numpy as np\nfrom nbyk.metrics import register\n\n\n@register(direction='lower')\n"
        "def third_power(system, gold):\n    return np.mean(np.abs(system - gold) ** 3)\n"
    )
    code, text, errors = nbyk(
        "plan --prior prior.json --items 20 --responses 3 --epsilon 0.4 --metric third_power"
        " --metric-file own.py --precision 0.1 --resamples 39"
    )
    assert code == 0, errors
    assert "swap test on third_power" in " ".join(text.split())


def test_real_systems_take_the_place_of_what_is_assumed(nbyk: Run) -> None:
    ratings = likert()
    write_pilot("pilot.csv", ratings)
    generator = np.random.default_rng(2)
    for name, spread in (("ours", 0.5), ("theirs", 1.5)):
        off = generator.normal(-0.5 * spread, spread, size=60)
        answers = np.clip(np.round(ratings.mean(axis=1) + off), 1, 5)
        write_pilot(f"{name}.csv", answers[:, None])
    size = "--responses 4 --power 0.8 --precision 0.1"
    command = f"plan --pilot-systems theirs.csv ours.csv --scale 1,2,3,4,5 {size}"
    code, text, errors = nbyk(f"{command} --pilot pilot.csv")
    assert code == 0, errors
    assert "that ours is better than theirs by 0." in " ".join(text.split())
    assert "items like the 60 of pilot" in " ".join(text.split())
    code, text, errors = nbyk(f"{command} --metric mean --format json")
    assert code == 0, errors
    assert json.loads(text)["prior"]["systems"] == ["ours", "theirs"]
    code, _, errors = nbyk(f"{command} --pilot pilot.csv --epsilon 0.1")
    assert code == 2
    assert "--epsilon: found 0.1, but the two systems are given" in errors


def test_a_plan_by_a_metric_that_says_the_direction_has_no_caution_about_it(nbyk: Run) -> None:
    for name, least in (("a", 0), ("b", 2)):
        rows = [f"q{item},{least + item % 3}\n" for item in range(9)]
        Path(f"{name}.csv").write_text(f"item,wer\n{''.join(rows)}", encoding="utf-8")
    size = "--scale 0..9 --items 30 --responses 1 --precision 0.1 --resamples 199"
    for metric, better in (("--metric mean_cost", "a"), ("--metric mean", "b"), ("", "b")):
        code, text, errors = nbyk(f"plan --pilot-systems a.csv b.csv {size} {metric}")
        assert code == 0, errors
        assert f"that {better} is better than" in " ".join(text.split())
        assert ("or in a plan by the metric mean_cost" in " ".join(text.split())) == (metric == "")


def test_a_pilot_is_planned_by_its_own_items_or_by_a_prior_fitted_to_them(nbyk: Run) -> None:
    write_pilot("pilot.csv", likert())
    command = f"plan --pilot pilot.csv --scale 1,2,3,4,5 {SIZE} --epsilon 0.2"
    own = json.loads(nbyk(f"{command} --format json" if "--format" not in command else command)[1])
    of_prior = json.loads(nbyk(f"{command} --items-from prior")[1])
    assert of_prior["prior"]["name"] == "pilot"
    assert "pilot_items" not in of_prior["prior"]
    assert own["prior"] == {"name": "pilot", "pilot_items": 60, "response": {"kind": "likert", "levels": 5}}
    code, _, errors = nbyk(f"{command} --items-from elsewhere")
    assert code == 2
    assert "--items-from: found 'elsewhere', expected pilot or prior" in errors


def test_raters_and_runs_have_a_plan_of_their_own(nbyk: Run) -> None:
    spread = "--item-sd 0.2 --severity-sd 0.045 --rating-sd 0.22"
    command = f"plan {spread} --responses 5 --effect 0.05 --power 0.8"
    code, text, errors = nbyk(f"{command} --raters 5")
    assert code == 0, errors
    sentence = " ".join(text.split())
    found = re.match(r"With 5 raters, no number of items is enough: take at least (\d+) raters\.", sentence)
    raters = int(found[1])  # type: ignore[index]
    code, text, errors = nbyk(f"{command} --raters {raters + 3} --cost-per-rater 10 --format json --out plan")
    assert code == 0, errors
    content = json.loads(text)
    assert (content["open"], content["reachable"]) == (["n_items"], True)
    assert json.loads(Path("plan/plan.json").read_text()) == content
    assert content["cost"] == 5 * content["n_items"] + 10 * (raters + 3)
    assert Path("plan/figures/people.svg").stat().st_size > 1000
    code, text, errors = nbyk(
        f"plan {spread} --effect 0.05 --budget 1500 --cost-per-item 1 --cost-per-rater 20 --format json"
    )
    assert code == 0, errors
    content = json.loads(text)
    assert content["open"] == ["n_items", "raters", "k_responses", "power"]
    assert 1400 < content["cost"] <= 1500
    assert nbyk(f"plan {spread} --raters 9 --items 100 --effect 0.05 --epsilon 0.1 --power 0.8")[0] == 2
    code, _, errors = nbyk("plan --raters 9 --items 100 --responses 5 --effect 0.05")
    assert code == 2
    assert "--item-sd: give a number, how much the difference between the two systems varies" in errors


def test_a_pilot_with_ids_says_how_raters_and_runs_differ(nbyk: Run) -> None:
    assert nbyk("example")[0] == 0
    pair = "plan --pilot example/gold.csv --pilot-systems example/sim_a.csv example/sim_c.csv --scale 0..1"
    code, text, errors = nbyk(f"{pair} --raters 8 --runs 5 --responses 5 --power 0.9 --format json")
    assert code == 0, errors
    content = json.loads(text)
    assert content["effect"] == pytest.approx(0.0802, abs=5e-4)
    assert all(content["spread"][part] >= 0.0 for part in ("items", "raters", "runs"))
    assert content["spread"]["ratings"] > 0.0
    assert content["raters"] == 8


def write_clustered(systems: bool = True) -> str:
    """Write a pilot of 40 texts with five questions each, rated by six people; return the command."""
    generator = np.random.default_rng(2)
    items, texts = np.arange(200), np.arange(200) // 5
    gold = np.clip(generator.normal(0.5, 0.15, (200, 1)) + generator.normal(0.0, 0.1, (200, 6)), 0.0, 1.0)
    rows = [f"{i},t{texts[i]},r{j},{gold[i, j]:.4f}" for i in items for j in range(6)]
    Path("gold.csv").write_text("\n".join(["item,text,rater,value", *rows]) + "\n")
    off = generator.normal(0.0, 0.1, 40)[texts]
    for name, error in (("a", 0.05), ("b", 0.15 + off)):
        answers = np.clip(gold.mean(axis=1) + error + generator.normal(0.0, 0.05, 200), 0.0, 1.0)
        lines = [f"{i},{answer:.4f}" for i, answer in zip(items, answers, strict=True)]
        Path(f"{name}.csv").write_text("\n".join(["item,value", *lines]) + "\n")
    return f"plan --pilot gold.csv {'--pilot-systems a.csv b.csv' * systems} --scale 0..1"


def test_a_pilot_with_clusters_plans_whole_clusters(nbyk: Run) -> None:
    command = write_clustered()
    asked = "--raters 6 --responses 6 --effect 0.03 --power 0.8 --format json"
    code, text, errors = nbyk(f"{command} --cluster text {asked}")
    assert code == 0, errors
    content = json.loads(text)
    assert content["items_per_cluster"] == 5
    # The errors of B differ between texts by an SD of .1, and its error is seldom below 0
    assert 0.05**2 < content["spread"]["clusters"] < 0.12**2
    n_items = content["n_items"]
    assert f"Collect {n_items} items in {n_items // 5} clusters" in content["sentence"]
    assert n_items % 5 == 0
    assert "over new clusters of items and new raters" in content["lines"][1]
    alone = json.loads(nbyk(f"{command} {asked}")[1])
    assert alone["spread"]["clusters"] == 0.0
    assert alone["n_items"] < content["n_items"]
    # What is declared comes before what the pilot shows
    declared = json.loads(nbyk(f"{command} --cluster text --cluster-sd 0.2 --items-per-cluster 2 {asked}")[1])
    assert declared["spread"]["clusters"] == pytest.approx(0.04)
    assert declared["items_per_cluster"] == 2


def test_clusters_without_people_are_planned_for_the_pilots_ratings(nbyk: Run) -> None:
    command = write_clustered()
    lines = [line.split(",") for line in Path("gold.csv").read_text().splitlines()[1:]]
    fresh = [f"{item},{text},{item}-{rater},{value}" for item, text, rater, value in lines]
    Path("gold.csv").write_text("\n".join(["item,text,rater,value", *fresh]) + "\n")
    code, text, errors = nbyk(f"{command} --cluster text --effect 0.03 --power 0.8 --format json")
    assert code == 0, errors
    content = json.loads(text)
    assert (content["open"], content["k_responses"]) == (["n_items"], 6)
    assert content["assumptions"] == ["as in the pilot, 6 ratings per item"]
    assert "does not show how they differ" in content["warnings"][0]


def test_clusters_need_systems_and_a_column(nbyk: Run) -> None:
    code, _, errors = nbyk(f"{write_clustered(systems=False)} --cluster text --effect 0.03 --power 0.8")
    assert code == 2
    assert "--cluster: found text, but there are no systems" in errors
    assert "(--pilot-systems), or the standard deviation (--cluster-sd)" in errors
    code, _, errors = nbyk(f"{write_clustered()} --cluster passage --effect 0.03 --power 0.8")
    assert code == 2
    assert "passage" in errors


@pytest.mark.parametrize(
    ("unit", "crew"), [("raters", "--severity-sd 0.05 --responses 2"), ("runs", "--run-sd 0.05")]
)
def test_the_plan_says_why_two_raters_or_runs_have_no_power(nbyk: Run, unit: str, crew: str) -> None:
    code, text, errors = nbyk(f"plan --item-sd 0.2 {crew} --{unit} 2 --items 200 --effect 0.1 --out plan")
    assert code == 0, errors
    assert text.startswith(f"Two {unit} are too few to speak for others: collect at least 3.\n")
    assert "What else" not in text
    assert not list(Path("plan").glob("tables/sizes*"))
