"""What ``lm_eval --log_samples`` writes, made as lm-evaluation-harness (0.4.13.dev0) makes it.

`evaluate` (lm_eval/evaluator.py) makes one sample per document and filter: its fields are those of `sample`,
in that order, and the metrics' values come last, under their names. `EvaluationTracker.save_results_samples`
turns arguments, responses and the target into text and appends one JSON object per line to
``<output_path>/<model>/samples_<task>_<date>.jsonl``, with `default=handle_non_serializable`; the aggregated
results go to ``results_<date>.json`` beside it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DATES = ("2025-03-01T10-00-00.123456", "2025-03-02T10-00-00", "2025-03-03T10-00-00.5")


def hash_string(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def handle_non_serializable(value: Any) -> Any:
    """Of numpy's types only int32 and int64 stay numbers; bool_ and float32 become text."""
    if type(value).__name__ in ("int32", "int64"):
        return int(value)
    return list(value) if isinstance(value, set) else str(value)


def sample(
    doc_id: int, metrics: Mapping[str, Any], *, filter_key: str = "none", doc: str = ""
) -> dict[str, Any]:
    document = {"question": doc or f"question {doc_id}", "answer": doc_id}
    dumped = json.dumps(document, indent=2, default=handle_non_serializable, ensure_ascii=False)
    prompt, target = f"Question: {document['question']}\nAnswer:", str(doc_id)
    return {
        "doc_id": doc_id,
        "doc": document,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": ["\n"]}}},
        "resps": [["an answer"]],
        "filtered_resps": ["an answer"],
        "filter": filter_key,
        "metrics": list(metrics),
        "doc_hash": hash_string(dumped),
        "prompt_hash": hash_string(prompt),
        "target_hash": hash_string(target),
        **metrics,
    }


def older(samples: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return samples as before version 0.4.7: without the names of their filter and metrics."""
    return [{key: value for key, value in one.items() if key not in ("filter", "metrics")} for one in samples]


def write_run(
    output_path: Path,
    samples: Sequence[Mapping[str, Any]],
    *,
    model: str = "org/model",
    task: str = "gsm8k",
    date: str = DATES[0],
    seed: int = 1234,
) -> Path:
    """Write a run's samples and results, and return the model's folder."""
    folder = output_path / re.sub(r"[\"<>:/|\\?*\[\]]+", "__", model)
    folder.mkdir(parents=True, exist_ok=True)
    seeds = dict.fromkeys(("random_seed", "numpy_seed", "torch_seed", "fewshot_seed"), seed)
    results = {"results": {task: {}}, "config": {"model": "hf", **seeds}, "model_name": model}
    (folder / f"results_{date}.json").write_text(json.dumps(results, indent=2), encoding="utf-8")
    with (folder / f"samples_{task}_{date}.jsonl").open("a", encoding="utf-8") as file:
        for one in samples:
            file.write(json.dumps(one, default=handle_non_serializable, ensure_ascii=False) + "\n")
    return folder


def runs(output_path: Path, scores: Sequence[Sequence[float]], **options: Any) -> Path:
    """Write one run per row of `scores`, acc of documents 0, 1, …, and return the model's folder."""
    for date, row in zip(DATES, scores, strict=False):
        samples = [sample(doc_id, {"acc": score}) for doc_id, score in enumerate(row)]
        folder = write_run(output_path, samples, date=date, **options)
    return folder
