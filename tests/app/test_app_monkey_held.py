"""The monkey tells what a process holds from the holes in it."""

from __future__ import annotations

import sys

import pytest

from tests.app.monkey_held import held_bytes

_MIB = 2**20


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the heap of the GNU library is asked")
def test_what_is_held_is_told_and_what_is_free_is_not() -> None:
    before = held_bytes()
    large, small = bytearray(30 * _MIB), [bytes([k % 251]) * 100 for k in range(100_000)]
    held = held_bytes()
    assert held - before > 30 * _MIB + 100 * len(small)
    one_here_and_one_there = small[::1_000]
    del large, small
    assert held_bytes() - before < _MIB
    assert len(one_here_and_one_there) == 100
