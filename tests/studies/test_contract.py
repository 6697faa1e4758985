"""What every study keeps to, those that come with nbyk and any other that is installed."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from typing import Any

import pytest

from nbyk.config import validate
from nbyk.errors import NbykError
from nbyk.metrics import own
from nbyk.studies import Step, Study, code, studies, study_named
from nbyk.studies.steps import Work, _call, function_of, parameters_of, run_step
from nbyk.studies.study import Cell, settings_from
from nbyk_papers.metrics import METRICS

STUDIES = {study.name: study for study in studies()}
WITH_CELLS = [name for name, study in STUDIES.items() if study.steps]
REPORTED = [name for name, study in STUDIES.items() if study.report]


@pytest.fixture(scope="module")
def config() -> Any:
    return validate({})


def test_the_papers_are_there() -> None:
    assert {"wein2023", "homan2025", "ulmer2022", "boostsa2022", "calibration", "cartpole"} <= set(STUDIES)
    with pytest.raises(NbykError, match="unknown study 'homan'; did you mean homan2025"):
        study_named("homan")


@pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))
def test_a_section_says_what_it_is(study: Study) -> None:
    section = study.section()
    if section is not None:
        assert section.__doc__
        assert all(field.description for field in section.model_fields.values())


@pytest.mark.parametrize("name", WITH_CELLS)
def test_cells_are_files_of_their_own_that_their_steps_can_make(name: str, config: Any) -> None:
    study = STUDIES[name]
    cells = study.cells(config)
    assert len({cell.file for cell in cells}) == len(cells) > 0
    assert {cell.step for cell in cells} <= set(study.steps)
    assert study.cells(config) == cells
    assert [study.cell(config, cell.file) for cell in cells[:3]] == cells[:3]
    for step in study.steps.values():
        assert study.cell(config, f"{step.folder}/no-such-cell.parquet") is None
    for cell in cells:
        assert cell.file.startswith(f"{study.steps[cell.step].folder}/")
        assert cell.file.endswith(".parquet")
        assert max(map(len, cell.file.split("/"))) < 200
        assert 0 < cell.memory < 4000
        assert 0 < cell.seconds < 600
        parameters = parameters_of(function_of(study, cell.step))
        given = {*cell.settings, *cell.inputs, "work"} - {"metric_files"}
        needed = {each for each, found in parameters.items() if found.default is found.empty}
        assert needed <= given <= set(parameters)


@pytest.mark.parametrize("name", WITH_CELLS)
def test_settings_survive_the_command_line(name: str, config: Any) -> None:
    for cell in STUDIES[name].cells(config):
        words = [word for word in cell.words() if "=" in word]
        settings = settings_from(words[: len(cell.settings)])
        assert settings == json.loads(json.dumps(dict(cell.settings)))


@pytest.mark.parametrize("name", REPORTED)
def test_a_report_reads_every_cell(name: str, config: Any) -> None:
    study = STUDIES[name]
    reported = study.reported(config)
    assert reported is not None
    cells = {cell.path for cell in study.cells(config) if cell.step != "simulate"}
    read = files_of(reported)
    # A report reads its cells, or its rows of a dataset, which are gathered from them.
    assert cells <= read or f"results/pvalues/{name}.parquet" in read
    if study.datasets:
        assert cells <= files_of(study.gathered(config))
    parameters = parameters_of(function_of(_with_report(study), "report"))
    assert {*reported.settings, *reported.inputs} <= set(parameters)


def files_of(cell: Cell) -> set[str]:
    several = [[files] if isinstance(files, str) else files for files in cell.inputs.values()]
    return {file for files in several for file in files}


def test_no_two_steps_share_a_folder() -> None:
    folders = [step.folder for study in STUDIES.values() for step in study.steps.values()]
    assert not any(a != b and f"{a}/".startswith(f"{b}/") for a in folders for b in folders)
    assert len(folders) == len(set(folders))


def _with_report(study: Study) -> Study:
    class WithReport(Study):
        name = study.name
        steps = {"report": Step(study.report, "")}  # noqa: RUF012

    return WithReport()


@pytest.mark.parametrize("name", REPORTED)
def test_the_code_behind_everything_is_found(name: str) -> None:
    study = STUDIES[name]
    found = {
        function: code.checksum(function)
        for function in (*(step.function for step in study.steps.values()), study.report)
    }
    assert len(set(found.values())) == len(found)


def test_what_a_step_is_told_is_checked(tmp_path: Any) -> None:
    study = STUDIES["homan2025"]
    out = tmp_path / "x.parquet"
    with pytest.raises(NbykError, match="unknown step of homan2025 'gird'; did you mean grid"):
        run_step(study, "gird", {}, {}, out, 1)
    with pytest.raises(NbykError, match="unknown setting 'n_draw'; did you mean n_draws"):
        run_step(study, "grid", {"n_draw": 3}, {}, out, 1)
    with pytest.raises(NbykError, match="nothing is given for sizes, epsilon_b"):
        run_step(study, "grid", {"seed": 3}, {"prior": out}, out, 1)
    for words, message in (
        (["x"], "x: expected a setting and its value"),
        (["n=1", "n=2"], "n is given twice; keep one"),
    ):
        with pytest.raises(NbykError, match=message):
            settings_from(words)
    assert not out.exists()


def test_a_dataclass_takes_the_settings_that_are_its_fields() -> None:
    parameters = parameters_of(function_of(STUDIES["homan2025"], "grid"))
    assert list(parameters) == ["prior", "sizes", "epsilon_b", "metrics", "n_draws", "seed", "work"]


def test_words_that_look_like_numbers_stay_words() -> None:
    settings = {"a": "1", "b": "x y", "c": [1.5, "ε"], "d": None, "e": "null", "f": True}
    assert settings_from(Cell("f", "s", settings).words()) == settings


@dataclass(frozen=True)
class Limits:
    low: int
    high: int = 3


def by_words(*, work: Work, **settings: int) -> dict[str, int]:
    return settings


def within(*, limits: Limits, work: Work) -> Limits:
    return limits


def within_unless(limits: Limits = Limits(9), *, work: Work) -> Limits:
    return limits


def test_a_step_may_take_settings_by_name_in_a_group_or_in_any_number() -> None:
    work = Work("a step")
    assert _call(by_words, "by_words", {"n": 5, "work": work}) == {"n": 5}
    assert _call(within, "within", {"low": 1, "work": work}) == Limits(1, 3)
    assert _call(within_unless, "within_unless", {"work": work}) == Limits(9, 3)
    assert _call(within_unless, "within_unless", {"low": 2, "high": 4, "work": work}) == Limits(2, 4)
    with pytest.raises(NbykError, match="within: nothing is given for low; give each as low="):
        _call(within, "within", {"work": work})


@pytest.mark.parametrize(
    "kernel", [metric.counts.kernel for metric in (*own.ROWS, *METRICS) if metric.counts is not None]
)
def test_a_checksum_sees_the_kernels_of_counts(kernel: str) -> None:
    """They are named as the code behind a step is found: "package.module:function"."""
    assert code._MODULE.fullmatch(kernel)
    module, _, function = kernel.partition(":")
    assert callable(getattr(importlib.import_module(module), function))
