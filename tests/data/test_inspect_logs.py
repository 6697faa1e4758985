"""Logs that Inspect itself wrote: samples are items, epochs are runs, metadata are clusters.

Inspect's dependencies exclude some of the locked versions; `make test-inspect` runs this beside the lock.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nbyk.data import read_ratings, read_systems
from nbyk.errors import NbykError

pytest.importorskip("inspect_ai", reason="Inspect is not installed: make test-inspect", exc_type=ImportError)

N_SAMPLES, N_EPOCHS, N_TEXTS = 12, 3, 4


def evaluated(folder: Path, log_format: str, seed: int) -> tuple[Path, Any]:
    """Evaluate a tiny task with a mock model, whose answers are right at random; return the log.

    The answers are the solver's: the mock model would fetch a tokeniser to count the words of its own.
    """
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import accuracy, match, stderr
    from inspect_ai.solver import solver

    samples = [
        Sample(input=f"say {i}", target="yes", id=f"q{i}", metadata={"text": f"t{i % N_TEXTS}"})
        for i in range(N_SAMPLES)
    ]
    right = np.random.default_rng(seed).random((N_SAMPLES, N_EPOCHS)) < 0.6

    @solver
    def scripted() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            is_right = right[int(state.sample_id[1:]), state.epoch - 1]
            state.output = ModelOutput.from_content("mockllm/model", "yes" if is_right else "no")
            return state

        return solve

    task = Task(
        dataset=MemoryDataset(samples),
        solver=scripted(),
        scorer=match(),
        metrics=[accuracy(), stderr(), stderr(cluster="text")],
        epochs=N_EPOCHS,
    )
    (log,) = eval(
        task,
        model="mockllm/model",
        seed=42,
        log_dir=str(folder),
        log_format=log_format,
        display="none",
    )
    assert log.status == "success", log.error
    return Path(log.location.removeprefix("file://")), log


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_log_is_read_as_inspect_reads_it(
    log_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path, log = evaluated(tmp_path / "logs", log_format, seed=1)
    assert path.suffix == f".{log_format}"
    ratings = read_ratings(path, cluster="text")
    said = f"items = sample_id ({N_SAMPLES}), runs = epoch ({N_EPOCHS}), values = match"
    said += "; model = mockllm/model, seed = 42"
    assert ratings.recognised == said
    expected = {(s.id, f"epoch {s.epoch}"): float(s.scores["match"].value == "C") for s in log.samples}
    index = zip(ratings.item_index, ratings.rater_index, ratings.values, strict=True)
    assert {(ratings.items[i], ratings.raters[r]): value for i, r, value in index} == expected
    assert ratings.clusters == tuple(f"t{int(item[1:]) % N_TEXTS}" for item in ratings.items)


def test_inspects_clustered_standard_error_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system against one that is always wrong: the difference is its mean, its error the mean's."""
    from nbyk.metrics import get
    from nbyk.testing.shared_units import responses
    from nbyk.testing.shared_units.components import item_component
    from nbyk.testing.shared_units.statistic import changes

    monkeypatch.setenv("HOME", str(tmp_path))
    path, log = evaluated(tmp_path / "logs", "eval", seed=2)
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("item,value\n" + "".join(f"q{i},0\n" for i in range(N_SAMPLES)), encoding="utf-8")
    metrics = [metric for score in log.results.scores for metric in score.metrics.values()]
    (clustered,) = [metric.value for metric in metrics if metric.params.get("cluster") == "text"]
    (mean,) = [metric.value for metric in metrics if metric.name == "accuracy"]
    data = read_systems([path, wrong], cluster="text").pair(path.stem, "wrong")
    ours = responses(data.a, data.b, clusters=data.clusters)
    found = changes(get("mean"), ours)
    assert found.effect == pytest.approx(mean, abs=1e-12)
    assert np.sqrt(item_component(ours, found).total) == pytest.approx(clustered, rel=1e-9)


