"""Downloads: pinned bytes or nothing, from servers that are slow, cut off, overloaded, wrong or not there."""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from pathlib import Path

import pytest

from nbyk.data import load_source, source
from nbyk.data.download import (
    Transfer,
    copy_to,
    default_folder,
    default_mirror,
    fetch,
    is_complete,
    shown_size,
    verified_copy,
)
from nbyk.errors import NbykError
from nbyk.files import SCRATCH, sha256
from tests.data.downloads import CONTENT, PATH, QUICK, Waits, closed_port, entry, files_in, pinned
from tests.data.server import Answer, Server


def test_a_file_is_fetched_once_after_its_terms_are_shown(server: Server, tmp_path: Path) -> None:
    server.files[PATH] = CONTENT
    shown: list[tuple[str, int]] = []

    def announce(text: str) -> None:
        shown.append((text, len(server.requests)))

    for _ in range(2):
        assert fetch(entry(), tmp_path, mirror=server.url, announce=announce) == [tmp_path / "own/one.csv"]
    assert server.requests == [(PATH, "")]
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}
    ((text, requests_before),) = shown
    assert requests_before == 0
    assert all(part in text for part in (entry().licence, entry().terms, entry().citation))


def test_upstream_is_asked_where_there_is_no_mirror(server: Server, tmp_path: Path) -> None:
    server.files["/pinned/one.csv"] = CONTENT
    file = dataclasses.replace(pinned(), url=f"{server.url}/pinned/one.csv")
    fetch(entry(file), tmp_path)
    assert server.requests == [("/pinned/one.csv", "")]


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_others_may_read_what_this_user_lets_them(server: Server, tmp_path: Path) -> None:
    server.files[PATH] = CONTENT
    (path,) = fetch(entry(), tmp_path, mirror=server.url)
    (tmp_path / "like").touch()
    assert path.stat().st_mode == (tmp_path / "like").stat().st_mode


def test_a_slow_server_is_waited_for_as_long_as_bytes_come(server: Server, tmp_path: Path) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(delay=QUICK[1] / 5)]
    started = time.monotonic()
    fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(timeout=QUICK))
    assert time.monotonic() - started > QUICK[1]
    assert server.requests == [(PATH, "")]
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}


def test_a_download_that_trickles_ends_at_its_time_limit(server: Server, tmp_path: Path) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(delay=2.0)]  # each tenth, 20 s in all
    start = time.monotonic()
    with pytest.raises(NbykError, match=r"did not arrive within 1 s, the longest time allowed"):
        fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(timeout=(5.0, 5.0), longest=1.0))
    assert time.monotonic() - start < 12.0
    assert files_in(tmp_path) == {}


def test_a_download_of_unknown_size_ends_at_a_bound(server: Server, tmp_path: Path) -> None:
    server.files[PATH] = b"x" * 5000
    with pytest.raises(NbykError, match="sends more than 1,000 bytes"):
        fetch(
            entry(dataclasses.replace(pinned(), size=None)),
            tmp_path,
            mirror=server.url,
            transfer=Transfer(timeout=QUICK, most=1000),
        )
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("target", ["http://[::1/x", "http://a:b:c/", "http://\x01/", "gopher://x/y"])
def test_a_redirect_to_no_address_is_one_line(server: Server, tmp_path: Path, target: str) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(status=302, headers={"Location": target})]
    with pytest.raises(NbykError, match=r"cannot be fetched|times in a row"):
        fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(timeout=QUICK, sleep=Waits()))
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("status", [404, 500, 200])
def test_the_password_of_a_mirror_is_never_shown(server: Server, tmp_path: Path, status: int) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(status=status, body=b"wrong" * 20480)]
    notes: list[str] = []
    mirror = server.url.replace("://", "://me:s3cret%40x@")
    with pytest.raises(NbykError) as refusal:
        fetch(
            entry(),
            tmp_path,
            mirror=mirror,
            transfer=Transfer(timeout=QUICK, sleep=Waits(), note=notes.append),
        )
    assert "…@127.0.0.1" in str(refusal.value)
    assert not any("s3cret" in text or "me:" in text for text in (str(refusal.value), *notes))


