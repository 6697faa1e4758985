"""Files: whole or not at all, the same bytes for the same content, and one clear error for a damaged one."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import nbyk
from nbyk.errors import NbykError
from nbyk.files import (
    SCRATCH,
    read_json,
    read_parquet,
    replacing,
    sha256,
    write_json,
    write_parquet,
    write_text,
)

TABLE = pa.table({"item": ["a", "b"], "value": [0.1, float("nan")]})


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write_text(tmp_path / "kept.txt", "old")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "kept.txt") as scratch:  # noqa: PT012
        scratch.write_text("new, and not finished")
        raise KeyboardInterrupt
    assert (tmp_path / "kept.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["kept.txt"]


def test_a_frame_is_written_as_the_table_of_its_columns(tmp_path: Path) -> None:
    """A step of somebody's study may return either."""
    for name, table in {"table": TABLE, "frame": TABLE.to_pandas()}.items():
        write_parquet(tmp_path / name, table, {"seed": 1})
    tables = [read_parquet(tmp_path / name) for name in ("table", "frame")]
    pd.testing.assert_frame_equal(*(table.to_pandas() for table, _ in tables))
    assert tables[0][1] == tables[1][1]


@pytest.mark.parametrize("content", [float("nan"), object()], ids=["nan", "not JSON"])
def test_content_that_json_cannot_hold_leaves_the_old_file(content: object, tmp_path: Path) -> None:
    write_json(tmp_path / "kept.json", {"old": 1})
    with pytest.raises((ValueError, TypeError)):
        write_json(tmp_path / "kept.json", {"new": content})
    assert read_json(tmp_path / "kept.json") == {"old": 1}
    assert os.listdir(tmp_path) == ["kept.json"]


@pytest.mark.quick
def test_readers_see_the_old_file_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "new folder" / "file.txt"
    write_text(target, "old")
    with replacing(target) as scratch:
        scratch.write_text("new")
        assert target.read_text() == "old"
        assert scratch.parent == target.parent  # a rename across file systems would not be atomic
    assert target.read_text() == "new"


def test_a_written_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_text(tmp_path / "atomic", "x")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "atomic")}
    assert len(modes) == 1


def test_what_killed_writers_left_is_discarded_by_the_next_one(tmp_path: Path) -> None:
    for name in (f".file.[1].1{SCRATCH}", f".file.[1].2{SCRATCH}", f".other.1{SCRATCH}", ".file.[1].mine"):
        (tmp_path / name).touch()
    write_text(tmp_path / "file.[1]", "new")
    assert sorted(os.listdir(tmp_path)) == [".file.[1].mine", f".other.1{SCRATCH}", "file.[1]"]


def test_writers_at_work_on_the_same_file_leave_each_other_alone(tmp_path: Path) -> None:
    with replacing(tmp_path / "file") as scratch:
        scratch.write_text("first")
        write_text(tmp_path / "file", "second")
        assert (tmp_path / "file").read_text() == "second"
    assert (tmp_path / "file").read_text() == "first"
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_system_without_locks_is_written_to_and_nothing_is_discarded_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (tmp_path / f".file.1{SCRATCH}").touch()
    write_text(tmp_path / "file", "new")
    assert sorted(os.listdir(tmp_path)) == [f".file.1{SCRATCH}", "file"]


