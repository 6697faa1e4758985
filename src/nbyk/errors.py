"""The one error that users see: what was found, what was expected, and the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class NbykError(ValueError):
    """Bad input, named so that its owner can mend it.

    The message names the file, row or key, what was found there, what was expected and the way out.
    The command line prints it as one line and exits with code 2.
    """


class UndefinedMetricError(NbykError):
    """A metric without a value on some draws, as a correlation of constants is."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> NbykError:
    """Return the error for a name that is not registered, with the nearest names that are.

    Parameters
    ----------
    kind
        What the name should name: "metric", "sampler", "source", …
    name
        The name as it was given.
    known
        All names that would have been accepted.
    """
    options = sorted(known)
    near = difflib.get_close_matches(name, options, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(options)}"
    return NbykError(f"unknown {kind} {name!r}; {hint}")
