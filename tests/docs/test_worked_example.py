"""The pages that show Python: it runs as it stands, and prints what they say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from nbyk.data import source
from nbyk.data.download import default_folder, is_complete
from nbyk.data.sources import example_files

ROOT = Path(__file__).parents[2]


def loaded(name: str) -> ModuleType:
    """Return a script as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("worked_example")


def test_the_page_prints_what_it_says(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "compare-convabuse.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert script.run(page) == page
    drawn = {path.name for path in tmp_path.glob("*.png")}
    shown = {name.partition(")")[0] for name in page.split("](figures/")[1:]}
    assert drawn == shown
    assert all((ROOT / "docs" / "figures" / name).exists() for name in shown)


def test_the_readme_prints_what_it_says(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "example").mkdir()
    for name, content in example_files().items():
        (tmp_path / "example" / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert page.count("groups   possible ranks") == 1
    assert script.run(page) == page


def test_the_picture_of_the_readme_shows_what_its_command_prints() -> None:
    picture = loaded("answer_picture")
    shown = (ROOT / "docs" / "figures" / "answer.svg").read_text(encoding="utf-8")
    assert shown == picture.drawn(" ".join(picture.ANSWER), picture.answer())


def test_the_page_of_fetched_data_prints_what_it_says(script: ModuleType) -> None:
    lacking = [name for name in ("hs_brexit", "armis") if not is_complete(source(name), default_folder())]
    if lacking:
        pytest.skip(f"needs data that nbyk may not bring: nbyk data fetch {' '.join(lacking)}")
    page = (ROOT / "docs" / "compare-fetched.md").read_text(encoding="utf-8")
    assert script.run(page) == page


def test_the_planning_page_prints_the_standard_deviations_that_it_shows(script: ModuleType) -> None:
    page = (ROOT / "docs" / "planning.md").read_text(encoding="utf-8")
    _, heading, rest = page.partition("### Where the standard deviations come from")
    section = rest.partition("\n## ")[0]
    assert heading
    assert section.count("```text") == 2
    assert script.run(section) == section


def test_the_planning_page_plans_from_a_pilot(script: ModuleType) -> None:
    page = (ROOT / "docs" / "planning.md").read_text(encoding="utf-8")
    section = page.partition("## When each item has its own raters\n")[2].partition("\n## ")[0]
    assert section.count("```text") == 1
    assert script.run(section) == section


def test_a_wrong_output_is_replaced_and_a_missing_one_refused(script: ModuleType) -> None:
    page = "x\n\n```python\na = 1\n```\n\n```python\nprint(a + 1)\n```\n\n```text\n3\n```\n\ny\n"
    assert script.run(page) == page.replace("3", "2")
    with pytest.raises(ValueError, match="no block of text follows"):
        script.run("```python\nprint(1)\n```\n")
