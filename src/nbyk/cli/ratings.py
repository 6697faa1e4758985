"""From ratings to priors: the subcommands that read people's ratings and papers' published priors."""

from __future__ import annotations

import sys
from pathlib import Path

from nbyk.cli.options import Out, SemanticsName, downloads_of
from nbyk.errors import NbykError


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
    from nbyk.files import sha256, write_parquet

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
    made |= {"source": source, "files": {file.name: sha256(file) for file in files}}
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


def _fetched(source: str) -> Path | None:
    """Return where `nbyk data fetch` put a source's files; None if they are not there or come with nbyk."""
    from nbyk.data import source as source_named
    from nbyk.data.download import verified_copy

    entry = source_named(source)
    if entry.embedded or not entry.fetchable:
        return None
    return verified_copy(entry, downloads_of(None).chosen_folder)
