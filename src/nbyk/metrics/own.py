"""Metrics of your own: a decorator that makes a function a metric, and a file of such functions."""

from __future__ import annotations

import hashlib
import inspect
import re
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from nbyk.errors import NbykError, StoppedError
from nbyk.files import read_bytes
from nbyk.metrics.builtin import WINS
from nbyk.metrics.metric import (
    Change,
    Direction,
    FromCounts,
    FromMean,
    Implementation,
    Kind,
    Metric,
    Needs,
    Parameter,
    Smoothness,
    Traits,
)
from nbyk.metrics.registry import ROWS

Function = TypeVar("Function", bound=Callable[..., Any])

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def register(
    *,
    direction: Direction,
    needs: Needs = "item_means",
    kind: Kind = "score",
    needs_gold: bool = True,
    source: str = "",
    additive: bool = False,
    smoothness: Smoothness | None = None,
    unchanged_by: Sequence[Change] | None = None,
    unit_power: int | None = None,
    follows_one_item: bool | None = None,
    score_range: tuple[float, float] | None = None,
    form: Implementation | None = None,
    counts: FromCounts | None = None,
    from_mean: FromMean | None = None,
    statistics: Implementation | None = None,
) -> Callable[[Function], Function]:
    """Return a decorator that makes a function a metric under the function's own name.

    The function is called once for each replicate, as ``f(system, gold)``, or ``f(a, b, gold)`` for a
    comparison, with read-only arrays, and returns one number. With `statistics` it is called as ``f(sums)``,
    of shape (..., F), and returns scores, shape (...). Further arguments become the metric's
    parameters; one whose default or annotation is an ``int`` takes whole numbers. The first line of its
    docstring is the summary.

    Parameters
    ----------
    direction
        "higher" or "lower": which numbers are better; for a comparison "higher" if they favour A.
    needs
        "item_means": it gets vectors (N,); "responses": matrices (N, K), NaN behind a row's last response;
        "classes": the numbers of the classes likewise, and of gold the share of each class, (N, C).
    kind
        "score" or "comparison".
    needs_gold
        If false, it is called without gold.
    source
        A citation.
    additive
        Whether an effect is the mean over items of the effects on single items. This spares simulations of
        many sizes most of their work. `wins_mae` and `mae` are additive, a correlation is not.
    smoothness, unchanged_by, unit_power, follows_one_item, score_range
        What is known of it (`nbyk.metrics.metric.Traits`): "linear", "smooth" or in "jumps"; which of the
        changes "location", "scale" and "monotone" change no score; the power of the ratings' unit; whether
        one item can bring most of a change; and the ends of the scores for ratings from 0 to 1. What is not
        given is measured on made-up ratings.
    form, counts, from_mean
        How nbyk can compute it faster (`nbyk.metrics.metric.Metric`); the numbers stay the same.
    statistics
        For a metric of outputs such as BLEU, which `nbyk.paired_bootstrap` takes: a function of a system's N
        outputs and the references, None if there are none, that returns F statistics of each, shape (N, F).
        The metric scores their sums over items.

    Raises
    ------
    NbykError
        If an option is unknown, the name is not lower case or taken, or the function takes too few arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from nbyk.metrics import register
    >>> @register(direction="lower")
    ... def median_error(system, gold):
    ...     "Median absolute error."
    ...     return np.median(np.abs(system - gold))
    """
    changes = None if unchanged_by is None else tuple(unchanged_by)
    traits = Traits(smoothness, changes, unit_power, None, follows_one_item, score_range)

    def add(function: Function) -> Function:
        name = getattr(function, "__name__", repr(function))
        if not _NAME.fullmatch(name):
            raise NbykError(f"metric {name!r}: a name is lower-case letters, digits and _, a letter first")
        n_arrays = 1 if statistics is not None else 1 + (kind == "comparison") + needs_gold
        metric = Metric(
            name=name,
            implementation=function,
            direction=direction,
            summary=(inspect.getdoc(function) or "").partition("\n")[0],
            needs=needs if statistics is None else "outputs",
            kind=kind,
            needs_gold=needs_gold,
            parameters=_own_parameters(name, function, n_arrays),
            source=source,
            additive=additive,
            traits=traits,
            form=form,
            counts=counts,
            from_mean=from_mean,
            statistics=statistics,
        )
        for row in (WINS, *ROWS):
            if row.name == name and set(row.kinds) & set(metric.kinds):
                if isinstance(row.implementation, str) or _home(row.implementation) != _home(function):
                    raise NbykError(f"metric {name!r} exists already{_whereabouts(row)}; rename the function")
                ROWS.remove(row)
        ROWS.append(metric)
        return function

    return add


