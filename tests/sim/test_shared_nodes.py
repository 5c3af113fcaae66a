"""Nodes that several jobs share: no GPU in two hands, every GPU-second booked, every joule answered for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_scenes import tiny

from twin.plant.build import build
from twin.sim.core.ledger import Ledger
from twin.sim.core.nodes import DOWN, FREE, NOBODY, SHARED, SLICES, NodeTable

PLANT = build(tiny())


def _nodes() -> NodeTable:
    return NodeTable(PLANT, Ledger())


def _check(nodes: NodeTable, t_s: float) -> None:
    """Every slice is either free or in one hand, and the ledger rests what nobody holds."""
    assert (nodes.slices >= 0).all()
    taken = np.full(len(nodes.slices), SLICES) - nodes.slices
    by_parts = np.zeros(len(nodes.slices), int)
    for held in nodes.parts.values():
        for parts in held.values():
            for gpu, slices in parts:
                by_parts[gpu] += slices
    assert np.array_equal(taken, by_parts)
    assert (nodes.job[list(nodes.parts)] == SHARED).all()
    nodes.ledger.advance(t_s)
    free = float((nodes.gpus - nodes.held).sum())
    assert nodes.ledger.resting.sum() == pytest.approx(free, abs=1e-9)
    for node in np.flatnonzero(nodes.job == NOBODY).tolist():
        assert nodes.held[node] == 0
        assert nodes.free_gpus[node] == nodes.gpus[node]


def test_a_job_takes_whole_nodes_and_part_of_the_last() -> None:
    nodes = _nodes()
    nodes.take(0.0, 5, [0, 1], rest=3)
    assert nodes.job[:2].tolist() == [5, SHARED]
    assert nodes.held[:2].tolist() == [8.0, 3.0]
    assert nodes.free_gpus[:2].tolist() == [0, 5]
    assert nodes.jobs_on(1) == (5,)
    nodes.take(1.0, 6, [1], slices=3)
    nodes.take(1.0, 7, [1], slices=4)  # the GPU that is cut already has just that left
    assert nodes.free_gpus[1] == 4
    assert nodes.jobs_of([0, 1]) == [5, 6, 7]
    assert nodes.held_gpus(5, [0, 1]) == 11.0
    assert nodes.held_gpus(6, [1]) == pytest.approx(3 / 7)
    assert nodes.gpu_jobs()[:16].tolist() == [5] * 11 + [7] + [-1] * 4
    _check(nodes, 2.0)
    for job, held in ((6, [1]), (5, [0, 1]), (7, [1])):
        nodes.give_back(3.0, job, held)
    _check(nodes, 4.0)
    assert nodes.usable.all()


def test_what_is_not_there_cannot_be_taken() -> None:
    nodes = _nodes()
    nodes.take(0.0, 0, [0], rest=6)
    with pytest.raises(ValueError, match="has no 3 free"):
        nodes.take(0.0, 1, [0], rest=3)
    nodes.take(0.0, 1, [0], slices=4)
    nodes.take(0.0, 2, [0], slices=4)  # of another GPU: four slices do not fit beside four
    with pytest.raises(ValueError, match="has no 4 free"):
        nodes.take(0.0, 3, [0], slices=4)
    _check(nodes, 1.0)


def test_what_is_left_of_a_node_rests_as_fragmented_and_in_repair_with_it() -> None:
    nodes = _nodes()
    nodes.take(0.0, 0, [0], rest=2)
    assert nodes.account(0) == "idle_fragmented"
    nodes.set_condition(10.0, 0, DOWN)
    nodes.set_condition(30.0, 0, FREE)
    nodes.give_back(40.0, 0, [0])
    nodes.ledger.advance(50.0)
    from twin.sim.core.ledger import INDEX

    total = nodes.ledger.total
    assert total[INDEX["idle_fragmented"]] == pytest.approx(6 * 20.0)
    assert total[INDEX["idle_in_repair"]] == pytest.approx(6 * 20.0)
    assert total.sum() == pytest.approx(50.0 * nodes.gpus.sum() - 2 * 40.0)


ASKS = st.tuples(st.sampled_from(["take", "give"]), st.integers(0, 5), st.integers(0, 3), st.integers(0, 9))


@settings(max_examples=200, deadline=None)
@given(st.lists(ASKS, max_size=40))
def test_no_slice_is_ever_in_two_hands(asks: list[tuple[str, int, int, int]]) -> None:
    nodes = _nodes()
    for t_s, (what, job, node, amount) in enumerate(asks):
        if what == "give":
            nodes.give_back(float(t_s), job, [node])
        elif nodes.job[node] < 0 and job not in nodes.jobs_on(node):
            rest, slices = (amount, 0) if 1 <= amount <= 7 else (0, 3 if amount else 2)
            fits = nodes.free_gpus[node] >= rest if rest else nodes.free_slices[node] >= slices
            if fits:
                nodes.take(float(t_s), job, [node], rest, slices)
            else:
                with pytest.raises(ValueError, match="free for job"):
                    nodes.take(float(t_s), job, [node], rest, slices)
        _check(nodes, float(t_s))


def test_a_snapshot_knows_every_part() -> None:
    nodes = _nodes()
    nodes.take(0.0, 5, [0, 1], rest=3)
    nodes.take(0.0, 6, [1], slices=3)
    nodes.take(0.0, 7, [2])
    nodes.ledger.advance(100.0)
    again = NodeTable(PLANT, Ledger())
    again.ledger.restore(nodes.ledger.state())
    again.restore(nodes.state())
    for name in ("job", "held", "slices", "free_gpus", "free_slices"):
        assert np.array_equal(getattr(again, name), getattr(nodes, name)), name
    assert again.parts == nodes.parts
    assert np.array_equal(again.ledger.total, nodes.ledger.total)
    assert np.array_equal(again.ledger.resting, nodes.ledger.resting)
