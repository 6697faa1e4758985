"""The workflow end to end: what it leaves behind, what it runs again, and what stops it."""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pyarrow.dataset as ds
import pytest
import yaml
from matplotlib.image import imread

from nbyk.files import read_json
from nbyk.studies import code as code_module
from nbyk.studies.code import Code
from tests.workflow import forked

ROOT = Path(__file__).parents[2]
CONFIG: dict[str, Any] = {
    "seed": 7,
    "semantics": ["published", "recommended"],
    "sources": ["simulated", "convabuse"],
    "epsilons": [0.3],
    "sizes": [{"n_items": 40, "k_responses": 2}],
    "samplers": ["bootstrap_items/sample(1)"],
    "metrics": ["mae"],
    "n_draws": 40,
    "n_resamples": 40,
    "n_references": 2,
}
PRODUCTS = ["report"]
BARE_PATH = "/usr/local/bin:/usr/bin:/bin"
"""The path of a shell in which no environment is activated: rules must find their own nbyk."""
WORDS_OF_INPUT = re.compile(r"@- < <\(printf '%s\\0' (.*)\)$")
"""How a job is given its lists: the words stand on the command line where ``@-`` stands."""
PATIENCE = 1200.0
"""Seconds that a run may take on a busy machine before it counts as hung."""
USERS_METRIC = '''"""A metric of a user's own."""

import numpy as np
from nbyk.metrics import register


@register(direction="lower")
def median_error(system, gold):
    """Median absolute error of the item means."""
    return np.median(np.abs(system - gold))
'''


def command(checkout: Path, directory: Path, *arguments: str, cores: int = 2) -> dict[str, Any]:
    profile = checkout / "workflow/profiles/default"
    options = ["--snakefile", checkout / "Snakefile", "--profile", profile, "--cores", str(cores)]
    words = [sys.executable, "-m", "snakemake", *options, "--configfile", "mine.yaml", *arguments]
    return {"args": list(map(str, words)), "cwd": directory, "env": {**os.environ, "PATH": BARE_PATH}}


def configure(directory: Path, config: dict[str, Any]) -> None:
    (directory / "mine.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def snakemake(
    checkout: Path,
    directory: Path,
    *arguments: str,
    cores: int = 2,
    seconds: float = PATIENCE,
    jobs_are_copies: bool = True,
) -> tuple[int, str]:
    """Run Snakemake in `directory` and return its exit code and everything it printed."""
    started = command(checkout, directory, *arguments, cores=cores)
    words = started["args"][3:]  # after `python -m snakemake`
    return forked.run("snakemake", words, directory, started["env"], seconds, jobs_are_copies=jobs_are_copies)


def planned(checkout: Path, directory: Path, *arguments: str, whole: bool = False) -> list[str]:
    """Return the nbyk command lines that Snakemake would run, whole or from the name of the step on.

    Words that a job gets through standard input stand in them as if they were given there.
    """
    code, output = snakemake(checkout, directory, "--dry-run", "--printshellcmds", *arguments)
    assert code == 0, output[-3000:]
    assert "    input: " not in output, "a rule without a message prints all of its files"
    before = "" if whole else "(?:study )?"
    commands = re.findall(rf"^Shell command: nbyk {before}(.*?) *> logs", output, flags=re.MULTILINE)
    assert commands or "Nothing to be done" in output, output[-3000:]
    return [WORDS_OF_INPUT.sub(r"\1", line) for line in commands]


def rules(commands: list[str]) -> Counter[str]:
    return Counter(line.split()[0] for line in commands)


def jobs(commands: list[str]) -> Counter[str]:
    """Count jobs by command: a study's cells by study and step, its report by study."""
    n_operands = {"cell": 2, "report": 1}
    return Counter(
        " ".join([step, *line.partition(" -- ")[2].split()[: n_operands.get(step, 0)]])
        for line in commands
        for step in line.split()[:1]
    )


