"""Fetching published ratings: pinned bytes from upstream or a mirror, or advice if that fails."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

from nbyk.data.source import RemoteFile, Source
from nbyk.data.transfer import Transfer, UnreachableError, without_password
from nbyk.errors import DataPlace, NbykError, unknown_name
from nbyk.files import replacing, sha256
from nbyk.progress import progress

FOLDER_VARIABLE = "NBYK_DATA"
MIRROR_VARIABLE = "NBYK_MIRROR"

_LARGE = 10_000_000
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
            raise NbykError(
                f"found sha256 {sha256(path)}, expected {file.sha256}; run `nbyk data fetch "
                f"{entry.name}` to replace it, or give it as `path` if you want this file",
                file=path,
            )
    return entry.copy_in(folder)


def missing_files(entry: Source, folder: str | os.PathLike[str], names: Collection[str]) -> list[RemoteFile]:
    """Return the files, among those named, that `fetch` would download into a folder."""
    place = Path(folder) / entry.name
    return [file for file in entry.remote if file.name in names and not _is_right(place / file.name, file)]


def fetch(
    entry: Source,
    folder: str | os.PathLike[str],
    *,
    mirror: str | None = None,
    only: str | None = None,
    announce: Callable[[str], None] = lambda text: None,
    transfer: Transfer = _TRANSFER,
) -> list[Path]:
    """Bring the files of a source into a folder, as FOLDER/<source>/<file>, each with its pinned checksum.

    A file that is already there and has its checksum stays as it is. Any other file is downloaded to a
    scratch file in the same folder, and moved into place once its checksum is right. Two fetches at once do
    not interfere.

    Parameters
    ----------
    entry
        The source.
    folder
        The folder of downloads; made if it is missing.
    mirror
        Instead of upstream: the address above <source>/<file>, or the path of a folder with that layout.
    only
        The name of the one file to fetch; None for all.
    announce
        Called with the licence, the terms and the citation before the first file is fetched.
    transfer
        The downloader.
    """
    if not entry.fetchable:
        raise entry.missing()
    place = Path(folder) / entry.name
    names = [file.name for file in entry.remote]
    if only is not None and only not in names:
        raise unknown_name(f"file of {entry.name}", only, names)
    wanted = names if only is None else [only]
    missing = missing_files(entry, folder, wanted)
    if missing:
        announce(terms_of(entry))
    for done, file in enumerate(missing):
        try:
            with _progress_of(file) as advance:
                download = partial(transfer, size=file.size, advance=advance)
                _retrieve(_address(entry, file, mirror), file, place, download)
        except UnreachableError as error:
            raise NbykError(f"{error}; {_by_hand(missing[done:], place)}", name=entry.name) from None
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


def _retrieve(address: str, file: RemoteFile, place: Path, download: Callable[[str, Path], None]) -> None:
    """Download to a scratch file in the same folder, and move it into place if its checksum is right."""
    with replacing(place / file.name, noted=False) as scratch:
        if "://" in address:
            download(address, scratch)
        else:
            _copy_from_mirror(address, scratch)
        found = sha256(scratch)
        if found != file.sha256:
            place_of_bytes = (
                DataPlace(name=without_password(address)) if "://" in address else DataPlace(address)
            )
            raise place_of_bytes.error(
                f"found sha256 {found}, expected {file.sha256}; these are not "
                f"the pinned bytes, so {place / file.name} was not written: fetch again, or from another "
                "`mirror`"
            )


def _copy_from_mirror(path: str, scratch: Path) -> None:
    if not os.path.isfile(path):
        raise UnreachableError("no such file in the mirror", file=path)
    if not os.access(path, os.R_OK):
        raise UnreachableError("you may not read this file of the mirror", file=path)
    shutil.copyfile(path, scratch)


def _address(entry: Source, file: RemoteFile, mirror: str | None) -> str:
    if mirror is None:
        return file.url
    return f"{mirror.rstrip('/')}/{entry.name}/{file.name}"


def _is_right(path: Path, file: RemoteFile) -> bool:
    return path.is_file() and sha256(path) == file.sha256


def _by_hand(missing: Sequence[RemoteFile], place: Path) -> str:
    """Return how to get the files without a connection, as part of a sentence."""
    moves = [f"{file.url} to {(place / file.name).absolute()}" for file in missing]
    return f"name a `mirror`, or bring {' and '.join(moves)} by other means, and run again"


def _progress_of(file: RemoteFile) -> AbstractContextManager[Callable[[int], None]]:
    """Return a progress bar for a file that is large enough to wait for."""
    if file.size is None or file.size < _LARGE:
        return nullcontext(lambda count: None)
    return progress(file.name, file.size)
