"""The benchmark's peer: BooStSa transliterated counts what BooStSa itself counted on the same resamples."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import boostsa
from nbyk.errors import NbykError

RECORDED = json.loads((Path(__file__).parents[1] / "papers" / "boostsa.json").read_text(encoding="utf-8"))[
    "hard"
]


@pytest.fixture(params=["transliterated", "real"])
def peer(request: pytest.FixtureRequest) -> boostsa.Peer:
    if request.param == "transliterated":
        return boostsa.Boostsa()
    folder = os.environ.get("NBYK_BOOSTSA")
    if not folder:
        pytest.skip(
            "set NBYK_BOOSTSA to the folder that BooStSa's wheel unpacks to, to compare with the real code"
        )
    return boostsa.load_boostsa(folder)


def test_counts_are_boostsas(peer: boostsa.Peer) -> None:
    target, h0, h1 = (np.array(RECORDED[name]) for name in ("target", "h0", "h1"))
    run = RECORDED["runs"][0]
    np.random.seed(run["seed"])
    counts = peer.test(target, h0, h1, run["n_loops"], run["f"])
    assert counts == {name: run["counts"][name] for name in ("f1", "prec", "rec", "acc")}


def test_a_folder_without_boostsa_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(NbykError, match=r"expected the folder that BooStSa's wheel unpacks to$"):
        boostsa.load_boostsa(tmp_path)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import tqdm", r"BooStSa imports tqdm; run: pip install tqdm$"),
        ("class Bootstrap:\n    def __init__(self, **_):\n        {}[-1]\n", r"run: pip install 'pandas<3'$"),
    ],
)
def test_what_boostsa_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    (tmp_path / "boostsa").mkdir()
    (tmp_path / "boostsa" / "__init__.py").write_text(code, encoding="utf-8")
    missing: Any = None
    monkeypatch.setitem(sys.modules, "tqdm", missing)
    monkeypatch.delitem(sys.modules, "boostsa", raising=False)
    with pytest.raises(NbykError, match=message):
        boostsa.load_boostsa(tmp_path)
    sys.modules.pop("boostsa", None)
