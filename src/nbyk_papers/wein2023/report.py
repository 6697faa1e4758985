"""The report of Wein et al. 2023."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nbyk.report.answer import Answer, AnswerTable
from nbyk_papers.fits import Fits
from nbyk_papers.shown import Page, study_answer
from nbyk_papers.verdicts import verdict_rows
from nbyk_papers.wein2023.claims import verdicts_of
from nbyk_papers.wein2023.comparison import Cells, read_cells
from nbyk_papers.wein2023.figures import figures_of, minima_figures
from nbyk_papers.wein2023.moment_fit import fits_table
from nbyk_papers.wein2023.names import section_folder
from nbyk_papers.wein2023.real_gold import small_perturbations
from nbyk_papers.wein2023.summary import summarise
from nbyk_papers.wein2023.tables import all_tables, ranks_by_cell

PAGE = Page(
    "Follow the leader(board) with confidence, reproduced",
    Path(__file__).with_name("wein2023.html"),
    first="agreement",
    titles={
        "agreement": "Published true p-values against ours",
        "figure_01": "Figure 1: least error of the estimated p-value, simulated data",
        "figure_02": "Figure 2: least error of the estimated p-value, toxicity data",
        "figure_03": "Figure 3: item means of the toxicity data",
        "figure_04": "Figure 4: item standard deviations of the toxicity data",
    },
    marked=("z true",),
)

FITS_CAPTION = (
    "Priors fitted in the paper's way (Appendix B), with the mean error of its histograms' bars as a share "
    "of the values, and in nbyk's, and how far the ratings of each are from the data's"
)
RANKS_CAPTION = "Every published estimated p-value beside ours, and its place among our test sets"


def report(
    *,
    pvalues: Sequence[Path],
    shown: Sequence[Sequence[float]],
    metrics: Sequence[str],
    samplers: Sequence[str],
    fits: Fits,
    seed: int,
) -> Answer:
    """Return tables, figures and the summary.

    `shown` are N, K and ε_A of each section, the paper's numbers in the first. The seed is that of draws from
    priors: in figures, and to show small perturbations on real gold.
    """
    first, *later = [
        read_cells(
            pvalues,
            n_items=int(n),
            k_responses=int(k),
            epsilon_a=epsilon_a,
            columns=metrics,
            samplers=samplers,
        )
        for n, k, epsilon_a in shown
    ]
    folders = [section_folder(*section) for section in shown[1:]]
    return cells_report(first, fits.files(), seed, dict(zip(folders, later, strict=True)))


def cells_report(
    cells: Cells, fits: Mapping[str, tuple[Path, Path]], seed: int, later: Mapping[str, Cells] | None = None
) -> Answer:
    """Return the report of the first section's cells, of further sections' by their folder, and of fits."""
    verdicts = verdict_rows(verdicts_of(cells))
    on_real_gold = [small_perturbations(source, *files, seed) for source, files in fits.items()]
    tables, figures = list(all_tables(cells)), figures_of(cells, fits, seed)
    if fits:
        tables.append(("fits", FITS_CAPTION, fits_table(fits, seed)))
    sections = []
    for folder, of_section in (later or {}).items():
        size = folder.replace("_", ", ").replace("-", " = ")
        summary = summarise(of_section)
        sentences = [f"({name}) {summary[name]['acceptable']['sentence']}" for name in of_section.semantics]
        sections.append({"title": size, "text": " ".join(sentences)})
        tables += [
            (f"{folder}/{name}", f"{caption}, {size}", table)
            for name, caption, table in all_tables(of_section)
        ]
        figures |= {f"{folder}/{name}": draw for name, draw in minima_figures(of_section).items()}
    return study_answer(
        PAGE,
        {**summarise(cells), "verdicts": verdicts, "real_gold": on_real_gold, "sections": sections},
        tables,
        figures,
        files_alone=[AnswerTable("ranks_by_cell", RANKS_CAPTION, ranks_by_cell(cells), on_page=False)],
        priors=[prior for _, prior in fits.values()],
    )
