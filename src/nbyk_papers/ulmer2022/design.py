"""Ulmer et al. 2022, deep-significance: the error rates of its tests of scores, and its published numbers.

Two systems have n scores each, from one distribution (Type-I errors) or with a lead of A's (Type-II errors).
How often does each test find A better, by sample size, lead and threshold (section 5 and Appendix B)?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nbyk.errors import check_name

if TYPE_CHECKING:
    import pandas as pd

STUDY = "ulmer2022"

DISTRIBUTIONS = {
    "normal": "Normal",
    "normal_mixture": "Normal mixture",
    "laplace": "Laplace",
    "rayleigh": "Rayleigh",
}
"""The paper's distributions of scores in the order of its figures, with the names printed there."""

FURTHER_DISTRIBUTIONS = {"exponential": "Exponential", "student_t_3": "Student's t, 3 df"}
"""Distributions beyond the paper's: one that is skewed, one whose tails are heavy."""

TESTS = {
    "aso": "ASO",
    "welch_t": "Student's t",
    "bootstrap": "Bootstrap",
    "approximate_randomisation": "Permutation",
    "wilcoxon": "Wilcoxon",
    "mann_whitney": "Mann-Whitney U",
}
"""The paper's six tests, with the names printed there: its Student's t is Welch's, its permutation test swaps
pairs."""

FURTHER_TESTS = ("permutation", "permutation_and_welch", "paired_bootstrap")
"""Tests of `nbyk.testing.scores.battery` that the paper does not have."""

ASO = "aso"
"""The test whose score is an upper bound of the violation ratio; the scores of other tests are p-values."""

PUBLISHED_TESTS = {
    "student_t": "welch_t",
    "permutation": "approximate_randomisation",
    "mann_whitney_u": "mann_whitney",
}
"""The names of tests in the file of published numbers, if nbyk's differ."""

SAMPLE_SIZES = (5, 10, 15, 20)
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
LEADS = {"normal": 0.5, "normal_mixture": 1.0}
"""A's lead where the sample size varies; only these distributions have Type-II errors in the paper."""

DIFFERENCES = (0.25, 0.5, 0.75, 1.0)
"""A's leads where they vary."""

DIFFERENCE_SAMPLE_SIZE = 5
"""The sample size where the lead varies."""

N_SIMULATIONS = 1000
ASO_SIMULATIONS = 500
N_RESAMPLES = 1000

ALPHA = 0.05
ASO_THRESHOLD = 0.2
"""Thresholds of Figures 3 and 7, for p-values and for ASO."""

TYPE_1, TYPE_2, DIFFERENCE = "type_1", "type_2", "type_2_by_difference"
"""The errors in a table.

Type I: a test finds A better although the systems are equal, by sample size. Type II: a test does not find A
better although it is, by sample size or by A's lead.
"""

TABLES = {
    ("normal", TYPE_1): 1,
    ("normal", TYPE_2): 2,
    ("normal", DIFFERENCE): 3,
    ("normal_mixture", TYPE_1): 4,
    ("normal_mixture", TYPE_2): 5,
    ("normal_mixture", DIFFERENCE): 6,
    ("laplace", TYPE_1): 7,
    ("rayleigh", TYPE_1): 8,
}
"""The number of the paper's table, by distribution and error."""


class Setting(NamedTuple):
    """The setting of simulated scores: the kind of error, their number n, and A's lead."""

    error: str
    sample_size: int
    lead: float

    @property
    def name(self) -> str:
        """The setting as part of a file's name."""
        return f"{self.error}_n-{self.sample_size}_lead-{self.lead}"


@dataclass(frozen=True)
class ScoreSemantics:
    """The computation under a reading of the paper, "published" (the printed numbers) or "recommended".

    The normal mixture is "as_run", that of the authors' program, or "as_printed". `equal_is_error`: a score
    equal to the threshold counts as a Type-II error too, although it rejects. `options` are keyword arguments
    of a test's p-values, by test, if they differ from nbyk's defaults.
    """

    name: str
    mixture: str
    equal_is_error: bool
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


