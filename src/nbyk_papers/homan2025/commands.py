"""The command that fits a prior by likelihood, the method of Homan et al. 2025."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbyk.cli.options import Out


def likelihood_fit(
    ratings: Annotated[Path, typer.Argument(help="File of ratings that `nbyk study normalise` wrote.")],
    out: Out,
    name: Annotated[str, typer.Option(help="Name of the source.")],
    check: Annotated[Path, typer.Option(help="JSON to write: goodness of the published prior and the fit.")],
) -> None:
    """Fit a prior to ratings by likelihood, and say how well it and the published one describe them."""
    from nbyk.data import source
    from nbyk.data.ratings import stored_ratings
    from nbyk.files import write_json
    from nbyk.priors import Response, describe_fit, fit_prior, published_prior

    matrix = stored_ratings(ratings)[0].matrix()
    response = Response.on(source(name).scale)
    fitted = fit_prior(name, matrix, response)
    published = describe_fit(published_prior(name), matrix, response)
    write_json(check, {"published": published.to_dict(), "own": fitted.to_dict()})
    write_json(out, fitted.prior.to_dict())
