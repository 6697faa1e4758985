"""Rating data: reading, validating and normalising it, and the response set made from it."""

from nbyk.data.given import named_systems
from nbyk.data.intake import read_systems
from nbyk.data.lm_eval import SampleChoice
from nbyk.data.parsers import parse_dices, parse_lewidi, parse_mhs, parse_toxicity
from nbyk.data.ratings import Ratings
from nbyk.data.reading import read_ratings
from nbyk.data.response_set import ResponseSet
from nbyk.data.responses import response_matrix, response_set
from nbyk.data.scales import Binary, Interval, Levels, Scale, scale_from_text
from nbyk.data.sources import RemoteFile, Source, load_source, source, source_names
from nbyk.data.systems import Systems

__all__ = [
    "Binary",
    "Interval",
    "Levels",
    "Ratings",
    "RemoteFile",
    "ResponseSet",
    "SampleChoice",
    "Scale",
    "Source",
    "Systems",
    "load_source",
    "named_systems",
    "parse_dices",
    "parse_lewidi",
    "parse_mhs",
    "parse_toxicity",
    "read_ratings",
    "read_systems",
    "response_matrix",
    "response_set",
    "scale_from_text",
    "source",
    "source_names",
]
