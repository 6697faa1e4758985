"""The random numbers themselves."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal
from scipy import stats

from nbyk.resampling import kernels
from nbyk.resampling.streams import CHUNK, Streams, chunks, stream_key

N = 2_000_000


def streams(seed: int) -> Streams:
    return Streams(stream_key(seed, test="kernels"), 0)


def test_xoshiro_is_the_published_generator() -> None:
    """First words of xoshiro256++ from the state (1, 2, 3, 4), as its authors' C code gives them."""
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    out = np.empty(4)
    kernels.fill_uniforms(state, out)
    words = np.array([41943041, 58720359, 3588806011781223, 3591011842654386], dtype=np.uint64)
    assert_array_equal(out, ((words >> np.uint64(12)).astype(float) + 0.5) / 2.0**52)


def test_normals_are_normal_to_the_tails() -> None:
    z = np.empty(N)
    streams(1).fill_normals("z", z)
    assert stats.kstest(z, "norm").pvalue > 0.001
    for moment, value, variance in ((1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)):
        assert abs(np.mean(z**moment) - value) < 4.5 * np.sqrt(variance / N)
    for edge in (2.0, 3.0, 3.6541528853610088, 4.0):
        p = 2 * stats.norm.sf(edge)
        assert abs(np.mean(np.abs(z) > edge) - p) < 4.5 * np.sqrt(p / N)


def test_uniforms_are_uniform_and_open() -> None:
    u = streams(2).uniforms("u", (N,))
    assert stats.kstest(u, "uniform").pvalue > 0.001
    assert 0.0 < u.min() < u.max() < 1.0
    assert abs(np.corrcoef(u[:-1], u[1:])[0, 1]) < 4.5 / np.sqrt(N)


def test_coins_are_fair_and_independent() -> None:
    coins = streams(3).coins("c", (4, N // 4))
    assert abs(coins.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(N)
    agreement = (coins[:, 1:] == coins[:, :-1]).mean()
    assert abs(agreement - 0.5) < 4.5 * 0.5 / np.sqrt(N)


def test_fills_continue_where_the_last_one_ended() -> None:
    whole, parts = np.empty(1000), np.empty(1000)
    streams(4).fill_normals("z", whole)
    same = streams(4)
    same.fill_normals("z", parts[:300])
    same.fill_normals("z", parts[300:])
    assert_array_equal(parts, whole)


def test_roles_chunks_and_axes_have_different_streams() -> None:
    keys = [stream_key(1, n=5), stream_key(2, n=5), stream_key(1, n=6), stream_key(1, k=5)]
    states = {tuple(key.state(role, chunk)) for key in keys for role in ("a", "b") for chunk in (0, 1)}
    assert len(states) == len(keys) * 4
    assert stream_key(1, n=5, k=3) == stream_key(1, k=3, n=5)


def test_chunks_cover_the_replicates() -> None:
    assert chunks(CHUNK + 1) == [(0, CHUNK), (1, 1)]
    assert sum(size for _, size in chunks(1000)) == 1000
