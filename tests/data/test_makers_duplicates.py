"""A second value of an item and rater is a duplicate in every reader; what a reader knows is used or said.

Each file is in its maker's own layout; public reports describe all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nbyk import read_systems
from nbyk.data import read_ratings
from nbyk.errors import NbykError
from tests.data.lm_eval_log import older, sample, write_run
from tests.hostile import makers


def as_json(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def label_studio(folder: Path, *given: Any) -> Path:
    """Two tasks; one annotator gives the values of one control to the first, as regions and repeaters do."""
    results = [{"from_name": "q", "type": "rating", "value": {"rating": value}} for value in given]
    tasks = [
        {"id": 1, "annotations": [{"completed_by": 7, "result": results}], "data": {}},
        {"id": 2, "annotations": [{"completed_by": 7, "result": results[:1]}], "data": {}},
    ]
    return as_json(folder / "a.json", tasks)


def two_annotations(folder: Path, *given: Any) -> Path:
    """One person annotates a task twice."""
    results = [[{"from_name": "q", "type": "number", "value": {"number": value}}] for value in given]
    tasks = [
        {"id": 1, "annotations": [{"completed_by": 7, "result": result} for result in results], "data": {}},
        {"id": 2, "annotations": [{"completed_by": 7, "result": results[0]}], "data": {}},
    ]
    return as_json(folder / "a.json", tasks)


def helm(folder: Path, *given: Any) -> Path:
    """One statistic of two splits in an entry."""
    splits = ("test", "valid")
    stats = [
        {"name": {"name": "em", "split": split}, "count": 1, "mean": value}
        for split, value in zip(splits, given, strict=False)
    ]
    entries = [
        {"instance_id": "i1", "train_trial_index": 0, "stats": stats},
        {"instance_id": "i2", "train_trial_index": 0, "stats": stats[:1]},
    ]
    return as_json(folder / "a.json", entries)


def helm_classes(folder: Path, *given: Any) -> Path:
    """Two classes of metrics write the same statistic, in entries of their own."""
    entries = [
        {"instance_id": "i1", "train_trial_index": 0, "stats": [{"name": "em", "count": 1, "mean": value}]}
        for value in given
    ]
    return as_json(folder / "a.json", [*entries, {**entries[0], "instance_id": "i2"}])


def argilla(folder: Path, *given: Any) -> Path:
    """Two responses of one user to a question."""
    responses = [{"value": value, "user_id": "u", "status": "submitted"} for value in given]
    records = [
        {"id": "a", "fields": {}, "responses": {"q": responses}},
        {"id": "b", "fields": {}, "responses": {"q": responses[:1]}},
    ]
    return as_json(folder / "a.json", records)


def argilla_1(folder: Path, *given: Any) -> Path:
    """Write records of version 1, whose responses are a list."""
    responses = [
        {"user_id": "u", "status": "submitted", "values": {"q": {"value": value}}} for value in given
    ]
    records = [
        {"id": "a", "fields": {}, "responses": responses},
        {"id": "b", "fields": {}, "responses": responses[:1]},
    ]
    return as_json(folder / "a.json", records)


def lm_eval(folder: Path, *given: Any) -> Path:
    return write_run(folder, [*(sample(0, {"acc": value}) for value in given), sample(1, {"acc": given[0]})])


MAKERS = (label_studio, two_annotations, helm, helm_classes, argilla, argilla_1, lm_eval)


@pytest.mark.parametrize("write", MAKERS)
def test_a_second_value_reaches_the_choice_about_duplicates(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    path = write(tmp_path, 5, 1)
    with pytest.raises(NbykError, match=r"has already rated item .* or choose with `on_duplicates` first"):
        read_ratings(path)
    for choice, expected in (("first", 5), ("last", 1), ("mean", 3)):
        ratings = read_ratings(path, on_duplicates=choice)
        assert ratings.values.tolist() == [expected, 5]
        assert "1 further rating of an item by the same rater was" in ratings.mended[0]
    (tmp_path / "once").mkdir()
    assert read_ratings(write(tmp_path / "once", 4)).mended == ()


@pytest.mark.parametrize("write", MAKERS)
def test_a_second_value_of_another_score_is_no_duplicate_of_this_one(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    """The rows that hold it alone have no empty cell of the score that is read."""
    path = write(tmp_path, 5, 1)
    text = path.read_text() if path.is_file() else ""
    if not text:
        pytest.skip("a document of a log is one object")
    content = json.loads(text)
    other = {
        label_studio: lambda: content[0]["annotations"][0]["result"].append(
            {"from_name": "p", "type": "number", "value": {"number": 2}}
        ),
        helm: lambda: content[0]["stats"].append({"name": "p", "count": 1, "mean": 2}),
        argilla: lambda: content[0]["responses"].update(p=[{"value": 2, "user_id": "u"}]),
    }.get(write)
    if other is None:
        pytest.skip("as the others")
    other()
    as_json(path, content)
    with pytest.raises(NbykError, match="column 'p': found no value"):
        read_ratings(path, value="p")
    with pytest.raises(NbykError, match="is the only item"):
        read_ratings(path, value="p", on_empty="drop")


def test_metrics_of_several_classes_in_one_file_of_helm_are_one_row(tmp_path: Path) -> None:
    entries = [
        {
            "instance_id": f"i{i}",
            "train_trial_index": 0,
            "stats": [{"name": name, "count": 1, "mean": i / 2}],
        }
        for name in ("em", "f1")
        for i in range(3)
    ]
    path = as_json(tmp_path / "a.json", entries)
    for name in ("em", "f1"):
        assert read_ratings(path, value=name).values.tolist() == [0, 0.5, 1]


def test_perturbed_copies_are_in_the_cluster_of_their_instance(tmp_path: Path) -> None:
    """40 instances in 5 copies: the p-value is that of 40 clusters, without a word from the user."""
    for name, right in (("a", range(25)), ("b", range(19, 38))):
        entries = [
            {
                "instance_id": f"id{i}",
                "train_trial_index": 0,
                "stats": [{"name": "em", "count": 1, "mean": float(i in right)}],
                **({"perturbation": {"name": f"typos{copy}"}} if copy else {}),
            }
            for i in range(40)
            for copy in range(5)
        ]
        as_json(tmp_path / f"{name}.json", entries)
    systems = read_systems([tmp_path / "a.json", tmp_path / "b.json"])
    assert systems.clusters is not None
    assert len(set(systems.clusters)) == 40
    asked = read_systems([tmp_path / "a.json", tmp_path / "b.json"], cluster="instance_id")
    assert asked.clusters == systems.clusters
    (said, _) = systems.recognised.values()
    assert said.endswith("clusters = instance_id (40), values = em")


def test_copies_of_one_instance_are_refused(tmp_path: Path) -> None:
    stats = [{"name": "em", "count": 1, "mean": 1}]
    entries = [
        {"instance_id": "id1", "train_trial_index": 0, "stats": stats, "perturbation": {"name": f"p{copy}"}}
        for copy in range(4)
    ]
    path = as_json(tmp_path / "a.json", entries)
    with pytest.raises(NbykError, match=r"a\.json: all items are of one instance_id, 'id1', and say"):
        read_systems({"x": path, "y": path})


def with_inputs(maker: Callable[[], Any], word: str) -> list[Any]:
    """Return units of a maker that are numbered by their place, each with an input of its own."""
    content = maker()
    for i in range(3):
        asked = f"{word} {i}"
        match maker:
            case makers.promptfoo:
                content["results"]["results"][i]["vars"] = {"topic": asked}
            case makers.promptfoo_table:
                content[i + 1][0] = asked
            case makers.tau_bench:
                content[i]["info"] = {"task": {"instruction": asked}}
            case makers.tau2_bench:
                content["tasks"][i]["user_scenario"]["instructions"] = asked
            case makers.deepeval:
                content["testCases"][i]["input"] = asked
            case makers.lighteval:
                content[i]["doc"]["query"] = asked
            case makers.openai_evals:
                content[i + 1]["data"]["expected"] = asked
    return content


@pytest.mark.parametrize("form", ["files", "folders"])
@pytest.mark.parametrize(
    ("maker", "suffix"),
    [
        (makers.promptfoo, ".json"),
        (makers.promptfoo_table, ".csv"),
        (makers.tau_bench, ".json"),
        (makers.tau2_bench, ".json"),
        (makers.deepeval, ".json"),
        (makers.lighteval, ".jsonl"),
        (makers.openai_evals, ".jsonl"),
    ],
)
def test_items_of_one_number_with_different_inputs_are_refused(
    maker: Callable[[], Any], suffix: str, form: str, tmp_path: Path
) -> None:
    value = {makers.promptfoo: "score", makers.promptfoo_table: "score"}.get(maker, "value")
    systems = dict[str, Path]()
    for name, word in (("a", "capital of"), ("b", "capital of"), ("c", "root of")):
        content = with_inputs(maker, word)
        path = tmp_path / f"{name}{suffix}"
        if suffix == ".csv":
            path.write_text("".join(f"{','.join(row)}\n" for row in content))
        else:
            path.write_text(
                "\n".join(map(json.dumps, content)) if suffix == ".jsonl" else json.dumps(content)
            )
        if form == "folders":
            (tmp_path / name).mkdir()
            path.rename(tmp_path / name / path.name)
            path = tmp_path / name
        systems[name] = path
    assert read_systems({"a": systems["a"], "b": systems["b"]}, value=value).n_items == 3
    with pytest.raises(
        NbykError, match=r"item '.*' has input_hash \w+, elsewhere \w+; expected one document"
    ):
        read_systems({"a": systems["a"], "c": systems["c"]}, value=value)


@pytest.mark.parametrize("maker", [makers.promptfoo, makers.promptfoo_table])
def test_a_test_that_promptfoo_repeats_is_one_cluster(maker: Callable[[], Any], tmp_path: Path) -> None:
    """A test of `promptfoo eval --repeat` has further numbers or rows, which say nothing of further tests."""
    content = with_inputs(maker, "capital of")
    path = tmp_path / "a.json"
    if maker is makers.promptfoo:
        content["results"]["results"][2]["vars"] = content["results"]["results"][1]["vars"]
        as_json(path, content)
    else:
        path = path.with_suffix(".csv")
        path.write_text("".join(f"{','.join(row)}\n" for row in [*content[:3], content[2]]))
    read = read_systems({"a": path, "b": path}, value="score")
    assert read.clusters is not None
    assert [read.clusters.index(of) for of in read.clusters] == [0, 1, 1]
    assert "clusters = input_hash (2)" in read.recognised[str(path)]


def test_a_page_of_langfuses_scores_by_their_subjects_is_in_clusters_and_incomplete(tmp_path: Path) -> None:
    content = makers.langfuse_3()
    path = as_json(tmp_path / "a.json", content)
    read = read_systems({"a": path, "b": path})
    assert (read.items, read.clusters, read.incomplete) == (("o0", "o1", "o2"), ("t0", "t0", "t1"), ())
    content["meta"]["cursor"] = "next"
    as_json(path, content)
    page = f"{path}: it is a page of several: there is a cursor"
    assert read_systems({"a": path, "b": path}).incomplete == (page, page)


def test_the_report_of_openais_evals_need_not_be_the_last_line(tmp_path: Path) -> None:
    """Events that are still to be written when the report is made come after it."""
    path, events = tmp_path / "a.jsonl", makers.openai_evals()
    report = {"final_report": {"accuracy": 0.5}, "run_id": "r"}
    for lines, n_notes in (([events[0], report, *events[1:]], 0), ([*events, report], 0), (events, 1)):
        path.write_text("\n".join(map(json.dumps, lines)))
        assert len(read_ratings(path).mended) == n_notes


TASK = {"id": 1, "data": {}, "annotations": []}
NODES: tuple[Any, ...] = ("x", 7, None, [], {}, ["x"], {"a": 1}, [None], True)
PLACES: dict[str, Callable[[Any], Any]] = {
    "a task's data": lambda node: {"id": 1, "data": node, "annotations": [{"completed_by": 1, "result": []}]},
    "an annotation": lambda node: {**TASK, "annotations": [node]},
    "results": lambda node: {**TASK, "annotations": [{"completed_by": 1, "result": node}]},
    "a result": lambda node: {**TASK, "annotations": [{"completed_by": 1, "result": [node]}]},
    "a control's value": lambda node: {
        **TASK,
        "annotations": [{"completed_by": 1, "result": [{"from_name": "q", "type": "rating", "value": node}]}],
    },
    "choices": lambda node: {
        **TASK,
        "annotations": [
            {
                "completed_by": 1,
                "result": [{"from_name": "q", "type": "choices", "value": {"choices": node}}],
            }
        ],
    },
    "who": lambda node: {
        **TASK,
        "annotations": [
            {"completed_by": node, "result": [{"from_name": "q", "type": "number", "value": {"number": 1}}]}
        ],
    },
    "an id": lambda node: {
        "id": node,
        "annotations": [
            {"completed_by": 1, "result": [{"from_name": "q", "type": "number", "value": {"number": 1}}]}
        ],
    },
    "responses": lambda node: {"id": "a", "fields": {}, "responses": node},
    "responses to a question": lambda node: {"id": "a", "fields": {}, "responses": {"q": node}},
    "a response": lambda node: {"id": "a", "fields": {}, "responses": {"q": [node]}},
    "a response's value": lambda node: {
        "id": "a",
        "fields": {},
        "responses": {"q": [{"value": node, "user_id": "u"}]},
    },
    "a user": lambda node: {"id": "a", "fields": {}, "responses": {"q": [{"value": 1, "user_id": node}]}},
    "values": lambda node: {"id": "a", "fields": {}, "responses": [{"user_id": "u", "values": node}]},
    "a value": lambda node: {"id": "a", "fields": {}, "responses": [{"user_id": "u", "values": {"q": node}}]},
    "metadata": lambda node: {
        "id": "a",
        "fields": {},
        "metadata": node,
        "responses": {"q": [{"value": 1, "user_id": "u"}]},
    },
    "statistics": lambda node: {"instance_id": "i", "train_trial_index": 0, "stats": node},
    "a statistic": lambda node: {"instance_id": "i", "train_trial_index": 0, "stats": [node]},
    "a statistic's name": lambda node: {
        "instance_id": "i",
        "train_trial_index": 0,
        "stats": [{"name": node, "count": 1, "mean": 1}],
    },
    "a count": lambda node: {
        "instance_id": "i",
        "train_trial_index": 0,
        "stats": [{"name": "em", "count": node, "sum": 1}],
    },
    "a sum": lambda node: {
        "instance_id": "i",
        "train_trial_index": 0,
        "stats": [{"name": "em", "count": 1, "sum": node}],
    },
    "a perturbation": lambda node: {
        "instance_id": "i",
        "train_trial_index": 0,
        "perturbation": node,
        "stats": [{"name": "em", "count": 1, "mean": 1}],
    },
}


@pytest.mark.parametrize("place", PLACES)
def test_a_node_of_an_unexpected_type_is_read_or_refused_in_one_line(place: str, tmp_path: Path) -> None:
    for number, node in enumerate(NODES):
        path = as_json(tmp_path / f"{number}.json", [PLACES[place](node)])
        error = ""
        try:
            read_ratings(path)
        except NbykError as refusal:
            error = str(refusal)
        assert not error or (error.startswith(str(path)) and "\n" not in error)


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (
            lambda folder: as_json(
                folder / "a.json",
                [
                    {
                        "id": i,
                        "annotations": [
                            {
                                "completed_by": 1,
                                "result": [
                                    {"from_name": "q", "type": "choices", "value": {"choices": choices}}
                                ],
                            }
                        ],
                    }
                    for i, choices in enumerate((["1"], ["0", "1"], ["1"]))
                ],
            ),
            r"task 2: column 'q': found 2 choices \['0', '1'\], expected a finite number",
        ),
        (
            lambda folder: write_run(folder, [sample(0, {"acc": None}), sample(1, {"acc": 1})]),
            r":1: column 'acc': found no value",
        ),
        (
            lambda folder: write_run(folder, [sample(0, {"f1": ["x", ["y"]]})] * 2),
            r":1: 'f1' is the list \['x', \['y'\]\], expected a number",
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_shown_with_its_place(
    write: Callable[[Path], Path], says: str, tmp_path: Path
) -> None:
    with pytest.raises(NbykError, match=says):
        read_ratings(write(tmp_path))


def mlflow(folder: Path, name: str, *scores: Any) -> Path:
    data = [[f"q{i}", "answer", "since", score] for i, score in enumerate(scores)]
    return as_json(
        folder / "a.json", {"columns": ["inputs", "outputs", "s/v1/justification", name], "data": data}
    )


def older_lm_eval(folder: Path, name: str, *scores: Any) -> Path:
    samples = [sample(i, {name: score, "why": "since"}) for i, score in enumerate(scores)]
    return write_run(folder, older(samples))


@pytest.mark.parametrize("write", [mlflow, older_lm_eval])
def test_text_among_scores_is_no_missing_score(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(tmp_path, "quality", 1, "n/a", 0)
    for options in ({}, {"on_empty": "drop"}):
        with pytest.raises(NbykError, match="column 'quality': found 'n/a', expected a finite number"):
            read_ratings(path, **options)
    path = write(tmp_path / "b" if path.is_dir() else tmp_path, "quality", 1, 0.5, 0)
    ratings = read_ratings(path)
    assert ratings.values.tolist() == [1, 0.5, 0]
    assert "values = quality; not used: " in ratings.recognised


def test_what_mlflow_calls_a_value_may_be_a_class(tmp_path: Path) -> None:
    path = mlflow(tmp_path, "correct/value", "yes", "no", "yes")
    assert read_systems({"x": path, "y": path}, path).classes == ("no", "yes")
    with pytest.raises(NbykError, match="found 'yes', expected a finite number"):
        read_ratings(path)


def test_a_score_or_perturbation_without_a_name_is_refused(tmp_path: Path) -> None:
    cases = makers.deepeval()
    for name in (None, "", 3):
        cases["testCases"][1]["metricsData"][0]["name"] = name
        with pytest.raises(NbykError, match=r"test case 2: found .*, expected a name; export the file again"):
            read_ratings(as_json(tmp_path / "a.json", cases))
    for further in ({"perturbation": {"typo": 1}}, {"stats": [{"name": {}, "count": 1, "mean": 1}]}):
        stats = [{"name": "em", "count": 1, "mean": 1}]
        entries = [{"instance_id": f"i{i}", "train_trial_index": 0, "stats": stats} for i in range(3)]
        entries[1] |= further
        with pytest.raises(NbykError, match="entry 2: found None, expected a name"):
            read_ratings(as_json(tmp_path / "b.json", entries))


def test_two_runs_in_one_log_of_openais_evals_are_refused(tmp_path: Path) -> None:
    events = makers.openai_evals()
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, [*events, {"spec": {"run_id": "s"}}, *events[1:]])))
    with pytest.raises(NbykError, match=r"a\.jsonl: holds 2 runs, expected one; give a file of each"):
        read_ratings(path)


def test_providers_of_promptfoo_of_one_id_are_told_apart_by_their_labels(tmp_path: Path) -> None:
    content = makers.promptfoo()
    results = content["results"]["results"]
    content["results"]["results"] = [
        {**result, "score": score, "provider": {"id": "openai:gpt", "label": label}}
        for label, score in (("cold", 0), ("hot", 1), ("", 0.5))
        for result in results
    ]
    read = read_systems(as_json(tmp_path / "a.json", content), value="score")
    assert {name: set(of.ravel()) for name, of in read.responses.items()} == {
        "openai:gpt (cold), prompt 0": {0},
        "openai:gpt (hot), prompt 0": {1},
        "openai:gpt, prompt 0": {0.5},
    }


def test_what_is_null_is_no_name_of_an_item_or_score(tmp_path: Path) -> None:
    table = {"columns": ["inputs", "outputs", "s/v1/score"], "data": [["p", "a", 1], [None, "b", 0]]}
    with pytest.raises(NbykError, match="column 'inputs': the id is empty; give every row one"):
        read_ratings(as_json(tmp_path / "a.json", table))
    content = makers.langfuse()
    content["data"][1]["name"] = None
    with pytest.raises(NbykError, match="score 2: found None, expected a name; export the file again"):
        read_ratings(as_json(tmp_path / "b.json", content))


def test_metadata_of_the_name_of_a_score_overwrites_no_other(tmp_path: Path) -> None:
    content = makers.argilla()
    for place, record in enumerate(content):
        record["metadata"] = {"metadata.q": f"x{place}", "q": "y", "post": "p"}
    path = as_json(tmp_path / "a.json", content)
    assert read_ratings(path, cluster="metadata.q").clusters == ("x0", "x1", "x2")
    assert "not used: metadata.metadata.q, post" in read_ratings(path, cluster="metadata.q").recognised


def test_runs_of_two_models_in_one_folder_are_refused(tmp_path: Path) -> None:
    for folder, models in (("one", "mm"), ("two", "mn")):
        (tmp_path / folder).mkdir()
        for run, model in enumerate(models):
            content = makers.tau2_bench() | {"info": {"agent_info": {"llm": model}}}
            as_json(tmp_path / folder / f"{run}.json", content)
    assert read_systems({"a": tmp_path / "one", "b": tmp_path / "one"}).n_items == 3
    with pytest.raises(NbykError, match=r"two: holds runs of 2 models \(m, n\); expected the runs of one"):
        read_systems({"a": tmp_path / "one", "b": tmp_path / "two"})
