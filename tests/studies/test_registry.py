"""Studies of other packages, of none, and one that is broken."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pandas as pd
import pytest

from nbyk.config import Config, config_model, reference_page, validate
from nbyk.errors import NbykError
from nbyk.files import read_json
from nbyk.studies import study as registry
from tests.cli.conftest import Run, nbyk, run_words

__all__ = ["nbyk", "run_words"]

TOY = '''
"""A study of coins."""

from nbyk.config.sections import Section
from nbyk.errors import NbykError
from nbyk.studies import Step, Study
from nbyk.studies.study import Cell


class Toy(Section):
    """The study of coins; `snakemake toy` runs it."""

    n_coins: list[int] = [2, 3]
    """Coins to toss."""


class ToyStudy(Study):
    """Coins."""

    name = "toy"
    steps = {"toss": Step("toy_study:toss", "toy")}
    report = "toy_study:report"

    def section(self):
        return Toy

    def check(self, config):
        if 13 in config.toy.n_coins:
            raise NbykError("found 13; expected luck", key="toy.n_coins")

    def cells(self, config):
        return [
            Cell(f"toy/coins-{n}.parquet", "toss", {"n_coins": n, "seed": config.seed})
            for n in config.toy.n_coins
        ]

    def reported(self, config):
        files = [f"results/{cell.file}" for cell in self.cells(config)]
        return Cell("toy", "report", {}, {"tosses": files})


STUDY = ToyStudy()


def toss(*, n_coins: int, seed: int, work):
    import numpy as np
    import pyarrow as pa

    heads = np.random.default_rng([seed, n_coins]).integers(0, 2, n_coins)
    return pa.table({"n_coins": [n_coins], "heads": [int(heads.sum())]}), {"M": n_coins}


def report(*, tosses):
    from nbyk.files import read_parquet
    from nbyk.report.answer import Answer, AnswerTable
    import pandas as pd

    rows = pd.concat([read_parquet(file)[0].to_pandas() for file in tosses], ignore_index=True)
    line = f"{rows['heads'].sum()} of {rows['n_coins'].sum()} coins show heads"
    table = AnswerTable("coins", "Every toss", rows)
    return Answer("Coins", (line,), lambda: (table,), (), (), {"line": line})
'''


def install(monkeypatch: pytest.MonkeyPatch, *entries: str) -> None:
    found = [
        EntryPoint(name, value, registry.GROUP) for name, _, value in (e.partition("=") for e in entries)
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: found)
    forget()


def forget() -> None:
    registry.studies.cache_clear()
    config_model.cache_clear()


@pytest.fixture(autouse=True)
def _studies_are_found_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    (tmp_path / "toy_study.py").write_text(TOY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    monkeypatch.undo()
    forget()
    sys.modules.pop("toy_study", None)


def test_a_study_of_another_package_has_keys_cells_a_report_and_commands(
    monkeypatch: pytest.MonkeyPatch, nbyk: Run
) -> None:
    install(monkeypatch, "toy=toy_study:STUDY")
    config = validate({"toy": {"n_coins": [4, 5]}, "seed": 3})
    (study,) = registry.studies()
    assert [cell.file for cell in study.cells(config)] == ["toy/coins-4.parquet", "toy/coins-5.parquet"]
    assert "| `n_coins` | `[2, 3]` | Coins to toss. |" in reference_page()
    with pytest.raises(NbykError, match=r"toy\.n_coins: found 13; expected luck"):
        validate({"toy": {"n_coins": [13]}})
    with pytest.raises(NbykError, match="unknown key 'n_coin'; did you mean n_coins"):
        validate({"toy": {"n_coin": [1]}})
    assert "toss: n_coins, seed" in nbyk("study list")[1]
    for cell in study.cells(config):
        line = f"study cell --out results/{cell.file} -- toy {cell.step} {' '.join(cell.words())}"
        assert nbyk(line) == (0, "", "")
    tosses = pd.read_parquet("results/toy")
    assert tosses["n_coins"].tolist() == [4, 5]
    reported = study.reported(config)
    assert reported is not None
    assert nbyk(f"study plot {' '.join(reported.options())} --out results/toy -- toy") == (0, "", "")
    code, line, _ = nbyk(f"study report {' '.join(reported.options())} --out results/toy -- toy")
    assert (code, line) == (0, f"{tosses['heads'].sum()} of 9 coins show heads\n")
    assert read_json("results/toy/summary.json")["line"] == line.strip()
    assert line.strip() in Path("results/toy/report.html").read_text(encoding="utf-8")


def test_the_library_works_without_any_study(monkeypatch: pytest.MonkeyPatch, nbyk: Run) -> None:
    install(monkeypatch)
    assert set(config_model().model_fields) == set(Config.model_fields)
    assert validate({"seed": 3}).seed == 3
    with pytest.raises(NbykError, match="unknown key 'homan2025'"):
        validate({"homan2025": {}})
    assert nbyk("study list") == (0, "", "")
    code, text, _ = nbyk("study --help")
    assert code == 0
    assert "normalise" in text
    assert "estimate" not in text
    assert nbyk("study prior simulated --semantics recommended --out prior.json")[0] == 0


def test_a_study_that_cannot_be_loaded_is_one_line(monkeypatch: pytest.MonkeyPatch, nbyk: Run) -> None:
    install(monkeypatch, "gone=no_such_package:STUDY")
    for line in ("study list", "config schema"):
        code, text, errors = nbyk(line)
        assert (code, text) == (2, "")
        assert errors.startswith("error: gone: a study that cannot be loaded from no_such_package:STUDY (")
        assert errors.count("\n") == 1
    code, text, _ = nbyk("doctor")
    assert code == 3
    assert "gone: a study that cannot be loaded" in text
