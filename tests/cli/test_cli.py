"""The command line: what users type by hand, and one clear error for whatever is wrong with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from types import FunctionType

import numpy as np
import pyarrow.parquet as pq
import pytest

from nbyk.cli import main
from nbyk.files import read_json, read_parquet
from tests.cli.conftest import Run
from tests.cli.study_words import BY_ALL, ESTIMATE, FOLDER, STEPS, TRUE, WRONG

COMMANDS = (
    *("plan", "why", "doctor", "metrics"),
    *("fit", "version", "config check", "config schema", "config reference"),
    *(f"data {command}" for command in ("list", "fetch", "show", "terms")),
    *(
        f"study {name}"
        for name in (
            "normalise",
            "prior",
            "list",
            "cell",
            "aggregate",
            "report",
            "papers-report",
            "cartpole",
        )
    ),
)


@pytest.fixture
def nbyk(run_words: Run) -> Run:
    """Return a function that runs nbyk with these words, in the folder of the tests."""
    return run_words


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one good file of each kind, and some bad ones."""
    folder = tmp_path_factory.mktemp("inputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for step in STEPS:
            patch.setattr(sys, "argv", ["nbyk", *step.split()])
            with pytest.raises(SystemExit) as ended:
                main()
            assert not ended.value.code, step
    sets = (folder / "sets.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(sets[: len(sets) // 2])
    pq.write_table(pq.read_table(folder / "sets.parquet").slice(0, 0), folder / "empty.parquet")
    shutil.copy(folder / FOLDER / "p.parquet", folder)
    (folder / "cut.json").write_text((folder / "prior.json").read_text()[:20])
    (folder / "list.json").write_text("[]")
    (folder / "odd.json").write_text((folder / "prior.json").read_text().replace("0.2", '"0.2"'))
    (folder / "g.csv").write_text("item,rater,value\n1,x,0.5\n2,x,0.25\n")
    (folder / "folder").mkdir()
    return folder


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=list(WRONG))
def test_bad_input_is_one_error_and_leaves_no_file(
    line: str, message: str, inputs: Path, nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(inputs, tmp_path / "copy"))
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    code, _, errors = nbyk(*line.split())
    assert code == 2
    *progress, last = errors.splitlines()
    assert last.startswith("error: ")
    assert message in last
    assert not any(line.startswith(("error", "Traceback")) for line in progress)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("study prior simulated --out x.json", "--semantics"),
        ("fit ratings.parquet --seed -1 --out x.json", "--seed"),
        (f"{TRUE} --threads 0 --out x.parquet", "--threads"),
    ],
)
def test_a_wrong_option_is_named(line: str, option: str, nbyk: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    code, _, errors = nbyk(*line.split())
    assert code == 2
    assert option in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plan toxicity --effect E --power 0.8", "--effect: found E, expected a number; nbyk plan --help"),
        ("plan toxicity --items 1.5", "--items: found 1.5, expected a whole number; nbyk plan --help"),
        ("compare a.csv b.csv --seed -1", "--seed: found -1, expected a number of at least 0; nbyk compare"),
        ("study aggregate --seed x", "No such option: --seed"),
    ],
)
def test_a_value_that_is_no_number_is_refused_in_our_own_words(line: str, said: str, nbyk: Run) -> None:
    code, _, errors = nbyk(*line.split())
    assert code == 2
    assert errors.startswith(f"error: {said}"), errors
    assert "Input should" not in errors


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_named(nbyk: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    code, _, errors = nbyk(
        "study", "prior", "simulated", "--semantics", "published", "--out", f"{tmp_path}/x.json"
    )
    tmp_path.chmod(0o700)
    assert (code, len(errors.splitlines())) == (2, 1)
    assert str(tmp_path) in errors


def test_the_program_itself_exits_with_2_after_reading_parquet(inputs: Path) -> None:
    program = Path(sys.executable).with_name("nbyk")
    line = f"{ESTIMATE} {BY_ALL} --from sets_file={FOLDER}/true.parquet --out x.parquet"
    for _ in range(3):  # threads of a reader that outlive the error would abort it now and then
        ended = subprocess.run([program, *line.split()], cwd=inputs, capture_output=True, text=True)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith(f"error: {FOLDER}/true.parquet: ")
        assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            MemoryError("Unable to allocate 8 GiB"),
            "out of memory (Unable to allocate 8 GiB); ask for fewer items, draws or threads, or give nbyk"
            " more memory",
        ),
        (MemoryError(), "out of memory; ask for fewer items, draws or threads, or give nbyk more memory"),
        (OSError(5, "Input/output error", "ratings.csv"), "ratings.csv: Input/output error"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (OSError("a library's own"), "a library's own"),
    ],
)
def test_what_the_machine_refuses_is_one_line(
    error: Exception, line: str, nbyk: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("nbyk.cli.app.command_line", lambda: refuse)
    assert nbyk("version") == (2, "", f"error: {line}\n")


@pytest.mark.parametrize("command", ["version", "config reference"], ids=["a line", "a page"])
def test_a_reader_that_has_gone_is_no_error(command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    program = Path(sys.executable).with_name("nbyk")
    ended = subprocess.run([program, *command.split()], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_output_that_finds_no_room_is_one_line() -> None:
    program = Path(sys.executable).with_name("nbyk")
    with open("/dev/full", "w") as full:
        ended = subprocess.run([program, "version"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (2, "error: standard output: No space left on device\n")


def test_signals_are_handled_as_before_when_a_command_has_ended(nbyk: Run) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    assert nbyk("version")[0] == 0
    assert [signal.getsignal(number) for number in numbers] == before


def test_a_signal_that_comes_while_an_object_is_deleted_stops_it_too(
    nbyk: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deleted:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.0)  # so that Python sees the signal in here, and swallows what it raises

    def work(*_: object, **__: object) -> None:
        Deleted()
        time.sleep(60.0)

    monkeypatch.setattr("nbyk.cli.app.command_line", lambda: work)
    assert nbyk("version") == (143, "", "error: stopped by SIGTERM; no file is half-written: run it again\n")


def test_a_signal_that_comes_while_llvm_is_at_work_stops_it_after_that(
    nbyk: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []

    def link() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.0)  # so that Python sees the signal in here
        ended.append(True)

    as_of_llvm = FunctionType(
        link.__code__, {**globals(), "__name__": "llvmlite.binding.module"}, closure=link.__closure__
    )

    def work(*_: object, **__: object) -> None:
        as_of_llvm()
        time.sleep(60.0)

    monkeypatch.setattr("nbyk.cli.app.command_line", lambda: work)
    assert nbyk("version") == (143, "", "error: stopped by SIGTERM; no file is half-written: run it again\n")
    assert ended == [True]


def test_a_signal_that_the_caller_has_it_ignore_does_not_stop_it(
    nbyk: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang_up(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGHUP)
        sys.exit(0)

    monkeypatch.setattr("nbyk.cli.app.command_line", lambda: hang_up)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it
    try:
        stopped = "error: stopped by SIGHUP; no file is half-written: run it again\n"
        assert nbyk("version") == (129, "", stopped)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        assert nbyk("version") == (0, "", "")
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_subcommand_explains_itself(command: str, nbyk: Run) -> None:
    code, text, _ = nbyk(*command.split(), "--help")
    assert code == 0
    assert f"nbyk {command} " in " ".join(text.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_lines_of_a_help_end_where_the_terminal_does(command: str, nbyk: Run) -> None:
    _, text, _ = nbyk(*command.split(), "--help")
    lines = [line.strip() for line in re.split(r"\n(?:Arguments|Options):", text)[0].splitlines()]
    widest = max(map(len, lines))
    for line, after in pairwise(lines):
        if line and after:  # a line of a paragraph has no room for the next one's first word
            assert len(f"{line} {after.split()[0]}") > widest - 2, line


def test_help_lists_every_subcommand(nbyk: Run) -> None:
    for group, depth in (("", 0), ("study", 1)):
        code, text, _ = nbyk(*group.split(), "--help")
        assert code == 0
        words = [command.split() for command in COMMANDS if command.startswith(group)]
        assert {name[depth] for name in words if name[depth] not in text} == set()


def test_config_check_names_every_wrong_line(nbyk: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("n_draws: 40\nmetrics: [mae]\n")
    assert nbyk("config", "check", str(path)) == (0, f"{path}: valid\n", "")
    path.write_text("n_draws: 1\nmetrics: [mae, maee]\nsede: 1\n")
    code, text, errors = nbyk("config", "check", str(path))
    assert (code, text) == (2, "")
    assert [f"{path}:{line}: " in errors for line in (1, 2, 3)] == [True] * 3
    assert errors.count("error: ") == 1


def test_a_path_with_a_nul_is_one_line(nbyk: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text('metric_files: ["\\0"]\n')
    line = f"error: {path}:1: metric_files.0: '\\x00': no path of a file; check it\n"
    assert nbyk("config", "check", str(path)) == (2, "", line)


def test_each_error_of_a_configuration_has_a_line(nbyk: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text('metrcs: [mae]\nseed: no\n"a\\nb": 1\n', encoding="utf-8")
    code, text, errors = nbyk("config", "check", str(tmp_path / "mine.yaml"))
    assert errors.startswith(f"error: {tmp_path}/mine.yaml:2: ")
    lines = [line.rpartition("mine.yaml:")[2] for line in errors.splitlines()]
    assert (code, text, len(lines)) == (2, "", 3)
    assert lines[0].startswith("2: seed: found no")
    assert lines[1] == "1: unknown key 'metrcs'; did you mean metrics or metric_files?"
    assert lines[2].startswith("3: unknown key 'a\\nb'")


def test_the_same_command_gives_the_same_bytes_on_more_threads(
    inputs: Path, nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(inputs)
    step = STEPS[4].replace(f"{FOLDER}/p.parquet", f"{tmp_path}/again.parquet")
    assert nbyk(*step.split(), "--threads", "2")[0] == 0
    assert (tmp_path / "again.parquet").read_bytes() == (inputs / FOLDER / "p.parquet").read_bytes()


def test_labels_of_two_kinds_get_a_binary_prior_beside_the_published_one(
    nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(4)
    for split in ("train", "test"):
        labels = (generator.random((150, 6)) < generator.beta(0.3, 1.5, (150, 1))).astype(int).astype(str)
        items = {
            n: {"annotations": ",".join(row), "annotators": "a,b,c,d,e,f"} for n, row in enumerate(labels)
        }
        Path(f"HS-Brexit_{split}.json").write_text(json.dumps(items))
    code, _, errors = nbyk("study", "normalise", "hs_brexit", "--path", ".", "--out", "ratings.parquet")
    expected = "hs_brexit: 1800 ratings of 300 items from HS-Brexit_train.json, HS-Brexit_test.json\n"
    assert (code, errors) == (0, expected)
    ratings, made = read_parquet("ratings.parquet")
    assert set(made["files"]) == {"HS-Brexit_train.json", "HS-Brexit_test.json"}
    fit = "fit ratings.parquet --name hs_brexit --check check.json --out prior.json"
    assert nbyk(*fit.split())[0] == 0
    assert read_json("prior.json")["response"] == {"kind": "binary"}
    check = read_json("check.json")
    mean = ratings["value"].to_numpy().mean()
    assert check["mean_data"] == pytest.approx(mean)
    assert check["mean_prior"] == pytest.approx(mean, abs=0.02)


def test_ratings_that_cannot_be_fitted_are_named(
    nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text("item,rater,value\n1,a,1\n2,a,0\n3,b,1\n", encoding="utf-8")
    normalise = "study normalise mine --path mine.csv --scale binary --out mine.parquet"
    assert nbyk(*normalise.split())[0] == 0
    fit = "fit mine.parquet --name mine --seed 1 --families families.csv --check check.json --out prior.json"
    code, _, errors = nbyk(*fit.split())
    assert code != 0
    assert "mine.parquet: every item has a single response" in errors


def test_toxicity_ratings_go_all_the_way(nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(3)
    with open("toxicity_ratings.json", "w") as file:
        for comment in range(300):
            mean, sd = 4 * generator.beta(1, 2), generator.uniform(0.3, 1.5)
            scores = np.clip(np.rint(generator.normal(mean, sd, 5)), 0, 4).astype(int).tolist()
            ratings = [{"toxic_score": score, "worker_id": f"w{n}"} for n, score in enumerate(scores)]
            file.write(json.dumps({"comment": "…", "comment_id": comment, "ratings": ratings}) + "\n")
    for line in (
        "study normalise toxicity --path toxicity_ratings.json --out ratings.parquet",
        "fit ratings.parquet --name toxicity --seed 1 --families families.csv --check check.json"
        " --out prior.json",
        f"{STEPS[2]} --from gold=ratings.parquet",
        f"{ESTIMATE} {BY_ALL} --from sets_file=sets.parquet --out x.parquet",
    ):
        code, _, errors = nbyk(*line.split())
        assert code == 0, errors
        said = "before you believe it: items share 5 raters: the prior assumes that each item has its own"
        assert (said in errors) == line.startswith("fit ")
    ratings, made = read_parquet("ratings.parquet")
    assert (ratings.num_rows, made["source"], made["items"]) == (1500, "toxicity", 300)
    assert read_json("prior.json")["response"] == {"kind": "likert", "levels": 5}
    sets = read_parquet("sets.parquet")[0].to_pandas()
    assert set(sets.groupby(["reference", "system"])["item"].nunique()) == {30}
    gold = sets[sets["system"] == "gold"]["value"]
    assert set(gold.round(9)) <= set(ratings["value"].to_pandas().round(9))
