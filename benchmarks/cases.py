"""What is measured: one cell of Wein et al. 2023 against VET, and nbyk against its own random numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import boostsa, plain_draws
from benchmarks.comparison import against_scipy, against_targets
from benchmarks.deepsig import against_deepsig, many_pairs
from benchmarks.timing import Line, interleaved, line, seconds
from benchmarks.vet import Peer, pooled
from nbyk.data.response_set import ResponseSet
from nbyk.metrics import get
from nbyk.priors import published_prior
from nbyk.resampling import kernels, lanes
from nbyk.resampling.effects import batches
from nbyk.resampling.population import Population
from nbyk.resampling.resample import resampled_effects
from nbyk.resampling.simulate import simulate, simulated_effects
from nbyk.resampling.streams import CHUNK, Streams, stream_key
from nbyk_papers.homan2025.size_draws import NestedDraws
from nbyk_papers.pandita2026.cells import SMOOTHING, Sizes, draw_scores
from nbyk_papers.pandita2026.design import BUDGETS, EPSILONS, K_RESPONSES, PRIORS
from nbyk_papers.wein2023.design import COLUMNS, PAPER_SIZE, get_semantics

Floats = NDArray[np.float64]

N, K = PAPER_SIZE
EPSILON = 0.1
SEMANTICS = get_semantics("published")
METRICS = [SEMANTICS.metric(column) for column in COLUMNS]
HOMAN_COLUMNS = ("mae", "wins_mae", "mean_of_emds")
HOMAN_METRICS = ("mae", "wins_mae", "histogram_mean_of_emds(bins=5)")
MANY_K = 100
SIZES, SIZES_K = (50, 100, 125, 200, 250, 400, 500, 1000, 2000), 5
SIZES_FLOOR = 5.0
CHEAP_METRICS = ["mae", "wins_mae", "mse", "cosine"]


@dataclass(frozen=True)
class Effort:
    """How often each thing is repeated."""

    vet: int
    boostsa: int
    many_responses: int
    draws: int
    threads: int
    thread_draws: int
    generator: int
    compare: int
    deepsig: int


FULL = Effort(
    vet=9,
    boostsa=5,
    many_responses=3,
    draws=9,
    threads=7,
    thread_draws=2000,
    generator=15,
    compare=7,
    deepsig=5,
)
QUICK = Effort(
    vet=3,
    boostsa=2,
    many_responses=1,
    draws=3,
    threads=2,
    thread_draws=512,
    generator=5,
    compare=3,
    deepsig=1,
)


def lines(peer: Peer, labels_peer: boostsa.Peer, effort: Effort) -> Iterator[Line]:
    """Measure one thing after the other and yield its lines."""
    for prior in ("simulated", "toxicity"):
        yield from against_vet(peer, prior, effort.vet)
    yield many_responses_against_vet(peer, effort.many_responses)
    yield boostsa.against_boostsa(labels_peer, effort.boostsa)
    yield over_random_draws("four metrics", CHEAP_METRICS, 2.5, 2.0, effort.draws)
    yield over_random_draws("nine metrics", METRICS, 4.0, 2.75, effort.draws)
    yield over_random_draws("nine metrics", METRICS, 3.25, 2.0, effort.draws, plainly=True)
    yield sizes_over_random_words(effort.draws)
    yield categories_over_numpy(effort.deepsig)
    yield from over_one_thread(effort.thread_draws, effort.threads)
    yield from against_sfc64(effort.generator)
    yield from against_scipy(effort.compare)
    yield from against_targets(effort.compare)
    yield from against_deepsig(effort.deepsig)
    yield many_pairs(effort.deepsig)


def _true_effects(prior: str, metrics: list[str], draws: int, threads: int = 1) -> None:
    simulated_effects(
        Population(published_prior(prior, SEMANTICS.name), N, K, EPSILON),
        metrics,
        n_draws=draws,
        threads=threads,
    )


def _estimated_effects(data: ResponseSet, draws: int) -> None:
    resampled_effects(
        data,
        METRICS,
        sampler="bootstrap_items/sample(K)",
        null=SEMANTICS.null,
        share_gold=SEMANTICS.share_gold,
        n_resamples=draws,
    )


def _peer_replicate(peer: Peer, prior: str, n: int = N) -> tuple[float, float]:
    """Return the seconds of drawing one set of either hypothesis, and of all scoring and resampling."""
    start = time.process_time()
    alternative, null = peer.draw(prior, n, K, EPSILON)
    drawn = time.process_time()
    null_source = pooled(alternative)
    for column in COLUMNS:
        for data in (alternative, null):
            peer.trial(column, data, "ground")
        for data in (alternative, null_source):
            peer.trial(column, data, "resampled")
    return drawn - start, time.process_time() - drawn


def _own_replicate(prior: str, data: ResponseSet) -> tuple[float, float]:
    """Return the same two for nbyk: the means over two chunks of replicates."""
    draws = 2 * CHUNK
    drawing = seconds(lambda: _true_effects(prior, [], draws))
    drawing_and_scoring = seconds(lambda: _true_effects(prior, METRICS, draws))
    resampling = seconds(lambda: _estimated_effects(data, draws))
    return drawing / draws, (drawing_and_scoring - drawing + resampling) / draws


def against_vet(peer: Peer, prior: str, repeats: int) -> list[Line]:
    """Time one replicate of a cell: all of it with its floor, and either part."""
    data = simulate(Population(published_prior(prior, SEMANTICS.name), N, K, EPSILON))
    _peer_replicate(peer, prior, n=20)  # imports
    _own_replicate(prior, data)  # compiles
    peers, own = [], []
    for _ in range(repeats):
        peers.append(_peer_replicate(peer, prior))
        own.append(_own_replicate(prior, data))
    names = {
        f"simulate, resample and score nine metrics, {prior} prior": 1000.0,
        f"simulate only, {prior} prior": None,
        f"resample and score only, {prior} prior": None,
    }
    sides = [[[sum(pair), *pair][part] for pair in side] for part in range(3) for side in (peers, own)]
    return [
        line(name, ("VET", theirs), ("nbyk", ours), floor, goal=None if floor is None else 5000.0)
        for (name, floor), theirs, ours in zip(names.items(), sides[::2], sides[1::2], strict=True)
    ]


def many_responses_against_vet(peer: Peer, repeats: int) -> Line:
    """Time one replicate of Homan et al. 2025's three metrics at N = 1000, K = 100, toxicity prior."""
    population = Population(published_prior("toxicity"), N, MANY_K, EPSILON)
    source = NestedDraws(population, [get(metric) for metric in HOMAN_METRICS], seed=0)

    def of_peer() -> None:
        for data in peer.draw("toxicity", N, MANY_K, EPSILON):
            for column in HOMAN_COLUMNS:
                peer.trial(column, data, "ground")

    def of_nbyk() -> None:
        source.draw([N], 0, CHUNK)

    of_nbyk()
    theirs, ours = interleaved(of_peer, of_nbyk, repeats)
    name = f"simulate and score three metrics by counts, K = {MANY_K}, toxicity prior"
    return line(name, ("VET", theirs), ("nbyk", [value / CHUNK for value in ours]), 1000.0)


