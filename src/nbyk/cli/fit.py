"""`nbyk fit`: a prior of people's ratings, to plan with, and whether it makes such ratings."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nbyk.cli.options import Item, OnDuplicates, OnEmpty, Rater, Scale, Value, check_files
from nbyk.errors import NbykError

if TYPE_CHECKING:
    from nbyk.cli.ratings import FitFiles
    from nbyk.data import Ratings
    from nbyk.data.columns import Columns
    from nbyk.data.layouts import Mending
    from nbyk.priors.family import Family
    from nbyk.priors.predictive import FittedPrior, RatingFit


def fit(
    ratings: Path,
    scale: Scale = None,
    out: Path | None = None,
    name: str | None = None,
    families: Path | None = None,
    check: Path | None = None,
    response: str | None = None,
    classes: str | None = None,
    levels: str | None = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    item: Item = "item",
    rater: Rater = "rater",
    value: Value = "value",
    on_duplicates: OnDuplicates = "refuse",
    on_empty: OnEmpty = "refuse",
) -> None:
    """Fit a prior to ratings or labels by likelihood, and check that it makes such ones.

    The prior says how items differ, and how people differ who rate the same item.

    Without --scale, the file is one that `nbyk study normalise` wrote.

    Parameters
    ----------
    ratings
        File of people's ratings, with their --scale, or labels: two or more of some items.
    out : FILE
        JSON file to write: the prior, for `nbyk plan --prior`.
    name
        Name of the prior. By default the file's name.
    families : FILE
        CSV file to write: the likelihood of every pair of families.
    check : FILE
        JSON file to write, with the comparison of the fitted prior and the ratings.
    response : KIND
        Kind of the ratings, such as beta, skewed near the ends of the scale; an unknown one lists all. By
        default likert on levels, clamped between two ends, or binary.
    classes : A,B,…
        Classes of labels. By default those of the file.
    levels : LOW,…,HIGH
        The labels are levels in this order, lowest first: fit thresholds on a latent scale.
    seed
        Seed of the check. The prior does not depend on it.
    """
    check_files([ratings])
    from nbyk.cli.labels import are_labels, fit_labels, names_in
    from nbyk.cli.pilot import pilot_scale, read_rated
    from nbyk.cli.ratings import FitFiles, fit_normalised, write_fit
    from nbyk.data.columns import Columns
    from nbyk.data.layouts import Mending
    from nbyk.priors import Response, fit_prior
    from nbyk.testing.unit_cautions import about_units

    chosen, files = name or ratings.stem, FitFiles(out, families, check)
    columns, mending = Columns(item, rater, value), Mending(on_duplicates, on_empty)
    named = names_in(levels or classes)
    if scale is None and (named or are_labels(ratings, columns)):
        fitting = partial(fit_labels, ordered=levels is not None, seed=seed)
        print(_fit_labels(ratings, chosen, columns, mending, files, named, fitting))
        _say_next(out)
        return
    is_stored = scale is None and ratings.suffix.lower() == ".parquet"
    on_scale = None if is_stored else pilot_scale(scale)
    print(f"fitting a prior to {ratings} …", file=sys.stderr)
    if on_scale is None:
        fitted, read = fit_normalised(ratings, chosen, seed, files)
    else:
        read, usual, _ = read_rated(ratings, on_scale, columns, mending)
        try:
            kind = usual if response is None else Response(response, usual.levels)
            fitted = fit_prior(chosen, read.matrix(), kind, seed=seed)
        except NbykError as error:
            raise error.about(file=ratings) from None
        write_fit(fitted, files)
    for note in read.mended:
        print(note, file=sys.stderr)
    if fitted.prior.caution:
        print(fitted.prior.caution, file=sys.stderr)
    for caution in about_units({"gold": read.units()}, claim="prior"):
        print(f"before you believe it: {caution}", file=sys.stderr)
    print("\n".join(_lines(fitted, read, chosen)))
    _say_next(out)


def _say_next(out: Path | None) -> None:
    if out is None:
        print("To plan with this prior, write it to a file with --out FILE.")
    else:
        print(f"To plan with it: nbyk plan --prior {shlex.quote(str(out))}")


def _fit_labels(
    path: Path,
    name: str,
    columns: Columns,
    mending: Mending,
    files: FitFiles,
    named: tuple[str, ...],
    fitting: Callable[..., FittedPrior[Any, Any]],
) -> str:
    """Fit a prior to labels, of these classes if they are named, write it, and return it in words."""
    from nbyk.cli.labels import read_labels
    from nbyk.files import write_json
    from nbyk.planning.fitted_raters import fit_raters

    if files.families is not None:
        raise NbykError("labels have one family; leave it out", argument="families")
    labels, classes = read_labels(path, columns, mending, named)
    fitted = fitting(name, labels.matrix(), classes, path)
    prior = fit_raters(fitted.prior, labels.matrix(), labels.units())
    for file, content in ((files.prior, prior), (files.check, fitted.check)):
        if file is not None:
            write_json(file, content.to_dict())
    for note in filter(None, (*labels.mended, prior.caution)):
        print(note, file=sys.stderr)
    lines = [f"Prior of {name}, fitted to {labels.n_ratings} labels of {labels.n_items} items:"]
    rows = zip(prior.classes, prior.in_words, prior.shares, strict=True)
    lines += [f"  {class_name}: {words}{share:.1%} of the labels" for class_name, words, share in rows]
    if prior.leaning or prior.confusion:
        lines += [
            f"  raters: {prior.leaning:.0%} of what varies in a label is what its rater leans to, and "
            f"{prior.confusion:.0%} what the rater takes the item's class for"
        ]
    return "\n".join(lines)


def _lines(fitted: RatingFit, read: Ratings, name: str) -> list[str]:
    prior, check = fitted.prior, fitted.check
    matches = "do not match" if check.rejected else "match"
    return [
        f"Prior of {name}, fitted to {read.n_ratings} ratings of {read.n_items} items; the scale is 0 to 1:",
        f"  the mean of an item:           {_described(prior.mu)}",
        f"  the SD of its ratings:         {_described(prior.sigma)}",
        f"  a rating:                      a normal number with these two, made {prior.response.words}",
        f"Ratings simulated from it {matches} these ({check.n_sets} simulated sets):",
        f"  item means:                    KS distance {check.means_ks:.3f}, p = {check.means_p:.3f}",
        f"  SDs of an item's ratings:      KS distance {check.sds_ks:.3f}, p = {check.sds_p:.3f}",
        f"  mean of all ratings:           {check.mean_data:.3f}, simulated {check.mean_prior:.3f}, "
        f"p = {check.mean_p:.3f}",
    ]


def _described(family: Family) -> str:
    """Return a family with its parameters in words, such as "truncated normal (mean 0.5, sd 0.3)"."""
    from nbyk.priors.families import Mixture

    if isinstance(family, Mixture):
        parts = zip(family.weights, family.components, strict=True)
        return " or ".join(f"{_described(part)} in {weight:.0%} of items" for weight, part in parts)
    numbers = [f"{key} {value:.3g}" for key, value in vars(family).items()]
    return f"{family.name.replace('_', ' ')} ({', '.join(numbers)})"