def results(directory: Path) -> dict[str, bytes]:
    files = (path for path in (directory / "results").rglob("[!.]*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def finished_run(
    temporary: pytest.TempPathFactory,
    name: str,
    config: dict[str, Any],
    *arguments: str,
    jobs_are_copies: bool = True,
) -> Path:
    """Return a folder with a checkout and a finished run, made once for all workers of pytest-xdist."""
    base = temporary.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "checkout").exists():
            for part in ("workflow", "envs"):
                shutil.copytree(ROOT / part, folder / "checkout" / part)
            shutil.copytree(
                ROOT / "src",
                folder / "checkout/src",
                ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"),
            )
            shutil.copy2(ROOT / "Snakefile", folder / "checkout")
            (folder / "run").mkdir()
            configure(folder / "run", config)
            places = folder / "checkout", folder / "run"
            code, output = snakemake(*places, *arguments, jobs_are_copies=jobs_are_copies)
            (folder / "output.txt").write_text(f"exit code {code}\n{output}", encoding="utf-8")
    output = (folder / "output.txt").read_text(encoding="utf-8")
    assert output.startswith("exit code 0\n"), output[-3000:]
    return folder


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return finished_run(tmp_path_factory, "workflow", CONFIG, jobs_are_copies=False)


@pytest.fixture
def checkout(shared: Path) -> Path:
    return shared / "checkout"


@pytest.fixture
def finished(shared: Path, tmp_path: Path) -> Path:
    """Return a copy of the finished run, free to be changed."""
    return Path(shutil.copytree(shared / "run", tmp_path / "run"))


def test_a_run_leaves_tables_figures_summary_and_a_page_that_needs_no_network(shared: Path) -> None:
    study = shared / "run/results/wein2023"
    for semantics, names in {
        "published": ["table_01", "table_02", "table_08"],
        "recommended": ["table_08", "convabuse_epsilon_0.3", "convabuse_minima_by_metric"],
    }.items():
        for name in names:
            tables = study / "tables" / semantics
            assert len(pd.read_csv(tables / f"{name}.csv")) == 1
            assert (tables / f"{name}.md").read_text(encoding="utf-8").splitlines()[-1].count("|") > 3
            assert r"\bottomrule" in (tables / f"{name}.tex").read_text(encoding="utf-8")
    pictures = sorted((study / "figures").rglob("*.png"))
    assert {path.stem for path in pictures} >= {"figure_01", "figure_03", "convabuse_minima", "convabuse_sds"}
    for path in pictures:
        assert imread(path).std() > 0
        assert ElementTree.parse(path.with_suffix(".svg")).getroot().tag.endswith("svg")
    assert set(read_json(study / "summary.json")) >= {"line", "published", "recommended"}
    page = (study / "report.html").read_text(encoding="utf-8")
    assert page.count("<img ") == len(pictures)
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?\s*(?:https?:)?//[^"' >]*""", page) == []


def test_p_values_read_as_they_are(shared: Path) -> None:
    folder = shared / "run/results/pvalues"
    table = pd.read_parquet(folder)
    assert len(table) == 3 * CONFIG["n_references"]
    assert set(zip(table["semantics"], table["source"], strict=True)) == {
        ("published", "simulated"),
        ("recommended", "simulated"),
        ("recommended", "convabuse"),
    }
    assert table[["estimated_p", "true_p"]].apply(lambda p: p.between(0, 1)).all(axis=None)
    assert ds.dataset(folder, partitioning="hive").count_rows() == len(table)


def test_nothing_is_left_to_do(checkout: Path, finished: Path) -> None:
    assert planned(checkout, finished) == []


