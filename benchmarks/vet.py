"""VET, the simulator and resampler behind Wein et al. 2023, as a peer to measure against.

`Vet` does the operations of google-research/vet (Apache-2.0) one for one, under the semantics of the
published numbers: single responses are drawn by one Python call each, items and responses are resampled by
numpy, every metric resamples for itself, and metrics are calls of numpy, scipy and scikit-learn. `load_vet`
gives the real code from a checkout the same interface: what it does for one line of its configuration, the
sampler (bootstrap_items, bootstrap_responses), under either hypothesis.
"""

from __future__ import annotations

import functools
import importlib
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import scipy.spatial.distance
import scipy.stats
import sklearn.metrics
from numpy.typing import NDArray

from nbyk.errors import NbykError

Array = NDArray[Any]
Draw = Callable[[], float]
Scores = tuple[float, float]
Take = Literal["as_drawn", "ground", "resampled"]
"""How a trial takes its responses: as they are; as VET takes true draws, items resampled and responses
permuted; or as it takes the reference set, items and responses resampled."""

TRIANGLE_LEFT = -0.05
"""Left end of the toxicity prior's triangle; VET's code now says −0.06."""


class Responses(NamedTuple):
    """Responses of gold and of both systems, each (N, K)."""

    gold: Array
    a: Array
    b: Array


class Peer(Protocol):
    """What a peer can do: draw response sets from a prior, resample them, and score them."""

    name: str

    def draw(self, prior: str, n: int, k: int, epsilon: float) -> tuple[Responses, Responses]:
        """Draw one set under the alternative and one under the null."""

    def trial(self, column: str, data: Responses, take: Take) -> Scores:
        """Return A's and B's score in a column on the responses that `take` says."""

    def reseed(self, seed: int) -> None:
        """Restart the streams that items and responses are resampled from."""


def pooled(data: Responses) -> Responses:
    """Return the set whose resamples are the null's: both systems answer from the pool of both."""
    pool = np.concatenate([data.a, data.b], axis=1)
    return Responses(data.gold, pool, pool)


def _clip(x: float, highest: float = 1.0) -> float:
    clipped: float = np.clip(x, 0.0, highest)
    return clipped


def _toxicity_mean() -> float:
    return _clip(abs(np.random.default_rng().normal(0, 0.28)), 0.8)


def _toxicity_sd() -> float:
    return _clip(np.random.default_rng().triangular(TRIANGLE_LEFT, 0.21, 0.45))


def _likert(mean: float, sd: float, levels: int = 5) -> float:
    level = int(_clip(np.random.default_rng().normal(mean, sd)) * levels) / levels
    return level if level < 1 else (levels - 1) / levels


class _Prior(NamedTuple):
    mean: Draw
    sd: Draw
    response: Callable[[float, float], float]


_PRIORS = {
    "simulated": _Prior(lambda: random.uniform(0, 1), lambda: random.uniform(0, 0.3), random.normalvariate),
    "toxicity": _Prior(_toxicity_mean, _toxicity_sd, _likert),
}


def _responder(response: Callable[[float, float], float], mean: float, sd: float) -> Draw:
    return lambda: response(mean, sd)


def _either(first: Draw, second: Draw) -> Draw:
    def respond() -> float:
        chosen = random.choice([first, second])
        return chosen()

    return respond


def _sample(draw: Draw, n: int) -> list[float]:
    return [draw() for _ in range(n)]


def _table(responders: list[Draw], k: int) -> Array:
    rows = [_sample(responder, k) for responder in responders]
    return np.array(rows)


def _mae(gold: Array, a: Array, b: Array) -> Scores:
    return float(np.mean(abs(gold - a))), float(np.mean(abs(gold - b)))


def _wins(gold: Array, a: Array, b: Array) -> Scores:
    error_a, error_b = abs(gold - a), abs(gold - b)
    return float(np.sum(error_a < error_b)), float(np.sum(error_a > error_b))


def _inverse_mse(gold: Array, a: Array, b: Array) -> Scores:
    mse = sklearn.metrics.mean_squared_error
    return 1.0 / mse(gold, a), 1.0 / mse(gold, b)


