"""The catalogue of data sets: what every entry says, and what it is told by a path or a name."""

from __future__ import annotations

import re

import numpy as np
import pytest

from nbyk.data import Binary, Interval, Levels, Ratings, Source, load_source, source, source_names
from nbyk.errors import NbykError


def loaded(entry: Source) -> tuple[Ratings | None, str]:
    """Return what a source gives without a path: its ratings, or why it has none."""
    try:
        return entry.load(None), ""
    except NbykError as refusal:
        return None, str(refusal)


@pytest.mark.parametrize(("name", "lowest"), [("amazon", 1), ("mhs", 0)])
def test_five_levels_come_as_a_table_of_ones_own(tmp_path, name, lowest):
    path = tmp_path / "mine.csv"
    path.write_text(f"item,rater,value\na,r,{lowest}\na,s,{lowest + 4}\nb,r,{lowest + 2}\n")
    np.testing.assert_array_equal(load_source(name, path).matrix(), [[0, 0.8], [0.4, np.nan]])
    path.write_text(f"item,rater,value\na,r,{lowest}\nb,s,{lowest + 5}\n")
    with pytest.raises(
        NbykError, match=rf"mine\.csv: the rating of item 'b' by rater 's': found {lowest + 5}, "
    ):
        load_source(name, path)


@pytest.mark.parametrize("name", source_names())
def test_a_source_that_is_not_at_its_path_is_named(tmp_path, name):
    missing = tmp_path / ("gone" if name == "toxicity" or "lewidi" in str(source(name).files) else "gone.csv")
    with pytest.raises(NbykError, match=r"gone.*no such file"):
        load_source(name, missing)


def test_an_unknown_source_names_the_nearest():
    with pytest.raises(NbykError, match="unknown source 'convabus'; did you mean convabuse"):
        load_source("convabus")


@pytest.mark.quick
@pytest.mark.parametrize("name", source_names())
def test_every_source_keeps_the_catalogues_contract(name):
    entry = source(name)
    assert entry.name == name
    assert isinstance(entry.scale, Levels | Interval | Binary)
    assert entry.url.startswith("https://")
    assert all((entry.title, entry.licence, entry.terms, entry.citation, entry.version))
    assert entry.n_ratings >= 2 * entry.n_items > 2
    assert (entry.embedded or entry.fetchable) != bool(entry.get)
    assert len({file.name for file in entry.remote}) == len(entry.remote)
    for file in entry.remote:
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.url.startswith("https://")
        assert file.url.endswith(f"/{file.name}")
        # The address holds the commit or revision that the version names.
        assert entry.version.split()[1].removesuffix(",") in file.url
        assert file.size is None or file.size > 10_000
    ratings, refusal = loaded(entry)
    if ratings is not None:
        assert entry.embedded
        assert not entry.scale.outside(ratings.values).any()
        return
    # Data that cannot be shipped must be findable, and it must be clear where to name them.
    assert entry.url in refusal
    assert f"as `path`, or as {name} under ratings in config.yaml" in refusal
