"""Intermediates that were cut off or edited: a clear error or the same bytes, never another number."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.dataset as ds
import pytest

from nbyk.provenance import FOLDER, files_with_records, record_path
from tests.workflow import forked
from tests.workflow.runs import CONFIG, PATIENCE, planned, results, rules, snakemake

CELL = "semantics=recommended/source=convabuse"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def rewrite(path: Path) -> None:
    """Read a file and write it again, with the same content for those who read it so."""
    if path.suffix == ".parquet":
        pd.read_parquet(path, partitioning=None).to_parquet(path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    else:
        pd.read_csv(path).to_csv(path)


# What others are made from comes first.
DAMAGED: dict[str, tuple[str, Callable[[Path], None]]] = {
    "ratings": ("ratings/convabuse.parquet", rewrite),
    "prior": ("fits/convabuse/prior.json", rewrite),
    "reference sets": ("reference_sets/", flip),
    "p-values, cut off": ("estimated_p/", cut),
    "p-values": ("estimated_p/", flip),
}


def place(directory: Path, name: str) -> Path:
    """Return a result; of a dataset's folder, the only file of the cell."""
    if not name.endswith("/"):
        return directory / "results" / name
    (file,) = (directory / "results" / name / CELL).glob("*.parquet")
    return file


def heal(checkout: Path, directory: Path, expected: dict[str, bytes]) -> None:
    """Run Snakemake, and assert that all is as it was.

    By itself Snakemake leaves out an intermediate that was deleted, if all that was made from it is still
    there and as it should be; asked for it, it makes it again.
    """
    # Of a table or a figure, Snakemake knows one file by name or two.
    inside = tuple(f"results/wein2023/{folder}/" for folder in ("tables", "figures"))
    names = (name for name in expected if FOLDER not in name and not name.startswith(inside))
    code, output = snakemake(checkout, directory, "--", *names)
    assert code == 0, output[-3000:]
    assert results(directory) == expected


def nbyk(directory: Path, *words: str) -> tuple[int, str]:
    """Run nbyk in a folder; return its exit code and everything it printed."""
    return forked.run("nbyk", words, directory, os.environ, PATIENCE)


@pytest.fixture
def checkout(shared: Path) -> Path:
    return shared / "checkout"


@pytest.fixture
def run(shared: Path, tmp_path: Path) -> Path:
    """Return a copy of the finished run, free to be damaged."""
    return Path(shutil.copytree(shared / "run", tmp_path / "run"))


@pytest.mark.parametrize(("name", "damage"), DAMAGED.values(), ids=list(DAMAGED))
def test_a_damaged_intermediate_stops_the_run_and_its_command_makes_the_same_bytes(
    name: str, damage: Callable[[Path], None], checkout: Path, run: Path
) -> None:
    before, file = results(run), place(run, name)
    shown, record = (str(path.relative_to(run)) for path in (file, record_path(file)))
    damage(file)
    code, output = snakemake(checkout, run)
    assert code != 0
    (line,) = {line for line in output.splitlines() if "error: " in line}
    assert f"error: {shown}: found " in line
    assert f"make it again: `nbyk why {shown}` names the command" in line
    make_again(run, shown)
    after = results(run)
    assert after[shown] == before[shown]
    assert after[record] == before[record]
    stopped = re.findall(r"^Error in rule (\w+):", output, re.MULTILINE)
    assert set(stopped) <= set(rules(planned(checkout, run)))


@pytest.mark.faults
def test_what_was_made_again_by_command_takes_the_run_to_the_same_bytes(checkout: Path, run: Path) -> None:
    """All but ratings and prior, behind which a fit of many seconds would be made again."""
    before = results(run)
    _, _, *later = DAMAGED.values()
    damaged = {str(place(run, name).relative_to(run)): damage for name, damage in later}
    for name, damage in damaged.items():
        damage(run / name)
    assert snakemake(checkout, run)[0] != 0
    for name in damaged:
        make_again(run, name)
    code, output = snakemake(checkout, run)
    assert code == 0, output[-3000:]
    assert results(run) == before