def over_random_draws(
    number: str, metrics: list[str], most: float, goal: float, repeats: int, *, plainly: bool = False
) -> Line:
    """Time simulating and scoring some metrics over drawing the same random numbers and no more.

    Those are drawn as nbyk draws them, or `plainly`, as it first did.
    """
    draw: Any = plain_draws if plainly else kernels
    draws = 4 * CHUNK
    sizes = batches(CHUNK, 3 * N * K) * (2 * draws // CHUNK)  # either hypothesis
    normals, uniforms = np.empty(max(sizes) * N * K), np.empty(max(sizes) * N)
    coins = np.empty(N * K, dtype=np.bool_)
    state = stream_key(0).state("draws alone", 0)

    def draw_alone() -> None:
        for size in sizes:
            for _ in range(3):  # means, deviations and perturbations; gold, A and B
                kernels.fill_uniforms(state, uniforms[: size * N])
                draw.fill_normals(state, normals[: size * N * K])
        for _ in range(2 * draws):  # A and B under the null
            draw.fill_coins(state, coins[None])

    def simulate_and_score() -> None:
        _true_effects("simulated", metrics, draws)

    simulate_and_score()
    draw_alone()
    top, bottom = interleaved(simulate_and_score, draw_alone, repeats)
    return line(
        f"simulate and score {number}, over its random draws alone{', drawn plainly' * plainly}",
        ("nbyk", [value / draws for value in top]),
        ("draws alone", [value / draws for value in bottom]),
        most,
        "at most",
        goal,
    )


def sizes_over_random_words(repeats: int) -> Line:
    """Time sets of nine sizes, scored by Homan et al. 2025's metrics, over drawing as many random words."""
    population = Population(published_prior("toxicity"), N, SIZES_K, EPSILON)
    source = NestedDraws(population, [get(metric) for metric in HOMAN_METRICS], seed=0)
    # Means, deviations and perturbations, coins, five times K responses at two to a word, and the bootstraps.
    largest = max(SIZES)
    words = np.empty((CHUNK, 4 * largest + 5 * SIZES_K * largest // 2 + sum(SIZES) // 2), np.uint64)

    def words_alone() -> None:
        lanes.fill_words(np.uint64(0), 0, words)

    def draw_and_score() -> None:
        source.draw(SIZES, 0, CHUNK)

    words_alone()
    draw_and_score()
    top, bottom = interleaved(draw_and_score, words_alone, repeats)
    return line(
        "simulate and score test sets of nine sizes, over its random words alone",
        ("nbyk", [value / CHUNK for value in top]),
        ("words alone", [value / CHUNK for value in bottom]),
        SIZES_FLOOR,
        "at most",
    )


def categories_over_numpy(repeats: int) -> Line:
    """Time a set of every cell of Pandita et al. 2026 by numpy, cell by cell, over the study's kernel."""
    sizes, alpha = Sizes(BUDGETS, K_RESPONSES), PRIORS["jobs_q1"]
    draw, streams = np.random.default_rng(0), Streams(stream_key(0, purpose="benchmark"), 0)

    def by_numpy() -> None:
        for (_, n, k), epsilon in product(sizes.cells.tolist(), EPSILONS):
            beta = draw.dirichlet(alpha, n)
            gamma = (1.0 - epsilon) * beta + epsilon * draw.dirichlet(
                np.full(len(alpha), 1.0 / len(alpha)), n
            )
            gold, mixed = draw.multinomial(k, beta), 0.5 * (beta + gamma)
            for of_a, of_b in ((beta, gamma), (mixed, mixed)):
                a, b = draw.multinomial(k, of_a), draw.multinomial(k, of_b)
                best = gold.argmax(axis=1)
                nearer = np.abs(b - gold).sum(axis=1) - np.abs(a - gold).sum(axis=1)
                logs = np.log(a / k + SMOOTHING) - np.log(b / k + SMOOTHING)
                (1.0 * (a.argmax(axis=1) == best) - (b.argmax(axis=1) == best)).mean()
                nearer.mean(), np.sign(nearer).mean(), ((gold / k + SMOOTHING) * logs).sum(axis=1).mean()

    def by_kernel() -> None:
        draw_scores(streams, alpha, EPSILONS, sizes, 8)

    by_kernel()
    top, bottom = interleaved(by_numpy, by_kernel, repeats)
    return line(
        "a set of all 282 sizes of categories, by numpy over nbyk",
        ("numpy", top),
        ("nbyk", [value / 8 for value in bottom]),
        15.0,
        goal=50.0,
    )


def over_one_thread(draws: int, repeats: int) -> list[Line]:
    """Time one thread over two, for nbyk and for a bare loop, which shows what the machine can give."""
    outs = np.empty((2, 16_384))
    states = [stream_key(0).state("threads", thread) for thread in range(2)]

    def normals(thread: int) -> None:
        for _ in range(2 * draws):
            kernels.fill_normals(states[thread], outs[thread])

    def in_turn() -> None:
        normals(0)
        normals(1)

    with ThreadPoolExecutor(2) as pool:
        limits = interleaved(in_turn, lambda: list(pool.map(normals, (0, 1))), repeats, time.perf_counter)
    times = interleaved(
        lambda: _true_effects("simulated", METRICS, draws, threads=1),
        lambda: _true_effects("simulated", METRICS, draws, threads=2),
        repeats,
        time.perf_counter,
    )
    found = []
    for name, floor, goal, sides in (
        ("speed of two threads over one", 1.0, 1.8, times),
        ("speed of two threads over one, raw normals alone", None, None, limits),
    ):
        one, two = ([value / draws for value in side] for side in sides)
        found.append(line(name, ("one thread", one), ("two threads", two), floor, goal=goal))
    return found


def against_sfc64(repeats: int) -> list[Line]:
    """Time single random numbers against numpy's fastest generator."""
    generator = np.random.Generator(np.random.SFC64(0))
    state = stream_key(0).state("generator", 0)
    return [
        _one_number("normal", generator.standard_normal, partial(kernels.fill_normals, state), repeats),
        _one_number("uniform", generator.random, partial(kernels.fill_uniforms, state), repeats),
    ]


def _one_number(
    kind: str, numpys: Callable[..., object], own: Callable[[Floats], object], repeats: int
) -> Line:
    out = np.empty(65_536)
    own(out)  # compiles
    rounds = 20
    top, bottom = interleaved(
        lambda: [numpys(out=out) for _ in range(rounds)], lambda: [own(out) for _ in range(rounds)], repeats
    )
    numbers = rounds * out.size
    return line(
        f"one {kind}, numpy's SFC64 over nbyk",
        ("SFC64", [value / numbers for value in top]),
        ("nbyk", [value / numbers for value in bottom]),
    )
