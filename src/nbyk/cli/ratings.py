"""From ratings to priors: the subcommands that read people's ratings and papers' published priors."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nbyk.cli.options import (
    Out,
    SemanticsName,
    checksum,
    downloads_of,
)
from nbyk.errors import NbykError

if TYPE_CHECKING:
    from nbyk.data import Ratings
    from nbyk.priors.predictive import RatingFit


def normalise(
    source: str,
    out: Out,
    path: Path | None = None,
    question: str | None = None,
    scale: str | None = None,
) -> None:
    """Write a source's ratings, normalised to [0, 1], as one long table (item, rater, value).

    Without --path, nbyk takes the ratings that come with it or that `nbyk data fetch` downloaded. With
    --scale, SOURCE is a name that you choose for a table of your own.

    Parameters
    ----------
    source
        Source of ratings, such as convabuse.
    path
        File or folder of the source, if you have your own copy.
    question
        Question, if the source has several (mhs has ten). By default the first.
    scale
        Scale of a table of your own at --path: 1,2,3,4,5 or 0..100 or binary.
    """
    if scale is not None and (path is None or question is not None):
        raise NbykError(f"--scale {scale} is for a table of your own; give its --path, and no --question")
    write_normalised(source, path or (_fetched(source) if scale is None else None), question, scale, out)


def write_normalised(
    source: str, path: Path | None, question: str | None, scale: str | None, out: Path
) -> None:
    """Write the ratings at a path, or the embedded ones of a source, as `nbyk study normalise` does."""
    from nbyk.data import load_source, read_ratings, scale_from_text
    from nbyk.data import source as source_named
    from nbyk.files import write_parquet

    asked = question
    if scale is not None:
        assert path is not None
        declared = scale_from_text(scale)
        ratings, files = read_ratings(path, scale=declared), [path]
        made: dict[str, object] = {"licence": "your own", "citation": "", "version of source": ""}
    else:
        entry = source_named(source)
        asked = question or next(iter(entry.questions), None)
        declared = entry.scale_of(question)
        ratings = load_source(source, path, question)
        files = [] if path is None else entry.files(path)
        made = {"licence": entry.licence, "citation": entry.citation, "version of source": entry.version}
    origin = ", ".join(str(file) for file in files) or "the embedded data"
    print(f"{source}: {ratings.n_ratings} ratings of {ratings.n_items} items from {origin}", file=sys.stderr)
    made |= {"source": source, "files": {file.name: checksum(file) for file in files}}
    made |= {"items": ratings.n_items, "ratings": ratings.n_ratings, "scale": str(declared)}
    made |= {"question": asked} if asked else {}
    made |= {} if ratings.raters_known else {"raters known": False}
    write_parquet(out, ratings.to_table(), made)


def prior(
    source: str,
    out: Out,
    semantics: SemanticsName,
) -> None:
    """Write a prior that a paper published.

    Parameters
    ----------
    source
        Source of the prior: simulated, toxicity, multidomain, …
    """
    from nbyk.files import write_json
    from nbyk.priors import published_prior

    write_json(out, published_prior(source, semantics).to_dict())


def fit_normalised(path: Path, name: str, seed: int, files: FitFiles) -> tuple[RatingFit, Ratings]:
    """Fit a prior to the ratings that `nbyk study normalise` wrote, write its files, and return both."""
    from nbyk.data.ratings import stored_ratings
    from nbyk.data.scales import as_scale
    from nbyk.priors import Response, fit_prior

    stored, made = stored_ratings(path)
    ratings = replace(stored, raters_known=bool(made.get("raters known", True)))
    try:
        scale = as_scale(made.get("scale"))
        if scale is None:
            raise NbykError("no scale of the ratings; write it again with `nbyk study normalise`")
        fitted = fit_prior(name, ratings.matrix(), Response.on(scale), seed=seed)
    except NbykError as error:
        raise error.about(file=path) from None
    write_fit(fitted, files)
    return fitted, ratings


class FitFiles(NamedTuple):
    """Files of a fit to write: the prior, the families' likelihoods and the check; None for none."""

    prior: Path | None
    families: Path | None
    check: Path | None


def write_fit(fitted: RatingFit, files: FitFiles) -> None:
    """Write a fit's files."""
    from nbyk.files import write_json, write_text
    from nbyk.priors.prior_fit import candidates_table
    from nbyk.words import csv_text

    if files.families is not None:
        write_text(files.families, csv_text(candidates_table(fitted.candidates)))
    if files.check is not None:
        write_json(files.check, fitted.check.to_dict())
    if files.prior is not None:
        write_json(files.prior, fitted.prior.to_dict())


def _fetched(source: str) -> Path | None:
    """Return where `nbyk data fetch` put a source's files; None if they are not there or come with nbyk."""
    from nbyk.data import source as source_named
    from nbyk.data.download import verified_copy

    entry = source_named(source)
    if entry.embedded or not entry.fetchable:
        return None
    return verified_copy(entry, downloads_of(None).chosen_folder)
