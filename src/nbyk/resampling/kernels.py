"""Compiled inner loops: random numbers, and the gathers and maps that turn them into responses.

The generator is xoshiro256++ (Blackman and Vigna 2021); normals come from a 256-layer ziggurat (Marsaglia and
Tsang 2000). Its state stays in local variables while a buffer is filled, so a normal takes about 1 ns.
All functions release the GIL and are cached on disk. They do not use fast-math, so results do not depend on
the machine's vector width.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import int64, uint64

from nbyk.arrays import Array
from nbyk.compiled import njit
from nbyk.metrics.item_means import USUAL_WIDTH
from nbyk.priors.kinds import NORMAL, on_scale
from nbyk.resampling.lanes import index_below

_LAYERS = 256
_TAIL = 3.6541528853610088
_LAYER_AREA = 0.00492867323399
_MANTISSA = 2.0**52


def _ziggurat_tables() -> tuple[Array, Array, Array]:
    edge = np.zeros(_LAYERS + 1)
    edge[0] = _LAYER_AREA / math.exp(-0.5 * _TAIL * _TAIL)
    edge[1] = _TAIL
    for i in range(2, _LAYERS):
        edge[i] = math.sqrt(-2.0 * math.log(_LAYER_AREA / edge[i - 1] + math.exp(-0.5 * edge[i - 1] ** 2)))
    inside = (edge[1:] / edge[:-1] * _MANTISSA).astype(np.int64)
    width = edge[:-1] / _MANTISSA
    density = np.array([math.exp(-0.5 * x * x) for x in edge])
    # Twice, for positive and for negative numbers.
    return np.concatenate([inside, inside]), np.concatenate([width, -width]), density


_INSIDE, _WIDTH, _DENSITY = _ziggurat_tables()


@njit(inline="always")
def _rotate(x: int, k: int) -> Any:
    return (x << uint64(k)) | (x >> uint64(64 - k))


@njit()
def _advance(s0: Any, s1: Any, s2: Any, s3: Any) -> Any:
    """Return a random word and the state after it: four numbers, so that it can stay in registers."""
    word = _rotate(s0 + s3, 23) + s0
    t = s1 << uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    return word, s0, s1, s2, _rotate(s3, 45)


@njit(nogil=True, cache=True)
def _next_uniform(state: Array) -> Any:
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    word, s0, s1, s2, s3 = _advance(s0, s1, s2, s3)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return (float(word >> uint64(12)) + 0.5) / 4503599627370496.0


@njit(nogil=True, cache=True)
def _normal_outside_layer(state: Array, layer: Any, x: float) -> Any:
    """Finish a normal whose first try fell outside its layer's rectangle: accept, redraw or take the tail."""
    while True:
        if layer == 0:
            while True:
                beyond = -math.log(_next_uniform(state)) / _TAIL
                height = -math.log(_next_uniform(state))
                if height + height > beyond * beyond:
                    return math.copysign(_TAIL + beyond, x)
        height = _DENSITY[layer] + _next_uniform(state) * (_DENSITY[layer + 1] - _DENSITY[layer])
        if height < math.exp(-0.5 * x * x):
            return x
        layer = np.intp(_next_uniform(state) * 256.0)
        position = 2.0 * _next_uniform(state) - 1.0
        x = position * 4503599627370496.0 * _WIDTH[layer]
        if abs(position) * 4503599627370496.0 < _INSIDE[layer]:
            return x


