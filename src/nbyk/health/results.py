"""Results checked against their records: edited, cut off, missing, or made from inputs that have changed."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from nbyk.errors import NbykError
from nbyk.files import is_scratch
from nbyk.health.finding import Finding
from nbyk.lineage.chain import Checksums, inputs_of
from nbyk.lineage.recording import versions
from nbyk.provenance.answers import answers_below
from nbyk.provenance.records import Record, files_with_records, how_it_differs, read_record, shown


def examine(folder: Path) -> Iterator[Finding]:
    """Yield findings about the results below a folder: errors, and some only for information."""
    checksums, records = Checksums(), dict[Path, Record]()
    missing, wrong = list[Path](), set[Path]()
    for file in sorted(files_with_records(folder)):
        try:
            record = read_record(file)
        except NbykError as error:
            what, _, advice = error.problem.rpartition("; ")
            yield Finding(error.file or shown(file), what, advice)
            continue
        if record is None:  # a command is writing the file anew
            continue
        records[file] = record
        found = checksums.of(file)
        if found is None:
            missing.append(file)
        elif found != record.sha256 and read_record(file) == record:
            wrong.add(file)
            size = file.stat().st_size
            what = f"was {how_it_differs(record, size)} after nbyk wrote it: found {size} bytes of SHA-256"
            expected = f"expected {record.bytes} of {record.sha256[:12]}…"
            yield Finding(shown(file), f"{what} {found[:12]}…, {expected}", _made_again(shown(file)))
    yield from _missing(missing)
    yield from _mixed(folder, checksums, wrong.union(missing))
    yield from _outdated(records, checksums, wrong.union(missing))
    yield from _left_over(folder / "results", records)
    yield from _unrecorded(folder / "results", records)
    yield from _other_versions(records.values())


def _missing(files: Collection[Path]) -> Iterator[Finding]:
    by_folder = defaultdict[Path, list[Path]](list)
    for file in files:
        by_folder[file.parent].append(file)
    for place, gone in by_folder.items():
        what = f"{_counted([file.name for file in gone])} missing, though recorded as written"
        advice = (
            f"{_made_again(shown(gone[0]))}, or delete the records (in .nbyk) of files that you do not want"
        )
        yield Finding(shown(place), what, advice)


def _mixed(folder: Path, checksums: Checksums, told: Collection[Path]) -> Iterator[Finding]:
    """Yield the answers that lack files or mix in another answer's, except files in `told`."""
    for place, stem, listed in answers_below(folder):
        found = {name: checksums.of(place / name) for name in listed}
        lost = [name for name, digest in found.items() if digest is None and place / name not in told]
        other = [
            name
            for name, digest in found.items()
            if digest not in (None, listed[name]) and place / name not in told
        ]
        # Whoever deletes an answer leaves nothing; a command that was killed leaves scratch files.
        if lost + other and (any(found.values()) or _has_scratch(place, listed)):
            what = " and ".join(
                f"{_counted(names)} {problem}"
                for names, problem in ((lost, "missing"), (other, "another answer's"))
                if names
            )
            advice = (
                f"the command that writes it was stopped: run it again with --out {shlex.quote(shown(place))}"
            )
            yield Finding(shown(place), f"of the {len(listed)} files of its {stem}, {what}", advice)


def _has_scratch(place: Path, names: Collection[str]) -> bool:
    """Return whether a scratch file stands in a folder of these files."""
    folders = {(place / name).parent for name in names}
    return any(is_scratch(path.name) for folder in folders if folder.is_dir() for path in folder.iterdir())


def _outdated(records: dict[Path, Record], checksums: Checksums, told: Collection[Path]) -> Iterator[Finding]:
    """Yield the inputs that have changed, except those in `told`."""
    made_from = defaultdict[tuple[Path, bool], list[str]](list)
    for file, record in records.items():
        for _, source, digest in inputs_of(file, record):
            found = checksums.of(source)
            if found != digest and source not in told:
                made_from[source, found is None].append(shown(file))
    for (source, is_gone), files in made_from.items():
        if is_gone:
            yield Finding(shown(source), f"is gone; {_counted(files)} made from it")
        else:
            what = f"has changed: {_counted(files)} made from another version of it"
            advice = "run again; if that leaves files as they are, make them again: `nbyk why "
            yield Finding(shown(source), what, f"{advice}{shlex.quote(files[0])}` names the command")


def _left_over(results: Path, records: dict[Path, Record]) -> Iterator[Finding]:
    """Yield the files that the datasets of p-values and rates could hold, and do not."""
    datasets = [results / "pvalues", results / "rates"]
    used = {source for file, record in records.items() for _, source, _ in inputs_of(file, record)}
    gathered = [file for file in records if file.parent in datasets]
    sources = {source for file in gathered for _, source, _ in inputs_of(file, records[file])}
    places = {_top(results, source) for source in sources if results in source.parents}
    left = defaultdict[Path, list[str]](list)
    for file in sorted(set(records) - used - set(gathered)):
        if file.suffix == ".parquet" and results in file.parents:
            left[_top(results, file)].append(file.name)
    for place, names in left.items():
        if place not in places.union(datasets):
            continue
        what = f"{_counted(names)} of another seed or configuration, or of a run that was stopped"
        yield Finding(shown(place), f"{what}; no dataset in results/ has them, and you may delete them")


def _top(results: Path, file: Path) -> Path:
    """Return the folder that a file is in, without the folders name=value of a partitioned dataset."""
    parts = file.relative_to(results).parts[:-1]
    return results.joinpath(*(part for part in parts if "=" not in part))


def _unrecorded(results: Path, records: Collection[Path]) -> Iterator[Finding]:
    known = set(records)
    known.add(results / "README.md")  # it comes with the repository
    files = (path for path in sorted(results.rglob("*")) if path.is_file() and path not in known)
    names = [
        shown(file) for file in files if not any(part[0] == "." for part in file.relative_to(results).parts)
    ]
    if names:
        what = f"{_counted(names)} without a record: made by another program, by an older nbyk"
        yield Finding(shown(results), f"{what}, or by a command that stopped (run that one again)")


def _other_versions(records: Collection[Record]) -> Iterator[Finding]:
    installed = versions()
    others = Counter(
        (name, version)
        for record in records
        for name, version in record.versions.items()
        if installed.get(name) != version
    )
    for (name, version), count in sorted(others.items()):
        yield Finding(
            name, f"{count} results were made with {version}, and {installed.get(name)} is installed"
        )


def _made_again(name: str) -> str:
    """Return the advice to make a file again; by itself Snakemake skips files that no other file needs."""
    return f"make it again: `nbyk why {shlex.quote(name)}` names the command"


def _counted(names: Collection[str]) -> str:
    first = next(iter(names))
    return f"{first} is" if len(names) == 1 else f"{len(names)} files ({first}, …) are"
