"""The page of calibration."""

from __future__ import annotations

from pathlib import Path

from nbyk_papers.page import StudyPage

_FIGURE_TITLES = {
    "type_1_error": "Type-I error of every test at every size, where the systems are equally good",
    "metrics": "Type-I error by every metric",
    "expected_p": "How often the papers' expected p is below the level, by sampler and null",
    "power": "Power of every test at every size",
}

PAGE = StudyPage(Path(__file__).with_name("calibration.html"), _FIGURE_TITLES, "type_1_error")
