"""The same ratings have the same prior in every command, and what its check rejects is said first."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from nbyk.data import Levels
from nbyk.files import read_json
from nbyk.priors import Response, TwoStagePrior, fit_prior
from nbyk.priors.families import Beta, TruncatedNormal, open_uniforms
from tests.cli.conftest import Run
from tests.priors.test_kinds import OWN, drawn

LEVELS = Levels((1, 2, 3, 4, 5))
FIVE = Response("likert", 5)
PLAN = "--epsilon 0.3 --items 40 --responses 5 --resamples 99 --precision 0.2 --format json"


def fair(seed: int = 1) -> np.ndarray:
    """Return ratings on [0, .8] that come from a prior."""
    rng = np.random.default_rng(seed)
    mu = TruncatedNormal(0.5, 0.3).draw(open_uniforms(rng, (150, 1)))
    sigma = Beta(2, 6).draw(open_uniforms(rng, (150, 1)))
    return FIVE.apply(mu[:, None] + sigma[:, None] * rng.standard_normal((150, 5)))


def camps() -> np.ndarray:
    """Return ratings that no prior of the fit's families makes: raters agree on 3, or say 1 and 5."""
    return np.vstack([np.full((75, 6), 0.4), np.tile([0.0, 0.8], (75, 3))])


def write(path: Path, matrix: np.ndarray) -> None:
    rows = [
        f"i{item:03},r{rater},{round(5 * value) + 1}"
        for item, ratings in enumerate(matrix)
        for rater, value in enumerate(ratings)
    ]
    path.write_text("\n".join(["item,rater,value", *rows]) + "\n", encoding="utf-8")


def fitted_by_command(nbyk: Run, matrix: np.ndarray) -> None:
    write(Path("mine.csv"), matrix)
    for line in (
        "study normalise mine --path mine.csv --scale 1,2,3,4,5 --out mine.parquet",
        "fit mine.parquet --name mine --seed 3 --families families.csv --check check.json --out prior.json",
    ):
        code, _, errors = nbyk(line)
        assert code == 0, errors


