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
    check: Annotated[Path, typer.Option(help="JSON to write: how near the published prior and the fit are.")],
) -> None:
    """Fit a prior to ratings by likelihood, and say how well it and the published one describe them."""
    from nbyk.data import source
    from nbyk.data.ratings import stored_ratings
    from nbyk.files import write_json
    from nbyk.priors import Response, fit_prior, published_prior
    from nbyk_papers.homan2025.description import describe_fit

    matrix = stored_ratings(ratings)[0].matrix()
    response = Response.on(source(name).scale)
    fitted = fit_prior(name, matrix, response).prior
    published, own = (
        describe_fit(prior, matrix, response).to_dict() for prior in (published_prior(name), fitted)
    )
    write_json(check, {"published": published, "own": {"prior": fitted.to_dict(), "description": own}})
    write_json(out, fitted.to_dict())
