"""What an edit of nbyk's own code, or of the data that come with it, runs again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from nbyk.studies import code
from tests.workflow.runs import planned, rules

EDITED = "assert __name__"
"""A statement that changes what a module means, and nothing that it does."""


def file_of(source: Path, module: str) -> Path:
    path = source.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@contextmanager
def edited(source: Path, module: str) -> Iterator[None]:
    """Edit a module of a copy of the source for as long as it takes."""
    file = file_of(source, module)
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text}\n{EDITED}\n", encoding="utf-8")
    yield
    file.write_text(text, encoding="utf-8")


def test_an_edit_runs_again_what_reaches_it(
    checkout: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(shutil.copytree(checkout / "src", tmp_path / "src"))
    monkeypatch.setenv("PYTHONPATH", str(source))
    assert planned(checkout, finished) == []
    steps = {
        "prior": "nbyk.cli.ratings:prior",
        "normalise": "nbyk.cli.ratings:write_normalised",
        "fit": "nbyk.cli.fit:fit",
        "simulate": "nbyk_papers.wein2023.steps:simulate",
        "true_p": "nbyk_papers.wein2023.steps:true_p",
        "estimate_p": "nbyk_papers.wein2023.steps:estimate_p",
        "aggregate": "nbyk_papers.wein2023.pvalues:p_values",
        "report": "nbyk_papers.wein2023.report:report",
    }
    reached = {rule: code.parts(function) for rule, function in steps.items()}
    products = {"aggregate", "plot", "report"}
    after = {
        "normalise": {"fit", "simulate", "true_p", "estimate_p", *products},
        "prior": {"simulate", "true_p", "estimate_p", *products},
        "fit": {"simulate", "true_p", "estimate_p", *products},
        "simulate": {"estimate_p", *products},
        "true_p": products,
        "estimate_p": products,
        "aggregate": {"plot", "report"},
        "report": {"plot"},
    }
    everywhere = sorted({name for parts in reached.values() for name in parts if "/" not in name})
    unreached = [
        "nbyk.cli.aids",
        "nbyk_papers.homan2025.design",
        "nbyk_papers.boostsa2022.label_cells",
        "nbyk.planning.plan",
    ]
    # The checksum of each rule, a parameter of its jobs, after an edit of every module in turn.
    monkeypatch.setattr(code, "_root", lambda package: source / package)
    code._path.cache_clear()
    before = {rule: code.checksum(function) for rule, function in steps.items()}
    for name in (*everywhere, *unreached):
        with edited(source, name):
            changed = {rule for rule, function in steps.items() if code.checksum(function) != before[rule]}
        assert changed == {rule for rule in steps if name in reached[rule]}, name
    code._path.cache_clear()
    # What Snakemake plans: of a module for each rule, one that few others share, and of some that none has.
    of_rules = {frozenset(rule for rule in steps if name in reached[rule]): name for name in everywhere}
    fewest = {min((reaching for reaching in of_rules if rule in reaching), key=len) for rule in steps}
    for name in of_rules.values():
        with file_of(source, name).open("a") as file:
            file.write("\n# A comment.\n")
    with ExitStack() as stack:
        for name in unreached:
            stack.enter_context(edited(source, name))
        assert planned(checkout, finished) == []
    for reaching in fewest:
        work = set(reaching).union(*(after[rule] for rule in reaching))
        with edited(source, of_rules[reaching]):
            assert set(rules(planned(checkout, finished))) == work, of_rules[reaching]


def test_data_that_come_with_a_package_count(
    checkout: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(shutil.copytree(checkout / "src", tmp_path / "src"))
    monkeypatch.setenv("PYTHONPATH", str(source))
    for name, work in {
        "nbyk_papers/wein2023/wein2023.html": {"plot", "report"},
        "nbyk_papers/homan2025/homan2025.html": set(),
        "nbyk/data/embedded/convabuse.csv": {
            *("normalise", "fit", "simulate", "true_p", "estimate_p", "aggregate", "plot", "report"),
        },
    }.items():
        text = (source / name).read_text(encoding="utf-8")
        (source / name).write_text(f"{text}\n", encoding="utf-8")
        assert set(rules(planned(checkout, finished))) == work, name
        (source / name).write_text(text, encoding="utf-8")
