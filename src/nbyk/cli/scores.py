"""`nbyk test`: which system is better, from one score per run or per item."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, cast

import typer

from nbyk.cli.answers import Format, OutAnswer, check_format, give
from nbyk.cli.gates import Gate, Shown, all_better, with_one_side
from nbyk.cli.options import Seed, Threads, check_out_folder
from nbyk.errors import NbykError, renaming, unknown_name

if TYPE_CHECKING:
    from nbyk.testing.pvalues import Alternative

_MANY_DRAWS = 200_000
"""The progress of draws is shown if there are more than this."""


def scores(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C…]",
            help="Files of scores, FILE or NAME=FILE: .txt, .csv, .tsv, .json, .jsonl, .npy, .parquet.",
        ),
    ],
    test: Annotated[
        str,
        typer.Option(
            help="recommended, aso, permutation, approximate_randomisation, bootstrap, paired_bootstrap, "
            "welch_t, wilcoxon or mann_whitney."
        ),
    ] = "recommended",
    value: Annotated[str | None, typer.Option(help="Column of the scores.")] = None,
    item: Annotated[str | None, typer.Option(help="Column of ids that pair the scores.")] = None,
    paired: Annotated[
        bool | None,
        typer.Option(
            "--paired/--unpaired",
            help="Pair the scores by ids or, if there are none, by their order.",
            show_default="paired if every file has ids",
        ),
    ] = None,
    on_missing: Annotated[str, typer.Option(help="Items that some files lack: refuse or drop.")] = "refuse",
    against: Annotated[
        str | None, typer.Option(help="Baseline. Without it, nbyk compares all pairs.")
    ] = None,
    alternative: Annotated[
        str | None,
        typer.Option(
            help="two-sided, greater (A is better; with a baseline, the others are better than it) or less.",
            show_default="two-sided, or greater with --gate",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    confidence_level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    tau: Annotated[float, typer.Option(help="aso finds A better if eps_min is below this.")] = 0.2,
    correction: Annotated[
        str | None,
        typer.Option(
            help="holm, bonferroni, benjamini_hochberg or none.", show_default="holm; for aso bonferroni"
        ),
    ] = None,
    n_resamples: Annotated[
        int | None,
        typer.Option("--resamples", help="Draws M.", show_default="10000; for aso 1000"),
    ] = None,
    power: Annotated[
        bool,
        typer.Option(
            "--power", help="Show how often the test would find a system better by --lift or --shift."
        ),
    ] = False,
    lift: Annotated[float | None, typer.Option(help="Factor of --power.", show_default="1.25")] = None,
    shift: Annotated[float | None, typer.Option(help="Difference of --power, instead of a factor.")] = None,
    gate: Gate = False,
    out: OutAnswer = None,
    form: Format = "text",
    seed: Seed = 0,
    threads: Threads = 1,
) -> None:
    """Compare systems by one score per training run, or one per item of the same test set.

    Scores of the same items are paired by a column of ids, or by their order with --paired; higher is better.
    With --gate the exit code is 3 unless the first system is shown to be better than the other or, of three
    systems or more, than the baseline that --against names.
    """
    from nbyk.data import named_systems, read_systems
    from nbyk.progress import progress
    from nbyk.report.scores.answer import scores_answer
    from nbyk.testing.scores.compare_scores import (
        N_ASO_RESAMPLES,
        N_RESAMPLES,
        NAMES,
        chosen_test,
        compare_scores,
        least_scores,
    )
    from nbyk.testing.scores.facts import ASO, FACTS
    from nbyk.testing.scores.power_analysis import Lift, check_power_of, comparison_power

    if test not in NAMES:
        raise unknown_name("test", test, NAMES).about(argument="test")
    if (lift, shift) != (None, None) and not power:
        raise NbykError("found --lift or --shift without --power; add --power")
    if lift is not None and shift is not None:
        raise NbykError("found --lift and --shift, expected one of them; drop one")
    sided = with_one_side(alternative, gate=gate)
    if gate and len(systems) > 2 and against is None:
        raise NbykError(
            f"--gate with {len(systems)} systems needs a baseline to be better than; name it with --against"
        )
    check_format(form)
    if out is not None:
        check_out_folder(out)
    by_pairs = test in FACTS and FACTS[test].paired
    if by_pairs and paired is False:
        raise NbykError(f"--test {test} needs paired scores, and --unpaired says that they are not; drop one")
    paths = named_systems(systems)
    read = read_systems(
        systems,
        kind="scores",
        value=value or "value",
        item=item or "item",
        paired=True if by_pairs else paired,
        on_missing=on_missing,  # type: ignore[arg-type]
    )
    for name, sample in read.responses.items():
        if len(sample) < least_scores(test):
            raise NbykError(
                f"found 1 score, expected at least {least_scores(test)} for {test}, which "
                "needs to know how scores vary: give the scores of more runs",
                file=paths.get(name),
                name="" if name in paths else name,
            )
    lift_is: Lift = "factor" if shift is None else "shift"
    by = (1.25 if lift is None else lift) if shift is None else shift
    if power:
        with renaming({"lift_is=shift": "shift", "lift": "lift" if shift is None else "shift"}):
            check_power_of(
                chosen_test(test, read.responses, paired=read.paired)[0], read.responses, by, lift_is
            )
    default = N_ASO_RESAMPLES if test == ASO else N_RESAMPLES
    n_draws = default if n_resamples is None else n_resamples
    n_pairs = len(read.responses) - 1 if against else len(read.responses) * (len(read.responses) - 1) // 2
    with (
        progress("draws", n_draws * n_pairs) if n_draws * n_pairs > _MANY_DRAWS else nullcontext() as advance
    ):
        comparison = compare_scores(
            read.responses,
            test=test,
            paired=read.paired,
            against=against,
            alternative=cast("Alternative", sided),
            alpha=alpha,
            confidence_level=confidence_level,
            tau=tau,
            correction=correction,
            n_resamples=n_resamples,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    powers = comparison_power(comparison, lift=by, lift_is=lift_is) if power else None
    shown_lift = f"a factor of {by:g}" if lift_is == "factor" else f"{by:g}"
    notes = list(read.notes)
    notes += [
        f"{count} items of {place} were dropped: another system lacks them"
        for place, count in read.dropped.items()
    ]
    if read.paired and not read.items:
        notes.append("the scores are paired by their order in the files, which have no ids to check it by")
    answer = scores_answer(comparison, powers=powers, lift=shown_lift if power else "", notes=notes)
    first = next(name for name in read.names if name != against)
    # By means, draws never show a system to be better that is not ahead.
    by_means = comparison.test != ASO
    better = [
        (pair.better == first, pair.decided or (by_means and pair.effect <= 0.0))
        for pair in comparison.pairs
        if pair.a == first
    ]
    other = against or comparison.pairs[0].b
    shown = Shown(first, other, all_better(better), draws="--resamples")
    give(answer, out=out, form=form, stem="test", gate=shown if gate else None)
