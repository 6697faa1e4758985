"""The HTML reports of nbyk, as long and wide as in earnest, from numbers that cost little to make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from nbyk.data.example import example_files
from nbyk.files import read_json
from nbyk.report.answer import write_answer
from nbyk.report.boostsa2022.figures import write_figures as boostsa_figures
from nbyk.report.boostsa2022.page import PAGE as BOOSTSA_PAGE
from nbyk.report.boostsa2022.reading import read_levels, read_p_values
from nbyk.report.boostsa2022.tables import write_tables as boostsa_tables
from nbyk.report.calibration.figures import write_figures as calibration_figures
from nbyk.report.calibration.page import PAGE as CALIBRATION_PAGE
from nbyk.report.calibration.reading import read_rates
from nbyk.report.calibration.tables import write_tables as calibration_tables
from nbyk.report.datasets.page import write_report as datasets_report
from nbyk.report.datasets.summary import read_data_set
from nbyk.report.homan2025.comparison import read_grid
from nbyk.report.homan2025.figures import write_figures as homan_figures
from nbyk.report.homan2025.page import PAGE as HOMAN_PAGE
from nbyk.report.homan2025.tables import read_power
from nbyk.report.homan2025.tables import write_tables as homan_tables
from nbyk.report.papers import write_report as papers_report
from nbyk.report.ulmer2022.figures import write_figures as ulmer_figures
from nbyk.report.ulmer2022.page import PAGE as ULMER_PAGE
from nbyk.report.ulmer2022.reading import error_rates, read_scores
from nbyk.report.ulmer2022.tables import write_tables as ulmer_tables
from nbyk.report.wein2023.figures import write_figures as wein_figures
from nbyk.report.wein2023.page import PAGE as WEIN_PAGE
from nbyk.report.wein2023.tables import write_tables as wein_tables
from nbyk.studies.ulmer2022 import THRESHOLDS
from tests.cli.test_labels import GOOD
from tests.report.test_answer import ANSWER
from tests.report.test_boostsa2022_report import level_files, p_value_files
from tests.report.test_calibration_report import rate_files
from tests.report.test_datasets_report import data_set_files, p_value_file
from tests.report.test_homan2025_report import grid_files, grid_of_the_paper, power_rows, write
from tests.report.test_ulmer2022_report import score_files
from tests.report.test_wein2023_report import cells_of_the_paper


def wein2023(folder: Path) -> tuple[Path, str]:
    """Write the report on Wein et al. 2023, the paper's numbers for ours; return it and a sentence of it."""
    cells = cells_of_the_paper()
    wein_figures(cells, folder / "figures", fits={}, seed=1)
    line = wein_tables(cells, folder)
    WEIN_PAGE.write(folder, page := folder / "report.html")
    return page, line


def homan2025(folder: Path) -> tuple[Path, str]:
    files = grid_files(grid_of_the_paper(), folder)
    power = [write(power_rows(), folder / "source=toxicity/power.parquet")]
    homan_figures(read_grid(files), read_power(power), {}, folder / "figures", seed=1)
    line = homan_tables(files, power, {}, folder)
    HOMAN_PAGE.write(folder, page := folder / "report.html")
    return page, line


def ulmer2022(folder: Path) -> tuple[Path, str]:
    scores = read_scores(score_files(folder / "scores"))
    ulmer_figures(scores, folder / "figures", THRESHOLDS)
    line = ulmer_tables(error_rates(scores, THRESHOLDS), folder)
    ULMER_PAGE.write(folder, page := folder / "report.html")
    return page, line


def boostsa2022(folder: Path) -> tuple[Path, str]:
    p_values, levels = read_p_values(p_value_files(folder)), read_levels(level_files(folder))
    boostsa_figures(p_values, levels, folder / "figures")
    line = boostsa_tables(p_values, levels, folder)
    BOOSTSA_PAGE.write(folder, page := folder / "report.html")
    return page, line


def papers(folder: Path) -> tuple[Path, str]:
    """Write the page of all papers, of which one was run."""
    _, line = boostsa2022(folder / "boostsa2022")
    papers_report(folder, page := folder / "report.html")
    return page, line


def calibration(folder: Path) -> tuple[Path, str]:
    rates = read_rates(rate_files(folder))
    calibration_figures(rates, folder / "figures")
    line = calibration_tables(rates, folder)
    CALIBRATION_PAGE.write(folder, page := folder / "report.html")
    return page, line


def datasets(folder: Path) -> tuple[Path, str]:
    names = ("armis", "mine")
    data = [read_data_set(*data_set_files(folder, name)) for name in names]
    metrics = ("mae", "wins_mae", "mean_of_emds")
    datasets_report([p_value_file(folder, name, 40, metrics=metrics) for name in names], data, folder, seed=1)
    return folder / "report.html", "2 data sets, 240 ratings"


def answer(folder: Path) -> tuple[Path, str]:
    write_answer(ANSWER, folder, stem="answer")
    return folder / "answer.html", ANSWER.sentences[0]


def two_systems(folder: Path) -> tuple[Path, str]:
    """Compare two systems of the shipped example, as a user does."""
    return _compared(folder, "sim_a.csv", "sim_b.csv")


def three_systems(folder: Path) -> tuple[Path, str]:
    return _compared(folder, "sim_a.csv", "sim_b.csv", "sim_c.csv", "--metric", "mae", "--metric", "spearman")


def _compared(folder: Path, *words: str) -> tuple[Path, str]:
    for name, content in example_files().items():
        (folder / name).write_bytes(content)
    return _answered(folder, "compare", "--gold", "gold.csv", *words)


def tested(folder: Path) -> tuple[Path, str]:
    """Test scores of three systems."""
    for name, text in {"a": "0.71 0.74 0.69 0.73", "b": "0.61 0.6 0.66 0.62", "c": "0.6 0.5 0.9 0.7"}.items():
        (folder / f"{name}.txt").write_text(text.replace(" ", "\n"), encoding="utf-8")
    return _answered(folder, "test", "a.txt", "b.txt", "c.txt")


def labels(folder: Path) -> tuple[Path, str]:
    """Answer a design of label predictions."""
    for name, text in GOOD.items():
        (folder / name).write_text(text, encoding="utf-8")
    return _answered(folder, "labels", "design.yaml")


def _answered(folder: Path, command: str, *words: str) -> tuple[Path, str]:
    """Run a command in a folder of its input; return the page that it writes and its first sentence."""
    program = [sys.executable, "-c", "from nbyk.cli import main; main()", command, *words, "--out", "answer"]
    subprocess.run(program, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (page,) = (folder / "answer").glob("*.html")
    return page, str(read_json(page.with_suffix(".json"))["sentences"][0])


STUDIES = (wein2023, homan2025, ulmer2022, boostsa2022, papers, calibration, datasets)
COMMANDS = (two_systems, three_systems, tested, labels)
PAGES = {make.__name__: make for make in (answer, *STUDIES, *COMMANDS)}
