"""Batches: a name is computed once, wherever it is stored, whatever was asked for before."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from nbyk.config import validate
from nbyk.studies import study_named
from nbyk_papers.batches import Axis, Ranges, slug, stored_names
from nbyk_papers.homan2025.study import SIZES
from nbyk_papers.wein2023.road import METRICS, SAMPLERS

AXES = {"metrics": METRICS, "samplers": replace(SAMPLERS, n_shared=0), "sizes": SIZES}


def subsets(axis: Axis) -> list[tuple[str, ...]]:
    if len(axis.together) < 12:
        return [names for n in range(1, len(axis.together) + 1) for names in combinations(axis.together, n)]
    draw = random.Random(7)
    return [
        tuple(name for name in axis.together if draw.random() < share)
        for share in (0.02, 0.1, 0.5, 0.9, 0.98)
        for _ in range(20)
    ]


@pytest.mark.parametrize("axis", AXES.values(), ids=list(AXES))
def test_a_key_says_which_names_its_file_has(axis: Axis) -> None:
    keys = {}
    for names in filter(None, subsets(axis)):
        key = axis.key_of(names)
        assert axis.names(key) == list(names)
        assert key == slug(key)
        assert len(key) <= 80
        assert keys.setdefault(key, names) == names
    assert axis.key_of(axis.together) == axis.key


def test_names_of_no_axis_have_a_file_each() -> None:
    assert METRICS.plan(["mae", "mine", "rmse"]) == {"mae": ["mae"], "mine": ["mine"], "rmse": ["rmse"]}
    assert (
        METRICS.names("mine") == METRICS.names("wein2023-fffff") == METRICS.names("wein2023-without-x") == []
    )
    assert METRICS.plan(["accuracy(threshold=0.4)"], ["accuracy-threshold=0.4"]) == {
        "accuracy-threshold=0.4": ["accuracy(threshold=0.4)"]
    }


@pytest.mark.parametrize("axis", AXES.values(), ids=list(AXES))
def test_from_all_but_one_to_all_and_back_computes_one_name(axis: Axis) -> None:
    everything = list(axis.together)
    fewer = everything[:-1]
    stored = axis.plan(fewer)
    assert list(stored.values()) == [fewer]
    again = axis.plan(everything, stored)
    assert {key: names for key, names in again.items() if key not in stored} == {
        slug(everything[-1]): [everything[-1]]
    }
    assert set(axis.plan(fewer, again)) == set(stored)
    assert axis.plan(fewer, axis.plan(everything)) == {axis.key: everything}


@pytest.mark.parametrize("seed", range(20))
def test_any_history_holds_every_name_once(seed: int) -> None:
    draw = random.Random(seed)
    known = [*METRICS.together, "rmse", "mine", "accuracy(threshold=0.4)"]
    stored: dict[str, list[str]] = {}
    computed: list[str] = []
    for _ in range(6):
        asked = draw.sample(known, draw.randint(1, len(known)))
        plan = METRICS.plan(asked, stored)
        assert set(asked) <= {name for names in plan.values() for name in names}
        computed += [name for key, names in plan.items() if key not in stored for name in names]
        stored |= plan
        # What a job's own Snakemake plans, when some of it is done, is the same.
        assert METRICS.plan(asked, stored) == plan
    assert len(computed) == len(set(computed))


def test_a_few_names_share_a_file() -> None:
    (first, second, third), axis = SAMPLERS.together[:3], SAMPLERS
    plan = axis.plan(list(axis.together))
    assert list(plan.values()) == [list(axis.together[:3]), list(axis.together[3:])]
    assert all(axis.names(key) == names for key, names in plan.items())
    alone = axis.plan([second])
    assert list(alone.values()) == [[second]]
    assert list(axis.plan([first, second, third], alone).values()) == [[second], [first, third]]


@pytest.mark.parametrize("seed", range(20))
def test_any_history_draws_every_number_of_a_range_once(seed: int) -> None:
    draw, axis = random.Random(seed), Ranges("sets", 10)
    stored: dict[str, list[int]] = {}
    for _ in range(6):
        asked = range(draw.randint(1, 45))
        plan = axis.plan(asked, stored)
        assert set(asked) <= {number for numbers in plan.values() for number in numbers}
        assert all(axis.names(key) == numbers for key, numbers in plan.items())
        assert all(len(numbers) <= 10 for numbers in plan.values())
        stored |= plan
        assert axis.plan(asked, stored) == plan
    numbers = [number for numbers in stored.values() for number in numbers]
    assert sorted(numbers) == list(range(len(numbers)))
    assert axis.names("sets-1") == axis.names("mae") == []


def test_sizes_of_ones_own_share_files_of_minutes_whatever_is_stored() -> None:
    own = [f"n-{n}_k-{k}" for n in range(1001, 21_001, 200) for k in (3, 7)]
    asked = [*SIZES.together[:4], *own]
    plan = SIZES.plan(asked)
    files = {key: names for key, names in plan.items() if not set(names) & set(SIZES.together)}
    assert sorted(name for names in files.values() for name in names) == sorted(own)
    assert 2 <= len(files) < 10
    for key, names in files.items():
        assert SIZES.names(key) == names
        # A run that was stopped goes on with the same files, and more sizes leave them as they are.
        assert set(SIZES.plan(asked, [key])) == set(plan)
    more = SIZES.plan([*asked, "n-12_k-3"], plan)
    assert {key: names for key, names in more.items() if key not in plan} == {"n-12_k-3": ["n-12_k-3"]}
    fewer = next(iter(files))
    assert SIZES.plan(files[fewer][:1], plan) == {fewer: files[fewer]}


def test_a_file_with_sizes_that_are_no_longer_asked_for_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = study_named("homan2025")

    def files(*sizes: tuple[int, int]) -> dict[str, list[tuple[int, int]]]:
        own = [{"n_items": n, "k_responses": k} for n, k in sizes]
        section = {"sources": ["toxicity"], "epsilons": [0.2], "power_sizes": [], "sizes": own}
        stored_names.cache_clear()
        cells = study.cells(validate({"homan2025": section}))
        return {cell.file: cell.settings["sizes"] for cell in cells if "+n-" in cell.file}

    (both,) = files((11, 3), (12, 3))
    assert both.split("/")[-1].startswith("epsilon-0.2+n-11-and-12_k-3+")
    path = tmp_path / "results" / both
    path.parent.mkdir(parents=True)
    path.touch()
    assert files((12, 3)) == {both: [(11, 3), (12, 3)]}
    assert list(files((12, 3), (13, 3)).values()) == [[(11, 3), (12, 3)], [(13, 3)]]