_DRAWN, _COUNT = {"exact_up_to": 0}, {"smoothing": False}
SEMANTICS = {
    "published": ScoreSemantics(
        "published",
        mixture="as_run",
        equal_is_error=True,
        options={
            "approximate_randomisation": _DRAWN,
            "permutation": _DRAWN,
            "permutation_and_welch": _DRAWN,
            "bootstrap": _COUNT,
            "paired_bootstrap": _COUNT,
        },
    ),
    "recommended": ScoreSemantics("recommended", mixture="as_printed", equal_is_error=False),
}


def get_semantics(name: str) -> ScoreSemantics:
    """Return the semantics of a name, or raise NbykError with the names there are."""
    check_name("semantics", name, SEMANTICS)
    return SEMANTICS[name]


def label(distribution: str) -> str:
    """Return a distribution's name for people."""
    return {**DISTRIBUTIONS, **FURTHER_DISTRIBUTIONS}[distribution]


def label_of_test(test: str) -> str:
    """Return a test's name: as the paper prints it, or else its own."""
    return TESTS.get(test, test.replace("_", " "))


def settings(sample_sizes: Iterable[int], lead: float | None, differences: Iterable[float]) -> list[Setting]:
    """Return the settings at which a distribution is simulated; without a lead there are no Type-II errors.

    `differences` are A's leads at `DIFFERENCE_SAMPLE_SIZE` scores.
    """
    sizes = list(sample_sizes)
    grid = [Setting(TYPE_1, n, 0.0) for n in sizes]
    if lead is not None:
        grid += [Setting(TYPE_2, n, float(lead)) for n in sizes]
        grid += [Setting(DIFFERENCE, DIFFERENCE_SAMPLE_SIZE, float(each)) for each in differences]
    return grid


def papers_settings(distribution: str) -> list[Setting]:
    """Return the paper's settings of a distribution; for others, those of Type-I errors."""
    return settings(SAMPLE_SIZES, LEADS.get(distribution), DIFFERENCES)


def in_papers_order(experiments: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the (distribution, error) pairs that have a table, the paper's first and in its order."""
    return sorted(set(experiments), key=lambda each: (TABLES.get(each, len(TABLES) + 1), each))


def table_name(distribution: str, error: str) -> str:
    """Return the file name of a table, with the paper's number if it has one."""
    number = TABLES.get((distribution, error))
    return f"{distribution}_{error}" if number is None else f"table_{number:02d}"


@cache
def published_rates() -> pd.DataFrame:
    """Return the numbers of Tables 1 to 8, 1,152 rates.

    Columns: table, distribution, error, sample_size, lead, threshold, test (nbyk's name), published_rate,
    published_errors and published_simulations.
    """
    import pandas as pd

    table = pd.read_csv(Path(__file__).with_name("ulmer2022_tables_1_to_8.csv"))
    by_size = table["varies"] == "sample_size"
    error_by_table = {f"Table {number}": error for (_, error), number in TABLES.items()}
    error = table["table"].map(error_by_table)
    lead = table["distribution"].map(LEADS).where(error == TYPE_2, 0.0)
    test = table["test"].replace(PUBLISHED_TESTS)
    simulations = test.map(lambda name: ASO_SIMULATIONS if name == ASO else N_SIMULATIONS)
    return pd.DataFrame(
        {
            "table": table["table"],
            "distribution": table["distribution"],
            "error": error,
            "sample_size": table["value"].where(by_size, DIFFERENCE_SAMPLE_SIZE).astype(int),
            "lead": lead.where(by_size, table["value"]),
            "threshold": table["threshold"],
            "test": test,
            "published_rate": table["rate"],
            "published_errors": (table["rate"] * simulations).round().astype(int),
            "published_simulations": simulations,
        }
    )