@pytest.mark.parametrize(
    ("key", "value", "mark", "work"),
    [
        ("metrics", "rmse", """ 'metrics=["rmse"]' """, {"cell": 3}),
        ("epsilons", 0.1, " cells=epsilon-0.1_n-40_k-2 ", {"cell": 3}),
        ("samplers", "all_items/all", """ 'samplers=["all_items/all"]' """, {"cell": 3}),
        ("sources", "toxicity", "/toxicity.json ", {"prior": 2, "cell": 2}),
        ("sizes", {"n_items": 30, "k_responses": 3}, " cells=epsilon-0.3_n-30_k-3 ", {"cell": 3}),
    ],
)
def test_what_is_added_is_all_that_is_computed(
    key: str, value: Any, mark: str, work: dict[str, int], checkout: Path, finished: Path
) -> None:
    configure(finished, {**CONFIG, key: [*CONFIG[key], value]})
    plan = planned(checkout, finished)
    # The report shows the first size.
    products = [] if key == "sizes" else PRODUCTS
    assert rules(plan) == Counter({**work, **dict.fromkeys(products, 1)})
    assert all(mark in line for line in plan if line.startswith("cell"))


def test_a_perturbation_of_a_is_a_cell_of_its_own(checkout: Path, finished: Path) -> None:
    configure(finished, {**CONFIG, "epsilon_a": 0.05})
    plan = planned(checkout, finished)
    assert rules(plan) == Counter({"cell": 3, **dict.fromkeys(PRODUCTS, 1)})
    assert all(" cells=epsilon-0.3_a-0.05_n-40_k-2 " in line for line in plan if line.startswith("cell"))


def test_a_users_metric_joins_every_table_and_leaves_old_results_alone(
    checkout: Path, finished: Path, tmp_path: Path
) -> None:
    (tmp_path / "metrics_of_mine.py").write_text(USERS_METRIC, encoding="utf-8")
    before = results(finished)
    configure(
        finished,
        {**CONFIG, "metrics": ["mae", "median_error"], "metric_files": ["../metrics_of_mine.py"]},
    )
    assert {rule for rule in rules(planned(checkout, finished)) if rule not in PRODUCTS} == {"cell"}
    code, output = snakemake(checkout, finished)
    assert code == 0, output[-3000:]
    after = results(finished)
    old = {name for name in before if not name.startswith("results/wein2023")}
    assert {name: before[name] for name in old} == {name: after[name] for name in old}
    for name in ("published/table_08", "recommended/table_08", "recommended/convabuse_epsilon_0.3"):
        table = pd.read_csv(finished / f"results/wein2023/tables/{name}.csv")
        assert list(table["metric"]) == ["MAE", "median_error"]
    assert "median_error" in after["results/wein2023/report.html"].decode()


def test_a_path_with_a_space_reaches_the_command_whole(checkout: Path, finished: Path) -> None:
    (finished / "my data").mkdir()
    (finished / "my data/toxicity_ratings.json").touch()
    ratings = {"sources": ["toxicity"], "ratings": {"toxicity": "my data/toxicity_ratings.json"}}
    configure(finished, {**CONFIG, **ratings})
    (normalise,) = (line for line in planned(checkout, finished) if line.startswith("normalise"))
    words = shlex.split(normalise)
    assert (words[:3], words[-1]) == (["normalise", "--path", "my data/toxicity_ratings.json"], "toxicity")


EDITED = "assert __name__"
"""A statement that changes what a module means, and nothing that it does."""


def file_of(source: Path, module: str) -> Path:
    path = source.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@contextmanager
def edited(source: Path, module: str) -> Iterator[None]:
    """Edit a module of a copy of the source for as long as it takes."""
    file = file_of(source, module)
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text}\n{EDITED}\n", encoding="utf-8")
    yield
    file.write_text(text, encoding="utf-8")


