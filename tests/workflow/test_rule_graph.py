"""The graph of the rules: the road from ratings to the report, as the guide draws it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from nbyk.studies import studies
from nbyk_papers.papers import PAPERS
from tests.workflow.runs import ROOT, configure, snakemake

ROAD = ("simulate", "estimate_p", "aggregate", "plot", "report")
"""The stages of the default run from a prior on, in their order."""
Graphs = Callable[[str], set[tuple[str, str]]]


def rule_graph(directory: Path, target: str, **config: Any) -> set[tuple[str, str]]:
    """Return the edges of the graph that Snakemake draws, from each rule to those that need its files."""
    configure(directory, config)
    code, output = snakemake(ROOT, directory, "--rulegraph", "--", target)
    assert code == 0, output[-3000:]
    names = dict(re.findall(r'(\d+)\[label = "(\w+)"', output))
    edges = {(names[a], names[b]) for a, b in re.findall(r"(\d+) -> (\d+)", output)}
    assert edges
    return {(a, b) for a, b in edges if b != target}


@pytest.fixture(scope="module")
def graph_of(tmp_path_factory: pytest.TempPathFactory) -> Graphs:
    """Return a function that has the graph of a target drawn once."""
    return cache(lambda target: rule_graph(tmp_path_factory.mktemp(target), target))


def test_the_rules_of_the_default_run_are_the_road(graph_of: Graphs, tmp_path: Path) -> None:
    edges = graph_of("all")
    assert {rule for edge in edges for rule in edge} == {"normalise", "fit", "prior", "true_p", *ROAD}
    assert set(pairwise(ROAD)) <= edges
    for prior in ("prior", "fit"):
        assert {(prior, "simulate"), (prior, "true_p")} <= edges
    assert {("normalise", "fit"), ("true_p", "aggregate")} <= edges
    assert ("true_p", "estimate_p") not in edges
    # Reference sets of published toxicity are among their own true draws; other sources have none there.
    assert ("simulate", "true_p") in edges
    assert ("simulate", "true_p") not in rule_graph(tmp_path, "all", sources=["simulated", "convabuse"])


def test_the_guide_opens_with_the_graphs_of_the_default_run_and_of_the_papers(graph_of: Graphs) -> None:
    guide = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```mermaid\n(.*?)```", guide, re.DOTALL)
    default, further = (set(re.findall(r"^    (\w+) --> (\w+)$", block, re.MULTILINE)) for block in blocks)
    assert guide.index("```mermaid") < guide.index("```console")
    assert default == graph_of("all")
    assert default | further == graph_of("papers")
    assert not default & further


def test_every_step_of_every_paper_is_a_rule_on_the_way_to_its_report(graph_of: Graphs) -> None:
    edges = graph_of("papers")
    papers = [paper.study for paper in PAPERS]
    for study in studies():
        if study.name in papers:
            report, plot, aggregate = (study.rule(part) for part in ("report", "plot", "aggregate"))
            assert {(plot, report), (report, "papers_report")} <= edges
            for step in study.steps:
                after = {b for a, b in edges if a == study.rule(step)}
                assert after & {aggregate, "estimate_p"}, step
    assert len({rule for edge in edges for rule in edge}) > 20


@pytest.mark.parametrize(
    "path", ["results/estimated_p/x.parquet", "results/ratings/nobody.parquet", "results/nothing"]
)
def test_a_path_that_nothing_makes_is_one_line(path: str, tmp_path: Path) -> None:
    configure(tmp_path, {})
    code, output = snakemake(ROOT, tmp_path, "--dry-run", "--quiet", "host", "--", path)
    assert code != 0
    assert len([line for line in output.splitlines() if path in line]) == 1
    assert "Traceback" not in output
    assert "InputFunctionException" not in output