@njit(nogil=True, cache=True)
def fill_normals(state: Array, out: Array) -> None:
    """Fill the flat float64 array `out` with standard normals and advance `state`."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for i in range(out.size):
        word, s0, s1, s2, s3 = _advance(s0, s1, s2, s3)
        signed_layer = word & uint64(511)  # unsigned, so that numba does not check for negative indices
        position = int64((word >> uint64(9)) & uint64(0x000FFFFFFFFFFFFF))
        x = float(position) * _WIDTH[signed_layer]
        if position >= _INSIDE[signed_layer]:
            state[0], state[1], state[2], state[3] = s0, s1, s2, s3
            x = _normal_outside_layer(state, np.intp(word & uint64(255)), x)
            s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
        out[i] = x
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@njit(nogil=True, cache=True)
def fill_uniforms(state: Array, out: Array) -> None:
    """Fill the flat float64 array `out` with uniforms on the open interval (0, 1) and advance `state`."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for i in range(out.size):
        word, s0, s1, s2, s3 = _advance(s0, s1, s2, s3)
        out[i] = (float(word >> uint64(12)) + 0.5) / 4503599627370496.0
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@njit(nogil=True, cache=True)
def fill_coins(state: Array, out: Array) -> None:
    """Fill `out`, shape (R, n) of bool, with fair coins, 64 to a random word, and advance `state`.

    Each row starts a new word.
    """
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for row in out:
        for start in range(0, row.size, 64):
            word, s0, s1, s2, s3 = _advance(s0, s1, s2, s3)
            coins = row[start : start + 64]
            for i in range(len(coins)):  # each from the word itself, so that vector instructions take several
                coins[i] = ((word >> uint64(i)) & uint64(1)) == uint64(1)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@njit(nogil=True, cache=True)
