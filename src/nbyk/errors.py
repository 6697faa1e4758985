"""The one error that users see: what was found, what was expected, and the way out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


class NbykError(ValueError):
    """Bad input, named so that its owner can mend it.

    The message names the file, row or key, what was found there, what was expected and the way out.
    The command line prints it as one line and exits with code 2.
    """


class UndefinedMetricError(NbykError):
    """A metric without a value on some draws, as a correlation of constants is."""


class StoppedError(BaseException):
    """A signal asked nbyk to stop. It is no Exception, so that nothing catches it on its way."""


# Line ends, control characters, halves of characters, and marks that turn the direction of what follows.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def on_one_line(text: str) -> str:
    """Return a text with escapes (``\\n``) in place of the characters that would break or garble its line."""
    if text.isprintable():
        return text
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


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
    # Likeness of long texts takes long to find, and helps nobody.
    near = difflib.get_close_matches(name[:100], options[:1000], n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(options)}"
    return NbykError(f"unknown {kind} {name!r}; {hint}")
