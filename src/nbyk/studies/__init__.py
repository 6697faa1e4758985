"""Studies, and a registry of those installed: packages name theirs under the entry point `nbyk.studies`."""

from nbyk.studies.registry import studies, study_named
from nbyk.studies.study import Step, Study

__all__ = ["Step", "Study", "studies", "study_named"]
