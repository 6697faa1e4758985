"""Fetching published ratings: pinned bytes from upstream or a mirror, waited for and tried again."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nbyk.bounded import LARGEST
from nbyk.data.sources import RemoteFile, Source
from nbyk.data.text import content_of
from nbyk.errors import DataPlace, NbykError, on_one_line, unknown_name
from nbyk.files import replacing, sha256
from nbyk.progress import stage

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
    """An attempt ended early; the next may succeed, after a wait that the server may name."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


@dataclass(frozen=True)
class Transfer:
    """A downloader that survives failures of networks: after those that may pass it begins again.

    It waits twice as long each time, or as long as Retry-After asks, up to `LONGEST_WAIT`, and calls `note`
    with the reason. `timeout` are the seconds until a connection must be open, and until the next bytes must
    come; `longest` those of a download in all; `most` are bytes of a file whose size nobody has recorded.
    """

    attempts: int = 4
    timeout: tuple[float, float] = (10.0, 60.0)
    longest: float = LONGEST_DOWNLOAD
    most: int = LARGEST
    sleep: Callable[[float], None] = time.sleep
    note: Callable[[str], None] = lambda text: None

    def __call__(self, url: str, file: RemoteFile, scratch: Path) -> None:
        """Download a file."""
        place, ends = without_password(url), time.monotonic() + self.longest
        for attempt in range(1, self.attempts + 1):
            try:
                with stage(file.name, file.size) as advance, open(scratch, "wb") as out:
                    for chunk in self._chunks(url, ends):
                        out.write(chunk)
                        advance(len(chunk))
                        if out.tell() > (self.most if file.size is None else file.size):
                            break
                    if file.size is None and out.tell() > self.most:
                        raise UnreachableError(f"sends more than {self.most:,} bytes", name=place)
                    if out.tell() < (file.size or 0):
                        raise _CutError(f"the connection ended after {out.tell()} of {file.size} bytes")
                return
            except _CutError as cut:
                if attempt == self.attempts:
                    raise UnreachableError(f"{cut}, {attempt} times in a row", name=place) from None
                wait = 2.0 ** (attempt - 1) if cut.wait is None else cut.wait
                self.note(f"{place}: {cut}; trying again in {wait:g} s")
                self.sleep(min(wait, max(0.0, ends - time.monotonic())))

    def _chunks(self, url: str, ends: float) -> Iterator[bytes]:
        """Yield the bytes of one attempt as they come, until a time of `time.monotonic`."""
        import requests
        import urllib3

        place = without_password(url)
        # Compressed bytes would not be the pinned ones.
        headers = {"Accept-Encoding": "identity"}
        try:
            with requests.get(url, headers=headers, stream=True, timeout=self.timeout) as answer:
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
        except ValueError as error:  # of an invalid address, here or in a redirect
            what = without_password(on_one_line(str(error)))
            problem = f"cannot be fetched ({what}); check the mirror's address"
            raise NbykError(problem, name=place) from None
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError) as error:
            raise _CutError(_why(error)) from None


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
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, urllib3.exceptions.ProtocolError):
        return "the connection was cut"
    return f"no connection ({type(error).__name__})"


FOLDER_VARIABLE = "NBYK_DATA"
MIRROR_VARIABLE = "NBYK_MIRROR"

_TRANSFER = Transfer()


