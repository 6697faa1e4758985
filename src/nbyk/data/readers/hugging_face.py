"""A data set that Hugging Face's datasets saved to a folder (``Dataset.save_to_disk``)."""

from __future__ import annotations

import os
from pathlib import Path

from nbyk.data.readers.recording import Recording, library, message_of
from nbyk.errors import NbykError
from nbyk.files import read_bytes


def recognises(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder holds a data set, or the splits of one."""
    return any((Path(path) / name).is_file() for name in ("dataset_info.json", "dataset_dict.json"))


def read(path: str | os.PathLike[str]) -> Recording:
    """Return the columns of a data set; they are recognised by their names, as in any table.

    Raises
    ------
    NbykError
        If datasets is not installed or cannot read the folder, or the folder holds several splits.
    """
    datasets = library("datasets", "datasets", path, "a data set of Hugging Face")
    for file in sorted(Path(path).glob("*.*")):
        read_bytes(file)  # notes the file as an input
    try:
        found = datasets.load_from_disk(os.fspath(path))
    except Exception as error:  # the errors of its reader depend on its version
        raise NbykError(f"datasets cannot read it ({message_of(error)})", file=path) from None
    if isinstance(found, datasets.DatasetDict):
        splits = ", ".join(found)
        raise NbykError(
            f"holds the splits {splits}; give the folder of one: {Path(path) / next(iter(found))}", file=path
        )
    table = found.with_format("arrow")[:]
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    return Recording("a data set of Hugging Face", columns, {})