def _spearman(gold: Array, a: Array, b: Array) -> Scores:
    return scipy.stats.spearmanr(gold, a)[0], scipy.stats.spearmanr(gold, b)[0]


def _cosine(gold: Array, a: Array, b: Array) -> Scores:
    gold = gold.flatten()
    cosine = scipy.spatial.distance.cosine
    return cosine(gold, a.flatten()), cosine(gold, b.flatten())


def _edges(bins: int) -> list[float]:
    return [edge / bins for edge in range(bins + 1)]


def _emd_aggregated(gold: Array, a: Array, b: Array, bins: int = 50) -> Scores:
    edges = _edges(bins)
    of_gold, of_a, of_b = (np.histogram(values, bins=edges)[0] for values in (gold, a, b))
    distance = scipy.stats.wasserstein_distance
    return distance(of_a, of_gold), distance(of_b, of_gold)


def _item_histograms(rows: Array, bins: int) -> Array:
    edges = _edges(bins)
    return np.array([np.histogram(row, bins=edges)[0] for row in rows])


def _mean_of_emds(gold: Array, a: Array, b: Array, bins: int = 5) -> Scores:
    of_a, of_b, of_gold = (_item_histograms(rows, bins) for rows in (a, b, gold))
    distance = scipy.stats.wasserstein_distance
    distances_a = [distance(x, y) for x, y in zip(of_gold, of_a, strict=True)]
    distances_b = [distance(x, y) for x, y in zip(of_gold, of_b, strict=True)]
    return float(np.mean(distances_a)), float(np.mean(distances_b))


class _Column(NamedTuple):
    """What stands behind a column: a score, whether it is one of item means, and VET's name for it."""

    score: Callable[[Array, Array, Array], Scores]
    of_means: bool
    name: str


_COLUMNS = {
    "mae": _Column(_mae, True, "mean_absolute_error"),
    "wins_mae": _Column(_wins, True, "wins_mae"),
    "wins_mae_vectorized": _Column(_wins, False, "wins_mae"),
    "mse": _Column(_inverse_mse, True, "root_mean_squared_error"),
    "spearman": _Column(_spearman, True, "spearmanr"),
    "emd_aggregated": _Column(_emd_aggregated, True, "emd_agg(bins=50)"),
    "emd_aggregated_vectorized": _Column(_emd_aggregated, False, "emd_agg(bins=50)"),
    "mean_of_emds": _Column(_mean_of_emds, False, "mean_of_emds(bins=5)"),
    "cosine": _Column(_cosine, False, "cos_distance"),
}


def _same(row: Any) -> Any:
    return row


class Vet:
    """VET's operations, transliterated."""

    name = "transliteration of VET"

    def __init__(self) -> None:
        self._items = np.random.default_rng()
        self._responses = np.random.default_rng()

    def reseed(self, seed: int) -> None:
        self._items = np.random.default_rng(seed)
        self._responses = np.random.default_rng(seed)

    def draw(self, prior: str, n: int, k: int, epsilon: float) -> tuple[Responses, Responses]:
        stages = _PRIORS[prior]
        means = _sample(stages.mean, n)
        sds = _sample(stages.sd, n)
        means_b = [_clip(mean + random.uniform(-epsilon, epsilon)) for mean in means]
        gold, a, b = (
            [_responder(stages.response, mean, sd) for mean, sd in zip(means_of, sds, strict=True)]
            for means_of in (means, means, means_b)
        )
        alternative = Responses(*(_table(responders, k) for responders in (gold, a, b)))
        mixed = [_either(first, second) for first, second in zip(a, b, strict=True)]
        null = Responses(*(_table(responders, k) for responders in (gold, mixed, mixed)))
        return alternative, null

    def trial(self, column: str, data: Responses, take: Take) -> Scores:
        definition = _COLUMNS[column]
        aggregate: Callable[[Array], Any] = np.mean if definition.of_means else _same
        gold, a, b = data if take == "as_drawn" else self._taken(data, take)
        return definition.score(*(np.array([aggregate(row) for row in table]) for table in (gold, a, b)))

    def _taken(self, data: Responses, take: Take) -> Responses:
        n, k = data.gold.shape
        items = self._items.integers(0, n, size=n)
        of_each_item = self._permuted if take == "ground" else self._resampled
        return Responses(
            *[of_each_item(table, k) for table in [np.take(table, items, axis=0) for table in data]]
        )

    def _resampled(self, table: Array, k: int) -> Array:
        columns = self._responses.integers(0, table.shape[1], size=[len(table), k])
        return np.take_along_axis(table, columns, axis=1)

    def _permuted(self, table: Array, k: int) -> Array:
        in_order = np.tile(np.arange(table.shape[1]), reps=[len(table), 1])
        columns = np.apply_along_axis(self._responses.permutation, axis=1, arr=in_order)
        return np.take_along_axis(table, columns, axis=1)[:, :k]


