"""The HTML reports of nbyk, as long and wide as in earnest, from numbers that cost nothing to make."""

from __future__ import annotations

from pathlib import Path

from nbyk.report.answer import write_answer
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
from nbyk.report.wein2023.figures import write_figures as wein_figures
from nbyk.report.wein2023.page import PAGE as WEIN_PAGE
from nbyk.report.wein2023.tables import write_tables as wein_tables
from tests.report.test_answer import ANSWER
from tests.report.test_calibration_report import rate_files
from tests.report.test_datasets_report import data_set_files, p_value_file
from tests.report.test_homan2025_report import grid_files, grid_of_the_paper, power_rows, write
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


PAGES = {make.__name__: make for make in (answer, wein2023, homan2025, calibration, datasets)}
