"""Reading a prior from its file."""

from __future__ import annotations

from pathlib import Path

from nbyk.errors import NbykError
from nbyk.files import read_json
from nbyk.priors.two_stage import TwoStagePrior


def read_prior(path: Path) -> TwoStagePrior:
    """Return the prior in a file; an `NbykError` names the file and its error."""
    way_out = "give a prior, as written by `nbyk study prior` or `nbyk fit`, or write it again"
    try:
        return TwoStagePrior.from_dict(read_json(path, way_out=way_out))
    except NbykError as error:
        raise error.about(file=path) from None
