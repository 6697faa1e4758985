"""What a first answer takes: the libraries that it loads, and the functions that it compiles."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from nbyk.data.sources import example_files

SLOW_TO_LOAD = {
    "matplotlib",
    "scipy.stats",
    "scipy.optimize",
    "statsmodels",
    "requests",
    "jinja2",
    "snakemake",
}
"""What only reports, plans and downloads need."""

MOST_COMPILED = 35
"""Functions of nbyk's; each takes a tenth of a second to compile at first, and a few milliseconds to load."""

ANSWER = """
import contextlib, gc, io, json, sys
from nbyk.cli import main

with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
from numba.core.dispatcher import Dispatcher

all_functions = [found for found in gc.get_objects() if isinstance(found, Dispatcher)]
functions = [found for found in all_functions if found.py_func.__module__.startswith("nbyk")]
compiled = sum(bool(found.signatures) for found in functions)
print(json.dumps({"modules": sorted(sys.modules), "compiled": compiled}))
"""


def test_comparing_two_systems_loads_and_compiles_little(tmp_path: Path) -> None:
    for name, content in example_files().items():
        (tmp_path / name).write_bytes(content)
    words = ["compare", "--gold", "gold.csv", "sim_a.csv", "sim_b.csv"]
    ended = subprocess.run(
        [sys.executable, "-c", ANSWER, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = json.loads(ended.stdout)
    assert set(found["modules"]) & SLOW_TO_LOAD == set()
    assert 0 < found["compiled"] <= MOST_COMPILED
