"""`nbyk plan`: datasets, pilots and priors in; a sentence, a table, JSON and a figure, or one error, out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nbyk.cli import main
from nbyk.files import write_json
from nbyk.priors import published_prior

Run = Callable[..., tuple[int, str, str]]
QUICK = "--epsilon 0.3 --power 0.8 --precision 0.03"


@pytest.fixture
def nbyk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Return a function that runs the command line in an empty folder: its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["nbyk", *line.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


def write_pilot(path: str, matrix: np.ndarray) -> None:
    rows = [
        f"{item},{rater},{value:g}"
        for item, ratings in enumerate(matrix)
        for rater, value in enumerate(ratings)
        if not np.isnan(value)
    ]
    Path(path).write_text("\n".join(["item,rater,value", *rows]) + "\n")


def likert(n: int = 60, k: int = 4) -> np.ndarray:
    generator = np.random.default_rng(1)
    latent = generator.beta(2, 3, size=(n, 1)) + generator.uniform(0.1, 0.3, (n, 1)) * generator.normal(
        size=(n, k)
    )
    return 1.0 + np.clip(np.floor(5 * latent), 0, 4)


def test_a_published_prior_gives_a_sentence_and_progress(nbyk: Run, tmp_path: Path) -> None:
    code, text, errors = nbyk(f"plan toxicity {QUICK} --responses 5")
    assert code == 0
    assert text.count("\n") == 1
    assert text.startswith("To find out with a power of 0.8 (swap_items on mae, one-sided at α = 0.05)")
    assert "items with 5 ratings each" in text
    assert all("power" in line for line in errors.splitlines())
    assert list(tmp_path.iterdir()) == []


def test_an_open_k_gives_a_table_and_files(nbyk: Run, tmp_path: Path) -> None:
    code, text, _ = nbyk(f"plan amazon {QUICK} --max-responses 10 --cost-per-item 2 --out plans/amazon")
    assert code == 0
    assert "| K | N | N low | N high |" in text
    assert "| chosen |" in text
    written = {path.name for path in (tmp_path / "plans" / "amazon").iterdir()}
    assert written == {
        *("plan.json", "plan.png", "plan.svg"),
        *("candidates.csv", "candidates.md", "candidates.tex"),
    }
    content = json.loads((tmp_path / "plans" / "amazon" / "plan.json").read_text())
    assert content["sentence"] == text.splitlines()[0]
    assert (tmp_path / "plans" / "amazon" / "plan.png").read_bytes()[:4] == b"\x89PNG"
    svg = (tmp_path / "plans" / "amazon" / "plan.svg").read_bytes()
    assert nbyk(f"plan amazon {QUICK} --max-responses 10 --cost-per-item 2 --out again --threads 1")[0] == 0
    assert (tmp_path / "again" / "plan.svg").read_bytes() == svg


def test_json_is_all_that_is_printed(nbyk: Run) -> None:
    code, text, _ = nbyk("plan toxicity --items 100 --responses 5 --epsilon 0.2 --precision 0.03 --json")
    assert code == 0
    content = json.loads(text)
    assert (content["open"], content["n_items"], content["k_responses"]) == ("power", 100, 5)
    assert content["given"] == {"n_items": 100, "k_responses": 5, "epsilon": 0.2}


def test_convabuse_has_a_prior_of_its_own_ratings(nbyk: Run) -> None:
    size = "--items 60 --responses 5 --epsilon 0.2 --precision 0.04 --json"
    fitted = json.loads(nbyk(f"plan convabuse {size}")[1])
    published = json.loads(nbyk(f"plan convabuse --published {size}")[1])
    assert fitted["prior"]["response"] == {"kind": "likert", "levels": 5}
    assert published["prior"] == published_prior("convabuse").to_dict()


def test_a_pilot_on_levels_and_one_of_yes_and_no(nbyk: Run) -> None:
    write_pilot("pilot.csv", likert())
    code, text, errors = nbyk(f"plan --pilot pilot.csv --levels 1,2,3,4,5 {QUICK} --responses 4")
    assert code == 0, errors
    assert "items like those of pilot" in text
    write_pilot("binary.csv", (likert() > 2).astype(float))
    code, text, errors = nbyk(f"plan --pilot binary.csv --low 0 --high 1 {QUICK} --responses 4 --json")
    assert code == 0, errors
    assert json.loads(text)["prior"]["response"] == {"kind": "binary"}


def test_a_prior_of_ones_own_and_a_metric_of_ones_own(nbyk: Run) -> None:
    write_json("prior.json", published_prior("mhs").to_dict())
    Path("own.py").write_text(
        "import numpy as np\nfrom nbyk.metrics import register\n\n\n@register(direction='lower')\n"
        "def third_power(system, gold):\n    return np.mean(np.abs(system - gold) ** 3)\n"
    )
    code, text, errors = nbyk(
        "plan --prior prior.json --items 20 --responses 3 --epsilon 0.4 --metric third_power"
        " --metric-file own.py --precision 0.1 --resamples 199"
    )
    assert code == 0, errors
    assert "swap_items on third_power" in text


WRONG = {
    "no data": ("plan --epsilon 0.1 --power 0.8", "expected one of DATASET, --pilot and --prior"),
    "two data": ("plan toxicity --prior prior.json --epsilon 0.1 --power 0.8", "found DATASET and --prior"),
    "an unknown dataset": ("plan convabus --epsilon 0.1 --power 0.8", "did you mean convabuse?"),
    "nothing open": (
        "plan toxicity --items 9 --responses 5 --epsilon 0.1 --power 0.8",
        "nothing is left open to solve for",
    ),
    "too much open": (
        "plan toxicity --epsilon 0.1",
        "more than one of n_items, k_responses, power, budget is open",
    ),
    "a budget and a size": (
        "plan toxicity --items 9 --responses 5 --epsilon 0.1 --budget 9",
        "a budget contradicts them",
    ),
    "one item": ("plan toxicity --items 1 --responses 5 --epsilon 0.1", "n_items: found 1"),
    "no ratings": ("plan toxicity --items 9 --responses 0 --epsilon 0.1", "k_responses: found 0"),
    "ε of 2": ("plan toxicity --items 9 --responses 5 --epsilon 2", "between 0 and 1"),
    "power of 2": ("plan toxicity --epsilon 0.1 --power 2", "power: found 2.0"),
    "a negative cost": (
        "plan toxicity --epsilon 0.1 --power 0.8 --cost-per-item -1",
        "cost_per_item: found -1.0",
    ),
    "an unknown metric": ("plan toxicity --epsilon 0.1 --power 0.8 --metric maee", "did you mean mae"),
    "an unknown test": ("plan toxicity --epsilon 0.1 --power 0.8 --test welch", "did you mean welch_t"),
    "no pilot": ("plan --pilot nowhere.csv --low 0 --high 1 --epsilon 0.1 --power 0.8", "nowhere.csv"),
    "a pilot without a scale": ("plan --pilot one.csv --epsilon 0.1 --power 0.8", "needs its scale"),
    "a pilot with half a scale": (
        "plan --pilot one.csv --low 0 --epsilon 0.1 --power 0.8",
        "needs its scale",
    ),
    "a scale without a pilot": ("plan toxicity --low 0 --high 1 --epsilon 0.1 --power 0.8", "there is none"),
    "levels that are no numbers": (
        "plan --pilot one.csv --levels a,b --epsilon 0.1 --power 0.8",
        "--levels a,b",
    ),
    "one rating per item": (
        "plan --pilot one.csv --levels 1,2,3,4,5 --epsilon 0.1 --power 0.8",
        "one.csv: every item has a single response, so sigma is not identified",
    ),
    "ratings off the scale": (
        "plan --pilot one.csv --low 0 --high 1 --epsilon 0.1 --power 0.8",
        "expected a number from 0 to 1",
    ),
    "no prior": ("plan --prior nowhere.json --epsilon 0.1 --power 0.8", "nowhere.json: no such file"),
    "out of reach": (
        "plan toxicity --epsilon 0.05 --power 0.9 --max-items 30 --max-responses 5 --out plans",
        "the best reachable is 0.",
    ),
}


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=list(WRONG))
def test_bad_input_is_one_error_and_leaves_no_file(
    line: str, message: str, nbyk: Run, tmp_path: Path
) -> None:
    write_json("prior.json", published_prior("mhs").to_dict())
    write_pilot("one.csv", likert(40, 1))
    code, text, errors = nbyk(line)
    assert (code, text) == (2, "")
    *progress, last = errors.splitlines()
    assert last.startswith("error: ")
    assert message in last
    assert not any(line.startswith(("error", "Traceback")) for line in progress)
    assert {path.name for path in tmp_path.iterdir()} == {"prior.json", "one.csv"}


def test_a_file_where_the_folder_should_be_is_named(nbyk: Run) -> None:
    Path("plans").write_text("")
    code, _, errors = nbyk(f"plan toxicity {QUICK} --responses 5 --out plans")
    assert code == 2
    assert "plans" in errors.splitlines()[-1]
    assert "Traceback" not in errors
