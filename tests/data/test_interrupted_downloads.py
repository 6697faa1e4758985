"""Downloads that are cut off, refused or told to wait: they begin again, or say what to do."""

from __future__ import annotations

import email.utils
import hashlib
import re
import time
from pathlib import Path

import pytest

from nbyk.data.download import (
    LONGEST_WAIT,
    Transfer,
    fetch,
)
from nbyk.errors import NbykError
from tests.data.downloads import CONTENT, PATH, QUICK, UPSTREAM, Waits, closed_port, entry, files_in, pinned
from tests.data.server import Answer, Server


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (Answer(cut=4000), "the connection"),
        (Answer(cut=4000, length=False), "ended after 4000 of 102400 bytes"),
        (Answer(cut=4000, stalls=True), "nothing came for too long"),
        (Answer(cut=0), "the connection"),
    ],
    ids=["cut", "cut without a length", "stalled", "cut at the start"],
)
def test_a_cut_download_begins_again(
    first: Answer, why: str, server: Server, tmp_path: Path, waits: Waits
) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [first, Answer()]
    notes: list[str] = []
    fetch(
        entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits, note=notes.append, timeout=QUICK)
    )
    assert server.requests == [(PATH, ""), (PATH, "")]
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}
    assert waits == [1.0]
    (note,) = notes
    assert why in note
    assert note.endswith("; trying again in 1 s")


def test_parts_of_two_versions_are_not_joined(server: Server, tmp_path: Path, waits: Waits) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(cut=4000, body=CONTENT[::-1]), Answer()]
    fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert server.requests == [(PATH, ""), (PATH, "")]
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}


def test_a_download_that_is_cut_at_the_same_place_each_time_fails(
    server: Server, tmp_path: Path, waits: Waits
) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(cut=4000)]
    with pytest.raises(NbykError, match=r"^own: http://127\.0\.0\.1:.*/own/one\.csv: .* 4 times in a row; "):
        fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert len(server.requests) == 4
    assert waits == [1.0, 2.0, 4.0]
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("sized", [True, False])
@pytest.mark.parametrize("wrong", [CONTENT[::-1], CONTENT[:-1], CONTENT * 20], ids=["other", "less", "more"])
def test_wrong_bytes_never_enter_the_folder(
    wrong: bytes, sized: bool, server: Server, tmp_path: Path, waits: Waits
) -> None:
    server.files[PATH] = wrong
    with pytest.raises(NbykError) as refusal:
        fetch(entry(pinned(sized=sized)), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert files_in(tmp_path) == {}
    said = str(refusal.value)
    assert f"{server.url}{PATH}" in said
    assert "\n" not in said
    if len(wrong) < len(CONTENT) and sized:
        assert f"ended after {len(wrong)} of {len(CONTENT)} bytes" in said
        return
    assert server.requests == [(PATH, "")]
    assert f"expected {pinned().sha256}" in said
    assert "`mirror`" in said
    if len(wrong) <= len(CONTENT) or not sized:
        assert f"found sha256 {hashlib.sha256(wrong).hexdigest()}" in said


@pytest.mark.parametrize("status", [404, 403, 410])
def test_a_refusal_is_not_asked_for_again(status: int, server: Server, tmp_path: Path, waits: Waits) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(status)]
    with pytest.raises(NbykError, match=rf"/own/one\.csv: the server answered {status} ") as refusal:
        fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert f"; name a `mirror`, or bring {UPSTREAM}/one.csv to {tmp_path}/own/one.csv" in str(refusal.value)
    assert server.requests == [(PATH, "")]
    assert waits == []
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize(
    ("retry_after", "wait"),
    [("7", 7.0), ("0", 0.0), ("86400", LONGEST_WAIT), ("soon", 1.0), (None, 1.0)],
)
def test_a_busy_server_says_when_to_ask_again(
    retry_after: str | None, wait: float, server: Server, tmp_path: Path, waits: Waits
) -> None:
    server.files[PATH] = CONTENT
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    server.answers[PATH] = [Answer(429, headers), Answer()]
    fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert server.requests == [(PATH, ""), (PATH, "")]
    assert waits == [wait]
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}


def test_a_busy_server_may_name_a_date(server: Server, tmp_path: Path, waits: Waits) -> None:
    server.files[PATH] = CONTENT
    later = email.utils.formatdate(time.time() + 30, usegmt=True)
    server.answers[PATH] = [Answer(503, {"Retry-After": later}), Answer()]
    fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    (wait,) = waits
    assert 0 < wait <= 30


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failing_server_is_asked_again_after_longer_and_longer_waits(
    status: int, server: Server, tmp_path: Path, waits: Waits
) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(status), Answer(status), Answer()]
    fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert waits == [1.0, 2.0]
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}


def test_a_failure_after_a_cut_is_tried_again_too(server: Server, tmp_path: Path, waits: Waits) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(cut=4000), Answer(503), Answer()]
    fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert server.requests == [(PATH, ""), (PATH, ""), (PATH, "")]
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}


def test_a_server_that_stays_down_is_left_after_four_attempts(
    server: Server, tmp_path: Path, waits: Waits
) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(503)]
    with pytest.raises(NbykError, match="the server answered 503 Service Unavailable, 4 times in a row"):
        fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert len(server.requests) == 4
    assert files_in(tmp_path) == {}


def test_without_a_network_one_line_says_what_to_bring_and_where(tmp_path: Path, waits: Waits) -> None:
    files = [pinned(f"{name}.csv", name.encode()) for name in ("one", "two", "three")]
    (tmp_path / "own").mkdir()
    (tmp_path / "own/two.csv").write_bytes(b"two")
    notes: list[str] = []
    transfer = Transfer(sleep=waits, note=notes.append)
    with pytest.raises(NbykError) as refusal:
        fetch(entry(*files), tmp_path, mirror=closed_port(), transfer=transfer)
    said = str(refusal.value)
    assert "\n" not in said
    assert re.match(
        r"own: http://127\.0\.0\.1:\d+/own/one\.csv: no connection \(Connection refused\), "
        r"4 times in a row; ",
        said,
    )
    for name in ("one", "three"):
        assert f"{UPSTREAM}/{name}.csv to {tmp_path / 'own' / name}.csv" in said
    assert "two.csv" not in said
    assert waits == [1.0, 2.0, 4.0]
    assert [note.rpartition("; ")[2] for note in notes] == [f"trying again in {wait} s" for wait in (1, 2, 4)]
    assert files_in(tmp_path) == {"own/two.csv": b"two"}
    for name in ("one", "three"):
        (tmp_path / f"own/{name}.csv").write_bytes(name.encode())
    assert len(fetch(entry(*files), tmp_path, mirror=closed_port(), transfer=transfer)) == 3


def test_a_host_that_is_not_known_is_no_network(tmp_path: Path, waits: Waits) -> None:
    with pytest.raises(
        NbykError, match=r"^own: https://upstream\S*: no connection \(.+\), 4 times in a row; "
    ):
        fetch(entry(), tmp_path, transfer=Transfer(sleep=waits))
