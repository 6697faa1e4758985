"""Two-stage priors: families of distributions, published priors, fits to data and their goodness."""

from nbyk.priors.description import Description, describe_fit
from nbyk.priors.likelihood_fit import LikelihoodFit, fit_by_likelihood
from nbyk.priors.marginal import log_likelihood
from nbyk.priors.predictive import item_parameters
from nbyk.priors.prior_fit import FittedPrior, fit_prior
from nbyk.priors.published import published_names, published_prior
from nbyk.priors.two_stage import Response, TwoStagePrior, read_prior

__all__ = [
    "Description",
    "FittedPrior",
    "LikelihoodFit",
    "Response",
    "TwoStagePrior",
    "describe_fit",
    "fit_by_likelihood",
    "fit_prior",
    "item_parameters",
    "log_likelihood",
    "published_names",
    "published_prior",
    "read_prior",
]
