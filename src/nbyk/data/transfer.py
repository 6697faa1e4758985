"""One file over HTTP: waits for a slow server, goes on where it was cut, tries again where that can help."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from nbyk.errors import NbykError

if TYPE_CHECKING:
    import requests

LONGEST_WAIT = 60.0
"""Seconds that a server's Retry-After is heeded for at most."""

_CHUNK = 1 << 16
_TRY_AGAIN = (429, 500, 502, 503, 504)


class UnreachableError(NbykError):
    """A server that cannot be reached, is not there for long enough, or refuses."""


class _CutError(Exception):
    """Why an attempt ended early; the next may do better."""

    def __init__(
        self, why: str, wait: float | None = None, *, answered: bool = True, where: str = ""
    ) -> None:
        super().__init__(f"{why}{where}")
        self.why, self.wait, self.answered = why, wait, answered


class Transfer:
    """A downloader for `pooch.retrieve` that survives what networks do.

    A connection that fails, is cut or stalls, and an answer 429, 500, 502, 503 or 504, lead to another
    attempt after a wait that doubles, or the time that Retry-After names, up to `LONGEST_WAIT`. An attempt
    asks for what is still missing, where the server can give a range of the same file; else it begins anew.

    Parameters
    ----------
    size
        The file's bytes, if known: an answer that ends before is a cut one.
    attempts
        How many attempts in a row may fail without a byte more than before.
    timeout
        Seconds until a connection must stand, and seconds within which the next bytes must come.
    first_wait
        Seconds before the second attempt.
    sleep
        Waits for some seconds.
    advance
        Told how many bytes more there are than ever before.
    note
        Told why the download waits: once for each reason and wait, and at the end how often, if more.
    """

    def __init__(
        self,
        *,
        size: int | None = None,
        attempts: int = 4,
        timeout: tuple[float, float] = (10.0, 60.0),
        first_wait: float = 1.0,
        sleep: Callable[[float], None] = time.sleep,
        advance: Callable[[int], None] = lambda count: None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._size, self._attempts, self._timeout = size, attempts, timeout
        self._first_wait, self._sleep, self._advance, self._note = first_wait, sleep, advance, note

    def __call__(self, url: str, output_file: Path) -> None:
        """Download `url` to the path `output_file`.

        Raises
        ------
        NbykError
            If the address is none; an `UnreachableError` if all attempts failed, or the server refuses the
            request, as with 404.
        """
        cuts: Counter[tuple[str, float]] = Counter()
        try:
            self._download(url, output_file, cuts)
        finally:
            for (why, _), times in cuts.items():
                if times > 1:
                    self._note(f"{url}: {why}, {times} times in all")

    def _download(self, url: str, output_file: Path, cuts: Counter[tuple[str, float]]) -> None:
        """Download a file, and count why and for how long that had to wait."""
        best = failed = 0
        with open(output_file, "wb") as out:
            part = _Part(out)
            while True:
                try:
                    self._attempt(url, part, best)
                    return
                except _CutError as cut:
                    failed += 1
                    if part.end > best:
                        best, failed = part.end, 1
                    if failed >= self._attempts:
                        raise UnreachableError(f"{cut}, {failed} times in a row, at {url}") from None
                    wait = self._first_wait * 2 ** (failed - 1) if cut.wait is None else cut.wait
                    if cut.answered:
                        cuts[cut.why, wait] += 1
                        if cuts[cut.why, wait] == 1:
                            self._note(f"{url}: {cut}; trying again in {wait:g} s")
                    self._sleep(wait)

    def _attempt(self, url: str, part: _Part, best: int) -> None:
        """Get what is still missing of a part, all of which ended at `best` so far."""
        import requests
        import urllib3

        answered = False
        try:
            with requests.get(url, headers=part.headers(), stream=True, timeout=self._timeout) as answer:
                answered = True
                self._accept(url, answer, part)
                # iter_content would lose what has come of a chunk when the connection is cut.
                while chunk := answer.raw.read1(_CHUNK):
                    part.out.write(chunk)
                    self._advance(max(0, part.end - max(best, part.end - len(chunk))))
                    if self._size is not None and part.end > self._size:
                        return
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as error:
            raise NbykError(f"{url}: cannot be fetched ({error}); check the mirror's address") from None
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError) as error:
            raise _CutError(_why(error), answered=answered) from None
        if self._size is not None and part.end < self._size:
            raise _CutError("the connection ended", where=f" after {part.end} of {self._size} bytes")

    @staticmethod
    def _accept(url: str, answer: requests.Response, part: _Part) -> None:
        """Put the part's end where the answer's bytes belong; raise if it has none."""
        status, said = answer.status_code, f"the server answered {answer.status_code} {answer.reason}"
        if status in _TRY_AGAIN:
            raise _CutError(said, _asked_to_wait(answer))
        if status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {part.end}-"):
            return
        part.clear()
        if status in (206, 416):
            raise _CutError(f"{said}, which is another part of the file than it was asked for")
        if status != 200:
            raise UnreachableError(f"{url}: {said}")
        part.tag = answer.headers.get("ETag", "")


@dataclass
class _Part:
    """What has come of a file, and the mark by which its server knows its version."""

    out: IO[bytes]
    tag: str = ""

    @property
    def end(self) -> int:
        return self.out.tell()

    def clear(self) -> None:
        self.out.seek(0)
        self.out.truncate()

    def headers(self) -> dict[str, str]:
        """Return the headers of a request for the rest."""
        # Compressed bytes would have other offsets than the file's.
        wanted = {"Accept-Encoding": "identity"}
        if self.end:
            wanted["Range"] = f"bytes={self.end}-"
            if self.tag and not self.tag.startswith("W/"):
                wanted["If-Range"] = self.tag
        return wanted


def _asked_to_wait(answer: requests.Response) -> float | None:
    """Return the seconds that Retry-After asks for, up to `LONGEST_WAIT`; None if it asks for none."""
    asked = answer.headers.get("Retry-After", "").strip()
    if asked.isdecimal():
        return min(float(asked), LONGEST_WAIT)
    try:
        seconds = (parsedate_to_datetime(asked) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None
    return min(max(seconds, 0.0), LONGEST_WAIT)


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
