"""The random numbers themselves."""

from __future__ import annotations

from itertools import permutations

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


def test_a_redraw_takes_each_response_of_its_item_equally_often_and_no_other() -> None:
    values = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, np.nan], [5.0, 6.0, np.nan]])
    counts = np.array([3, 1, 2])
    items = np.broadcast_to([2, 0, 1, 0], (30_000, 4)).copy()
    out = np.empty((30_000, 4, 5))
    kernels.redraw(streams(5).state("r"), values, counts, items, np.array([4, 2, 3]), 4, out)
    assert np.isnan(out).all(axis=0).tolist() == [[j >= n for j in range(5)] for n in (3, 4, 2, 4)]
    for place, (item, drawn) in enumerate(((2, 3), (0, 4), (1, 2), (0, 4))):
        found, times = np.unique(out[:, place, :drawn], return_counts=True)
        assert found.tolist() == values[item, : counts[item]].tolist()
        assert len(times) == 1 or stats.chisquare(times).pvalue > 1e-4


def test_a_pool_is_split_into_as_many_as_each_had_and_every_split_is_as_likely() -> None:
    values, counts = np.array([[1.0, 2.0, 3.0, np.nan]]), np.array([3])
    out = np.empty((2, 30_000, 1, 2))
    items = np.zeros((30_000, 1), np.int64)
    kernels.split_pool(streams(6).state("p"), values, counts, np.array([1]), items, out)
    assert np.isnan(out[0, ..., 1]).all()
    both = np.concatenate([out[0, :, 0, :1], out[1, :, 0]], axis=1)
    orders, times = np.unique(both, axis=0, return_counts=True)
    assert sorted(map(tuple, orders)) == sorted(permutations([1.0, 2.0, 3.0]))
    assert stats.chisquare(times).pvalue > 1e-4


def test_responses_are_counted_up_to_the_last_one() -> None:
    values = np.array([[1.0, 2.0], [3.0, np.nan], [np.nan, np.nan]])
    counts = np.empty(3, np.int64)
    kernels.count_responses(values, counts)
    assert counts.tolist() == [2, 1, 0]
