"""Two-stage priors: families of distributions, published priors, and fits to data."""

from nbyk.priors.nominal import ClassPrior, fit_classes
from nbyk.priors.ordinal import OrdinalPrior, fit_levels
from nbyk.priors.predictive import item_parameters
from nbyk.priors.prior_fit import FittedPrior, fit_by_likelihood, fit_prior
from nbyk.priors.published import published_names, published_prior
from nbyk.priors.two_stage import Response, TwoStagePrior, read_prior

__all__ = [
    "ClassPrior",
    "FittedPrior",
    "OrdinalPrior",
    "Response",
    "TwoStagePrior",
    "fit_by_likelihood",
    "fit_classes",
    "fit_levels",
    "fit_prior",
    "item_parameters",
    "published_names",
    "published_prior",
    "read_prior",
]
