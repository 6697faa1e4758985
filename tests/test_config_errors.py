"""Errors of the configuration: each names the file, the line and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from nbyk.config import load_config, validate
from nbyk.errors import NbykError

ROOT = Path(__file__).parents[1]


# Lines that name a path.
PATHS = {
    "systems": 'comparisons: {mine: {systems: ["PATH", b.csv, c.csv]}}',
    "gold": 'comparisons: {mine: {systems: [b.csv, c.csv], gold: "PATH"}}',
    "ratings": 'ratings: {armis: "PATH"}',
    "own_ratings": 'own_ratings: {mine: {path: "PATH", scale: binary}}',
    "downloads": 'downloads: {folder: "PATH"}',
    "a mirror": 'downloads: {mirror: "PATH"}',
}

# A wrong line of YAML, and what the error says about it after the file and the line.
WRONG = {
    "a key that does not exist": (
        "n_drawz: 3",
        "unknown key 'n_drawz'; did you mean n_draws",
    ),
    "a key within a size": ("sizes: [{nitems: 40}]", "unknown key 'nitems'; did you mean n_items?"),
    "a metric": ("metrics: [mae, maee]", "metrics.1: unknown metric 'maee'; did you mean mae"),
    "a metric's parameter": ("metrics: [accuracy(treshold=1)]", "threshold"),
    "a metric without its parameter": ("metrics: [histogram_emd_aggregated]", "needs bins"),
    "an item sampler": ("samplers: [bootstrap/all]", "samplers.0: unknown item sampler 'bootstrap'"),
    "a response sampler": ("samplers: [all_items/sampl(1)]", "unknown response sampler 'sampl(1)'; did you"),
    "half a sampler": ("samplers: [all_items]", "expected item sampler/response sampler"),
    "no responses": ("samplers: [all_items/sample(0)]", "n of at least 1"),
    "a source": ("sources: [convabus]", "sources.0: unknown source 'convabus'; did you mean convabuse"),
    "semantics": ("semantics: [printed]", "semantics.0: found 'printed'; input should be 'published' or"),
    "a null": ("recommended_null: poled", "unknown null hypothesis 'poled'; did you mean pooled"),
    "ε above 1": ("epsilons: [0.1, 1.5]", "epsilons.1: found 1.5"),
    "ε below 0": ("epsilons: [-0.1]", "epsilons.0: found -0.1"),
    "ε not a number": ("epsilons: [.nan]", "epsilons.0: found nan"),
    "ε twice": ("epsilons: [0, 0.1, 0.0]", "epsilons: 0.0 is listed twice; keep one"),
    "a sampler twice": ("samplers: [all_items/all, all_items / all]", "'all_items/all' is listed twice"),
    "a metric twice": ("metrics: [accuracy, accuracy(threshold=0.5)]", "'accuracy' is listed twice"),
    "a size twice": ("sizes: [{n_items: 9}, {n_items: 9}]", "listed twice"),
    "one item": ("sizes: [{n_items: 1}]", "sizes.0.n_items: found 1"),
    "an empty list": ("epsilons: []", "epsilons: found []"),
    "text for a number": ("n_draws: many", "n_draws: found 'many'"),
    "a fraction for a whole number": ("seed: 1.5", "seed: found 1.5"),
    "a number for a list": ("epsilons: 0.3", "epsilons: found 0.3"),
    "a number for a metric": ("metrics: [1]", "metrics.0: found 1"),
    "a key without a value": ("n_draws:", "n_draws: found None"),
    "a metric file that is not there": ("metric_files: [nope.py]", "nope.py: no such file"),
    "a NUL in a metric file's name": ('metric_files: ["\\0"]', "no path of a file"),
    "a metric file that is not in a list": ("metric_files: mine.py", "metric_files: found 'mine.py'"),
    "a metric file that is no file": ("metric_files: [3]", "metric_files.0: found 3"),
    "a number for metric files": ("metric_files: 3", "metric_files: found 3"),
    "a key of the grid": ("homan2025: {epsilon: [0.1]}", "unknown key 'epsilon'; did you mean epsilons"),
    "a key of a size of the grid": (
        "homan2025: {sizes: [{nitems: 9}]}",
        "unknown key 'nitems'; did you mean n_items?",
    ),
    "a source of the grid": (
        "homan2025: {sources: [toxicty]}",
        "homan2025.sources.0: unknown source 'toxicty'; did you mean toxicity",
    ),
    "a fit to ratings that are not at hand": (
        "homan2025: {sources: [toxicity_fit]}",
        "homan2025.sources: toxicity_fit is fitted to ratings that are not at hand; name their path as",
    ),
    "power of a fit to ratings that are not at hand": (
        "{ratings: {armis: x}, homan2025: {sources: [armis_fit], power_source: amazon_fit}}",
        "homan2025.power_source: amazon_fit is fitted to ratings that are not at hand",
    ),
    "a source with neither ratings nor a prior": (
        "{ratings: {armis: x}, sources: [simulated, armis, amazon]}",
        "sources: amazon has no published prior here, and its ratings are not at hand",
    ),
    "ratings of no source": (
        "ratings: {hs_brexti: x}",
        "ratings.hs_brexti: unknown source 'hs_brexti'; did you mean hs_brexit?",
    ),
    "ratings that are not there": ("ratings: {armis: nope.json}", "ratings.armis: nope.json: no such file"),
    "ratings without a path": ("ratings: {armis: }", "ratings.armis: found None, expected text"),
    "ratings with an empty path": ("ratings: {armis: ''}", "ratings.armis: found ''"),
    "ratings in a list": ("ratings: [armis]", "ratings: found ['armis']"),
    "the key that ratings had": (
        "toxicity_ratings: t.json",
        "unknown key 'toxicity_ratings'; did you mean own_ratings or ratings",
    ),
    "a table of one's own without a scale": (
        "own_ratings: {mine: {path: mine.csv}}",
        "own_ratings.mine.scale: is missing; expected it",
    ),
    "a table of one's own on no scale": (
        "own_ratings: {mine: {path: mine.csv, scale: 1-5}}",
        "own_ratings.mine.scale: found '1-5', expected levels as in 1,2,3,4,5, two ends as in 0..100, or",
    ),
    "a table of one's own that is not there": (
        "own_ratings: {mine: {path: mine.csv, scale: 0..1}}",
        "own_ratings.mine: mine.csv: no such file",
    ),
    "a known name for a table of one's own": (
        "own_ratings: {armis: {path: mine.csv, scale: 0..1}}",
        "own_ratings.armis: 'armis' is a source that nbyk knows",
    ),
    "a name that no file can have": (
        "own_ratings: {My data: {path: mine.csv, scale: 0..1}}",
        "own_ratings.My data: found 'My data'; a name has lower-case letters",
    ),
    "a key of downloads": ("downloads: {mirrors: x}", "unknown key 'mirrors'; did you mean mirror"),
    "a mirror without an address": ("downloads: {mirror: ''}", "downloads.mirror: found ''"),
    "a budget for one item": ("homan2025: {budgets: [1]}", "homan2025.budgets.0: found 1"),
    "a budget twice": ("homan2025: {budgets: [200, 200]}", "homan2025.budgets: 200 is listed twice"),
    "a K of 0": ("homan2025: {k_responses: [0]}", "homan2025.k_responses.0: found 0"),
    "ε of the grid above 1": ("homan2025: {epsilons: [2]}", "homan2025.epsilons.0: found 2"),
    "a metric of the grid": ("homan2025: {metrics: [maee]}", "homan2025.metrics.0: unknown metric 'maee'"),
    "a number for the grid": ("homan2025: 3", "homan2025: found 3"),
    "a null for other samplers": (
        "{recommended_null: shifted, samplers: [all_items/all]}",
        "recommended_null: the shifted null is for samplers that bootstrap items; drop all_items/all",
    ),
    "published numbers of ratings alone": (
        "{semantics: [published], sources: [convabuse]}",
        "semantics: the published semantics is of simulated and toxicity alone; add recommended",
    ),
    "a budget that no whole items spend": (
        "homan2025: {budgets: [7], k_responses: [5]}",
        "homan2025.budgets: found no budget N·K that two items or more of K responses spend",
    ),
    "budgets below every K": (
        "pandita2026: {budgets: [4], k_responses: [5, 10]}",
        "pandita2026.budgets: expected a budget of the least K, 5, or more",
    ),
    "a source to calibrate on": (
        "calibration: {sources: [simulate]}",
        "calibration.sources.0: unknown source 'simulate'; did you mean simulated",
    ),
    "a fit to calibrate on": (
        "calibration: {sources: [toxicity_fit]}",
        "calibration.sources: toxicity_fit is fitted to ratings that are not at hand",
    ),
    "a level of 1": ("calibration: {alphas: [1]}", "calibration.alphas.0: found 1"),
    "a level that no draw reaches": (
        "calibration: {alphas: [0.05], n_resamples: 200}",
        "calibration.n_resamples: found 200; expected (1 + M)·α/2 to be a whole number for α = 0.05",
    ),
    "equal systems where A is better": (
        "calibration: {power_epsilons: [0]}",
        "calibration.power_epsilons.0: found 0",
    ),
    "yes in place of a number": ("seed: yes", "seed: found yes, which is no number"),
    "no among numbers": (
        "calibration: {power_epsilons: [no, 0.1]}",
        "calibration.power_epsilons: found no, which is no number",
    ),
    "one value for a list": ("epsilons: 0.1", "epsilons: found 0.1, expected a list, as in [a, b]"),
    "a list for a section": ("sizes: [[100, 5]]", "sizes.0: found [100, 5], expected keys and values"),
    "a metric of a file that is not named": (
        "metrics: [trimmed]",
        "wins_mae_vectorized; one of yours needs its file (docs/guide.md)",
    ),
    "a test of a comparison": (
        "comparisons: {mine: {systems: [a.csv, b.csv], test: t}}",
        "comparisons.mine.test: unknown test 't'; known: approximate_r",
    ),
    "a comparison without systems": (
        "comparisons: {mine: {gold: gold.csv}}",
        "comparisons.mine.systems: is missing; expected it",
    ),
    "a key of a comparison": (
        "comparisons: {mine: {systems: [a.csv, b.csv], metric: mae}}",
        "unknown key 'metric'; did you mean metrics",
    ),
    "a metric of a comparison": (
        "comparisons: {mine: {systems: [a.csv, b.csv], metrics: [maen]}}",
        "comparisons.mine.metrics.0: unknown metric 'maen'; did you mean",
    ),
    "a metric that needs gold": (
        "comparisons: {mine: {systems: [a.csv, b.csv], metrics: [mae]}}",
        "comparisons.mine: metric 'mae' needs gold, and there is none",
    ),
    "a null of a comparison": (
        "comparisons: {mine: {systems: [a.csv, b.csv], 'null': poled}}",
        "comparisons.mine.null: unknown null hypothesis 'poled'; did you mean pooled",
    ),
    "a baseline that is no system": (
        "comparisons: {mine: {systems: [a.csv, b.csv], against: c}}",
        "comparisons.mine.against: unknown system 'c'; known: a, b",
    ),
    **{
        f"{key} of a comparison that has no use for it": (
            f"comparisons: {{mine: {{{of}, {key}: {value}}}}}",
            f"comparisons.mine.{key}: {why}",
        )
        for of, key, value, why in (
            ("systems: [p.csv], judge: j.csv", "metrics", "[mean]", "people and a judge have no use for it"),
            ("systems: [p.csv], judge: j.csv", "full", "true", "people and a judge have no use for it"),
            ("systems: [p.csv], judge: j.csv", "gold", "g.csv", "people and a judge have no use for it"),
            ("systems: [a.csv, b.csv]", "counts", "yes=1", "it is about people and a judge, and there is"),
            ("systems: [a.csv, b.csv]", "gold_item", "id", "it is about gold, and there is none"),
            ("systems: [a.csv, b.csv], kind: scores", "interval", "bca", "scores of runs have no items"),
            (
                "systems: [a.csv, b.csv]",
                "weights",
                "micro",
                "it is of a suite, and there is none",
            ),
            ("systems: [a.csv, b.csv, c.csv]", "full", "true", "it looks closer at a pair of systems"),
        )
    },
    "a metric of a comparison twice": (
        "comparisons: {mine: {systems: [a.csv, b.csv], metrics: [mean, mean]}}",
        "comparisons.mine.metrics: 'mean' is listed twice; keep one",
    ),
    "a class with a comma": (
        "comparisons: {mine: {systems: [a.csv, b.csv], classes: ['a,b', c]}}",
        "comparisons.mine.classes.0: found 'a,b'; commas stand between classes",
    ),
    "one column for two roles": (
        "comparisons: {mine: {systems: [a.csv, b.csv], item: x, value: x}}",
        "comparisons.mine: found 'x', the column of the items too",
    ),
    "two systems of a name": (
        "comparisons: {mine: {systems: [a.csv, x/a.csv]}}",
        "comparisons.mine: two systems are named 'a'",
    ),
    "a side of all pairs": (
        "comparisons: {mine: {systems: [a.csv, b.csv, c.csv], alternative: less}}",
        "comparisons.mine.alternative: found 'less' for all pairs of 3 systems",
    ),
    "a scale of a comparison": (
        "comparisons: {mine: {systems: [a.csv, b.csv], scale: 1-5}}",
        "comparisons.mine.scale: found '1-5', expected levels",
    ),
    "a system that is not there": (
        "comparisons: {mine: {systems: [a.csv, b.csv]}}",
        "comparisons.mine: a.csv: no such file; check the path",
    ),
    "a name that no folder can have": (
        "comparisons: {a/b: {systems: [a.csv, b.csv]}}",
        "comparisons.a/b: found 'a/b'; a name has letters, digits, _ and -",
    ),
    "a distribution of scores": (
        "ulmer2022: {distributions: [norml]}",
        "ulmer2022.distributions.0: unknown distribution 'norml'; did you mean normal",
    ),
    "a test of scores": (
        "ulmer2022: {tests: [student_t]}",
        "ulmer2022.tests.0: unknown test 'student_t'",
    ),
    "a lead of nothing": ("ulmer2022: {leads: {normal: 0}}", "ulmer2022.leads.normal: found 0"),
    "a lead of no distribution": ("ulmer2022: {leads: {nrmal: 1}}", "unknown distribution 'nrmal'"),
    "one score": ("ulmer2022: {sample_sizes: [1]}", "ulmer2022.sample_sizes.0: found 1"),
    "a threshold of 1": ("ulmer2022: {thresholds: [1]}", "ulmer2022.thresholds.0: found 1"),
    "a size that .01 does not divide": (
        "boostsa2022: {sizes: [400, 500]}",
        "boostsa2022.sizes.1: found 500; input should be a multiple of 200",
    ),
    "a share of nothing": ("boostsa2022: {fractions: [0]}", "boostsa2022.fractions.0: found 0"),
    "a share above all": ("boostsa2022: {fractions: [1.5]}", "boostsa2022.fractions.0: found 1.5"),
    "a score": (
        "boostsa2022: {scores: [acuracy]}",
        "boostsa2022.scores.0: unknown score 'acuracy'; did you mean accuracy",
    ),
    "scores of soft labels alone": (
        "boostsa2022: {scores: [js_distance]}",
        "boostsa2022.scores: found js_distance; expected at least one score of hard labels",
    ),
    "more discordance than errors": (
        "boostsa2022: {discordances: [0.3]}",
        "boostsa2022.discordances.0: found 0.3",
    ),
    "not YAML": ("metrics: [mae]]", "not YAML"),
    **{
        f"a comparison called {name}": (
            f"comparisons: {{{name}: {{systems: [a.csv, b.csv]}}}}",
            f"YAML reads the key '{name}' as {kind}; put it in quotes",
        )
        for name, kind in {"off": "true or false", "no": "true or false", "3": "a number"}.items()
    },
    "yes for a name": ("sources: [yes]", "sources.0: found True, expected text: put it in"),
    "a number in eights": ("seed: 010", "YAML may read '010' as another number; write its digits alone"),
    **{
        f"an option for a path of {key}": (
            line.replace("PATH", "--metric-file=evil.py"),
            "write ./--metric-file",
        )
        for key, line in PATHS.items()
    },
    **{
        f"braces in a path of {key}": (
            line.replace("PATH", "a{x}.csv"),
            "no braces, which Snakemake fills in",
        )
        for key, line in PATHS.items()
    },
    "an alias of itself": ("metrics: &a [*a]", "it is a part of itself; write it out without an alias"),
    "a very long number": (f"seed: {'9' * 401}", "found a number of 401 digits; expected at most 400"),
}


def error_of(text: str, tmp_path: Path) -> list[str]:
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(NbykError) as caught:
        load_config(tmp_path / "mine.yaml")
    return [line.removeprefix(f"{tmp_path}/") for line in str(caught.value).splitlines()]


@pytest.mark.quick
@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=list(WRONG))
def test_an_error_names_its_file_and_line(line: str, message: str, tmp_path: Path) -> None:
    (found,) = error_of(f"# mine\n\n{line}\n", tmp_path)
    assert found.startswith("mine.yaml:3: ")
    assert message in found


def test_a_key_that_comes_twice_is_refused_on_its_second_line(tmp_path: Path) -> None:
    (found,) = error_of("seed: 1\nn_draws: 9\n'seed': 2\n", tmp_path)
    assert found == "mine.yaml:3: the key 'seed' comes twice; keep one"


@pytest.mark.parametrize("layer", ["[{0}, {0}, {0}]", "{{a: {0}, b: {0}}}", "{{<<: [{0}, {0}]}}"])
def test_aliases_that_multiply_are_refused_before_they_do(layer: str, tmp_path: Path) -> None:
    lines = ["a0: &a0 {x: 1}", *(f"a{n}: &a{n} {layer.format(f'*a{n - 1}')}" for n in range(1, 99))]
    (found,) = error_of("\n".join(lines), tmp_path)
    assert "found more than 100000 keys and values, aliases written out" in found
    assert len(found) < 200


def test_a_file_too_long_to_be_a_configuration_is_refused(tmp_path: Path) -> None:
    (found,) = error_of(f"seed: {' ' * 200_000}1\n", tmp_path)
    assert found.startswith("mine.yaml: found 200008 bytes, expected at most 200000")


def test_values_and_errors_are_shown_in_part_where_there_are_many(tmp_path: Path) -> None:
    text = "epsilons: &many [" + ", ".join(["x"] * 500) + "]\nn_draws: *many\n"
    *found, last = error_of(text, tmp_path)
    assert last == "and 481 more like these"
    assert max(map(len, found)) < 200


def test_all_errors_come_at_once_each_with_its_line(tmp_path: Path) -> None:
    text = (
        "n_draws: 1\nn_drawz: 3\nsizes:\n  - {n_items: 9}\n  - n_items: 9\n    k: 2\nepsilons:\n- 0.1\n- 2\n"
    )
    places = {line.partition(": ")[0] for line in error_of(text, tmp_path)}
    assert places == {f"mine.yaml:{number}" for number in (1, 2, 6, 9)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"- mae\n", "expected keys and values, found list"),
        (b"\xff\xfe\x00", "not"),
        (b"seed: \x00\n", "not YAML"),
    ],
    ids=["a list", "not text", "a control character"],
)
def test_a_file_that_is_no_configuration_is_one_error(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(content)
    with pytest.raises(NbykError, match=rf"mine\.yaml\S*: {message}"):
        load_config(tmp_path / "mine.yaml")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NbykError, match=r"nowhere\.yaml: no such file"):
        load_config(tmp_path / "nowhere.yaml")


def test_the_line_is_that_of_the_last_file_that_has_the_key(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("seed: 1\nepsilons: [0.1]\n")
    (tmp_path / "mine.yaml").write_text("epsilons: [2]\n")
    files = [tmp_path / "config.yaml", tmp_path / "mine.yaml"]
    with pytest.raises(NbykError, match=r"mine\.yaml:1: epsilons\.0"):
        validate({"seed": 1, "epsilons": [2]}, files=files)
    with pytest.raises(NbykError, match=r"config\.yaml:1: seed"):
        validate({"seed": -1, "epsilons": [0.1]}, files=files)
    with pytest.raises(NbykError, match=r"^configuration: n_draws"):
        validate({"n_draws": 1}, files=files)


def test_a_metric_file_that_fails_is_an_error_with_both_lines(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("import numpy\nnumpy.nonsense\n")
    (found,) = error_of(f"metric_files:\n- {tmp_path}/own.py\n", tmp_path)
    assert found.startswith("mine.yaml:2: ")
    assert "own.py: line 2: AttributeError" in found


def test_the_line_of_ratings_is_that_of_the_source(tmp_path: Path) -> None:
    (found,) = error_of("seed: 1\nratings:\n  armis: a\n  mhss: b\n", tmp_path)
    assert found.startswith("mine.yaml:4: ratings.mhss: unknown source")