def test_a_grade_without_a_number_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    monkeypatch.setenv("HOME", str(tmp_path))
    path, _ = evaluated(tmp_path / "logs", "json", seed=3)
    log = read_eval_log(str(path))
    log.samples[4].scores["match"].value = "B+"
    write_eval_log(log, str(path))
    with pytest.raises(NbykError, match=r"column 'match': found 'B\+', expected a finite number"):
        read_ratings(path)


def test_a_damaged_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.eval"
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(NbykError, match=r"cut\.eval: not a readable log of Inspect"):
        read_ratings(path)
    assert os.listdir(tmp_path) == ["cut.eval"]


def test_a_log_that_lacks_samples_says_how_many_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    monkeypatch.setenv("HOME", str(tmp_path))
    for log_format in ("json", "eval"):
        path, _ = evaluated(tmp_path / log_format, log_format, seed=4)
        assert read_ratings(path).mended == ()
        log = read_eval_log(str(path))
        log.status, log.samples = "cancelled", log.samples[:-5]
        write_eval_log(log, str(path))
        assert read_ratings(path).mended == (
            f"{path}: the evaluation ended with the status 'cancelled'",
            f"{path}: 5 of {N_SAMPLES * N_EPOCHS} samples that were meant are missing",
        )


def test_samples_that_come_twice_and_scores_that_are_lists_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    monkeypatch.setenv("HOME", str(tmp_path))
    path, _ = evaluated(tmp_path / "logs", "json", seed=5)
    log = read_eval_log(str(path))
    log.samples.append(log.samples[0])
    write_eval_log(log, str(path))
    with pytest.raises(NbykError, match="rater 'epoch 1' has already rated item 'q0'"):
        read_ratings(path)
    assert read_ratings(path, on_duplicates="first").n_ratings == N_SAMPLES * N_EPOCHS
    log.samples.pop()
    log.samples[3].scores["match"].value = [1, 0]
    write_eval_log(log, str(path))
    with pytest.raises(NbykError, match=r"column 'match': found the list \[1, 0\], expected a finite number"):
        read_ratings(path, on_empty="drop")


def test_a_bomb_is_refused_before_its_samples_are_read(tmp_path: Path) -> None:
    path = tmp_path / "b.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        with archive.open("samples/0_epoch_1.json", "w") as member:
            for _ in range(41):
                member.write(b" " * 10**7)
    with pytest.raises(
        NbykError, match="holds 410,000,002 bytes once decompressed, expected at most 400,000,000"
    ):
        read_ratings(path)


def passages(
    folder: Path, name: str, scores: list[str], word: str = "x", start: str | int = "q"
) -> dict[str, Path]:
    """Write one log in both forms; the samples' passages are long, and differ at their end."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.scorer import Score

    samples = [
        EvalSample(
            id=f"{start}{i}" if isinstance(start, str) else start + i,
            epoch=1,
            input=f"{word} {i}",
            target="y",
            scores={"match": Score(value=score)},
            metadata={"passage": "L" * 1100 + str(i // 4)},
        )
        for i, score in enumerate(scores)
    ]
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="t",
        dataset=EvalDataset(samples=len(samples)),
        model="m/x",
        config=EvalConfig(epochs=1),
    )
    paths = {form: folder / f"{name}.{form}" for form in ("json", "eval")}
    for path in paths.values():
        write_eval_log(EvalLog(status="success", eval=spec, samples=samples), str(path))
    return paths


def test_both_forms_of_a_log_and_its_table_give_one_answer_with_long_metadata_as_clusters(
    tmp_path: Path,
) -> None:
    import nbyk

    a = passages(tmp_path, "a", ["C"] * 48)
    b = passages(tmp_path, "b", ["I" if i < 36 and i // 4 not in (0, 5, 7) else "C" for i in range(48)])
    found = []
    for name, paths in (("a", a), ("b", b)):
        read = read_ratings(paths["json"], cluster="passage")
        cells = zip(read.items, read.values, read.clusters or (), strict=True)
        paths["csv"] = tmp_path / f"{name}.csv"
        paths["csv"].write_text("item,value,passage\n" + "".join(f"{i},{v},{c}\n" for i, v, c in cells))
    for form in ("json", "eval", "csv"):
        systems = read_systems({"a": a[form], "b": b[form]}, cluster="passage")
        assert len(set(systems.clusters or ())) == 12
        comparison = nbyk.compare(systems.pair("a", "b"))
        found.append((systems.clusters, comparison.pair.p))
    assert found[0] == found[1] == found[2]


def rewritten(path: Path, edit: Any) -> Path:
    """Change the members of a zipped log: `edit` returns a member's new content, None to drop it."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            if (changed := edit(name, content)) is not None:
                archive.writestr(name, changed)
    return path