def test_readers_of_a_folder_pass_over_scratch_files(tmp_path: Path) -> None:
    write_parquet(tmp_path / "1.parquet", TABLE, {})
    with replacing(tmp_path / "2.parquet") as scratch:
        scratch.write_bytes(b"half a file")
        assert list(pd.read_parquet(tmp_path)["item"]) == ["a", "b"]
        scratch.write_bytes((tmp_path / "1.parquet").read_bytes())
    assert len(pd.read_parquet(tmp_path)) == 4


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device"),
            "No space left on device; make room there and run again",
        ),
        (
            OSError(errno.EDQUOT, "Disk quota exceeded", "x"),
            "Disk quota exceeded; make room there and run again",
        ),
        (
            OSError(errno.EROFS, "Read-only file system"),
            "Read-only file system; make its folder writable, or write elsewhere",
        ),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (OSError("Error writing\nbytes"), "Error writing bytes"),
    ],
    ids=["full", "quota", "read-only", "broken", "without a number"],
)
def test_a_file_that_cannot_be_written_is_named_with_the_reason_and_the_way_out(
    error: OSError, message: str, tmp_path: Path
) -> None:
    with pytest.raises(NbykError) as caught, replacing(tmp_path / "kept.txt"):
        raise error
    assert str(caught.value) == f"{tmp_path}/kept.txt: cannot be written: {message}"
    assert os.listdir(tmp_path) == []


def test_a_file_in_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NbykError, match=r"file/new/x: cannot be written: Not a directory; a file is where"):
        write_text(tmp_path / "file" / "new" / "x", "")


@pytest.mark.quick
def test_the_same_table_and_metadata_give_the_same_bytes(tmp_path: Path) -> None:
    write_parquet(tmp_path / "1.parquet", TABLE, {"seed": 1, "M": 40})
    write_parquet(tmp_path / "2.parquet", TABLE, {"M": 40, "seed": 1})
    write_parquet(tmp_path / "3.parquet", TABLE, {"seed": 2, "M": 40})
    first, second, third = (sha256(tmp_path / f"{number}.parquet") for number in (1, 2, 3))
    assert first == second != third


def test_a_table_and_its_metadata_come_back(tmp_path: Path) -> None:
    metadata = {"seed": 2**70, "semantics": "published", "prior": {"name": "ε"}, "gold": None}
    write_parquet(tmp_path / "table.parquet", TABLE, metadata)
    table, made = read_parquet(tmp_path / "table.parquet")
    assert table.schema == TABLE.schema
    assert table["item"].equals(TABLE["item"])
    assert made == {"version": nbyk.__version__, **metadata}


def test_a_name_with_an_equals_sign_is_no_partition(tmp_path: Path) -> None:
    path = tmp_path / "source=x" / "table.parquet"
    write_parquet(path, TABLE, {})
    assert read_parquet(path)[0].column_names == TABLE.column_names


@pytest.mark.parametrize("keep", [0, 4, 100, -1], ids=lambda keep: f"first {keep} bytes")
def test_a_truncated_parquet_file_is_one_clear_error(keep: int, tmp_path: Path) -> None:
    path = tmp_path / "cut.parquet"
    write_parquet(path, TABLE, {"seed": 1})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(NbykError, match=r"cut\.parquet: not a readable Parquet file") as caught:
        read_parquet(path)
    assert "\n" not in str(caught.value)


def test_damaged_bytes_in_the_middle_of_a_parquet_file_never_become_numbers(tmp_path: Path) -> None:
    path = tmp_path / "damaged.parquet"
    write_parquet(path, pa.table({"value": list(range(1000))}), {"seed": 1})
    content = bytearray(path.read_bytes())
    content[4:200] = bytes(196)
    path.write_bytes(content)
    with pytest.raises(NbykError, match="not a readable Parquet file"):
        read_parquet(path)


@pytest.mark.parametrize("content", [b"", b'{"seed": 1', b"\xff\xfe{", b"seed: 1"])
def test_a_corrupt_json_file_is_one_clear_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(
        NbykError, match=r"bad\.json: not a JSON file .*if an nbyk command wrote it"
    ) as caught:
        read_json(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(NbykError, match=r"bad\.json: not a JSON file .*\); give another$"):
        read_json(path, way_out="give another")


@pytest.mark.parametrize("read", [read_json, read_parquet])
def test_a_missing_file_is_named(read, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NbykError, match="nowhere: no such file"):
        read(tmp_path / "nowhere")
