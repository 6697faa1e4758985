"""One file over HTTP: waits for a slow server, resumes after a cut, and tries again if that can help."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

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

    def __init__(
        self, why: str, wait: float | None = None, *, answered: bool = True, where: str = ""
    ) -> None:
        super().__init__(f"{why}{where}")
        self.why, self.wait, self.answered = why, wait, answered


@dataclass(frozen=True)
class Transfer:
    """A downloader that survives failures of networks.

    If a connection fails, is cut or stalls, or the answer is 429, 500, 502, 503 or 504, the downloader tries
    again. It waits twice as long each time, or as long as Retry-After asks, up to `LONGEST_WAIT`. An attempt
    asks only for the missing rest if the server can send a range of the same file; else it begins anew.

    Attributes
    ----------
    attempts
        Number of attempts in a row that may fail without a new byte.
    timeout
        Seconds until a connection must be open, and seconds within which the next bytes must come. An answer
        must begin within twice the latter, whatever precedes it.
    longest
        Longest time, in seconds, that a download may take with all its attempts and waits.
    first_wait
        Seconds before the second attempt.
    sleep
        Waits for some seconds.
    note
        Called with the reason for a wait: once for each reason and length and, at the end, with their number
        if they repeat.
    """

    attempts: int = 4
    timeout: tuple[float, float] = (10.0, 60.0)
    longest: float = LONGEST_DOWNLOAD
    first_wait: float = 1.0
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
            The file's size in bytes, if known: a shorter answer was cut.
        advance
            Called with the number of bytes beyond the most that any attempt had.

        Raises
        ------
        NbykError
            If the address is not valid; an `UnreachableError` if all attempts failed, they took too long, or
            the server refuses the request, as with 404.
        """
        download = _Download(self, url, size, advance, ends=time.monotonic() + self.longest)
        cuts: Counter[tuple[str, float]] = Counter()
        try:
            download.run(output_file, cuts)
        finally:
            for (why, _), times in cuts.items():
                if times > 1:
                    self.note(f"{without_password(url)}: {why}, {times} times in all")


@dataclass(frozen=True)
class _Download:
    """The download of one file, until a time of `time.monotonic`."""

    how: Transfer
    url: str
    size: int | None
    advance: Callable[[int], None]
    ends: float

    @property
    def place(self) -> str:
        """The address, for people."""
        return without_password(self.url)

    def run(self, output_file: Path, cuts: Counter[tuple[str, float]]) -> None:
        """Download the file, and count its waits by reason and length."""
        best = failed = 0
        with open(output_file, "wb") as out:
            part = _Part(out)
            while True:
                try:
                    self._attempt(part, best)
                    return
                except _CutError as cut:
                    failed += 1
                    if part.end > best:
                        best, failed = part.end, 1
                    if failed >= self.how.attempts:
                        raise UnreachableError(f"{cut}, {failed} times in a row", name=self.place) from None
                    wait = self.how.first_wait * 2 ** (failed - 1) if cut.wait is None else cut.wait
                    if cut.answered:
                        cuts[cut.why, wait] += 1
                        if cuts[cut.why, wait] == 1:
                            self.how.note(f"{self.place}: {cut}; trying again in {wait:g} s")
                    self.how.sleep(min(wait, max(0.0, self.ends - time.monotonic())))

    def _attempt(self, part: _Part, best: int) -> None:
        """Get the missing rest of a part; `best` is the most bytes that any attempt had so far."""
        import requests
        import urllib3

        answered, timeout = False, self.how.timeout
        with _Watch() as watch, requests.Session() as session:
            watch.over_connections_of(session)
            watch.end_at(min(self.ends, time.monotonic() + 2.0 * timeout[1]))
            try:
                with session.get(self.url, headers=part.headers(), stream=True, timeout=timeout) as answer:
                    answered = True
                    watch.end_at(self.ends)
                    self._accept(answer, part)
                    # iter_content would lose the received bytes of a chunk when the connection is cut.
                    while chunk := answer.raw.read1(_CHUNK):
                        part.out.write(chunk)
                        self.advance(max(0, part.end - max(best, part.end - len(chunk))))
                        if self.size is not None and part.end > self.size:
                            return
            except NbykError:
                raise
            except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
                self._refuse_late()
                # For an invalid address, here or in a redirect, several libraries raise ValueError.
                if isinstance(error, ValueError):
                    what = without_password(on_one_line(str(error)))
                    raise NbykError(
                        f"cannot be fetched ({what}); check the mirror's address", name=self.place
                    ) from None
                why = "nothing came for too long" if watch.is_over else _why(error)
                raise _CutError(why, answered=answered) from None
        self._refuse_late()
        if self.size is not None and part.end < self.size:
            raise _CutError("the connection ended", where=f" after {part.end} of {self.size} bytes")

    def _refuse_late(self) -> None:
        """Raise UnreachableError once the download has taken too long."""
        if time.monotonic() >= self.ends:
            raise UnreachableError(
                f"did not arrive within {self.how.longest:g} s, the longest time allowed", name=self.place
            )

    def _accept(self, answer: requests.Response, part: _Part) -> None:
        """Move the part's end to where the answer's bytes belong; raise if they fit nowhere."""
        status, said = answer.status_code, f"the server answered {answer.status_code} {answer.reason}"
        if status in _TRY_AGAIN:
            raise _CutError(said, _asked_to_wait(answer))
        if status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {part.end}-"):
            return
        part.clear()
        if status in (206, 416):
            raise _CutError(f"{said}, with another part of the file than nbyk asked for")
        if status != 200:
            raise UnreachableError(said, name=self.place)
        part.tag = answer.headers.get("ETag", "")


class _Watch:
    """Closes the connections of a session at a set time, whatever the server sends.

    The time limits of requests hold between two bytes. A server that sends a byte now and then, or "100
    Continue" over and over, never exceeds them.
    """

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._timer: threading.Timer | None = None
        self.is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def over_connections_of(self, session: requests.Session) -> None:
        """Note every connection that a session makes, also through a proxy."""
        from requests.adapters import HTTPAdapter

        watch = self

        class Adapter(HTTPAdapter):
            def init_poolmanager(self, *args: Any, **options: Any) -> None:
                super().init_poolmanager(*args, **options)
                watch._note_pools_of(self.poolmanager)

            def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
                manager = super().proxy_manager_for(*args, **options)
                watch._note_pools_of(manager)
                return manager

        for scheme in ("http://", "https://"):
            session.mount(scheme, Adapter())

    def end_at(self, moment: float) -> None:
        """Close the connections at a time of `time.monotonic`, which replaces the one before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(max(0.0, moment - time.monotonic()), self._end)
        self._timer.daemon = True
        self._timer.start()

    def _end(self) -> None:
        self.is_over = True
        for each in self._sockets:
            with suppress(OSError):  # it is closed already
                each.shutdown(socket.SHUT_RDWR)

    def _note_pools_of(self, manager: Any) -> None:
        def noting(pool_class: Any, *args: Any, **options: Any) -> Any:
            pool = pool_class(*args, **options)
            sockets = self._sockets
            usual: Any = pool.ConnectionCls

            class Connection(usual):  # type: ignore[misc]
                def connect(self) -> None:
                    super().connect()
                    # The connection forgets its socket if the answer is to close it.
                    sockets.append(self.sock)

            pool.ConnectionCls = Connection
            return pool

        of_schemes = manager.pool_classes_by_scheme.items()
        manager.pool_classes_by_scheme = {name: partial(noting, of) for name, of in of_schemes}


@dataclass
class _Part:
    """The received part of a file, and the mark by which its server knows its version."""

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
