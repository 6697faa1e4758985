"""`nbyk plan`: datasets, pilots and priors in; a sentence, a table, JSON and a figure, or one error, out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from nbyk.files import write_json
from nbyk.priors import Response, fit_prior, published_prior
from tests.cli.conftest import Run

QUICK = "--epsilon 0.3 --power 0.8 --precision 0.05 --resamples 999"


_FITS: dict[tuple[object, ...], object] = {}


@pytest.fixture(autouse=True)
def _one_fit_of_the_same_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fit a prior once to the same ratings: a fit takes a second, and most tests here begin with one."""

    def fit_once(name: str, ratings: np.ndarray, response: Response) -> object:
        key = name, ratings.shape, ratings.tobytes(), response
        if key not in _FITS:
            _FITS[key] = fit_prior(name, ratings, response)
        return _FITS[key]

    monkeypatch.setattr("nbyk.priors.fit_prior", fit_once)


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
    text = " ".join(text.split())
    assert text.endswith(").")
    assert text.startswith("To find out with a power of 0.8 (swap_items on mae, two-sided at α = 0.05)")
    assert "items with 5 ratings each" in text
    assert all(line.startswith("N = ") for line in errors.splitlines())
    assert list(tmp_path.iterdir()) == []


def test_the_side_is_an_option_and_stands_in_the_answer(nbyk: Run) -> None:
    code, text, _ = nbyk(
        "plan toxicity --items 60 --responses 5 --epsilon 0.3 --alternative greater --precision 0.1"
        " --format json"
    )
    assert code == 0
    content = json.loads(text)
    assert content["power"]["alternative"] == "greater"
    assert "one-sided at α = 0.05" in content["sentence"]


def test_an_open_k_gives_a_table_and_files(nbyk: Run, tmp_path: Path) -> None:
    code, text, _ = nbyk(f"plan amazon {QUICK} --max-responses 4 --cost-per-item 2 --out plans/amazon")
    assert code == 0
    assert re.search(r"K +N +N low +N high", text)
    assert "chosen\n" in text
    folder = tmp_path / "plans" / "amazon"
    written = {path.name for path in folder.rglob("*.*") if path.is_file() and ".nbyk" not in path.parts}
    assert written == {
        *("plan.json", "plan.html", "plan.png", "plan.svg"),
        *("candidates.csv", "candidates.md", "candidates.parquet", "candidates.tex"),
    }
    content = json.loads((folder / "plan.json").read_text())
    assert " ".join(text.split()).startswith(content["sentence"])
    assert (folder / "figures/plan.png").read_bytes()[:4] == b"\x89PNG"
    svg = (folder / "figures/plan.svg").read_bytes()
    assert nbyk(f"plan amazon {QUICK} --max-responses 4 --cost-per-item 2 --out again --threads 1")[0] == 0
    assert (tmp_path / "again/figures/plan.svg").read_bytes() == svg


def test_json_is_all_that_is_printed(nbyk: Run) -> None:
    code, text, _ = nbyk(
        "plan toxicity --items 100 --responses 5 --epsilon 0.2 --precision 0.03 --format json"
    )
    assert code == 0
    content = json.loads(text)
    assert (content["open"], content["n_items"], content["k_responses"]) == ("power", 100, 5)
    assert content["given"] == {"n_items": 100, "k_responses": 5, "epsilon": 0.2}


def test_convabuse_has_a_prior_of_its_own_ratings(nbyk: Run) -> None:
    size = "--items 60 --responses 5 --epsilon 0.2 --precision 0.04 --format json"
    fitted = json.loads(nbyk(f"plan convabuse {size}")[1])
    published = json.loads(nbyk(f"plan convabuse --published {size}")[1])
    assert fitted["prior"]["response"] == {"kind": "likert", "levels": 5}
    assert published["prior"] == published_prior("convabuse").to_dict()


def test_a_pilot_on_levels_and_one_of_yes_and_no(nbyk: Run) -> None:
    write_pilot("pilot.csv", likert())
    code, text, errors = nbyk(f"plan --pilot pilot.csv --scale 1,2,3,4,5 {QUICK} --responses 4")
    assert code == 0, errors
    text = " ".join(text.split())
    assert "on items and ratings drawn again from the 60 items of pilot, with" in text
    cautions = text.partition("Before you believe it: ")[2]
    assert cautions.startswith("- the same 4 raters rated all 60 items: these sizes and powers count chance")
    write_pilot("binary.csv", (likert() > 2).astype(float))
    code, text, errors = nbyk(f"plan --pilot binary.csv --scale 0..1 {QUICK} --responses 4 --format json")
    assert code == 0, errors
    assert json.loads(text)["prior"]["response"] == {"kind": "binary"}
    assert [text.partition(":")[0] for text in json.loads(text)["warnings"]] == [
        "the same 4 raters rated all 60 items"
    ]


