"""`nbyk fit`: a prior of people's ratings, to plan with, and whether it makes such ratings."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nbyk.cli.options import Item, OnDuplicates, OnEmpty, Rater, Scale, Value, check_files
from nbyk.errors import NbykError, errors_about
from nbyk.words import names_in_text

if TYPE_CHECKING:
    from nbyk.data import Ratings
    from nbyk.priors import Response
    from nbyk.priors.family import Family
    from nbyk.priors.nominal import LabelPrior
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
        Kind of the ratings, such as beta, skewed near the ends of the scale; an unknown one lists
        those of such ratings. By default likert on levels, clamped between two ends, or binary.
    classes : A,B,…
        Classes of labels. By default those of the file.
    levels : LOW,…,HIGH
        The labels are levels in this order, lowest first: fit thresholds on a latent scale.
    seed
        Seed of the check. The prior does not depend on it.
    """
    check_files([ratings])
    from nbyk.cli.labels import are_labels, fit_labels, read_labels
    from nbyk.cli.pilot import pilot_scale, read_rated
    from nbyk.data.columns import Columns
    from nbyk.data.layouts import Mending
    from nbyk.data.scales import Interval, OpenInterval
    from nbyk.planning.fitted_raters import fit_raters
    from nbyk.priors import fit_prior
    from nbyk.priors.kinds import KINDS
    from nbyk.testing.unit_cautions import about_units

    chosen, named = name or ratings.stem, names_in_text(levels or classes)
    columns, mending = Columns(item, rater, value), Mending(on_duplicates, on_empty)
    fitted: FittedPrior[Any, Any]
    cautions: Iterable[str] = ()
    if scale is not None and named:
        raise NbykError(
            f"found {', '.join(named)}, but ratings on a scale are no labels; leave out one of the two",
            argument="classes" if levels is None else "levels",
        )
    if scale is None and (named or are_labels(ratings, columns)):
        for argument, given in (("families", families), ("response", response)):
            if given is not None:
                raise NbykError("labels have one family and kind; leave it out", argument=argument)
        read, known, _ = read_labels(ratings, columns, mending, named)
        fitted = fit_labels(chosen, read.matrix(), known, ratings, ordered=levels is not None, seed=seed)
        fitted = replace(fitted, prior=fit_raters(fitted.prior, read.matrix(), read.units()))
        lines = _lines_of_labels(fitted.prior, read, chosen)
    else:
        on_scale = None if scale is None and ratings.suffix.lower() == ".parquet" else pilot_scale(scale)
        if isinstance(on_scale, Interval) and response in KINDS and math.isinf(KINDS[response].high):
            on_scale = OpenInterval(on_scale.low, on_scale.high)
        print(f"fitting a prior to {ratings} …", file=sys.stderr)
        with errors_about(file=ratings):
            if on_scale is None:
                read, kind = _normalised(ratings)
            else:
                read, kind, _ = read_rated(ratings, on_scale, columns, mending)
            if response not in (None, kind.kind):
                kind = _asked(response, kind)
            fitted = fit_prior(chosen, read.matrix(), kind, seed=seed)
        cautions = about_units({"gold": read.units()}, claim="prior")
        lines = _lines(fitted, read, chosen)
    _write(fitted, out, families, check)
    for note in filter(None, (*read.mended, fitted.prior.caution)):
        print(note, file=sys.stderr)
    for caution in cautions:
        print(f"before you believe it: {caution}", file=sys.stderr)
    print("\n".join(lines))
    if out is None:
        print("To plan with this prior, write it to a file with --out FILE.")
    else:
        print(f"To plan with it: nbyk plan --prior {shlex.quote(str(out))} --epsilon 0.1 --power 0.8")


def _asked(name: str, given: Response) -> Response:
    """Return the response of a kind that ratings can have: zeros and ones are then the ends of a scale."""
    from nbyk.priors import Response
    from nbyk.priors.kinds import KINDS

    levels = 0 if given.kind == "binary" else given.levels
    fitting = [kind for kind, rule in KINDS.items() if rule.takes(levels) and (levels or rule.cut)]
    if name not in fitting:
        are = f"on {given.levels} levels" if given.levels else "numbers between two ends"
        known = ", ".join(dict.fromkeys([given.kind, *fitting]))
        raise NbykError(
            f"found {name}, and the ratings are {are}; choose one of {known}", argument="response"
        )
    return Response(name, levels)


def _normalised(path: Path) -> tuple[Ratings, Response]:
    """Return the ratings that `nbyk study normalise` wrote, and the possible ones."""
    from nbyk.data.ratings import stored_ratings
    from nbyk.data.scales import as_scale
    from nbyk.priors import Response

    stored, made = stored_ratings(path)
    scale = as_scale(made.get("scale"))
    if scale is None:
        raise NbykError("no scale of the ratings; write it again with `nbyk study normalise`")
    return replace(stored, raters_known=bool(made.get("raters known", True))), Response.on(scale)


def _write(
    fitted: FittedPrior[Any, Any], prior: Path | None, families: Path | None, check: Path | None
) -> None:
    from nbyk.files import write_json, write_text
    from nbyk.priors.prior_fit import candidates_table
    from nbyk.words import csv_text

    if families is not None:
        write_text(families, csv_text(candidates_table(fitted.candidates)))
    for file, content in ((check, fitted.check), (prior, fitted.prior)):
        if file is not None:
            write_json(file, content.to_dict())


def _lines_of_labels(prior: LabelPrior, read: Ratings, name: str) -> list[str]:
    lines = [f"Prior of {name}, fitted to {read.n_ratings} labels of {read.n_items} items:"]
    rows = zip(prior.classes, prior.in_words, prior.shares, strict=True)
    lines += [f"  {class_name}: {words}{share:.1%} of the labels" for class_name, words, share in rows]
    if prior.leaning or prior.confusion:
        lines += [
            f"  raters: {prior.leaning:.0%} of what varies in a label is what its rater leans to, and "
            f"{prior.confusion:.0%} what the rater takes the item's class for"
        ]
    return lines


def _lines(fitted: RatingFit, read: Ratings, name: str) -> list[str]:
    prior, check = fitted.prior, fitted.check
    matches = "do not match" if check.rejected else "match"
    return [
        f"Prior of {name}, fitted to {read.n_ratings} ratings of {read.n_items} items; the scale is 0 to 1:",
        f"  the mean of an item:           {_described(prior.mu)}",
        f"  the SD of its ratings:         {_described(prior.sigma)}",
        f"  a rating:                      {prior.response.words}",
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