def test_an_edit_runs_again_what_reaches_it(
    checkout: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(shutil.copytree(checkout / "src", tmp_path / "src"))
    monkeypatch.setenv("PYTHONPATH", str(source))
    assert planned(checkout, finished) == []
    steps = {
        "prior": "nbyk.cli.ratings:prior",
        "normalise": "nbyk.cli.ratings:write_normalised",
        "fit": "nbyk.cli.ratings:fit",
        "cell": "nbyk_papers.wein2023.steps:pvalues",
        "report": "nbyk_papers.wein2023.report:report",
    }
    code = Code()
    reached = {rule: code.parts(function) for rule, function in steps.items()}
    after = {
        "normalise": {"fit", "cell", "report"},
        "prior": {"cell", "report"},
        "fit": {"cell", "report"},
        "cell": {"report"},
        "report": set[str](),
    }
    everywhere = sorted({name for parts in reached.values() for name in parts if "/" not in name})
    unreached = ["nbyk.cli.config", "nbyk_papers.homan2025.design", "nbyk.labels.level", "nbyk.planning.plan"]
    # The checksum of each rule, a parameter of its jobs, after an edit of every module in turn.
    monkeypatch.setattr(code_module, "_root", lambda package: source / package)
    code_module._path.cache_clear()
    before = {rule: code.checksum(function) for rule, function in steps.items()}
    for name in (*everywhere, *unreached):
        with edited(source, name):
            changed = {rule for rule, function in steps.items() if code.checksum(function) != before[rule]}
        assert changed == {rule for rule in steps if name in reached[rule]}, name
    code_module._path.cache_clear()
    # What Snakemake plans: of a module for each rule, one that few others share, and of some that none has.
    of_rules = {frozenset(rule for rule in steps if name in reached[rule]): name for name in everywhere}
    fewest = {min((reaching for reaching in of_rules if rule in reaching), key=len) for rule in steps}
    for name in of_rules.values():
        with file_of(source, name).open("a") as file:
            file.write("\n# A comment.\n")
    with ExitStack() as stack:
        for name in unreached:
            stack.enter_context(edited(source, name))
        assert planned(checkout, finished) == []
    for reaching in fewest:
        work = set(reaching).union(*(after[rule] for rule in reaching))
        with edited(source, of_rules[reaching]):
            assert set(rules(planned(checkout, finished))) == work, of_rules[reaching]


def test_data_that_come_with_a_package_count(
    checkout: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(shutil.copytree(checkout / "src", tmp_path / "src"))
    monkeypatch.setenv("PYTHONPATH", str(source))
    for name, work in {
        "nbyk_papers/wein2023/wein2023.html": {"report"},
        "nbyk_papers/homan2025/homan2025.html": set(),
        "nbyk/data/embedded/convabuse.csv": {
            *("normalise", "fit", "cell", "report"),
        },
    }.items():
        text = (source / name).read_text(encoding="utf-8")
        (source / name).write_text(f"{text}\n", encoding="utf-8")
        assert set(rules(planned(checkout, finished))) == work, name
        (source / name).write_text(text, encoding="utf-8")


def test_results_survive_a_move_to_a_folder_with_spaces_and_other_letters(
    checkout: Path, finished: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "mein Läufer 測定"
    shutil.move(finished, moved)
    assert planned(checkout, moved) == []
    configure(moved, {**CONFIG, "metrics": ["mae", "rmse"]})
    assert rules(planned(checkout, moved)) == Counter({"cell": 3, **dict.fromkeys(PRODUCTS, 1)})


def test_from_two_of_the_papers_metrics_to_three_and_back_computes_the_third_alone(
    checkout: Path, finished: Path
) -> None:
    work = {"cell": 3, **dict.fromkeys(PRODUCTS, 1)}
    for metrics, marks in (
        (["mae", "mse"], 'metrics=["mse"]'),
        (["cosine", "mae", "mse"], 'metrics=["cosine"]'),
    ):
        configure(finished, {**CONFIG, "metrics": metrics})
        plan = planned(checkout, finished)
        assert rules(plan) == Counter(work)
        assert all(marks in line for line in plan if line.startswith("cell"))
        before = results(finished)
        code, output = snakemake(checkout, finished, "--until", "cell")
        assert code == 0, output[-3000:]
        kept = {name for name in before if not name.startswith("results/wein2023")}
        assert {name: results(finished)[name] for name in kept} == {name: before[name] for name in kept}
    for metrics in (["mae", "mse"], ["mse"]):
        configure(finished, {**CONFIG, "metrics": metrics})
        assert rules(planned(checkout, finished)) == Counter(dict.fromkeys(PRODUCTS, 1))
    table = pd.read_parquet(finished / "results/pvalues")
    assert table.groupby("metric").size().to_dict() == dict.fromkeys(["mae", "mse", "cosine"], 6)


def test_samplers_and_metrics_come_and_go_in_any_order_and_nothing_is_planned_but_what_is_new(
    checkout: Path, finished: Path
) -> None:
    first, second, third = "bootstrap_items/sample(1)", "all_items/all", "bootstrap_items/all"
    for samplers, epsilons, n_new in (
        ([second, first], [0.3], 3),
        ([first, third, second], [0.3], 3),
        ([third, first], [0.3], 0),
        ([third, second, first], [0.1, 0.3], 6),
        ([second], [0.1], 0),
    ):
        configure(finished, {**CONFIG, "samplers": samplers, "epsilons": epsilons})
        assert rules(planned(checkout, finished))["cell"] == n_new, (samplers, epsilons)
        if n_new:  # The report is not asked for: the cells alone.
            code, output = snakemake(checkout, finished, "--until", "cell")
            assert code == 0, output[-3000:]
            assert rules(planned(checkout, finished))["cell"] == 0
    table = pd.read_parquet(finished / "results/pvalues")
    key = ["semantics", "source", "epsilon_b", "item_sampler", "response_sampler", "reference", "metric"]
    assert len(table) == 3 * 2 * 3 * CONFIG["n_references"]
    assert not table.duplicated(key).any()


FULLER: dict[str, list[Any]] = {
    "metrics": ["mae", "rmse"],
    "samplers": ["bootstrap_items/sample(1)", "all_items/all"],
    "epsilons": [0.3, 0.1],
    "sizes": [{"n_items": 40, "k_responses": 2}, {"n_items": 30, "k_responses": 3}],
    "sources": ["simulated", "toxicity"],
}


def test_along_no_axis_does_an_order_or_a_value_that_goes_plan_a_cell(tmp_path: Path) -> None:
    """Every file is computed in two steps; whatever is asked for of them later, none is computed again."""
    first = {key: values[:1] for key, values in FULLER.items()}
    for step in (first, FULLER):
        configure(tmp_path, {**CONFIG, **step})
        code, output = snakemake(ROOT, tmp_path, "--until", "cell")
        assert code == 0, output[-3000:]
    table = pd.read_parquet(tmp_path / "results/pvalues")
    sampler = ["item_sampler", "response_sampler"]
    key = ["semantics", "source", "epsilon_b", "n_items", "k_responses", *sampler, "reference", "metric"]
    assert len(table) == 2**6 * CONFIG["n_references"]
    assert not table.duplicated(key).any()
    for axis, (_, other) in FULLER.items():
        configure(tmp_path, {**CONFIG, **FULLER, axis: [other]})
        assert rules(planned(ROOT, tmp_path))["cell"] == 0, axis
    backwards = {axis: values[::-1] for axis, values in FULLER.items()}
    for asked in (backwards, first):
        configure(tmp_path, {**CONFIG, **asked})
        assert rules(planned(ROOT, tmp_path))["cell"] == 0, asked


def take_fits(run: Path, directory: Path) -> None:
    """Copy ratings and the priors fitted to them, which take long to make, from a finished run."""
    for name in ("ratings", "fits"):
        shutil.copytree(run / "results" / name, directory / "results" / name)


def test_killed_and_resumed_on_one_core_gives_the_same_bytes_as_two_cores(
    shared: Path, tmp_path: Path
) -> None:
    """The cells alone: the report is one job (`make test-faults` kills that, too)."""
    checkout = shared / "checkout"
    configure(tmp_path, CONFIG)
    take_fits(shared / "run", tmp_path)
    with (tmp_path / "output.txt").open("w") as output:
        running = subprocess.Popen(
            **command(checkout, tmp_path, "--until", "cell", cores=1),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            deadline = time.monotonic() + 120
            while not any((tmp_path / "logs/pvalues").rglob("*.log")) and time.monotonic() < deadline:
                assert running.poll() is None, (tmp_path / "output.txt").read_text()[-3000:]
                time.sleep(0.02)
        finally:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    finished = results(shared / "run")
    finished = {name: finished[name] for name in finished if not name.startswith("results/wein2023/")}
    assert set(results(tmp_path)) < set(finished)
    assert snakemake(checkout, tmp_path, "--unlock")[0] == 0
    code, printed = snakemake(checkout, tmp_path, "--until", "cell", cores=1)
    assert code == 0, printed[-3000:]
    again = results(tmp_path)
    assert sorted(again) == sorted(finished)
    assert [name for name in again if again[name] != finished[name]] == []


def test_a_failed_job_shows_its_error_on_the_terminal(checkout: Path, finished: Path) -> None:
    configure(
        finished, {**CONFIG, "sizes": [{"n_items": 100_000, "k_responses": 2}], "sources": ["convabuse"]}
    )
    code, output = snakemake(checkout, finished)
    assert code != 0
    assert "error: " in output
    assert "set n_items to at most" in output


BAD = {
    "unknown key": ("n_draws: 40", "n_drawz: 40", "unknown key 'n_drawz'; did you mean n_draws"),
    "unknown metric": ("- mae", "- maee", "unknown metric 'maee'; did you mean mae"),
    "unknown sampler": ("bootstrap_items/sample(1)", "bootstrap/all", "unknown item sampler 'bootstrap'"),
    "unknown source": ("- convabuse", "- convabus", "unknown source 'convabus'; did you mean convabuse"),
    "ε above 1": ("- 0.3", "- 1.5", "found 1.5"),
    "ε twice": ("- 0.3", "- 0.3\n- 0.3", "0.3 is listed twice"),
    "no such file": ("metrics:", "metric_files: [nope.py]\nmetrics:", "nope.py: no such file"),
    "wrong type": ("n_resamples: 40", "n_resamples: many", "found 'many'"),
}


@pytest.mark.parametrize(("old", "new", "message"), BAD.values(), ids=list(BAD))
def test_a_wrong_configuration_stops_the_run_before_its_first_job(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    text = yaml.safe_dump(CONFIG, sort_keys=False)
    assert old in text
    text = text.replace(old, new)
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    culprit = "epsilons:" if "twice" in message else new.partition("\n")[0]
    line = next(number for number, line in enumerate(text.splitlines(), start=1) if culprit in line)
    code, output = snakemake(ROOT, tmp_path)
    assert code != 0
    (found,) = (line for line in output.splitlines() if message in line)
    assert f"mine.yaml:{line}: " in found
    assert "Traceback" not in output
    assert {path.name for path in tmp_path.iterdir()} <= {"mine.yaml", ".snakemake"}


TWICE = ["seed: 1\nseed: 2\n", "comparisons: {}\nseed: 1\ncomparisons: {}\n", "own_ratings: {off: {}}\n"]


@pytest.mark.parametrize("name", ["config.yaml", "mine.yaml"])
@pytest.mark.parametrize("text", TWICE)
def test_what_snakemakes_own_reader_would_lose_is_refused(text: str, name: str, tmp_path: Path) -> None:
    for each in ("config.yaml", "mine.yaml"):
        (tmp_path / each).write_text(text if each == name else "n_draws: 40\n", encoding="utf-8")
    code, output = snakemake(ROOT, tmp_path, "--dry-run")
    assert code != 0
    assert f"{name}:{len(text.splitlines())}: " in output
    assert "comes twice; keep one" in output or "put it in quotes" in output
    assert "Traceback" not in output


def test_an_error_is_placed_in_the_users_file_not_in_the_default_beside_it(tmp_path: Path) -> None:
    shutil.copy(ROOT / "config.yaml", tmp_path)
    (tmp_path / "mine.yaml").write_text("# mine\nepsilons: [0.1, 1.5]\n", encoding="utf-8")
    code, output = snakemake(ROOT, tmp_path, "--dry-run")
    assert code != 0
    assert "mine.yaml:2: epsilons.1: found 1.5" in output