def test_a_prior_of_ones_own_and_a_metric_of_ones_own(nbyk: Run) -> None:
    write_json("prior.json", published_prior("mhs").to_dict())
    Path("own.py").write_text(
        "import numpy as np\nfrom nbyk.metrics import register\n\n\n@register(direction='lower')\n"
        "def third_power(system, gold):\n    return np.mean(np.abs(system - gold) ** 3)\n"
    )
    code, text, errors = nbyk(
        "plan --prior prior.json --items 20 --responses 3 --epsilon 0.4 --metric third_power"
        " --metric-file own.py --precision 0.1 --resamples 39"
    )
    assert code == 0, errors
    assert "swap_items on third_power" in " ".join(text.split())


WRONG = {
    "no data": ("plan --epsilon 0.1 --power 0.8", "expected one of DATASET, --pilot and --prior"),
    "two data": ("plan toxicity --prior prior.json --epsilon 0.1 --power 0.8", "found DATASET and --prior"),
    "an unknown dataset": ("plan convabus --epsilon 0.1 --power 0.8", "did you mean convabuse?"),
    "nothing open": (
        "plan toxicity --items 9 --responses 5 --epsilon 0.1 --power 0.8",
        "error: plan: given --items, --responses, --epsilon, --power; ",
    ),
    "too much open": (
        "plan toxicity --epsilon 0.1",
        "more than one of --items, --responses, --power, --budget is open; give --epsilon and --power for",
    ),
    "a budget and a size": (
        "plan toxicity --items 9 --responses 5 --epsilon 0.1 --budget 9",
        "already fix the cost of the size",
    ),
    "one item": ("plan toxicity --items 1 --responses 5 --epsilon 0.1", "error: --items: found 1"),
    "no ratings": ("plan toxicity --items 9 --responses 0 --epsilon 0.1", "error: --responses: found 0"),
    "ε of 2": ("plan toxicity --items 9 --responses 5 --epsilon 2", "error: --epsilon: found 2.0"),
    "power of 2": ("plan toxicity --epsilon 0.1 --power 2", "error: --power: found 2.0"),
    "a negative cost": (
        "plan toxicity --epsilon 0.1 --power 0.8 --cost-per-item -1",
        "error: --cost-per-item: found -1.0",
    ),
    "an unknown metric": ("plan toxicity --epsilon 0.1 --power 0.8 --metric maee", "did you mean mae"),
    "an unknown test": ("plan toxicity --epsilon 0.1 --power 0.8 --test welch", "did you mean welch_t"),
    "no pilot": ("plan --pilot nowhere.csv --scale 0..1 --epsilon 0.1 --power 0.8", "nowhere.csv"),
    "a pilot without a scale": (
        "plan --pilot one.csv --epsilon 0.1 --power 0.8",
        "--scale: expected the scale",
    ),
    "half a scale": ("plan --pilot one.csv --scale 0.. --epsilon 0.1 --power 0.8", "--scale: "),
    "a column that is not there": (
        "plan --pilot one.csv --scale 1,2,3,4,5 --value score --epsilon 0.1 --power 0.8",
        "score",
    ),
    "a scale without a pilot": ("plan toxicity --scale 0..1 --epsilon 0.1 --power 0.8", "there is no pilot"),
    "levels that are no numbers": (
        "plan --pilot one.csv --scale a,b --epsilon 0.1 --power 0.8",
        "--scale: ",
    ),
    "one rating per item": (
        "plan --pilot one.csv --scale 1,2,3,4,5 --epsilon 0.1 --power 0.8",
        "(mean 2.3; 1: 30.0%, 2: 32.5%, 3: 20.0%, 4: 12.5%, 5: 5.0%). Collect at least two ratings",
    ),
    "one rating per item, of numbers": (
        "plan --pilot one.csv --scale 1..19 --epsilon 0.1 --power 0.8",
        "one.csv: every item has a single rating, so sigma is not identified: how much raters of the same "
        "item differ cannot be told from how much items do. What these data do say is how single ratings "
        "are distributed (mean 2.3; standard deviation 1.18)",
    ),
    "ratings that are all alike": (
        "plan --pilot same.csv --scale 1,2,3,4,5 --epsilon 0.1 --power 0.8",
        "same.csv: all 8 ratings are 3: nbyk cannot fit a prior",
    ),
    "numbers that are all alike": (
        "plan --pilot same.csv --scale 1..5 --epsilon 0.1 --power 0.8",
        "same.csv: all 8 ratings are 3: nbyk cannot fit a prior",
    ),
    "no levels": ("plan --pilot one.csv --scale= --epsilon 0.1 --power 0.8", "--scale: "),
    "one level": ("plan --pilot one.csv --scale 1 --epsilon 0.1 --power 0.8", "--scale: "),
    "a level twice": (
        "plan --pilot one.csv --scale 1,2,2,3 --epsilon 0.1 --power 0.8",
        "level 2 stands before 2",
    ),
    "levels from the top": (
        "plan --pilot one.csv --scale 3,2,1 --epsilon 0.1 --power 0.8",
        "list levels lowest first",
    ),
    "uneven levels": (
        "plan --pilot one.csv --scale 1,2,3,4,5,7 --epsilon 0.1 --power 0.8",
        "found 1,2,3,4,5,7, with steps from 1 to 2; a plan takes levels for equal steps",
    ),
    "a published pilot": (
        "plan --pilot one.csv --published --scale 1,2,3,4,5 --epsilon 0.1 --power 0.8",
        "found --published and --pilot",
    ),
    "a published prior of one's own": (
        "plan --prior prior.json --published --epsilon 0.1 --power 0.8",
        "found --published and --prior",
    ),
    "two metrics": (
        "plan toxicity --metric mae --metric mse --epsilon 0.1 --power 0.8",
        "nbyk ranks metrics at one size: give --items, --responses and --epsilon, and leave out --power",
    ),
    "an effect and an ε": (
        "plan toxicity --effect 0.1 --epsilon 0.1 --power 0.8",
        "given both --epsilon and --effect",
    ),
    "a worse system A": (
        "plan toxicity --epsilon 0.1 --power 0.8 --alternative less",
        "--alternative: found 'less', expected 'two-sided' or 'greater': a plan takes B for the worse system",
    ),
    "an effect below 0": ("plan toxicity --effect -0.1 --power 0.8", "--effect: found -0.1"),
    "a prior that is a table": (
        "plan --prior one.csv --epsilon 0.1 --power 0.8",
        "give a prior, as written by `nbyk study prior` or `nbyk fit`, or write it again",
    ),
    "ratings off the scale": (
        "plan --pilot one.csv --scale 0..1 --epsilon 0.1 --power 0.8",
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
    write_pilot("same.csv", np.full((4, 2), 3.0))
    code, text, errors = nbyk(line)
    assert (code, text) == (2, "")
    *progress, last = errors.splitlines()
    assert last.startswith("error: ")
    assert message in last
    assert not any(line.startswith(("error", "Traceback")) for line in progress)
    assert "delete" not in last
    assert {path.name for path in tmp_path.iterdir()} == {"prior.json", "one.csv", "same.csv"}


@pytest.mark.parametrize("out", ["plans", "plans/amazon", "plans/a/b"])
def test_a_file_where_the_folder_should_be_is_named_before_the_search(out: str, nbyk: Run) -> None:
    Path("plans").write_text("")
    code, _, errors = nbyk(f"plan toxicity {QUICK} --responses 5 --out {out}")
    assert code == 2
    assert errors == (
        f"error: --out {out}: plans is a file, expected a folder to write to; give another one, or move the "
        "file away\n"
    )


SIZE = "--items 40 --responses 3 --precision 0.1 --resamples 199 --format json"


@pytest.mark.parametrize(
    ("scale", "metric", "unit"),
    [
        ("--scale 1,2,3,4,5", "mse", 25.0),
        ("--scale 1,2,3,4,5", "spearman", 1.0),
        ("--scale 0,1,2,3,4,5,6", "rmse", 7.0),
        ("--scale 0..20", "mae", 20.0),
        ("--scale 0..20", "inverse_mse --n-runs K", None),
    ],
)
def test_effects_are_in_units_of_the_pilots_scale(
    scale: str, metric: str, unit: float | None, nbyk: Run
) -> None:
    write_pilot("pilot.csv", likert())
    pilot = f"plan --pilot pilot.csv {scale} --items-from prior --metric {metric} {SIZE}"
    code, text, errors = nbyk(f"{pilot} --epsilon 0.2")
    assert code == 0, errors
    content = json.loads(text)
    write_json("prior.json", content["prior"])
    of_prior = json.loads(nbyk(f"plan --prior prior.json --metric {metric} {SIZE} --epsilon 0.2")[1])
    if unit is None:
        assert content["effect"] is of_prior["effect"] is None
        return
    assert content["effect"] == pytest.approx(unit * of_prior["effect"])
    again = json.loads(nbyk(f"{pilot} --effect {content['effect']}")[1])
    assert again["epsilon"] == pytest.approx(0.2, abs=1e-3)
    _, _, errors = nbyk(f"{pilot} --effect {100 * unit}")
    most = json.loads(nbyk(f"{pilot} --epsilon 1")[1])["effect"]
    said = re.search(r"effect: (\S+) on \w+ is out of reach: at ε = 1 it is (\S+) in the long run", errors)
    assert said is not None
    assert [float(number) for number in said.groups()] == pytest.approx([100 * unit, most], rel=1e-3)


def test_yes_and_no_are_the_same_on_every_scale(nbyk: Run) -> None:
    def effect(shift: int, scale: str) -> dict[str, object]:
        write_pilot("pilot.csv", shift + (likert() > 2))
        code, text, errors = nbyk(f"plan --pilot pilot.csv {scale} {SIZE} --epsilon 0.2")
        assert code == 0, errors
        content = json.loads(text)
        assert content["prior"]["response"] == {"kind": "binary"}
        return {name: content[name] for name in ("effect", "power", "prior")}

    first = effect(0, "--scale 0,1")
    assert effect(0, "--scale 0..1") == first
    assert effect(1, "--scale 1,2") == first
    assert effect(1, "--scale 1..2") == first


@pytest.mark.parametrize("asked", ["--epsilon 0.2", "--effect 0.2"])
def test_a_scale_of_whole_numbers_has_one_plan_however_it_is_declared(asked: str, nbyk: Run) -> None:
    write_pilot("pilot.csv", likert())
    of_levels = nbyk(f"plan --pilot pilot.csv --scale 1,2,3,4,5 {SIZE} {asked}")
    of_ends = nbyk(f"plan --pilot pilot.csv --scale 1..5 {SIZE} {asked}")
    assert of_levels[:2] == of_ends[:2]
    assert of_ends[0] == 0
    assert "all ratings are whole numbers: raters choose among the 5 levels of the scale" in of_ends[2]


@pytest.mark.parametrize(("values", "scale"), [(likert() + 0.5, "1..9"), (20.0 * likert() - 10.0, "0..100")])
def test_numbers_between_and_long_scales_are_continuous(values: np.ndarray, scale: str, nbyk: Run) -> None:
    write_pilot("pilot.csv", values)
    code, text, errors = nbyk(f"plan --pilot pilot.csv --scale {scale} {SIZE} --epsilon 0.2")
    assert code == 0, errors
    assert json.loads(text)["prior"]["response"] == {"kind": "clamped"}


def test_levels_that_are_rounded_are_even(nbyk: Run) -> None:
    write_pilot("pilot.csv", np.array([0, 0.33, 0.67, 1, 1])[likert().astype(int) - 1])
    code, _, errors = nbyk(f"plan --pilot pilot.csv --scale 0,0.33,0.67,1 {SIZE} --epsilon 0.2")
    assert code == 0, errors


def test_an_empty_value_is_refused_in_long_tables_and_missing_in_wide_ones(nbyk: Run) -> None:
    plan = f"plan --scale 1,2,3 {SIZE} --epsilon 0.2"
    Path("long.csv").write_text("item,rater,value\na,x,1\na,y,\nb,x,2\nb,y,3\n")
    code, _, errors = nbyk(f"{plan} --pilot long.csv")
    assert code == 2
    assert "long.csv, line 3, column 'value': found no value" in errors
    Path("wide.csv").write_text("item,x,y\na,1,\nb,2,3\nc,1,2\n")
    code, _, errors = nbyk(f"{plan} --pilot wide.csv")
    assert code == 0, errors


def test_real_systems_take_the_place_of_what_is_assumed(nbyk: Run) -> None:
    ratings = likert()
    write_pilot("pilot.csv", ratings)
    generator = np.random.default_rng(2)
    for name, spread in (("ours", 0.5), ("theirs", 1.5)):
        off = generator.normal(-0.5 * spread, spread, size=60)
        answers = np.clip(np.round(ratings.mean(axis=1) + off), 1, 5)
        write_pilot(f"{name}.csv", answers[:, None])
    size = "--responses 4 --power 0.8 --precision 0.1"
    command = f"plan --pilot-systems theirs.csv ours.csv --scale 1,2,3,4,5 {size}"
    code, text, errors = nbyk(f"{command} --pilot pilot.csv")
    assert code == 0, errors
    assert "that ours is better than theirs by 0." in " ".join(text.split())
    assert "drawn again from the 60 items of pilot" in " ".join(text.split())
    code, text, errors = nbyk(f"{command} --metric mean --format json")
    assert code == 0, errors
    assert json.loads(text)["prior"]["systems"] == ["ours", "theirs"]
    code, _, errors = nbyk(f"{command} --pilot pilot.csv --epsilon 0.1")
    assert code == 2
    assert "--epsilon: found 0.1, but the systems are real" in errors


def test_the_plan_of_a_fitted_prior_stands_beside_that_of_the_pilots_items(nbyk: Run) -> None:
    write_pilot("pilot.csv", likert())
    command = f"plan --pilot pilot.csv --scale 1,2,3,4,5 {SIZE} --epsilon 0.2"
    own = json.loads(nbyk(f"{command} --format json" if "--format" not in command else command)[1])
    of_prior = json.loads(nbyk(f"{command} --items-from prior")[1])
    assert own["of_fitted_prior"]["power"] == of_prior["power"]
    assert own["prior"] == {"name": "pilot", "pilot_items": 60, "response": {"kind": "likert", "levels": 5}}
    code, _, errors = nbyk(f"{command} --items-from elsewhere")
    assert code == 2
    assert "--items-from: found 'elsewhere', expected pilot or prior" in errors


def test_raters_and_runs_have_a_plan_of_their_own(nbyk: Run) -> None:
    spread = "--item-sd 0.2 --severity-sd 0.045 --rating-sd 0.22"
    command = f"plan {spread} --responses 5 --effect 0.05 --power 0.8"
    code, text, errors = nbyk(f"{command} --raters 5")
    assert code == 0, errors
    sentence = " ".join(text.split())
    assert "No number of items settles this with 5 raters;" in sentence
    raters = int(re.search(r"; (\d+) raters would", sentence)[1])  # type: ignore[index]
    code, text, errors = nbyk(f"{command} --raters {raters + 3} --cost-per-rater 10 --format json --out plan")
    assert code == 0, errors
    content = json.loads(text)
    assert (content["open"], content["reachable"]) == (["n_items"], True)
    assert json.loads(Path("plan/plan.json").read_text()) == content
    assert content["cost"] == 5 * content["crew"]["n_items"] + 10 * (raters + 3)
    assert Path("plan/figures/people.svg").stat().st_size > 1000
    code, text, errors = nbyk(
        f"plan {spread} --effect 0.05 --budget 1500 --cost-per-item 1 --cost-per-rater 20 --format json"
    )
    assert code == 0, errors
    content = json.loads(text)
    assert content["open"] == ["n_items", "raters", "ratings_per_item", "power"]
    assert 1400 < content["cost"] <= 1500
    assert nbyk(f"plan {spread} --raters 9 --items 100 --effect 0.05 --epsilon 0.1 --power 0.8")[0] == 2
    code, _, errors = nbyk("plan --raters 9 --items 100 --responses 5 --effect 0.05")
    assert code == 2
    assert "--item-sd: expected how much the effect varies between items" in errors


def test_a_pilot_with_ids_says_how_raters_and_runs_differ(nbyk: Run) -> None:
    assert nbyk("example")[0] == 0
    pair = "plan --pilot example/gold.csv --pilot-systems example/sim_a.csv example/sim_c.csv --scale 0..1"
    code, text, errors = nbyk(f"{pair} --raters 8 --runs 5 --responses 5 --power 0.9 --format json")
    assert code == 0, errors
    content = json.loads(text)
    assert content["effect"] == pytest.approx(0.0802, abs=5e-4)
    assert all(content["spread"][part] >= 0.0 for part in ("items", "raters", "runs"))
    assert content["spread"]["ratings"] > 0.0
    assert content["crew"]["raters"] == 8