def test_nothing_is_left_among_temporary_files(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(tmp_path / "none")])
    server.files[PATH] = CONTENT
    fetch(entry(), tmp_path, mirror=server.url, transfer=Transfer(timeout=QUICK))
    assert list(files_in(tmp_path)) == ["own/one.csv"]


def test_a_mirror_that_is_no_address_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        NbykError, match=r"gopher://mirror/own/one\.csv: cannot be fetched .*check the mirror"
    ):
        fetch(entry(), tmp_path, mirror="gopher://mirror")


def test_a_wrong_file_is_replaced_by_the_right_one_or_left(
    server: Server, tmp_path: Path, waits: Waits
) -> None:
    server.files[PATH] = CONTENT
    (tmp_path / "own").mkdir()
    (tmp_path / "own/one.csv").write_bytes(b"mine")
    with pytest.raises(NbykError, match="no connection"):
        fetch(entry(), tmp_path, mirror=closed_port(), transfer=Transfer(sleep=waits))
    assert files_in(tmp_path) == {"own/one.csv": b"mine"}
    with pytest.raises(NbykError, match=r"one\.csv: found sha256 .*, expected .*nbyk data fetch own"):
        verified_copy(entry(), tmp_path)
    fetch(entry(), tmp_path, mirror=server.url)
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}
    assert verified_copy(entry(), tmp_path) == tmp_path / "own/one.csv"


def test_a_folder_can_be_the_mirror(tmp_path: Path) -> None:
    mirror, folder = tmp_path / "mirror", tmp_path / "folder"
    (mirror / "own").mkdir(parents=True)
    (mirror / "own/one.csv").write_bytes(CONTENT)
    fetch(entry(), folder, mirror=f"{mirror}/")
    assert files_in(folder) == {"own/one.csv": CONTENT}
    (mirror / "own/two.csv").write_bytes(CONTENT[::-1])
    with pytest.raises(NbykError, match=r"mirror/own/two\.csv: found sha256"):
        fetch(entry(pinned("two.csv")), folder, mirror=str(mirror))
    with pytest.raises(NbykError, match=r"mirror/own/three\.csv: no such file; .*three\.csv to"):
        fetch(entry(pinned("three.csv")), folder, mirror=str(mirror))
    assert files_in(folder) == {"own/one.csv": CONTENT}


def test_a_mirror_that_cannot_be_read_is_not_taken_for_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mirror/own/one.csv").mkdir(parents=True)
    with pytest.raises(
        NbykError, match=r"mirror/own/one\.csv: cannot be read \(Is a directory\).*; name a `mirror`"
    ):
        fetch(entry(), tmp_path / "folder", mirror=str(tmp_path / "mirror"))


def test_one_file_of_several_can_be_fetched(server: Server, tmp_path: Path) -> None:
    server.files |= {"/own/a.csv": b"a", "/own/b.csv": b"b"}
    both = entry(pinned("a.csv", b"a"), pinned("b.csv", b"b"))
    assert fetch(both, tmp_path, mirror=server.url, only="b.csv") == [tmp_path / "own/b.csv"]
    assert not is_complete(both, tmp_path)
    assert verified_copy(both, tmp_path) is None
    with pytest.raises(NbykError, match=r"unknown file of own 'c\.csv'"):
        fetch(both, tmp_path, mirror=server.url, only="c.csv")
    fetch(both, tmp_path, mirror=server.url)
    assert server.requests == [("/own/b.csv", ""), ("/own/a.csv", "")]
    assert verified_copy(both, tmp_path) == tmp_path / "own"


def test_what_a_killed_fetch_left_is_discarded_by_the_next(server: Server, tmp_path: Path) -> None:
    server.files[PATH] = CONTENT
    (tmp_path / "own").mkdir()
    (tmp_path / f"own/.one.csv.abandoned{SCRATCH}").write_bytes(CONTENT[:7])
    fetch(entry(), tmp_path, mirror=server.url)
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}


def test_a_file_in_place_of_the_folder_is_named_with_the_way_out(server: Server, tmp_path: Path) -> None:
    server.files[PATH] = CONTENT
    (tmp_path / "own").touch()
    with pytest.raises(NbykError, match=r"own/one\.csv: cannot be written: .*; a file is where its folder"):
        fetch(entry(), tmp_path, mirror=server.url)


