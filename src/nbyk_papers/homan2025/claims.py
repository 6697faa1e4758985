"""The conclusions of Homan et al. 2025, and a verdict on each from the p-values and powers of a run."""

from __future__ import annotations

from nbyk_papers.homan2025 import pair_claims, size_claims
from nbyk_papers.homan2025.size_claims import Numbers
from nbyk_papers.verdicts import PaperClaim, Verdict, verdicts_on

SEMANTICS = ("published", "recommended")


CLAIMS = (
    PaperClaim(
        "section 1",
        "these datasets, in their current size, lack enough responses for reproducibility of model "
        "performance",
        "at each data set's own N and K, the expected p of MAE is .05 or more",
        size_claims.own_sizes,
    ),
    PaperClaim(
        "section 7",
        "Even when using 1000 items, at least 25 raters are needed for models to achieve significance with "
        "MAE",
        "with 1000 items and 24 responses per item, the expected p of MAE is .05 or more",
        size_claims.raters,
    ),
    PaperClaim(
        "abstract",
        "for many common metrics, collecting even 5-10 responses per item [...] is not sufficient",
        "with 1000 items and 5 or 10 responses per item, expected p is .05 or more",
        size_claims.few_responses_of_1000_items,
    ),
    PaperClaim(
        "abstract",
        "for many common metrics, collecting even 5-10 responses per item [...] is not sufficient",
        "with 5 or 10 responses per item, expected p is .05 or more even at N·K = 100,000, the paper's "
        "largest budget",
        size_claims.few_responses_of_the_largest_budget,
    ),
    PaperClaim(
        "section 7",
        "current evaluation practices are not sufficient [...], as using 25,000-50,000 annotations in a "
        "test set is rarely seen",
        "at every N·K below 25,000, and every K up to 100, expected p is .05 or more",
        size_claims.many_annotations,
    ),
    PaperClaim(
        "section 7",
        "For two of our tested metrics, MAE and mean EMD, adding more responses than items is a more optimal "
        "division to achieve lower p-values",
        "at the same N·K, p is lower with K = 50 than with K = 5",
        pair_claims.responses_for_mae_and_memd,
    ),
    PaperClaim(
        "section 7",
        "For the Wins metric, the opposite is true: more items and fewer responses per item lead to lower "
        "p-values",
        "at the same N·K, p of Wins is lower with K = 5 than with K = 50",
        pair_claims.items_for_wins,
    ),
    PaperClaim(
        "appendix B",
        "In Table 2 (ε = 0.1), [...] minimum p-values are consistently obtained with a higher K = 100 for "
        "all datasets except MHS",
        "at the smallest N·K with p < .05, K = 100 has a smaller p than every smaller K (without MHS)",
        pair_claims.a_hundred_responses,
    ),
    PaperClaim(
        "section 5.3",
        "There is indeed a point where trading N for K is beneficial for statistical significance: in "
        "this case, the curves hit an inflection point before K = 500",
        "in Figure 3, at each N·K, some K between 1 and 500 has a smaller p of MAE than either end",
        pair_claims.turning_points,
    ),
    PaperClaim(
        "section 5.3",
        "the multistage bootstrap p-values are smaller",
        "in Figure 3, the multistage bootstrap has a smaller p of MAE than the flat one at each size",
        pair_claims.multistage_against_flat,
    ),
    PaperClaim(
        "section 5.3",
        "greater statistical power for Multistage Bootstrap [...], achieving a power of 90% [...] before "
        "baseline hypothesis tests",
        "in each panel of Figure 6, at the first size where the multistage bootstrap or a baseline test has "
        "a power of .9, the multistage bootstrap has the larger power",
        pair_claims.power,
    ),
    PaperClaim(
        "section 7",
        "in all cases for all metrics, increasing the total number of responses consistently lowers p-values",
        "at the same K, p falls from each N·K to the next",
        pair_claims.larger_budgets,
    ),
    PaperClaim(
        "section 7",
        "For real-world data, we actually found MAE to be more sensitive than Wins",
        "at the same N and K, p of MAE is lower than p of Wins",
        pair_claims.mae_against_wins,
    ),
)
"""The paper's conclusions about data sets, sizes, metrics and tests. Those about how many items,
raters or annotations suffice are judged at ε = .05 and .1, those about Figures 3 and 6 at the figures' own ε,
the others at .05, .1 and .2."""


def verdicts_of(numbers: Numbers) -> list[Verdict]:
    """Return a verdict on each conclusion that the run has numbers for."""
    return verdicts_on(CLAIMS, dict.fromkeys(SEMANTICS, numbers))
