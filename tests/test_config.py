"""The configuration: one source of its defaults, its reference and its schema, and what its values become."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from nbyk.cli.compare import compare
from nbyk.config import config_model, json_schema, load_config, reference_page, validate
from nbyk.config.sections import Comparison
from nbyk.data import source, source_names
from nbyk.studies import studies
from nbyk_papers.homan2025.design import LABELS

ROOT = Path(__file__).parents[1]
Config = config_model()


@pytest.mark.parametrize("source", source_names())
def test_ratings_at_hand_let_a_source_be_fitted(source: str, tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").touch()
    ratings = {} if source == "convabuse" else {source: str(tmp_path / "ratings.csv")}
    fits = [f"{source}_fit"] if source in LABELS else ["convabuse_fit"]
    config = validate(
        {"sources": [source], "ratings": ratings, "homan2025": {"sources": fits, "power_sizes": []}}
    )
    assert config.has_ratings(source)
    assert not config.has_ratings("simulated")
    assert config.homan2025.fitted == fits
    assert config.rating_files(source) == list(ratings.values())


def test_copies_that_every_machine_sees_are_at_hand(tmp_path: Path) -> None:
    config = validate({"downloads": {"folder": str(tmp_path / "downloads"), "mirror": "https://mirror"}})
    assert config.at_hand(tmp_path / "copies") == ["convabuse"]
    for file in source("armis").remote:
        (tmp_path / "copies/armis" / file.name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "copies/armis" / file.name).touch()
    assert config.at_hand() == ["convabuse"]
    assert config.at_hand(tmp_path / "copies") == ["armis", "convabuse"]


def test_a_users_metric_can_be_listed_beside_its_file(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from nbyk.metrics import register\n\n"
        "@register(direction='lower')\ndef config_test_metric(system, gold):\n    return 0.0\n"
    )
    values = {"metric_files": [str(tmp_path / "own.py")], "metrics": ["config_test_metric", "mae"]}
    assert validate(values).metrics == ["config_test_metric", "mae"]


def test_names_become_canonical() -> None:
    config = validate({"samplers": ["all_items / sample( K )"], "metrics": ["accuracy( threshold = 0.5 )"]})
    assert (config.samplers, config.metrics) == (["all_items/sample(K)"], ["accuracy"])


@pytest.mark.quick
def test_the_default_configuration_is_the_models_defaults() -> None:
    assert load_config(ROOT / "config.yaml") == config_model()()
    written = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    # A key without a line of its own is explained by one that is commented out.
    commented = (ROOT / "config.yaml").read_text(encoding="utf-8")
    assert all(key in written or f"# {key}: " in commented for key in Config.model_fields)
    for study in studies():
        section = study.section()
        if section is None or not study.keys_of_its_own:
            continue
        name = study.name
        assert all(key in written[name] or f"  # {key}: " in commented for key in section.model_fields)


@pytest.mark.quick
def test_the_reference_page_is_up_to_date() -> None:
    page = (ROOT / "docs/config.md").read_text(encoding="utf-8")
    assert page == reference_page(), "run: nbyk config reference > docs/config.md"


def test_the_schema_describes_every_key_and_refuses_others() -> None:
    schema: dict[str, Any] = json.loads(json_schema())
    assert set(schema["properties"]) == set(Config.model_fields)
    assert schema["additionalProperties"] is False
    for name, described in schema["properties"].items():
        assert described["description"], name
        assert described["default"] == json.loads(Config().model_dump_json())[name]
    references = {
        item["items"]["$ref"] for item in schema["properties"].values() if "$ref" in item.get("items", {})
    }
    assert references == {"#/$defs/SizeSection"}
    for section in ("SizeSection", "Homan2025", "Calibration", "Comparison", "Ulmer2022", "Boostsa2022"):
        assert schema["$defs"][section]["additionalProperties"] is False
        assert all(described["description"] for described in schema["$defs"][section]["properties"].values())


def test_a_comparison_may_score_one_class(tmp_path: Path) -> None:
    """f1(0.6) is of numbers, and f1(spam) of classes."""
    files = [tmp_path / name for name in ("a.csv", "b.csv", "gold.csv")]
    for file in files:
        file.write_text("item,value\n1,spam\n2,ham\n", encoding="utf-8")
    *systems, gold = map(str, files)
    mine = {"systems": systems, "gold": gold, "metrics": ["f1(spam)"]}
    assert validate({"comparisons": {"mine": mine}}).comparisons["mine"].metrics == ["f1(spam)"]


def test_a_comparison_with_a_judge_has_the_options_that_are_set(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("people.csv", "judge.csv")]
    for file in files:
        file.write_text("item,value\n", encoding="utf-8")
    mine = {"systems": [str(files[0])], "judge": str(files[1]), "counts": "yes=1,no=0", "alpha": 0.01}
    comparison = validate({"comparisons": {"mine": mine}}).comparisons["mine"]
    assert comparison.options() == [f"--judge={files[1]}", "--counts=yes=1,no=0", "--alpha=0.01"]
    assert comparison.files() == [str(files[1]), str(files[0])]


def test_a_comparison_has_the_options_of_the_command(tmp_path: Path) -> None:
    options = {*inspect.signature(compare).parameters}
    assert options - {*Comparison.model_fields} == {
        *("context", "gate", "details", "out", "form", "seed", "threads", "max_draws"),
        *("metric", "metric_file", "filter_", "tau", "lift", "shift"),
    }
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    for file in files:
        file.write_text("item,value\n1,0.5\n2,1\n", encoding="utf-8")
    wanted = {"lower_is_better": False, "margin": 0.1, "looks": 5, "suite": "task", "weights": "micro"}
    mine = {"systems": list(map(str, files)), **wanted, "generalise": ["items", "tasks"]}
    given = validate({"comparisons": {"mine": mine}}).comparisons["mine"].options()
    line = "--higher-is-better --margin=0.1 --looks=5 --suite=task --weights=micro --generalise=items,tasks"
    assert given == line.split()


@pytest.mark.parametrize("score", ["0.8", ".8", "1.", "1e-1"])
def test_systems_may_be_compared_with_a_score(score: str, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    for file in files:
        file.write_text("item,value\n1,0.5\n2,1\n", encoding="utf-8")
    mine = {"systems": list(map(str, files)), "against": score}
    assert validate({"comparisons": {"mine": mine}}).comparisons["mine"].options() == [f"--against={score}"]


def test_a_change_of_the_results_beside_a_log_runs_a_comparison_again(tmp_path: Path) -> None:
    """They say which scores are better if lower."""
    date = "2025-01-01T00-00-00.000000"
    folder = tmp_path / "model" / "run"
    folder.mkdir(parents=True)
    log, results = (folder / name for name in (f"samples_task_{date}.jsonl", f"results_{date}.json"))
    for file in (log, results, tmp_path / "a.csv"):
        file.touch()
    for system in (log, tmp_path / "model"):
        mine = {"systems": [str(system), str(tmp_path / "a.csv")]}
        files = validate({"comparisons": {"mine": mine}}).comparisons["mine"].files()
        assert sorted(files) == sorted(map(str, (log, results, tmp_path / "a.csv")))
