"""The order and the times of interleaved 1F1B."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.planning.job.schedule import Schedule, one_forward_one_backward

_COUNTS = st.integers(1, 6)


@pytest.mark.parametrize("stages", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("chunks", [1, 2, 3])
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_without_transfers_the_step_takes_the_closed_form(stages: int, chunks: int, rounds: int) -> None:
    microbatches = rounds * stages
    made = one_forward_one_backward(stages, microbatches, 1.5, 1.5, chunks=chunks)
    assert made.makespan_s == pytest.approx((microbatches + (stages - 1) / chunks) * 3.0, rel=1e-12)
    bubble = (stages - 1) / chunks / (microbatches + (stages - 1) / chunks)
    assert made.idle_share == pytest.approx(bubble, abs=1e-12)


@pytest.mark.parametrize(("stages", "microbatches"), [(4, 1), (4, 3), (4, 7), (8, 100)])
def test_without_interleave_any_number_of_microbatches_takes_the_closed_form(
    stages: int, microbatches: int
) -> None:
    made = one_forward_one_backward(stages, microbatches, 1.0, 2.0)
    assert made.makespan_s == pytest.approx((microbatches + stages - 1) * 3.0, rel=1e-12)


@given(stages=_COUNTS, microbatches=st.integers(1, 13), chunks=_COUNTS, transfer_s=st.floats(0.0, 2.0))
def test_every_pass_happens_once_and_after_what_it_needs(
    stages: int, microbatches: int, chunks: int, transfer_s: float
) -> None:
    made = one_forward_one_backward(stages, microbatches, 1.0, 2.0, chunks=chunks, transfer_s=transfer_s)
    forward, backward = _ends(made, False), _ends(made, True)
    assert np.isfinite(forward).all()
    assert np.isfinite(backward).all()
    assert np.all(made.start_s[:, 1:] >= made.end_s[:, :-1] - 1e-9)  # a stage does one thing at a time
    wait_s = transfer_s if stages > 1 else 0.0
    longer_s = 1e-9
    assert np.all(forward[1:] - 1.0 / chunks >= forward[:-1] + wait_s - longer_s)
    assert np.all(backward[:-1] - 2.0 / chunks >= backward[1:] + wait_s - longer_s)
    assert np.all(backward[-1] - 2.0 / chunks >= forward[-1] - longer_s)


@given(stages=st.integers(2, 6), rounds=st.integers(1, 4), chunks=st.integers(1, 4))
def test_more_interleave_never_takes_longer(stages: int, rounds: int, chunks: int) -> None:
    fewer = one_forward_one_backward(stages, rounds * stages, 1.0, 2.0, chunks=chunks)
    more = one_forward_one_backward(stages, rounds * stages, 1.0, 2.0, chunks=chunks + 1)
    assert more.makespan_s <= fewer.makespan_s + 1e-9


def test_the_first_stage_warms_up_with_as_many_forwards_as_stages_follow() -> None:
    made = one_forward_one_backward(4, 8, 1.0, 1.0)
    assert made.backward[0].tolist() == [False] * 3 + [False, True] * 5 + [True] * 3
    assert made.microbatch[3].tolist() == [m for m in range(8) for _ in range(2)]
    interleaved = one_forward_one_backward(2, 4, 1.0, 1.0, chunks=2)
    assert interleaved.chunk[0, :4].tolist() == [0, 0, 1, 1]
    assert interleaved.microbatch[0, :6].tolist() == [0, 1, 0, 1, 2, 0]


def test_a_pipeline_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        one_forward_one_backward(0, 8, 1.0, 1.0)


def _ends(made: Schedule, backward: bool) -> np.ndarray:
    """Return the end of each pass by (link of the chain, microbatch)."""
    ends = np.full((made.stages * made.chunks, made.microbatches), np.nan)
    stage = np.broadcast_to(np.arange(made.stages)[:, None], made.chunk.shape)
    chosen = made.backward == backward
    links = (made.chunk * made.stages + stage)[chosen]
    places = links * made.microbatches + made.microbatch[chosen]
    assert len(np.unique(places)) == len(places) == ends.size
    ends[links, made.microbatch[chosen]] = made.end_s[chosen]
    return ends
