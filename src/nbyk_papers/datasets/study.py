"""Every data set at hand: its ratings, the prior fitted to them, and p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nbyk.studies import Study


class DatasetsStudy(Study):
    """Every data set at hand: its ratings, the prior fitted to them, and p-values."""

    name = "datasets"
    keys_of_its_own = False

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return the command that writes its report."""
        from nbyk_papers.datasets.commands import report

        return {"datasets-report": report}


STUDY = DatasetsStudy()
