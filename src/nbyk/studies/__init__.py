"""Studies, and a registry of those installed: packages name theirs under the entry point `nbyk.studies`."""

from nbyk.studies.registry import studies, study_named
from nbyk.studies.study import Study

__all__ = ["Study", "studies", "study_named"]
