"""Nodes in repair: they wait for parts, hands and shifts by hand-made figures, and nothing is lost on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.sim.sim_scenes import causes, events, frame, inject, tiny
from twin.record.channels import NodeCondition
from twin.sim.engine.engine import Engine

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
REPAIR_S = 2 * HOUR_S


def shop(nodes: int = 4, start: str = "2026-01-05T00:00:00+00:00", **repairs: Any) -> Engine:
    """Return a run in which each repair is drawn as two hours and nothing fails by itself; it starts on a Monday."""
    failures = {"repair_constant": "2 h", "causes": [*causes(0.0), NIC], "repairs": repairs}
    return Engine(tiny(nodes, (), start=start, duration="60 day", failures=failures))


NIC = {"id": "nic", "rate": "0 per node-day", "repair": "nic"}


def crew(people: int = 1, hands_on: str = "1 h", **more: Any) -> dict[str, Any]:
    """Return a crew as the scene says it."""
    return {"people": people, "hands_on": hands_on, **more}


def back_s(engine: Engine) -> dict[str, float]:
    """Return when each node came back last [s]."""
    return {event.subject: event.t_s for event in events(engine, "repaired")}


def fail(engine: Engine, hour: float, *racks: int, cause: str = "gpu") -> None:
    """Let the nodes of racks fail at an hour."""
    inject(engine, *(f"{hour} h fail gpu/0/{rack} cause={cause}" for rack in racks))


def test_without_crew_stocks_and_burn_in_the_drawn_time_is_all_there_is() -> None:
    engine = shop()
    fail(engine, 1, 0, 1, 2)
    engine.advance(DAY_S)
    assert set(back_s(engine).values()) == {3 * HOUR_S}
    assert events(engine, "repair_waits", "part_missing") == []


def test_an_ample_crew_changes_nothing() -> None:
    engine = shop(crew=crew(people=4))
    fail(engine, 1, 0, 1, 2)
    engine.advance(DAY_S)
    assert set(back_s(engine).values()) == {3 * HOUR_S}


def test_a_single_repairer_takes_one_node_after_the_other() -> None:
    engine = shop(crew=crew(hands_on="90 min"))
    fail(engine, 1, 0, 1, 2)
    engine.advance(1.5 * HOUR_S)
    assert engine.summary()["repairs"] | {"parts": None} == {
        "open": 3,
        "waiting_for_hands": 2,
        "waiting_for_parts": 0,
        "done": 0,
        "mean_down_s": None,
        "p90_down_s": None,
        "parts": None,
    }
    engine.advance(DAY_S)
    # Hands-on from 1:00, 2:30 and 4:00; the first is back when its drawn two hours are over.
    assert list(back_s(engine).values()) == [3.0 * HOUR_S, 4.0 * HOUR_S, 5.5 * HOUR_S]
    figures = engine.summary()["repairs"]
    assert figures["mean_down_s"] == pytest.approx((2 + 3 + 4.5) / 3 * HOUR_S)
    assert figures["done"] == 3
    assert figures["open"] == 0


def test_work_begun_rests_over_night_and_over_the_weekend() -> None:
    engine = shop(crew=crew(shift=[8, 18], weekend=False, hands_on="2 h"))
    fail(engine, 17, 0)  # Monday 17:00: an hour today, an hour tomorrow
    fail(engine, 4 * 24 + 17.5, 1)  # Friday 17:30: half an hour, the rest on Monday
    fail(engine, 5 * 24 + 12, 2)  # Saturday: waits, behind the one begun
    engine.advance(20 * DAY_S)
    assert list(back_s(engine).values()) == [
        (24 + 9) * HOUR_S,
        (7 * 24 + 9.5) * HOUR_S,
        (7 * 24 + 11.5) * HOUR_S,
    ]


def test_a_night_shift_through_the_week_belongs_to_the_day_it_begins_on() -> None:
    engine = shop(crew=crew(shift=[22, 6], weekend=False, hands_on="2 h"))
    fail(engine, 12, 0)  # Monday noon: begun at 22:00
    fail(engine, 4 * 24 + 26, 1)  # Saturday 2:00: the shift of Friday is at work
    fail(engine, 5 * 24 + 12, 2)  # Saturday noon: Monday 22:00
    engine.advance(20 * DAY_S)
    assert list(back_s(engine).values()) == [
        24 * HOUR_S,
        (5 * 24 + 4) * HOUR_S,
        8 * DAY_S,
    ]


def test_shifts_go_by_the_clock_of_the_site_in_summer_too() -> None:
    site = {"timezone": "Europe/Berlin"}
    failures = {"repair_constant": "1 h", "causes": causes(0.0), "repairs": {"crew": crew(shift=[8, 16])}}
    engine = Engine(tiny(4, (), start="2026-03-28T12:00:00+01:00", site=site, failures=failures))
    fail(engine, 11, 0)  # 23:00 of the day before the clocks go forward: 8:00 comes after 8 hours
    engine.advance(2 * DAY_S)
    assert list(back_s(engine).values()) == [20 * HOUR_S]


NICS = [{"id": "cards", "repairs": ["nic"], "stock": 1, "reorder": 0, "order": 2, "lead": "3 day"}]


def test_a_repair_waits_for_its_part() -> None:
    engine = shop(parts=NICS)
    fail(engine, 1, 0, 1, cause="nic")
    fail(engine, 1, 2)  # a GPU: there is no stock of them, so none is ever missing
    engine.advance(2 * HOUR_S)
    assert frame(engine).values["node.condition"].tolist() == [
        NodeCondition.IN_REPAIR,
        NodeCondition.NO_PART,
        NodeCondition.IN_REPAIR,
        NodeCondition.IDLE,
    ]
    engine.advance(10 * DAY_S)
    assert list(back_s(engine).values()) == [3 * HOUR_S, 3 * HOUR_S, 3 * DAY_S + HOUR_S]
    assert engine.summary()["repairs"]["parts"] == {
        "cards": {"stock": 1, "used": 2, "on_order": 0, "waiting": 0}
    }
    assert [event.subject for event in events(engine, "part_missing", "part_arrived")] == ["cards"] * 2
    (missing,), (waits,), (arrived,) = (
        events(engine, kind) for kind in ("part_missing", "repair_waits", "part_arrived")
    )
    assert missing.number("comes_in_s") == 3 * DAY_S
    assert (waits.word("part"), waits.number("comes_in_s")) == ("cards", 3 * DAY_S)
    assert (arrived.integer("awaited_parts"), arrived.integer("still", -1)) == (1, 0)


def test_without_orders_a_node_waits_for_ever() -> None:
    engine = shop(parts=[{"id": "cards", "repairs": ["nic"], "stock": 0}])
    fail(engine, 1, 0, cause="nic")
    engine.advance(50 * DAY_S)
    assert back_s(engine) == {}
    assert engine.summary()["repairs"]["waiting_for_parts"] == 1


def test_a_time_said_by_hand_is_exact() -> None:
    engine = shop(crew=crew(shift=[8, 9]), parts=[{"id": "g", "repairs": ["gpu"], "stock": 0}], burn_in="1 h")
    inject(engine, "1 h fail gpu/0/0 for=20min", "1 h fail gpu/0/1 cause=work")
    engine.advance(DAY_S)
    assert list(back_s(engine).values()) == [HOUR_S + 1200, 3 * HOUR_S]


def test_burn_in_comes_after_the_repair() -> None:
    engine = shop(burn_in="6 h")
    fail(engine, 1, 0)
    engine.advance(4 * HOUR_S)
    assert frame(engine).values["node.condition"][0] == NodeCondition.BURN_IN
    engine.advance(DAY_S)
    assert list(back_s(engine).values()) == [9 * HOUR_S]


def random_failures(seed: int, count: int = 40) -> list[tuple[float, int]]:
    draws = np.random.default_rng(seed)
    return sorted(zip(draws.uniform(0, 72, count).round(2).tolist(), range(count), strict=True))


def total_down_s(people: int, stock: int, seed: int) -> float:
    """Return the sum of downtimes of the same forty failures."""
    parts = [{"id": "cards", "repairs": ["nic"], "stock": stock, "order": 5, "lead": "2 day"}]
    engine = shop(40, crew=crew(people, shift=[8, 18], weekend=False), parts=parts)
    for hour, rack in random_failures(seed):
        fail(engine, hour, rack, cause="nic" if rack % 2 else "gpu")
    engine.advance(60 * DAY_S)
    figures = engine.summary()["repairs"]
    assert figures["done"] == 40
    held = figures["parts"]["cards"]
    assert held["used"] == 20
    assert held["stock"] + held["used"] == stock + engine.repairs.parts.ordered[0]
    return float(figures["mean_down_s"] * 40)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_more_people_or_parts_never_lengthen_the_sum_of_downtimes(seed: int) -> None:
    by_people = [total_down_s(people, 20, seed) for people in (1, 2, 3, 8)]
    by_stock = [total_down_s(2, stock, seed) for stock in (0, 3, 10, 20)]
    assert by_people == sorted(by_people, reverse=True)
    assert by_people[0] > by_people[-1]
    assert by_stock == sorted(by_stock, reverse=True)
    assert by_stock[0] > by_stock[-1]


def test_parts_are_conserved_at_every_moment() -> None:
    parts = [{"id": "cards", "repairs": ["nic"], "stock": 3, "reorder": 2, "order": 4, "lead": "5 h"}]
    engine = shop(40, crew=crew(2), parts=parts)
    for hour, rack in random_failures(3):
        fail(engine, hour, rack, cause="nic")
    store = engine.repairs.parts
    for hour in range(0, 120):
        engine.advance(hour * HOUR_S)
        assert store.left[0] + store.used[0] + store.on_order(0) == 3 + store.ordered[0]
        assert not (store.left[0] and store.waiting[0])
    assert store.used[0] == 40


def test_a_snapshot_keeps_queue_stock_and_shifts() -> None:
    parts = [{"id": "cards", "repairs": ["nic"], "stock": 1, "order": 3, "lead": "20 h"}]
    engine = shop(40, crew=crew(1, shift=[8, 18]), parts=parts, burn_in="1 h")
    for hour, rack in random_failures(4):
        fail(engine, hour, rack, cause="nic" if rack % 2 else "gpu")
    engine.advance(DAY_S)
    copy = Engine.restore(engine.scenario, engine.snapshot())
    for run in (engine, copy):
        run.advance(30 * DAY_S)
    assert copy.event_hash() == engine.event_hash()
    assert copy.summary() == engine.summary()


@pytest.mark.parametrize("shift", [[8, 8], [8, 8.1]])
def test_a_shift_of_no_hours_is_refused(shift: list[float]) -> None:
    with pytest.raises(ValueError, match="quarter of an hour"):
        shop(crew=crew(shift=shift))


def test_a_repair_class_has_one_stock() -> None:
    with pytest.raises(ValueError, match="give it one stock"):
        shop(parts=[{"id": "a", "repairs": ["nic"]}, {"id": "b", "repairs": ["gpu", "nic"]}])
