"""BooStSa's own files, written by BooStSa 0.2.13, are read, written to the same bytes, and scored alike."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nbyk.errors import NbykError
from nbyk.files import write_together
from nbyk.labels.designs import compare_design, design, make_settings, read_outcomes, write_outcomes
from nbyk.report.labels.boostsa import results_files

HERE = Path(__file__).parent


@pytest.mark.parametrize("kind", ["hard", "soft", "folds"])
def test_what_boostsa_wrote_round_trips_to_the_same_bytes(kind: str, tmp_path: Path) -> None:
    source = HERE / f"outcomes_{kind}.json"
    write_outcomes(read_outcomes(source), tmp_path / "o.json")
    assert (tmp_path / "o.json").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("kind", ["hard", "soft", "folds"])
def test_published_scores_and_layout_are_boostsas(kind: str, tmp_path: Path) -> None:
    """Resamples are others: scores, differences, epochs and columns are compared, and rows by name.

    BooStSa lists a treatment once, beside the first control that it met.
    """
    settings = make_settings(
        semantics="published", fraction=0.5, n_resamples=50, target_class="1" if kind == "hard" else None
    )
    result = compare_design(read_outcomes(HERE / f"outcomes_{kind}.json"), settings)
    for name, content in results_files(result).items():
        (tmp_path / name).write_bytes(content)
    names = ["results", *(["results_targetclass"] if kind == "hard" else [])]
    for name in names:
        theirs_at = HERE / (f"results_{kind}.tsv" if name == "results" else f"{name}.tsv")
        theirs, ours = (
            pd.read_csv(path, sep="\t", index_col=0) for path in (theirs_at, tmp_path / f"{name}.tsv")
        )
        added = [column for column in ours if column not in theirs]
        assert added == [*(f"p_{column[2:]}" for column in theirs if column.startswith("s_")), "h0"]
        assert [column for column in ours if column in set(theirs)] == list(theirs)
        first = ours[~ours.index.duplicated()].loc[theirs.index]
        scores = [column for column in theirs if not column.startswith(("s_", "std_"))]
        np.testing.assert_allclose(first[scores].astype(float), theirs[scores].astype(float), atol=6e-5)


def test_tables_of_an_earlier_design_do_not_stay(tmp_path: Path) -> None:
    read = read_outcomes(HERE / "outcomes_hard.json")
    for label, names in (("1", ["results.tsv", "results_targetclass.tsv"]), (None, ["results.tsv"])):
        result = compare_design(read, make_settings(n_resamples=9, target_class=label))
        write_together(tmp_path, "labels", results_files(result))
        assert sorted(path.name for path in tmp_path.glob("*.tsv")) == names


def test_folds_are_appended_and_said_to_be() -> None:
    result = compare_design(read_outcomes(HERE / "outcomes_folds.json"), make_settings(n_resamples=99))
    (pair,) = result.pairs
    assert (pair.n_items, pair.runs_control, pair.runs_treatment) == (33, 2, 2)
    assert any("appends the runs" in note for note in pair.notes)
    with pytest.raises(
        NbykError, match="runs: found 'paired', but the runs of 'h0' and 'h1' each have their"
    ):
        compare_design(read_outcomes(HERE / "outcomes_folds.json"), make_settings(runs="paired"))


def test_shuffled_items_are_matched_by_their_ids(tmp_path: Path) -> None:
    content = json.loads((HERE / "outcomes_hard.json").read_text())
    before = compare_design(read_outcomes(HERE / "outcomes_hard.json"), make_settings(n_resamples=99))
    order = np.random.default_rng(1).permutation(30)
    run = content["h0"]["h1"]["h1"]
    for key in ("preds", "targs", "idxs"):
        run[key][1] = [run[key][1][place] for place in order]
    (tmp_path / "o.json").write_text(json.dumps(content))
    assert (
        compare_design(read_outcomes(tmp_path / "o.json"), make_settings(n_resamples=99)).pairs
        == before.pairs
    )


def test_a_design_from_arrays_can_be_written_and_read(tmp_path: Path) -> None:
    made = design(["x", "y", "x"], {"c": ["x", "x", "x"]}, {"t": [["x", "y", "x"], ["y", "y", "x"]]})
    write_outcomes(made, tmp_path / "o.json")
    found = json.loads((tmp_path / "o.json").read_text())
    assert found["c"]["preds"] == [[["x"], ["x"], ["x"]]]
    assert found["c"]["h1"]["t"]["idxs"] == [[[0], [1], [2]]] * 2
    again = read_outcomes(tmp_path / "o.json")
    settings = make_settings(n_resamples=99)
    assert compare_design(again, settings).pairs == compare_design(made, settings).pairs
