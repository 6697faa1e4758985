"""Every paper on one page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nbyk.studies import Study


class PapersStudy(Study):
    """Every paper on one page."""

    name = "papers"
    keys_of_its_own = False

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Return the command that writes the page."""
        from nbyk_papers.papers import papers_report

        return {"papers-report": papers_report}


STUDY = PapersStudy()