def _fill_words(state: Array, out: Array) -> None:
    """Fill the flat uint32 array `out` with random bits, two to a random word, and advance `state`."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    n_pairs = out.size // 2
    pairs = out[: 2 * n_pairs].reshape(n_pairs, 2)
    for i in range(n_pairs):
        word, s0, s1, s2, s3 = _advance(s0, s1, s2, s3)
        pairs[i, 0] = word >> uint64(32)
        pairs[i, 1] = word & uint64(0xFFFFFFFF)
    if 2 * n_pairs < out.size:
        word, s0, s1, s2, s3 = _advance(s0, s1, s2, s3)
        out[2 * n_pairs] = word >> uint64(32)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@njit(nogil=True, cache=True)
def _put_on_scale(responses: Array, kind: int, levels: int) -> None:
    """Put numbers of shape (n,) on the scale in place: one long loop of vector instructions."""
    if kind != NORMAL:
        for i in range(responses.size):
            responses[i] = on_scale(responses[i], kind, levels)


@njit(nogil=True, cache=True)
def respond(mean: Array, sd: Array, kind: int, levels: int, responses: Array) -> None:
    """Turn standard normals z into responses μ + σ z on the scale, in place.

    `mean` and `sd` have shape (R, N); `responses` has shape (R, N, K) and holds the normals.
    """
    for r in range(responses.shape[0]):
        for i in range(responses.shape[1]):
            mu, sigma, row = mean[r, i], sd[r, i], responses[r, i]
            for j in range(row.size):
                row[j] = mu + sigma * row[j]
        _put_on_scale(responses[r].reshape(-1), kind, levels)


@njit(nogil=True, cache=True)
def respond_mixed(
    mean_a: Array,
    sd_a: Array,
    mean_b: Array,
    sd_b: Array,
    from_b: Array,
    kind: int,
    levels: int,
    responses: Array,
) -> None:
    """As `respond`, but a response is B's if its coin `from_b`, shape (R, N, K), is true, else A's."""
    for r in range(responses.shape[0]):
        for i in range(responses.shape[1]):
            mu_a, mu_b, sigma_a, sigma_b = mean_a[r, i], mean_b[r, i], sd_a[r, i], sd_b[r, i]
            for j in range(responses.shape[2]):
                mu, sigma = (mu_b, sigma_b) if from_b[r, i, j] else (mu_a, sigma_a)
                responses[r, i, j] = mu + sigma * responses[r, i, j]
        _put_on_scale(responses[r].reshape(-1), kind, levels)


@njit(nogil=True, cache=True)
def take_rows(values: Array, items: Array, out: Array) -> None:
    """Fill rows of `out`, (R, N, width), with the rows of `values`, (n, K), at `items`, (R, N), then NaN."""
    width = min(values.shape[1], out.shape[2])
    for r in range(out.shape[0]):
        for i in range(out.shape[1]):
            row = items[r, i]
            for j in range(width):
                out[r, i, j] = values[row, j]
            out[r, i, width:] = np.nan


@njit(inline="always")
def _take_places(values: Array, items: Array, places: Array, width: int, out: Array) -> None:
    """Fill the flat `out` with `width` responses of each of `items`, (N,), at `places`, (N · width,)."""
    flat, per_item = values.reshape(-1), uint64(values.shape[1])
    for i in range(uint64(items.size)):
        first, start = uint64(items[i]) * per_item, i * uint64(width)
        for j in range(uint64(width)):
            out[start + j] = flat[first + uint64(places[start + j])]


@njit(nogil=True, cache=True)
def redraw(
    state: Array, values: Array, counts: Array, items: Array, counts_out: Array, width: int, out: Array
) -> None:
    """Draw responses of each of `items`, shape (R, N), with replacement, and advance `state`.

    `values` has shape (n, K); row i has `counts[i]` responses and gives `counts_out[i]` draws, at most
    `width`, then NaN. `out` has shape (R, N, `width` or more). Each replicate starts a new random word.
    """
    words = np.empty(items.shape[1] * width, np.uint32)
    n_columns: Any = uint64(out.shape[2])
    complete = width == out.shape[2]
    for item in range(len(counts)):
        complete &= counts[item] == counts[0] and counts_out[item] == width
    for r in range(items.shape[0]):
        _fill_words(state, words)
        if complete:
            for draw in range(words.size):
                words[draw] = index_below(words[draw], counts[0])
            if width == USUAL_WIDTH:
                _take_places(values, items[r], words, USUAL_WIDTH, out[r].reshape(-1))
            else:
                _take_places(values, items[r], words, width, out[r].reshape(-1))
            continue
        for i in range(items.shape[1]):
            # Unsigned and without slices: an item has few responses.
            row, place = uint64(items[r, i]), uint64(i * width)
            count, n_drawn = counts[row], uint64(counts_out[row])
            for j in range(n_drawn):
                out[r, i, j] = values[row, uint64(index_below(words[place + j], count))]
            for j in range(n_drawn, n_columns):
                out[r, i, j] = np.nan


@njit(nogil=True, cache=True)
def split_pool(state: Array, values: Array, counts: Array, n_a: Array, items: Array, out: Array) -> None:
    """Split the pool of each of `items`, shape (R, N), at random, `n_a[i]` responses for A; advance `state`.

    `values` has shape (n, K) and `out`, for A and B, (2, R, N, width). The shuffle is Fisher and Yates'. Each
    replicate starts a new random word.
    """
    pool = np.empty(values.shape[1])
    words = np.empty(items.shape[1] * values.shape[1], np.uint32)
    for r in range(items.shape[0]):
        _fill_words(state, words)
        for i in range(items.shape[1]):
            row = items[r, i]
            count, count_a = counts[row], n_a[row]
            for j in range(count):  # one by one: an assignment of arrays takes two seconds to compile
                pool[j] = values[row, j]
            for j in range(count - 1):
                k = j + index_below(words[i * values.shape[1] + j], count - j)
                pool[j], pool[k] = pool[k], pool[j]
            for j in range(out.shape[3]):
                out[0, r, i, j] = pool[j] if j < count_a else np.nan
                out[1, r, i, j] = pool[count_a + j] if count_a + j < count else np.nan


@njit(nogil=True, cache=True)
def swap_rows(a: Array, b: Array, items: Array, swap: Array, out_a: Array, out_b: Array) -> None:
    """Swap the two systems' whole rows where the coin `swap`, shape (R, N), is true; all widths are equal."""
    for r in range(out_a.shape[0]):
        for i in range(out_a.shape[1]):
            row = items[r, i]
            for j in range(out_a.shape[2]):
                if swap[r, i]:
                    out_a[r, i, j] = b[row, j]
                    out_b[r, i, j] = a[row, j]
                else:
                    out_a[r, i, j] = a[row, j]
                    out_b[r, i, j] = b[row, j]


@njit(nogil=True, cache=True)
def count_responses(values: Array, out: Array) -> None:
    """Fill `out`, shape (n,), with the number of responses in each row of left-packed `values`, (n, K)."""
    for i in range(len(values)):
        count = values.shape[1]
        while count > 0 and np.isnan(values[i, count - 1]):
            count -= 1
        out[i] = count
