"""`nbyk data`: the catalogue of ratings, and commands to fetch them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nbyk.cli.options import Out, config_file, downloads_of
from nbyk.errors import renaming

if TYPE_CHECKING:
    from nbyk.data import Source

app = typer.Typer(no_args_is_help=True, help="List and download published ratings.")

_PATH = {"path": "--path of `nbyk study normalise`"}
"""The option that takes a file of one's own; the commands of this group have none."""

Name = Annotated[str, typer.Argument(help="Source, as `nbyk data list` names it.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        help="Folder of downloads. By default the one in the configuration, in NBYK_DATA, or in your cache."
    ),
]
Mirror = Annotated[
    str | None,
    typer.Option(
        help="Address below which the files lie as SOURCE/FILE, or a folder with that layout. It replaces "
        "the makers' address."
    ),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="Configuration with the section `downloads`. By default config.yaml, if there is one.",
    ),
]


@app.command("list")
def list_sources(folder: Folder = None, config: ConfigFile = None) -> None:
    """List the sources with their size and licence, and whether you have them."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from nbyk.data import source, source_names
    from nbyk.data.download import shown_size

    place = _folder(folder, config)
    table = Table("name", "title", "items × ratings", "to fetch", "licence", "state", box=box.SIMPLE_HEAD)
    for name in source_names():
        entry = source(name)
        shape = f"{entry.n_items:,} × {entry.n_ratings:,}"
        size = shown_size(entry.size) if entry.fetchable else "–"
        table.add_row(name, entry.title, shape, size, entry.licence, _state(entry, place, config))
    width = None if sys.stdout.isatty() else 160
    Console(width=width).print(table)


@app.command()
def fetch(
    name: Name,
    mirror: Mirror = None,
    folder: Folder = None,
    config: ConfigFile = None,
    file: str | None = None,
    copy_to: Path | None = None,
) -> None:
    """Fetch a source's files, verify their checksums and print where they are.

    Parameters
    ----------
    file
        File to fetch. By default, all.
    copy_to
        Second folder, to which nbyk copies the files for the workflow.
    """
    from nbyk.data import download, source
    from nbyk.data.download import Transfer, default_mirror

    entry, place = source(name), _folder(folder, config)
    address = default_mirror(mirror) if mirror else downloads_of(config).chosen_mirror
    with renaming(_PATH):
        files = download.fetch(
            entry,
            place,
            mirror=address,
            only=file,
            announce=_say,
            transfer=Transfer(note=_say),
        )
    if copy_to is not None:
        files = download.copy_to(entry, files, copy_to)
    for path in files:
        print(path)


@app.command()
def terms(name: Name, out: Out) -> None:
    """Write a source's licence, terms and citation to a file."""
    from nbyk.data import source
    from nbyk.data.download import terms_of
    from nbyk.files import write_text

    write_text(out, f"{terms_of(source(name))}\n")


@app.command()
def show(name: Name, folder: Folder = None, config: ConfigFile = None) -> None:
    """Show a source's entry in the catalogue and, if you have its ratings, a summary of them."""
    from nbyk.data import load_source, source
    from nbyk.data.download import shown_size, verified_copy

    entry, place = source(name), _folder(folder, config)
    with renaming(_PATH):
        copy = verified_copy(entry, place)
    print(f"{entry.name}: {entry.title}")
    for what, text in (
        ("version", entry.version),
        ("from", entry.url),
        ("licence", entry.licence),
        ("terms", entry.terms),
        ("cite", entry.citation),
        ("items × ratings", f"{entry.n_items:,} × {entry.n_ratings:,}"),
        ("scale", f"{entry.scale.expected}, normalised to [0, 1]"),
        ("questions", ", ".join(entry.questions)),
        ("state", _state(entry, place, config)),
    ):
        if text:
            print(f"  {what:16}{text}")
    for file in entry.remote:
        print(f"  {file.name}, {shown_size(file.size)}")
        print(f"    {file.url}")
        print(f"    sha256 {file.sha256}")
        print(
            f"    {'is' if (place / name / file.name).is_file() else 'belongs'} at {place / name / file.name}"
        )
    if not entry.fetchable:
        print(f"  {entry.missing().renamed(_PATH)}")
    if copy is not None or entry.embedded:
        ratings = load_source(name, copy)
        counts, levels = ratings.counts(), sorted(set(ratings.values.tolist()))
        shown = ", ".join(f"{level:.4g}" for level in levels[:12]) + (", …" if len(levels) > 12 else "")
        raters = f"{ratings.n_ratings} ratings by {len(ratings.raters)} raters"
        print(f"  at hand: {ratings.n_items} items, {raters}, {counts.min()} to {counts.max()} per item,")
        print(f"    normalised to {shown}")


def _state(entry: Source, folder: Path, config: Path | None) -> str:
    """Return the steps that you must take before you can use a source."""
    from nbyk.config import named_copies
    from nbyk.data.download import is_complete

    named = config_file(config)
    if named is not None and entry.name in named_copies(named):
        return "your own copy"
    if is_complete(entry, folder):
        return "at hand"
    if entry.embedded:
        return "embedded"
    return "to fetch" if entry.fetchable else "yours to get"


def _folder(folder: Path | None, config: Path | None) -> Path:
    from nbyk.data.download import default_folder

    return default_folder(folder) if folder else downloads_of(config).chosen_folder


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
