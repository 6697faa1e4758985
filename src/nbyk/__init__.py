"""Whether system A is really better than B, and how many items N and ratings per item K you need to tell.

The names below are the public API; each is imported when it is first used, so that `import nbyk` is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "NbykError": "nbyk.errors",
    "Ratings": "nbyk.data",
    "align": "nbyk.data",
    "read_ratings": "nbyk.data",
    "read_systems": "nbyk.data",
    "read_judged": "nbyk.data.judged",
    "ResponseSet": "nbyk.data.response_set",
    "response_set": "nbyk.data.response_set",
    "read_votes": "nbyk.data.votes",
    "Response": "nbyk.priors",
    "TwoStagePrior": "nbyk.priors",
    "fit_prior": "nbyk.priors",
    "published_prior": "nbyk.priors",
    "metrics": "nbyk",
    "simulate": "nbyk.resampling.simulate",
    "simulated_effects": "nbyk.resampling.simulate",
    "resample": "nbyk.resampling.resample",
    "resampled_effects": "nbyk.resampling.resample",
    "observed_effects": "nbyk.resampling.resample",
    "PilotItems": "nbyk.resampling.pilot_items",
    "Population": "nbyk.resampling.population",
    "Spread": "nbyk.testing.shared_units.collection",
    "expected_p": "nbyk.testing.pvalues",
    "p_value": "nbyk.testing.pvalues",
    "compare": "nbyk.testing.systems.compare",
    "compare_judged": "nbyk.testing.judged.board",
    "agreement": "nbyk.testing.judged.agreement",
    "stand_in": "nbyk.testing.judged.stand_in",
    "Board": "nbyk.testing.results",
    "Pair": "nbyk.testing.results",
    "sensitivity": "nbyk.testing.systems.sensitivity",
    "Suite": "nbyk.testing.systems.suite",
    "settle": "nbyk.planning.settle",
    "variance_shares": "nbyk.testing.systems.variance",
    "plan": "nbyk.planning.plan",
    "power_of_test": "nbyk.planning.power.estimate",
    "aso": "nbyk.testing.scores.aso",
    "violation_ratio": "nbyk.testing.scores.aso",
    "aso_uncertainty_reduction": "nbyk.testing.scores.aso",
    "aso_sizes": "nbyk.testing.scores.aso",
    "bootstrap_test": "nbyk.testing.scores.bootstrap",
    "approximate_randomisation": "nbyk.testing.scores.randomisation",
    "permutation_test": "nbyk.testing.scores.randomisation",
    "welch_t_test": "nbyk.testing.scores.classical",
    "wilcoxon_test": "nbyk.testing.scores.classical",
    "mann_whitney_test": "nbyk.testing.scores.classical",
    "mcnemar": "nbyk.testing.right_or_wrong",
    "paired_bootstrap": "nbyk.testing.scores.paired_bootstrap",
    "bootstrap_power_analysis": "nbyk.testing.scores.power_analysis",
    "cochran_mantel_haenszel": "nbyk.testing.right_or_wrong",
    "correct_p_values": "nbyk.testing.corrections",
}

__all__ = [
    "Board",
    "NbykError",
    "Pair",
    "PilotItems",
    "Population",
    "Ratings",
    "Response",
    "ResponseSet",
    "Spread",
    "Suite",
    "TwoStagePrior",
    "__version__",
    "agreement",
    "align",
    "approximate_randomisation",
    "aso",
    "aso_sizes",
    "aso_uncertainty_reduction",
    "bootstrap_power_analysis",
    "bootstrap_test",
    "cochran_mantel_haenszel",
    "compare",
    "compare_judged",
    "correct_p_values",
    "expected_p",
    "fit_prior",
    "mann_whitney_test",
    "mcnemar",
    "metrics",
    "observed_effects",
    "p_value",
    "paired_bootstrap",
    "permutation_test",
    "plan",
    "power_of_test",
    "published_prior",
    "read_judged",
    "read_ratings",
    "read_systems",
    "read_votes",
    "resample",
    "resampled_effects",
    "response_set",
    "sensitivity",
    "settle",
    "simulate",
    "simulated_effects",
    "stand_in",
    "variance_shares",
    "violation_ratio",
    "welch_t_test",
    "wilcoxon_test",
]

if TYPE_CHECKING:
    from nbyk import metrics
    from nbyk.data import Ratings, align, read_ratings, read_systems
    from nbyk.data.judged import read_judged
    from nbyk.data.response_set import ResponseSet, response_set
    from nbyk.data.votes import read_votes
    from nbyk.errors import NbykError
    from nbyk.planning.plan import plan
    from nbyk.planning.power.estimate import power_of_test
    from nbyk.planning.settle import settle
    from nbyk.priors import Response, TwoStagePrior, fit_prior, published_prior
    from nbyk.resampling.pilot_items import PilotItems
    from nbyk.resampling.population import Population
    from nbyk.resampling.resample import observed_effects, resample, resampled_effects
    from nbyk.resampling.simulate import simulate, simulated_effects
    from nbyk.testing.corrections import correct_p_values
    from nbyk.testing.judged.agreement import agreement
    from nbyk.testing.judged.board import compare_judged
    from nbyk.testing.judged.stand_in import stand_in
    from nbyk.testing.pvalues import expected_p, p_value
    from nbyk.testing.results import Board, Pair
    from nbyk.testing.right_or_wrong import cochran_mantel_haenszel, mcnemar
    from nbyk.testing.scores.aso import aso, aso_sizes, aso_uncertainty_reduction, violation_ratio
    from nbyk.testing.scores.bootstrap import bootstrap_test
    from nbyk.testing.scores.classical import mann_whitney_test, welch_t_test, wilcoxon_test
    from nbyk.testing.scores.paired_bootstrap import paired_bootstrap
    from nbyk.testing.scores.power_analysis import bootstrap_power_analysis
    from nbyk.testing.scores.randomisation import approximate_randomisation, permutation_test
    from nbyk.testing.shared_units.collection import Spread
    from nbyk.testing.systems.compare import compare
    from nbyk.testing.systems.sensitivity import sensitivity
    from nbyk.testing.systems.suite import Suite
    from nbyk.testing.systems.variance import variance_shares


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'nbyk' has no attribute {name!r}")
    if _HOME[name] == "nbyk":
        return importlib.import_module(f"nbyk.{name}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
