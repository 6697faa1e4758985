"""Two-stage priors: families of distributions, published priors, and fits to data.

Each name is imported when it is first used, so that names of priors are checked before anything slow is.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    "ClassPrior": "nominal",
    "FittedPrior": "predictive",
    "OrdinalPrior": "ordinal",
    "Response": "responses",
    "TwoStagePrior": "two_stage",
    "fit_by_likelihood": "prior_fit",
    "fit_classes": "nominal",
    "fit_levels": "ordinal",
    "fit_prior": "prior_fit",
    "item_parameters": "predictive",
    "published_prior": "published",
    "read_prior": "two_stage",
}

__all__ = ["published_names", *_HOME]

if TYPE_CHECKING:
    from nbyk.priors.nominal import ClassPrior as ClassPrior
    from nbyk.priors.nominal import fit_classes as fit_classes
    from nbyk.priors.ordinal import OrdinalPrior as OrdinalPrior
    from nbyk.priors.ordinal import fit_levels as fit_levels
    from nbyk.priors.predictive import FittedPrior as FittedPrior
    from nbyk.priors.predictive import item_parameters as item_parameters
    from nbyk.priors.prior_fit import fit_by_likelihood as fit_by_likelihood
    from nbyk.priors.prior_fit import fit_prior as fit_prior
    from nbyk.priors.published import published_prior as published_prior
    from nbyk.priors.responses import Response as Response
    from nbyk.priors.two_stage import TwoStagePrior as TwoStagePrior
    from nbyk.priors.two_stage import read_prior as read_prior


def published_names() -> tuple[str, ...]:
    """Return the names of the published priors, sorted."""
    return ("amazon", "armis", "convabuse", "hs_brexit", "mhs", "multidomain", "simulated", "toxicity")


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'nbyk.priors' has no attribute {name!r}")
    return getattr(importlib.import_module(f"nbyk.priors.{_HOME[name]}"), name)
