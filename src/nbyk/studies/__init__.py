"""Studies, and a registry of those installed: packages name theirs under the entry point `nbyk.studies`."""

from nbyk.studies.study import Step, Study, studies, study_named

__all__ = ["Step", "Study", "studies", "study_named"]
