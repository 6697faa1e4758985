"""Two-stage priors: families of distributions, published priors, fits to data and how good they are."""

from nbyk.priors.fitting import item_parameters
from nbyk.priors.published import published_prior
from nbyk.priors.two_stage import Response, TwoStagePrior
from nbyk.priors.two_stage_fit import FittedPrior, fit_prior

__all__ = ["FittedPrior", "Response", "TwoStagePrior", "fit_prior", "item_parameters", "published_prior"]