def test_the_samples_are_believed_and_not_their_summaries(tmp_path: Path) -> None:
    path = passages(tmp_path, "a", ["C", "I", "P", "N"])["eval"]
    rewritten(path, lambda name, content: content.replace(b'"C"', b'"I"') if "summar" in name else content)
    assert read_ratings(path).values.tolist() == [1, 0, 0.5, 0]
    rewritten(path, lambda name, content: None if name.startswith("samples/q1") else content)
    ratings = read_ratings(path)
    assert ratings.items == ("q0", "q2", "q3")
    assert ratings.mended[0].endswith("1 of 4 samples that were meant are missing")
    rewritten(path, lambda name, content: b"{" if name.startswith("samples/q2") else content)
    with pytest.raises(NbykError, match=r"a\.eval: not a readable log of Inspect"):
        read_ratings(path)


@pytest.mark.parametrize("form", ["json", "eval"])
def test_samples_that_inspect_numbered_and_that_differ_are_refused(form: str, tmp_path: Path) -> None:
    for start, is_refused in ((1, True), ("q", False)):
        a, same, other = (
            passages(tmp_path, name, ["C", "I"], word, start)[form]
            for name, word in (("a", "capital of"), ("same", "capital of"), ("other", "root of"))
        )
        assert read_systems([a, same]).n_items == 2
        if is_refused:
            with pytest.raises(NbykError, match=r"item '1' has input_hash \w+, elsewhere \w+"):
                read_systems([a, other])
        else:
            assert read_systems([a, other]).n_items == 2


@pytest.mark.parametrize("form", ["json", "eval"])
def test_a_key_that_comes_twice_is_refused(form: str, tmp_path: Path) -> None:
    path = passages(tmp_path, "a", ["C", "I"])[form]

    def doubled(name: str, content: bytes) -> bytes:
        return content.replace(b'"value":', b'"value": "P", "value":') if "header" not in name else content

    if form == "eval":
        rewritten(path, doubled)
    else:
        path.write_bytes(doubled(path.name, path.read_bytes()))
    with pytest.raises(NbykError, match="the key 'value' comes twice in one object"):
        read_ratings(path)


@pytest.mark.parametrize("form", ["json", "eval"])
def test_a_sample_that_ended_in_an_error_makes_the_run_incomplete(form: str, tmp_path: Path) -> None:
    from inspect_ai.log import EvalError, read_eval_log, write_eval_log

    path = passages(tmp_path, "a", ["C", "I", "C"])[form]
    log = read_eval_log(str(path))
    log.samples[1].error = EvalError(message="x", traceback="x", traceback_ansi="x")
    write_eval_log(log, str(path))
    notes = (f"{path}: samples that ended in an error: 1",)
    assert read_systems({"a": path, "b": path}).incomplete == notes * 2
    log.samples[1].scores = {}
    write_eval_log(log, str(path))
    assert read_systems({"a": path, "b": path}, on_empty="drop").incomplete == notes * 2
