"""Seeds of streams: the same as numpy's, from the words of a seed, a role and a chunk."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from nbyk.resampling.streams import stream_key


@pytest.mark.parametrize("seed", [0, 5, 2**32 - 1, 2**32, 2**70 + 3, 2**128 + 1])
@pytest.mark.parametrize("chunk", [0, 7, 2**32, 2**70])
def test_a_seed_sequence_is_numpys_of_the_seed_with_a_spawn_key_of_the_role_and_the_chunk(
    seed: int, chunk: int
) -> None:
    found = stream_key(seed, n=3, a="x").seed_sequence("gold", chunk)
    name = json.dumps(["gold", ["a", "x"], ["n", 3]], separators=(",", ":"))
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), "<u4").tolist()
    expected = np.random.SeedSequence(seed, spawn_key=(*words, chunk))
    assert np.array_equal(found.generate_state(8), expected.generate_state(8))
    of_children = [sequence.spawn(2)[1].generate_state(8) for sequence in (found, expected)]
    assert np.array_equal(*of_children)
