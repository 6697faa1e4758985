"""Measure nbyk against VET, BooStSa, scipy, deepsig and its own limits: `python -m benchmarks [--help]`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from benchmarks.boostsa import Boostsa, load_boostsa
from benchmarks.cases import FULL, QUICK, K, N, lines
from benchmarks.vet import Vet, load_vet
from nbyk.errors import NbykError
from nbyk.files import write_json

RESULTS = "results/bench.json"
PACKAGES = ("nbyk", "numpy", "scipy", "numba", "scikit-learn", "deepsig")


def main() -> None:
    """Print one line per ratio and write them all to results/bench.json; a missed floor is no failure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--vet", metavar="CHECKOUT", help="measure against this checkout of google-research/vet"
    )
    parser.add_argument(
        "--boostsa", metavar="FOLDER", help="measure against the BooStSa whose wheel was unpacked into it"
    )
    parser.add_argument("--quick", action="store_true", help="few repeats, for a first look")
    options = parser.parse_args()

    peer = load_vet(options.vet) if options.vet else Vet()
    labels_peer = load_boostsa(options.boostsa) if options.boostsa else Boostsa()
    load_before = os.getloadavg()
    print(f"N = {N}, K = {K}, one thread unless it says so; peers: {peer.name}; {labels_peer.name}")
    found = []
    for measured in lines(peer, labels_peer, QUICK if options.quick else FULL):
        print(measured, flush=True)
        found.append(measured)
    write_json(
        RESULTS,
        {
            "peers": [peer.name, labels_peer.name],
            "quick": options.quick,
            "machine": {
                "processor": _processor(),
                "cores": os.cpu_count(),
                "system": platform.platform(),
                "load_before": load_before,
                "load_after": os.getloadavg(),
            },
            "versions": {
                "python": platform.python_version(),
                **{name: _version(name) for name in PACKAGES},
            },
            "lines": [measured.to_dict() for measured in found],
        },
    )
    missed = sum(measured.missed for measured in found)
    print(f"{f'{missed} floors missed' if missed else 'every floor reached'}; wrote {RESULTS}")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as cpus:
            return next(row.split(":", 1)[1].strip() for row in cpus if row.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    try:
        main()
    except NbykError as error:
        sys.exit(f"error: {error}")
