"""What docs/data.md tells people to run, and what no page may tell them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nbyk.data import load_source
from nbyk.data.columns import KNOWN_NAMES

ROOT = Path(__file__).parents[2]


def test_the_table_of_amazon_reviews_keeps_products_with_five_reviewers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/data.md").read_text(encoding="utf-8")
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "reviews" in block)
    monkeypatch.chdir(tmp_path)
    reviewers = {"few": 4, "enough": 5, "many": 8, "twice": 4}
    rows = [(product, f"r{i}", 1 + i % 5) for product, n in reviewers.items() for i in range(n)]
    rows.append(("twice", "r0", 5))  # a second review by one of four people
    for names in (("parent_asin", "user_id", "rating"), ("asin", "reviewerID", "overall")):
        lines = [dict(zip(names, row, strict=True)) | {"text": "…"} for row in rows]
        if names[0] == "parent_asin":
            lines = [line | {"asin": f"variant {number}"} for number, line in enumerate(lines)]
        Path("reviews.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        exec(compile(code, "docs/data.md", "exec"), {})
        ratings = load_source("amazon", "amazon.csv")
        assert ratings.counts().tolist() == [5, 5]
        assert ratings.n_items == 2


def test_the_page_on_formats_lists_every_known_name() -> None:
    page = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    table = page.partition("| for | names |\n")[2].partition("\n\n")[0].splitlines()[1:]
    listed = [tuple(re.findall(r"`(\w+)`", row.split("|")[2])) for row in table]
    assert listed == list(KNOWN_NAMES.values())


def test_no_page_or_message_installs_nbyk_from_an_index_that_it_is_not_on() -> None:
    files = [
        path
        for folder in ("docs", "src", "scripts", "benchmarks", "workflow", ".")
        for path in (ROOT / folder).glob("*" if folder == "." else "**/*")
        if path.suffix in (".md", ".py", ".smk", ".html", ".yaml", ".cff") or path.name == "Makefile"
    ]
    assert len(files) > 300
    told = re.compile(r"(?:pip|uv|pipx) install (?:-\S+ )*['\"]?nbyk(?:\[|['\"\s]|$)")
    assert told.search("pip install 'nbyk[bleu]'")
    assert [path for path in files if told.search(path.read_text("utf-8"))] == []