class _RealVet:
    """VET's own code. Its 1/MSE is gone, so that one score is the transliteration's."""

    name = "VET"

    def __init__(self, simulator: Any, resampler: Any, types: Any) -> None:
        self._simulate = simulator.simulate_response_tables
        self._generators = {"simulated": simulator.alt_distr_gen, "toxicity": simulator.toxicity_distr_gen}
        self._data = types.ResponseData
        self._experiments = {
            column: self._experiment(resampler, definition) for column, definition in _COLUMNS.items()
        }

    @staticmethod
    def _experiment(resampler: Any, definition: _Column) -> Any:
        row = {
            "agg_over_trials": "mean",
            "num_trials": 1,
            "sampler": "(bootstrap_items,bootstrap_responses)",
            "GT_sampler": "(bootstrap_items,bootstrap_responses)",
            "shaper": "noop",
            "comparison_metric": definition.name,
            "agg_over_responses": "mean" if definition.of_means else "noop",
        }
        experiment = resampler.Experiment(row, k_responses=0)  # the number is stored and never used
        if definition.score is _inverse_mse:
            experiment.metric = functools.partial(_inverse_mse)
        return experiment

    def reseed(self, seed: int) -> None:
        for experiment in self._experiments.values():
            experiment.item_samplers.reset_seed(seed)
            experiment.response_samplers.reset_seed(seed)

    def draw(self, prior: str, n: int, k: int, epsilon: float) -> tuple[Responses, Responses]:
        # VET draws a reference set on top of the number that is asked for.
        sets = self._simulate(n, k, epsilon, num_samples=0, alt_distr_generator=self._generators[prior])
        alternative, null = (
            Responses(data.gold, data.preds1, data.preds2)
            for data in (sets.alt_data_list[0], sets.null_data_list[0])
        )
        return alternative, null

    def trial(self, column: str, data: Responses, take: Take) -> Scores:
        experiment = self._experiments[column]
        samplers = {"as_drawn": _same, "ground": experiment.ground_sampler, "resampled": experiment.sampler}
        score_a, score_b = experiment.run_trial(self._data(*data), samplers[take])
        return score_a, score_b


def load_vet(path: str | Path) -> Peer:
    """Return VET's own code, from a checkout of google-research/vet, as a peer.

    Raises
    ------
    NbykError
        If the checkout or a package that it imports is missing.
    """
    folder = Path(path).resolve()
    if not (folder / "response_resampler_lib.py").is_file():
        raise NbykError(f"{path}: no response_resampler_lib.py; expected a checkout of google-research/vet")
    sys.path.insert(0, str(folder))
    try:
        names = ("parameterized_sample_lib", "response_resampler_lib", "datatypes")
        simulator, resampler, types = (importlib.import_module(name) for name in names)
    except ModuleNotFoundError as error:
        package = {"absl": "absl-py"}.get(error.name or "", error.name)
        raise NbykError(f"{path}: VET imports {error.name}; run: pip install {package}") from None
    finally:
        sys.path.remove(str(folder))
    return _RealVet(simulator, resampler, types)
