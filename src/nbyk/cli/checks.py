"""`nbyk why`: the command and inputs behind a result; `nbyk doctor`: what is wrong, and how to mend it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.errors import NbykError

if TYPE_CHECKING:
    from nbyk.lineage import Origin

SHORT = 30
"""Largest number of lines of a chain that is printed by default."""

_MARKS = {"unchanged": "", "changed": "   CHANGED since", "missing": "   MISSING now"}


def why(
    path: Path,
    tree: Annotated[bool, typer.Option("--tree")] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Show how a file was made: command, inputs with checksums, and versions.

    The exit code is 3 if the file, or a file behind it, has changed since or is missing now; else 0.

    Parameters
    ----------
    path
        File, or folder of files, that nbyk made.
    tree
        Print the whole chain back to the sources, however long.
    as_json
        Print JSON, with one object per file.
    """
    from nbyk.lineage import trace, versions

    origins = trace(path)
    if as_json:
        shown = [
            {
                **origin.to_dict(),
                "sources": [source.name for source in origin.sources()],
                "installed": versions(),
            }
            for origin in origins
        ]
        print(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        blocks = ["\n".join(_block(group, versions(), tree=tree)) for group in _by_command(origins)]
        print("\n\n".join(blocks))
    if any(file.state != "unchanged" for origin in origins for file in origin.chain()):
        raise typer.Exit(3)


def _by_command(origins: Sequence[Origin]) -> list[list[Origin]]:
    groups: dict[str, list[Origin]] = {}
    for origin in origins:
        made = origin.to_dict()["record"]
        key = json.dumps([made["command"], made["inputs"], made["versions"]])
        groups.setdefault(key, []).append(origin)
    return list(groups.values())


def _block(group: Sequence[Origin], installed: dict[str, str], *, tree: bool) -> Iterator[str]:
    first = group[0]
    assert first.record is not None
    for origin in group:
        yield f"{origin.name}{_MARKS[origin.state]}"
        yield f"  sha256     {origin.expected}"
        if origin.state == "changed":
            yield f"  found      {origin.found}"
    yield f"  command    {first.record.command}"
    if first.folder is not None and not first.folder.samefile(Path.cwd()):
        yield f"  in folder  {first.folder}"
    yield f"  versions   {_versions(first, installed)}"
    if not first.inputs:
        yield "  inputs     none"
        return
    yield f"  inputs     {_counted(first.inputs)}"
    for each in first.inputs:
        yield f"    {each.expected}  {each.name}{_MARKS[each.state]}"
    lines = list(_tree(first.inputs, "    ", set()))
    if len(lines) == len(first.inputs):
        return
    if tree or len(lines) <= SHORT:
        yield "  made from"
        yield from lines
        return
    sources = [source for source in first.sources() if source is not first]
    behind = list(first.chain())[1:]
    yield f"  behind it  {_counted(behind)}; --tree prints the chain"
    yield from (f"    {each.name}{_MARKS[each.state]}" for each in behind if each.state != "unchanged")
    yield f"  sources    {', '.join(source.name for source in sources) or 'none: all was simulated'}"


def _tree(inputs: Sequence[Origin], indent: str, printed: set[int]) -> Iterator[str]:
    for each in inputs:
        again = id(each) in printed and bool(each.inputs)
        made = f"   ← {_called(each.record.command)}" if each.record else ""
        yield f"{indent}{each.name}{made}{_MARKS[each.state]}{' (as above)' if again else ''}"
        if not again:
            printed.add(id(each))
            yield from _tree(each.inputs, f"{indent}  ", printed)


def _counted(origins: Sequence[Origin]) -> str:
    states = [origin.state for origin in origins]
    counts = [f"{states.count(state)} {state}" for state in ("changed", "missing") if state in states]
    files = "1 file" if len(states) == 1 else f"{len(states)} files"
    return f"{files}, {' and '.join(counts) if counts else 'unchanged'}"


def _versions(origin: Origin, installed: dict[str, str]) -> str:
    assert origin.record is not None
    return ", ".join(
        f"{name} {version}"
        + ("" if installed.get(name) == version else f" (now {installed.get(name, 'missing')})")
        for name, version in origin.record.versions.items()
    )


def _called(command: str) -> str:
    """Return the words that name a command, such as "nbyk compare" or "nbyk study prior"."""
    words = command.split()
    return " ".join(words[: 3 if words[1] == "study" else 2])


def doctor(
    folder: Annotated[Path, typer.Argument()] = Path(),
) -> None:
    """Check versions, results and leftovers of stopped runs; exit with 3 if there is something to do.

    Parameters
    ----------
    folder
        Folder of a run: the one that holds results and .snakemake.
    """
    from nbyk.health import examine
    from nbyk.studies.study import examine_studies

    if not folder.is_dir():
        raise NbykError("no such folder; give the folder of a run, the one that holds results", file=folder)
    findings = [*examine_studies(), *examine(folder)]
    for finding in findings:
        print(finding.line)
    if any(finding.advice for finding in findings):
        raise typer.Exit(3)
    print(f"{folder}: {'nothing to do; read the notes' if findings else 'all is well'}")