def load_file(path: str | PathLike[str]) -> tuple[str, ...]:
    """Run a user's Python file, so that functions that it decorates with `register` become metrics.

    Loading a file again replaces its metrics. If it fails, no metric of it stays.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    tuple of str
        The names of the metrics that it registered.

    Raises
    ------
    NbykError
        If there is no such file, it raises, or it registers nothing.
    """
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise NbykError("no such file; expected a Python file that registers metrics", file=path) from None
    except OSError as error:
        raise NbykError(
            f"cannot be read ({error.strerror}); expected a Python file that registers metrics", file=path
        ) from None
    file = Path(path).resolve()
    digest = hashlib.sha256(str(file).encode()).hexdigest()[:12]
    module = ModuleType(f"nbyk_user_metrics_{digest}")
    module.__file__ = str(file)
    before = tuple(ROWS)
    sys.modules[module.__name__] = module
    try:
        # Compiled from the source each time: a cached .pyc would hide an edit within the same second.
        exec(compile(content, str(file), "exec"), module.__dict__)
        registered = tuple(metric.name for metric in ROWS if all(metric is not row for row in before))
        if not registered:
            raise NbykError(
                "it registers no metric; decorate a function with @nbyk.metrics.register(direction=…)"
            )
    except BaseException as error:
        ROWS[:] = before
        if isinstance(error, StoppedError) or _is_ctrl_c(error):
            raise
        raise NbykError(f"{_one_line(error, file)}", file=path) from error
    return registered


def _is_ctrl_c(error: BaseException) -> bool:
    """Return whether a user may have interrupted Python; under nbyk's commands, Ctrl-C is a StoppedError."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return heard and isinstance(error, KeyboardInterrupt)


def _one_line(error: BaseException, file: Path) -> str:
    if isinstance(error, NbykError):
        return str(error)
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)
    ]
    if isinstance(error, SyntaxError):
        lines = [error.lineno]
    where = f"line {lines[-1]}: " if lines and lines[-1] is not None else ""
    message = " ".join(str(error).split())
    return f"{where}{type(error).__name__}" + (f": {message}" if message else "")


def _own_parameters(name: str, function: Callable[..., Any], arrays: int) -> tuple[Parameter, ...]:
    arguments = list(inspect.signature(_plain(function)).parameters.values())
    positional = [p for p in arguments if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) < arrays or any(p.kind == p.KEYWORD_ONLY for p in arguments):
        raise NbykError(
            f"metric {name!r}: the function must take {arrays} arrays, and after them its parameters"
        )
    own = []
    for p in positional[arrays:]:
        default = None if p.default is p.empty else p.default
        if default is not None and (isinstance(default, bool) or not isinstance(default, int | float)):
            raise NbykError(f"metric {name!r}: the default of {p.name} must be a number, found {default!r}")
        whole = isinstance(default, int) or p.annotation in (int, "int")
        own.append(Parameter(p.name, default=default, whole=whole, example=1 if default is None else default))
    return tuple(own)


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    uncompiled: Callable[..., Any] = getattr(function, "py_func", function)
    return uncompiled


def _home(function: Callable[..., Any]) -> tuple[str, str]:
    uncompiled = inspect.unwrap(_plain(function))
    file = inspect.getfile(uncompiled)
    # Cells of a notebook have a new name after every edit, and each may define its metric again.
    return (str(Path(file).resolve()) if Path(file).exists() else "<interactive>", uncompiled.__qualname__)


def _whereabouts(definition: Metric) -> str:
    if isinstance(definition.implementation, str):
        return " in nbyk"
    return f" in {_home(definition.implementation)[0]}"