def make_again(directory: Path, name: str) -> None:
    """Run the command that `nbyk why` names for a file."""
    _, told = nbyk(directory, "why", name)
    (command,) = re.findall(r"^  command +nbyk (.*)$", told, flags=re.MULTILINE)
    code, printed = nbyk(directory, *shlex.split(command))
    assert code == 0, printed


def test_damage_that_leaves_the_files_time_alone_is_found_by_the_doctor(checkout: Path, run: Path) -> None:
    before = results(run)
    files = {str((file := place(run, name)).relative_to(run)): file for name, _ in DAMAGED.values()}
    for file in files.values():
        status = file.stat()
        flip(file)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert planned(checkout, run) == []  # Snakemake goes by times, and sees nothing
    code, examined = nbyk(run, "doctor")
    assert code == 3
    assert "error: " not in examined
    found = [line for line in examined.splitlines() if "make it again" in line]
    assert sorted(line.partition(": found ")[0] for line in found) == sorted(files)
    for file in files.values():
        file.unlink()
    heal(checkout, run, before)


def test_an_edit_that_was_meant_goes_through_once_its_record_is_deleted(checkout: Path, run: Path) -> None:
    prior = place(run, "fits/convabuse/prior.json")
    rewrite(prior)
    record_path(prior).unlink()
    before = results(run)
    assert rules(planned(checkout, run))["estimate_p"] == 1
    code, output = snakemake(checkout, run, "--until", "estimate_p")
    assert code == 0, output[-3000:]
    after = results(run)
    assert [name for name in before if FOLDER not in name and before[name] != after[name]] == []
    _, chain = nbyk(run, "why", "--json", str(place(run, "estimated_p/").relative_to(run)))
    assert "results/fits/convabuse/prior.json" in json.loads(chain)[0]["sources"]


def test_every_result_has_a_record_and_its_command_makes_it_again(run: Path) -> None:
    before = results(run)
    files = set(files_with_records(run))
    assert {str(file.relative_to(run)) for file in files} == {name for name in before if FOLDER not in name}
    made = json.loads(nbyk(run, "why", "--json", "results")[1])
    assert {each["path"] for each in made} == {str(file.relative_to(run)) for file in files}
    assert {each["state"] for each in made} == {"unchanged"}
    for name in ("estimated_p/", "wein2023/summary.json", "ratings/convabuse.parquet"):
        file = place(run, name)
        command = next(each["record"]["command"] for each in made if run / each["path"] == file)
        file.unlink()
        assert nbyk(run, *shlex.split(command)[1:])[0] == 0
    assert results(run) == before


def test_records_do_not_stand_in_the_way_of_readers_of_the_whole_dataset(run: Path) -> None:
    rows = 3 * CONFIG["n_references"]
    partitioned, flat = run / "results/estimated_p", run / "results/pvalues"
    assert {path.suffix for path in partitioned.rglob("*") if path.is_file()} == {".parquet"}
    # Records of files that are in no folder name=value lie beside them, where no reader of *.parquet looks.
    assert {path.name for path in flat.iterdir()} == {"wein2023.parquet", FOLDER}
    for folder, partitioning in ((partitioned, "hive"), (flat, None)):
        counted = ds.dataset(folder, partitioning=partitioning).count_rows()
        assert len(pd.read_parquet(folder)) == counted == rows


def test_a_job_that_is_killed_before_its_record_is_written_runs_again(checkout: Path, run: Path) -> None:
    before, file = results(run), place(run, "estimated_p/")
    record_path(file).unlink()
    mark = run / ".snakemake/incomplete"
    mark.mkdir(exist_ok=True)
    name = str(file.relative_to(run))
    (mark / urlsafe_b64encode(name.encode()).decode()).write_text('{"external_jobid": null}')
    code, examined = nbyk(run, "doctor")
    assert code == 3
    assert f"{name}: Snakemake was stopped while making it; run Snakemake again" in examined
    assert rules(planned(checkout, run))["estimate_p"] == 1
    code, output = snakemake(checkout, run, "--until", "estimate_p")
    assert code == 0, output[-3000:]
    assert results(run) == before
