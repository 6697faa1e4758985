"""Whether system A is really better than B, and how many items N and ratings per item K you need to tell.

The names below are the public API; each is imported when it is first used, so that `import nbyk` is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_MODULES = {
    "nbyk": ("metrics",),
    "nbyk.data": ("Ratings", "read_ratings", "read_systems"),
    "nbyk.data.judged": ("read_judged",),
    "nbyk.data.response_set": ("ResponseSet",),
    "nbyk.data.responses": ("response_set",),
    "nbyk.data.votes": ("read_votes",),
    "nbyk.errors": ("NbykError",),
    "nbyk.planning.plan": ("plan",),
    "nbyk.planning.power.estimate": ("power_of_test",),
    "nbyk.planning.settle": ("settle",),
    "nbyk.priors": ("Response", "TwoStagePrior", "fit_prior", "published_prior"),
    "nbyk.resampling.pilot_items": ("PilotItems",),
    "nbyk.resampling.population": ("Population",),
    "nbyk.resampling.resample": ("observed_effects", "resample", "resampled_effects"),
    "nbyk.resampling.simulate": ("simulate", "simulated_effects"),
    "nbyk.testing.corrections": ("correct_p_values",),
    "nbyk.testing.judged.agreement": ("agreement",),
    "nbyk.testing.judged.board": ("compare_judged",),
    "nbyk.testing.judged.stand_in": ("stand_in",),
    "nbyk.testing.pvalues": ("expected_p", "p_value"),
    "nbyk.testing.results": ("Board", "Pair"),
    "nbyk.testing.right_or_wrong": ("cochran_mantel_haenszel", "mcnemar"),
    "nbyk.testing.scores.aso": ("aso", "aso_sizes", "aso_uncertainty_reduction", "violation_ratio"),
    "nbyk.testing.scores.battery": ("score_test",),
    "nbyk.testing.scores.paired_bootstrap": ("paired_bootstrap",),
    "nbyk.testing.scores.power_analysis": ("bootstrap_power_analysis",),
    "nbyk.testing.shared_units.collection": ("Spread",),
    "nbyk.testing.systems.compare": ("compare",),
    "nbyk.testing.systems.sensitivity": ("sensitivity",),
    "nbyk.testing.systems.suite": ("Suite",),
    "nbyk.testing.systems.variance": ("variance_shares",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["__version__", *_HOME]

if TYPE_CHECKING:  # type checkers take a name that is imported as itself for a public one
    from nbyk import metrics as metrics
    from nbyk.data import Ratings as Ratings
    from nbyk.data import read_ratings as read_ratings
    from nbyk.data import read_systems as read_systems
    from nbyk.data.judged import read_judged as read_judged
    from nbyk.data.response_set import ResponseSet as ResponseSet
    from nbyk.data.responses import response_set as response_set
    from nbyk.data.votes import read_votes as read_votes
    from nbyk.errors import NbykError as NbykError
    from nbyk.planning.plan import plan as plan
    from nbyk.planning.power.estimate import power_of_test as power_of_test
    from nbyk.planning.settle import settle as settle
    from nbyk.priors import Response as Response
    from nbyk.priors import TwoStagePrior as TwoStagePrior
    from nbyk.priors import fit_prior as fit_prior
    from nbyk.priors import published_prior as published_prior
    from nbyk.resampling.pilot_items import PilotItems as PilotItems
    from nbyk.resampling.population import Population as Population
    from nbyk.resampling.resample import observed_effects as observed_effects
    from nbyk.resampling.resample import resample as resample
    from nbyk.resampling.resample import resampled_effects as resampled_effects
    from nbyk.resampling.simulate import simulate as simulate
    from nbyk.resampling.simulate import simulated_effects as simulated_effects
    from nbyk.testing.corrections import correct_p_values as correct_p_values
    from nbyk.testing.judged.agreement import agreement as agreement
    from nbyk.testing.judged.board import compare_judged as compare_judged
    from nbyk.testing.judged.stand_in import stand_in as stand_in
    from nbyk.testing.pvalues import expected_p as expected_p
    from nbyk.testing.pvalues import p_value as p_value
    from nbyk.testing.results import Board as Board
    from nbyk.testing.results import Pair as Pair
    from nbyk.testing.right_or_wrong import cochran_mantel_haenszel as cochran_mantel_haenszel
    from nbyk.testing.right_or_wrong import mcnemar as mcnemar
    from nbyk.testing.scores.aso import aso as aso
    from nbyk.testing.scores.aso import aso_sizes as aso_sizes
    from nbyk.testing.scores.aso import aso_uncertainty_reduction as aso_uncertainty_reduction
    from nbyk.testing.scores.aso import violation_ratio as violation_ratio
    from nbyk.testing.scores.battery import score_test as score_test
    from nbyk.testing.scores.paired_bootstrap import paired_bootstrap as paired_bootstrap
    from nbyk.testing.scores.power_analysis import bootstrap_power_analysis as bootstrap_power_analysis
    from nbyk.testing.shared_units.collection import Spread as Spread
    from nbyk.testing.systems.compare import compare as compare
    from nbyk.testing.systems.sensitivity import sensitivity as sensitivity
    from nbyk.testing.systems.suite import Suite as Suite
    from nbyk.testing.systems.variance import variance_shares as variance_shares


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'nbyk' has no attribute {name!r}")
    if _HOME[name] == "nbyk":
        return importlib.import_module(f"nbyk.{name}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
