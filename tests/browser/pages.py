"""The HTML reports of nbyk, as long and wide as in earnest, from numbers that cost nothing to make."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from nbyk.files import read_json
from nbyk.report.answer import write_answer
from nbyk_papers.boostsa2022.report import labels_report
from nbyk_papers.calibration.report import report as calibration_report
from nbyk_papers.datasets.report import report as datasets_report
from nbyk_papers.homan2025.report import report as homan_report
from nbyk_papers.pandita2026.report import report as pandita_report
from nbyk_papers.papers import write_report as papers_report
from nbyk_papers.shown import Fits
from nbyk_papers.ulmer2022.design import THRESHOLDS
from nbyk_papers.ulmer2022.report import report as ulmer_report
from nbyk_papers.wein2023.report import cells_report
from tests.papers.test_boostsa2022_report import label_levels, label_p_values
from tests.papers.test_calibration_report import rate_files
from tests.papers.test_datasets_report import data_set_files, p_value_file
from tests.papers.test_homan2025_report import grid_files, grid_of_the_paper, power_rows, write
from tests.papers.test_pandita2026 import grid_file, table_file
from tests.papers.test_ulmer2022_report import score_files
from tests.papers.test_wein2023_report import cells_of_the_paper
from tests.report.test_answer import ANSWER
from tests.workflow.forked import run
from tests.workflow.runs import PATIENCE

Pages = dict[Path, str]
"""Pages, each with a sentence that it shows."""


def answered(folder: Path, stem: str, *words: str) -> Pages:
    """Have a command give its answer."""
    code, printed = run("nbyk", [*words, "--out", "out"], folder, os.environ, PATIENCE)
    assert code == 0, printed
    return {folder / f"out/{stem}.html": read_json(folder / f"out/{stem}.json")["sentences"][0]}


def answer(folder: Path) -> Pages:
    write_answer(ANSWER, folder, stem="answer")
    return {folder / "answer.html": ANSWER.sentences[0]}


def compare(folder: Path) -> Pages:
    """Compare two systems of the shipped example, and all three, as its users do."""
    pages: Pages = {}
    for number, (systems, more) in enumerate((("ab", ["--full"]), ("abc", []))):
        (place := folder / str(number)).mkdir()
        code, printed = run("nbyk", ["example"], place, os.environ, PATIENCE)
        assert code == 0, printed
        files = [f"example/sim_{system}.csv" for system in systems]
        pages |= answered(place, "compare", "compare", "--gold", "example/gold.csv", *more, *files)
    return pages


def scores(folder: Path) -> Pages:
    runs: Mapping[str, list[float]] = {"new": [0.74, 0.76, 0.75, 0.78], "old": [0.7, 0.71, 0.74, 0.69]}
    for name, of in runs.items():
        (folder / f"{name}.txt").write_text("\n".join(map(str, of)))
    return answered(folder, "compare", "compare", "new.txt", "old.txt")


def plan(folder: Path) -> Pages:
    size = "plan toxicity --epsilon 0.3 --power 0.8 --max-responses 6 --precision 0.05 --resamples 199"
    return answered(folder, "plan", *size.split())


def classes(folder: Path) -> Pages:
    """Compare two classifiers in three runs each."""
    place = Path(__file__).parents[2] / "docs/examples/classes"
    runs = [f"{name}={place / 'runs' / name}" for name in ("bert", "baseline")]
    return answered(folder, "compare", "compare", "--gold", str(place / "gold.txt"), *runs)


def papers(folder: Path) -> Pages:
    """Write the report of every paper's study, with the paper's numbers for ours, and the page of all."""
    power = [write(power_rows(), folder / "source=toxicity/power.parquet")]
    answers = {
        "wein2023": cells_report(cells_of_the_paper(), {}, 1),
        "homan2025": homan_report(
            grid=grid_files(grid_of_the_paper(), folder), power=power, fits=Fits([]), seed=1
        ),
        "ulmer2022": ulmer_report(scores=score_files(folder), thresholds=THRESHOLDS),
        "boostsa2022": labels_report(label_p_values(folder), label_levels(folder)),
        "pandita2026": pandita_report(
            grid=[grid_file(folder, "jobs_q3")], table=[table_file(folder, "jobs_q3")]
        ),
    }
    pages: Pages = {}
    for name, found in answers.items():
        write_answer(found, folder / name, stem="summary", page="report")
        pages[folder / name / "report.html"] = found.sentences[0]
    papers_report(folder, folder / "report.html")
    return {**pages, folder / "report.html": next(iter(pages.values()))}


def calibration(folder: Path) -> Pages:
    found = calibration_report(rates=rate_files(folder))
    write_answer(found, folder, stem="summary", page="report")
    return {folder / "report.html": found.sentences[0]}


def datasets(folder: Path) -> Pages:
    names = ("armis", "mine")
    ratings, priors, checks = zip(*(data_set_files(folder, name)[1:] for name in names), strict=True)
    metrics = ("mae", "wins_mae", "mean_of_emds")
    found = datasets_report(
        sources=names,
        seed=1,
        pvalues=[p_value_file(folder, name, 40, metrics=metrics) for name in names],
        ratings=ratings,
        priors=priors,
        checks=checks,
    )
    write_answer(found, folder, stem="summary", page="report")
    return {folder / "report.html": "2 data sets, 240 ratings"}


PAGES = {
    make.__name__: make for make in (answer, compare, scores, plan, classes, papers, calibration, datasets)
}