def default_folder(configured: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of downloads: the configured one, NBYK_DATA's, or nbyk's in the user's cache."""
    chosen = configured or os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(os.path.expanduser(chosen))
    import pooch

    return Path(pooch.os_cache("nbyk"))


def default_mirror(configured: str | None = None) -> str | None:
    """Return the mirror to fetch from: the configured one, NBYK_MIRROR's, or None for upstream."""
    chosen = configured or os.environ.get(MIRROR_VARIABLE)
    return os.path.expanduser(chosen) if chosen else None


def is_complete(entry: Source, folder: Path) -> bool:
    """Return whether all files of a source are in a folder of downloads; `fetch` checks their content."""
    return entry.fetchable and all((folder / entry.name / file.name).is_file() for file in entry.remote)


def verified_copy(entry: Source, folder: Path) -> Path | None:
    """Return the path of a source's copy in a folder of downloads, None if files are missing."""
    if not is_complete(entry, folder):
        return None
    for file in entry.remote:
        path = folder / entry.name / file.name
        if not _is_right(path, file):
            raise DataPlace(path).error(
                f"found sha256 {sha256(path)}, expected {file.sha256}; run `nbyk data fetch "
                f"{entry.name}` to replace it, or give it as `path` if you want this file"
            )
    return entry.copy_in(folder)


def fetch(
    entry: Source,
    folder: str | os.PathLike[str],
    *,
    mirror: str | None = None,
    only: str | None = None,
    announce: Callable[[str], None] = lambda text: None,
    transfer: Transfer = _TRANSFER,
) -> list[Path]:
    """Bring a source's files, or `only` one, into a folder, as FOLDER/<source>/<file>; return their paths.

    Files that have their pinned checksum stay; others are moved into place once theirs is right, so two
    fetches at once do not interfere. A `mirror` is the address above <source>/<file>, or such a folder.
    `announce` is called with the terms before the first file comes.
    """
    if not entry.fetchable:
        raise entry.missing()
    place = Path(folder) / entry.name
    names = [file.name for file in entry.remote]
    if only is not None and only not in names:
        raise unknown_name(f"file of {entry.name}", only, names)
    wanted = names if only is None else [only]
    missing = [
        file for file in entry.remote if file.name in wanted and not _is_right(place / file.name, file)
    ]
    if missing:
        announce(terms_of(entry))
    for done, file in enumerate(missing):
        try:
            address = f"{mirror.rstrip('/')}/{entry.name}/{file.name}" if mirror else file.url
            _retrieve(address, file, place, transfer)
        except UnreachableError as error:
            moves = [f"{of.url} to {(place / of.name).absolute()}" for of in missing[done:]]
            by_hand = f"name a `mirror`, or bring {' and '.join(moves)} by other means, and run again"
            raise NbykError(f"{error}; {by_hand}", name=entry.name) from None
    return [place / name for name in wanted]


def copy_to(entry: Source, files: Sequence[Path], folder: str | os.PathLike[str]) -> list[Path]:
    """Copy fetched files to FOLDER/<source>/<file> too; no file is ever half there."""
    copies = []
    for file in files:
        copies.append(Path(folder) / entry.name / file.name)
        with replacing(copies[-1]) as scratch:
            shutil.copyfile(file, scratch)
    return copies


def terms_of(entry: Source) -> str:
    """Return a source's licence, terms and citation on three lines, to show before it is fetched."""
    licence, cite = f"{entry.title}, licence: {entry.licence}", f"cite: {entry.citation}; {entry.url}"
    return f"{licence}\n  terms: {entry.terms}\n  {cite}"


def shown_size(size: int | None) -> str:
    """Return a number of bytes as people read it."""
    if size is None:
        return "not recorded"
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _retrieve(address: str, file: RemoteFile, place: Path, transfer: Transfer) -> None:
    """Download to a scratch file in the same folder, and move it into place if its checksum is right."""
    with replacing(place / file.name, noted=False) as scratch:
        if "://" in address:
            transfer(address, file, scratch)
        else:
            try:
                content = content_of(address)
            except NbykError as error:
                raise UnreachableError(error.problem, file=address) from None
            scratch.write_bytes(content)
        checksum = sha256(scratch)
        if checksum != file.sha256:
            found = DataPlace(name=without_password(address)) if "://" in address else DataPlace(address)
            raise found.error(
                f"found sha256 {checksum}, expected {file.sha256}; these are not "
                f"the pinned bytes, so {place / file.name} was not written: fetch again, or from another "
                "`mirror`"
            )


def _is_right(path: Path, file: RemoteFile) -> bool:
    return path.is_file() and sha256(path) == file.sha256
