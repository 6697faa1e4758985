"""One file over HTTP: waits for a slow or busy server, and tries again if that can help."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.bounded import LARGEST
from nbyk.errors import NbykError, on_one_line

if TYPE_CHECKING:
    import requests

LONGEST_WAIT = 60.0
"""Longest wait, in seconds, that a server's Retry-After can impose."""

LONGEST_DOWNLOAD = 3600.0
"""Longest time, in seconds, that a download may take in all."""

_CHUNK = 1 << 16
_TRY_AGAIN = (429, 500, 502, 503, 504)


def without_password(text: str) -> str:
    """Return a text in which addresses have no user and no password."""
    return re.sub(r"(?<=://)\S*@", "…@", text)


class UnreachableError(NbykError):
    """A server cannot be reached, does not answer for long enough, or refuses."""


class _CutError(Exception):
    """An attempt ended early; the next may succeed."""

    def __init__(self, why: str, wait: float | None = None, *, answered: bool = True) -> None:
        super().__init__(why)
        self.wait, self.answered = wait, answered


@dataclass(frozen=True)
class Transfer:
    """A downloader that survives failures of networks.

    If a connection fails, is cut or stalls, or the answer is 429, 500, 502, 503 or 504, the downloader begins
    again. It waits twice as long each time, or as long as Retry-After asks, up to `LONGEST_WAIT`.

    Attributes
    ----------
    attempts
        Number of attempts.
    timeout
        Seconds until a connection must be open, and seconds within which the next bytes must come.
    longest
        Longest time, in seconds, that a download may take with all its attempts and waits.
    most
        Most bytes that are taken of a file whose size nobody has recorded.
    sleep
        Waits for some seconds.
    note
        Called with the reason for a wait, unless there is no connection.
    """

    attempts: int = 4
    timeout: tuple[float, float] = (10.0, 60.0)
    longest: float = LONGEST_DOWNLOAD
    most: int = LARGEST
    sleep: Callable[[float], None] = time.sleep
    note: Callable[[str], None] = lambda text: None

    def __call__(
        self,
        url: str,
        output_file: Path,
        *,
        size: int | None = None,
        advance: Callable[[int], None] = lambda count: None,
    ) -> None:
        """Download `url` to the path `output_file`.

        Parameters
        ----------
        url, output_file
            The address, and the path.
        size
            The file's size in bytes, if known: a shorter answer was cut, and no more is read of a longer one.
        advance
            Called with the number of bytes beyond the most that any attempt had.
        """
        place, ends = without_password(url), time.monotonic() + self.longest
        most = 0
        for attempt in range(1, self.attempts + 1):
            try:
                with open(output_file, "wb") as out:
                    for chunk in self._chunks(url, ends):
                        out.write(chunk)
                        advance(max(0, out.tell() - max(most, out.tell() - len(chunk))))
                        most = max(most, out.tell())
                        if size is not None and out.tell() > size:
                            return
                        if out.tell() > self.most:
                            raise UnreachableError(f"sends more than {self.most:,} bytes", name=place)
                    if size is not None and out.tell() < size:
                        raise _CutError(f"the connection ended after {out.tell()} of {size} bytes")
                return
            except _CutError as cut:
                if attempt == self.attempts:
                    raise UnreachableError(f"{cut}, {attempt} times in a row", name=place) from None
                wait = 2.0 ** (attempt - 1) if cut.wait is None else cut.wait
                if cut.answered:
                    self.note(f"{place}: {cut}; trying again in {wait:g} s")
                self.sleep(min(wait, max(0.0, ends - time.monotonic())))

    def _chunks(self, url: str, ends: float) -> Iterator[bytes]:
        """Yield the bytes of one attempt as they come, until a time of `time.monotonic`."""
        import requests
        import urllib3

        place, answered = without_password(url), False
        # Compressed bytes would not be the pinned ones.
        headers = {"Accept-Encoding": "identity"}
        try:
            with requests.get(url, headers=headers, stream=True, timeout=self.timeout) as answer:
                answered = True
                _check_status(answer, place)
                # iter_content would wait for a whole chunk of a server that trickles.
                while chunk := answer.raw.read1(_CHUNK):
                    if time.monotonic() >= ends:
                        raise UnreachableError(
                            f"did not arrive within {self.longest:g} s, the longest time allowed", name=place
                        )
                    yield chunk
        except NbykError:
            raise
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
            # For an invalid address, here or in a redirect, several libraries raise ValueError.
            if isinstance(error, ValueError):
                what = without_password(on_one_line(str(error)))
                problem = f"cannot be fetched ({what}); check the mirror's address"
                raise NbykError(problem, name=place) from None
            raise _CutError(_why(error), answered=answered) from None


def _check_status(answer: requests.Response, place: str) -> None:
    """Raise unless the answer is the file: a `_CutError` if another attempt may get it."""
    from urllib3.exceptions import InvalidHeader
    from urllib3.util import Retry

    if answer.status_code == 200:
        return
    problem = f"the server answered {answer.status_code} {answer.reason}"
    if answer.status_code not in _TRY_AGAIN:
        raise UnreachableError(problem, name=place)
    try:
        wait = Retry().get_retry_after(answer.raw)
    except InvalidHeader:
        wait = None
    raise _CutError(problem, None if wait is None else min(wait, LONGEST_WAIT))


def _why(error: BaseException) -> str:
    """Return in a few words why a connection failed."""
    import requests
    import urllib3

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, requests.exceptions.Timeout | urllib3.exceptions.ReadTimeoutError):
            return "nothing came for too long"
        if isinstance(cause, OSError) and cause.strerror:
            return f"no connection ({cause.strerror})"
        inner = getattr(cause, "reason", None) or (cause.args[-1] if cause.args else None)
        cause = inner if isinstance(inner, BaseException) else cause.__cause__ or cause.__context__
    if isinstance(error, urllib3.exceptions.ProtocolError):
        return "the connection was cut"
    return f"no connection ({type(error).__name__})"
