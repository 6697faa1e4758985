"""Designs of several controls, treatments and runs: read and compared."""

from __future__ import annotations

from nbyk.labels.designs.compare import compare_design
from nbyk.labels.designs.design import Arm, Condition, Design, LabelRun, design
from nbyk.labels.designs.files import design_files, read_design
from nbyk.labels.designs.given import design_of_systems
from nbyk.labels.designs.outcomes import read_outcomes, write_outcomes
from nbyk.labels.designs.rated import read_class_ratings
from nbyk.labels.designs.reading import read_labels
from nbyk.labels.designs.results import DesignResult
from nbyk.labels.designs.settings import Settings, make_settings

__all__ = [
    "Arm",
    "Condition",
    "Design",
    "DesignResult",
    "LabelRun",
    "Settings",
    "compare_design",
    "design",
    "design_files",
    "design_of_systems",
    "make_settings",
    "read_class_ratings",
    "read_design",
    "read_labels",
    "read_outcomes",
    "write_outcomes",
]