def test_two_fetches_at_once_both_succeed(server: Server, tmp_path: Path) -> None:
    server.files[PATH] = CONTENT
    server.answers[PATH] = [Answer(delay=0.02)]
    found: list[list[Path]] = []
    threads = [
        threading.Thread(target=lambda: found.append(fetch(entry(), tmp_path, mirror=server.url)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[tmp_path / "own/one.csv"]] * 4
    assert files_in(tmp_path) == {"own/one.csv": CONTENT}


def test_copies_are_whole_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    original = tmp_path / "own/one.csv"
    original.write_bytes(CONTENT)
    assert copy_to(entry(), [original], tmp_path / "copies") == [tmp_path / "copies/own/one.csv"]
    (tmp_path / "copies/own/one.csv").write_bytes(b"")
    assert original.read_bytes() == CONTENT


@pytest.mark.parametrize("name", ["toxicity", "amazon"])
def test_what_cannot_be_fetched_is_one_line_on_how_to_get_it(name: str, tmp_path: Path) -> None:
    with pytest.raises(NbykError) as refusal:
        fetch(source(name), tmp_path)
    said = str(refusal.value)
    assert "\n" not in said
    assert source(name).url in said
    assert f"as `path`, or as {name} under ratings" in said


def test_what_comes_with_nbyk_is_not_fetched(tmp_path: Path) -> None:
    with pytest.raises(NbykError, match="'convabuse': comes with nbyk, so there is nothing to fetch"):
        fetch(source("convabuse"), tmp_path)


def test_where_downloads_go_and_come_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NBYK_DATA", raising=False)
    monkeypatch.delenv("NBYK_MIRROR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert default_mirror() is None
    assert "nbyk" in default_folder().parts
    monkeypatch.setenv("NBYK_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NBYK_MIRROR", "https://mirror.example")
    assert (default_folder(), default_mirror()) == (tmp_path / "data", "https://mirror.example")
    assert (default_folder("mine"), default_mirror("here")) == (Path("mine"), "here")


def test_a_home_folder_is_meant_where_it_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NBYK_DATA", "~/of variable")
    monkeypatch.setenv("NBYK_MIRROR", "~/mirror")
    assert default_folder() == tmp_path / "of variable"
    assert default_folder("~/dl") == tmp_path / "dl"
    assert default_mirror() == str(tmp_path / "mirror")
    assert default_mirror("~/other") == str(tmp_path / "other")


def test_sizes_are_shown_as_people_read_them() -> None:
    assert [shown_size(n) for n in (None, 667_673, 31_143_485)] == ["not recorded", "668 kB", "31.1 MB"]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("hs_brexit", "lewidi/HS-Brexit_dataset"),
        ("armis", "lewidi/ArMIS_dataset"),
        ("multidomain", "lewidi/MD-Agreement_dataset"),
        ("convabuse_lewidi", "lewidi/ConvAbuse_dataset"),
    ],
)
def test_real_files_through_a_server_that_cuts_them(
    name: str, folder: str, datasets: Path, server: Server, tmp_path: Path, waits: Waits
) -> None:
    """The files, whose texts are blanked, stand in for upstream's under pins of their own."""
    real = source(name)
    stand_ins = []
    for file in real.remote:
        path = datasets / folder / file.name
        stand_ins.append(dataclasses.replace(file, sha256=sha256(path), size=path.stat().st_size))
        address = f"/{name}/{file.name}"
        server.files[address] = path.read_bytes()
        server.answers[address] = [Answer(cut=path.stat().st_size // 2), Answer()]
    stood_in = dataclasses.replace(real, remote=tuple(stand_ins))
    fetch(stood_in, tmp_path, mirror=server.url, transfer=Transfer(sleep=waits))
    assert len(server.requests) == 2 * len(stand_ins)
    ratings = load_source(name, verified_copy(stood_in, tmp_path))
    assert (ratings.n_items, ratings.n_ratings) == (real.n_items, real.n_ratings)
