"""Metrics: one registry of named scores and comparisons, each with its direction and the data it needs.

`get` turns a spec such as ``"mae"`` or ``"accuracy(threshold=0.6)"`` into a `Metric` of ratings, and
``get("f1_macro", "classes")`` and ``get("bleu", "outputs")`` return those of other data. `register` adds a
user's function, and `load_file` runs a file of such functions. The compiled functions are imported on first
use.
"""

from __future__ import annotations

from nbyk.metrics.metric import Metric, Parameter
from nbyk.metrics.own import load_file, register
from nbyk.metrics.registry import definitions, get, metrics_of, names

__all__ = [
    "Metric",
    "Parameter",
    "definitions",
    "get",
    "load_file",
    "metrics_of",
    "names",
    "register",
]
