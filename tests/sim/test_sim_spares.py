"""Spares: the same domain first, else the whole domain moves, else wherever they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sim_scenes import shipped

from twin.scenario import parse_injection
from twin.sim.engine.engine import Engine
from twin.sim.jobs.spare_choice import Grouping, filled

DOMAIN = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2], np.int32)


def places(seats: list[int], domain: np.ndarray, spare: np.ndarray, lost: list[bool]) -> list[int]:
    return filled(seats, Grouping(domain), spare, lost).tolist()


def free(*nodes: int) -> np.ndarray:
    mask = np.zeros(9, bool)
    mask[list(nodes)] = True
    return mask


def test_a_spare_of_the_same_domain_takes_the_place() -> None:
    assert places([0, 1, 3, 4], DOMAIN, free(2, 6, 7, 8), [False, True, False, False]) == [0, 2, 3, 4]


def test_a_domain_without_a_spare_moves_whole() -> None:
    assert places([0, 1, 2, 3], DOMAIN, free(6, 7, 8), [False, True, False, False]) == [6, 7, 8, 3]


def test_the_tightest_domain_is_taken_and_what_is_left_behind_can_be_used() -> None:
    seats, lost = [0, 1, 3, 4, 5], [True, False, True, False, False]
    # Two nodes of domain 0 go to 7 and 8; node 1 stands by then, but joins nobody's NVLink in domain 1.
    assert places(seats, DOMAIN, free(7, 8), lost) == [7, 8, 1, 4, 5]


def test_where_no_domain_has_room_spares_come_from_anywhere() -> None:
    assert places([0, 1, 2], DOMAIN, free(4, 6), [False, True, True]) == [0, 4, 6]
    assert places([0, 1, 2], DOMAIN, free(4), [False, True, True]) == [0, 4, -1]


def test_nodes_that_are_domains_by_themselves_are_replaced_by_the_lowest() -> None:
    alone = np.arange(9, dtype=np.int32)
    assert places([0, 1, 2], alone, free(5, 7), [False, True, False]) == [0, 5, 2]
    assert places([0, -1, 2], alone, free(5, 7), [True, True, False]) == [5, 7, 2]


def test_thousands_of_nodes_lost_at_once_are_replaced_as_far_as_spares_go() -> None:
    domain = np.arange(12800, dtype=np.int32) // 2
    spare, lost = np.zeros(12800, bool), np.zeros(12288, bool)
    spare[12288:], lost[2000:5001] = True, True
    after = filled(np.arange(12288), Grouping(domain), spare, lost)
    # Whole domains move, each to the next; of the last one a node is left, which stands by while there are spares.
    assert (after[~lost] >= 0).all()
    assert np.count_nonzero(after < 0) == 3001 - 512
    assert after[2000:2512].tolist() == list(range(12288, 12800))


@given(st.permutations(range(9)), st.integers(1, 6), st.data())
def test_nobody_sits_twice_and_no_place_stays_empty_without_need(order, held, data) -> None:
    seats, others = list(order[:held]), list(order[held:])
    lost = data.draw(st.lists(st.booleans(), min_size=held, max_size=held))
    spare = data.draw(st.sets(st.sampled_from(others))) if others else set()
    after = places(seats, DOMAIN, free(*spare), lost)
    there = [node for node in after if node >= 0]
    kept = {node for node, gone in zip(seats, lost, strict=True) if not gone}
    assert len(set(there)) == len(there)
    assert set(there) <= kept | spare
    assert after.count(-1) == max(0, sum(lost) - len(spare))


def test_a_replica_of_nvl72_moves_to_a_spare_rack_and_goes_on_as_fast() -> None:
    engine = Engine(shipped("nvl72-row"), 1)
    engine.advance(500.0)
    before_s = engine.jobs.work[0].step_s
    assert engine.intervene(parse_injection("10 min fail gpu/0/0/3")) is None
    engine.advance(3600.0)
    assert engine.jobs.work[0].step_s == before_s
    racks = {engine.plant.racks.ids[engine.plant.nodes.rack[node]] for node in engine.jobs.rows[0].nodes}
    assert racks == {f"gpu/0/{rack}" for rack in (1, 2, 3, 4, 5, 6)}
    assert engine.jobs.rows[0].nodes[0] == engine.plant.nodes.ids.index("gpu/0/6/0")