def test_one_source_has_one_prior(nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gold = fair()
    fitted_by_command(nbyk, gold)
    of_fit = TwoStagePrior.from_dict(read_json("prior.json"))
    planned = json.loads(nbyk(f"plan --pilot mine.csv --scale 1,2,3,4,5 --items-from prior {PLAN}")[1])
    code, said, errors = nbyk("fit mine.csv --scale 1..5 --out own.json --check own_check.json")
    assert code == 0, errors
    of_table = TwoStagePrior.from_dict(read_json("own.json"))
    own_check = read_json("own_check.json")
    assert f"item means:                    KS distance {own_check['means_ks']:.3f}, p = " in said
    assert "750 ratings of 150 items" in said
    assert said.endswith("To plan with it: nbyk plan --prior own.json --epsilon 0.1 --power 0.8\n")
    of_python = fit_prior("mine", gold, FIVE).prior
    priors = (of_fit, of_table, of_python, TwoStagePrior.from_dict(planned["prior"]))
    assert len({prior.key() for prior in priors}) == 1
    assert "caution" not in planned["prior"]
    assert not read_json("check.json")["rejected"]
    families = Path("families.csv").read_text(encoding="utf-8").splitlines()
    assert families[0].split(",")[:2] == ["mu_family", "sigma_family"]
    assert len(families) == 7


def test_what_the_check_rejects_is_said_first(
    nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gold = camps()
    fitted_by_command(nbyk, gold)
    assert read_json("check.json")["rejected"]
    said, errors = nbyk("fit mine.csv --scale 1,2,3,4,5")[1:]
    assert "Ratings simulated from it do not match these" in said
    assert "The prior fitted to mine does not describe its ratings well" in errors
    says = re.compile(r"The prior fitted to .* does not describe its ratings well")
    for of_plan in ("--pilot mine.csv --scale 1,2,3,4,5 --items-from prior", "--prior prior.json"):
        code, text, errors = nbyk(f"plan {of_plan} {PLAN}".removesuffix(" --format json"))
        assert code == 0, errors
        assert says.search(" ".join(text.split()).partition("Careful: ")[2])
        assert says.match(json.loads(nbyk(f"plan {of_plan} {PLAN}")[1])["cautions"][0])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            "mine.csv",
            "--scale: expected the scale of the ratings: levels, as in 1,2,3,4,5, two ends",
        ),
        ("mine.csv --scale 1,2,9", "--scale: found 1,2,9, with steps from 1 to 7"),
        ("mine.csv --scale 1..5 --value score", "no column 'score'"),
        (
            "one.csv --scale 1..5",
            "one.csv: found one rating of each item, expected two or more of some items",
        ),
        ("none.parquet", "no such file"),
        (
            "mine.csv --scale 1..5 --response clamped",
            "--response: found clamped, and the ratings are on 5 levels",
        ),
        ("mine.csv --scale 1..5.5 --response likert", "two ends; choose one of clamped, beta, lognormal"),
        ("mine.csv --scale 1..100", "lie in one of the 10 parts that a fit cuts the scale into"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("mine.csv"), fair())
    write(Path("one.csv"), fair()[:, :1])
    code, said, errors = nbyk(f"fit {words} --out prior.json")
    assert (code, said) == (2, "")
    assert says in errors
    assert not Path("prior.json").exists()


def test_pilots_and_fits_take_repeated_and_empty_rows_as_comparisons_do(
    nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "kept.csv", fair())
    lines = (tmp_path / "kept.csv").read_text().splitlines()
    item, rater, _ = lines[1].split(",")
    (tmp_path / "more.csv").write_text("\n".join([*lines, f"{item},{rater},1", f"{item},new,", ""]))
    fits, plans = {}, {}
    for name, options in (("kept", ""), ("more", "--on-duplicates first --on-empty drop")):
        words = f"{name}.csv --scale 1..5 {options}"
        code, fits[name], said = nbyk(f"fit {words} --name x --out {name}.json")
        assert code == 0, said
        assert ("further rating" in said, "without a value" in said) == (name == "more",) * 2
        code, answer, errors = nbyk(f"plan --pilot {words} {PLAN}")
        assert code == 0, errors
        plans[name] = json.loads(answer)
    assert fits["kept"] == fits["more"].replace("more.json", "kept.json")
    counted = [text for text in plans["more"]["cautions"] if text.startswith("more.csv: 1 ")]
    assert len(counted) == len(plans["more"]["cautions"]) - len(plans["kept"]["cautions"]) == 2
    for line in ("fit more.csv --scale 1..5", f"plan --pilot more.csv --scale 1..5 {PLAN}"):
        code, _, errors = nbyk(line)
        assert (code, "`" in errors, "--on-" in errors) == (2, False, True)


def test_a_plan_takes_the_prior_that_nbyk_fit_wrote(
    nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seconds = np.round(60.0 * np.minimum(drawn(OWN, 200, 5, 1), 1.0), 2)
    rows = [f"i{i},r{r},{value}" for i, of_item in enumerate(seconds) for r, value in enumerate(of_item)]
    Path("times.csv").write_text("\n".join(["item,rater,value", *rows]) + "\n", encoding="utf-8")
    code, said, errors = nbyk("fit times.csv --scale 0..60 --response lognormal --out prior.json")
    assert code == 0, errors
    assert "a lognormal number with these two" in said
    powers = []
    for epsilon in (1, 20):
        size = f"--items 60 --responses 3 --epsilon {epsilon} --unit scale --scale 0..60"
        code, said, errors = nbyk(f"plan --prior prior.json {size} --precision 0.04 --format json")
        assert code == 0, errors
        powers.append(json.loads(said)["power"])
    assert powers[0] < 0.2 < 0.8 < powers[1]


def test_a_kind_is_taken_for_zeros_and_ones_and_normalised_files_and_refused_for_labels(
    nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    votes = (drawn(OWN, 100, 4, 1) > 0.2).astype(int)
    for name, words in (("votes", ("0", "1")), ("labels", ("no", "yes"))):
        rows = [f"i{i},r{r},{words[x]}" for i, of_item in enumerate(votes) for r, x in enumerate(of_item)]
        Path(f"{name}.csv").write_text("\n".join(["item,rater,value", *rows]) + "\n", encoding="utf-8")
    assert nbyk("study normalise votes --path votes.csv --scale 0..1 --out votes.parquet")[0] == 0
    for data in ("votes.csv --scale 0..1", "votes.parquet"):
        code, said, errors = nbyk(f"fit {data} --response beta --out prior.json")
        assert code == 0, errors
        assert "a rating:                      a beta number with these two\n" in said
        assert read_json("prior.json")["response"] == {"kind": "beta"}
    assert nbyk("fit votes.csv --scale 0..1 --response binary --out prior.json")[0] == 0
    assert read_json("prior.json")["response"] == {"kind": "binary"}
    for option, about in (
        ("--response beta", "--response: labels have one family and kind"),
        ("--scale 0..1 --levels no,yes", "--levels: found no, yes, but ratings on a scale are no labels"),
    ):
        code, said, errors = nbyk(f"fit labels.csv {option}")
        assert (code, said) == (2, "")
        assert about in errors


@pytest.mark.parametrize("whole", [False, True])
def test_a_kind_without_an_upper_end_takes_numbers_beyond_that_of_the_scale(
    nbyk: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    """The end is only the unit; the prior is that of `fit_prior`."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    mean, log_sd = rng.uniform(2.0, 9.0, (80, 1)), np.sqrt(np.log1p(0.4**2))
    seconds = mean * np.exp(log_sd * rng.standard_normal((80, 4)) - 0.5 * log_sd**2)
    seconds = np.rint(seconds) if whole else seconds.round(3)
    assert seconds.max() > 10.0
    rows = [f"i{i:02},r{r},{x:g}" for i, of in enumerate(seconds) for r, x in enumerate(of)]
    Path("times.csv").write_text("\n".join(["item,rater,value", *rows]) + "\n", encoding="utf-8")
    code, _, errors = nbyk("fit times.csv --scale 0..10 --response lognormal --out prior.json --name times")
    assert code == 0, errors
    expected = fit_prior("times", seconds / 10.0, Response("lognormal")).prior
    assert read_json("prior.json") == expected.to_dict()
    assert "expected a number from 0 to 10" in nbyk("fit times.csv --scale 0..10 --response beta")[2]
