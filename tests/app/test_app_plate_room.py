"""Words of facts and plates: batteries, throttle reasons, how long faults last, where tips stand. No window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize

from twin.app.faults.break_choices import choices
from twin.app.hall.compact_plates import fewer, shorter, tip_place
from twin.app.hall.trace_layer import Told
from twin.app.inspector.facility_facts import power_rows
from twin.app.toolkit.text import duration
from twin.app.world.rows import World, live_rows
from twin.catalog import load_catalog
from twin.physics.breakers import MAGNETIC_S
from twin.plant.build import build
from twin.record.channels import PowerState
from twin.scenario import load
from twin.view3d.colour.legend import power_legend
from twin.view3d.view.bench_hall import frame_of

SCENE = Path(__file__).parents[2] / "scenes" / "superpod-h100.twin.yaml"


def world() -> World:
    scenario = load(SCENE).scenario
    plant = build(scenario)
    return World(scenario, plant, load_catalog(), frame_of(plant))


def test_a_battery_lasts_as_long_as_what_it_gives_and_loses() -> None:
    seen = world()
    item = seen.plant.power.ids.index("ups-a/0")
    assert seen.frame is not None
    values = seen.frame.values
    values["power.state"][item] = PowerState.ON_BATTERY
    values["power.out_w"][item], values["power.loss_w"][item] = 609.0, 6020.0
    values["power.charge"][item] = 80.0
    rows = {row.label: row.value for row in power_rows(seen, item)}
    assert rows["Autonomy left"] == "4 h 1 min"  # 0.8 x 400 kW x 5 min / 6.63 kW


def test_an_overloaded_breaker_tells_when_it_trips_and_a_short_circuit_trips_at_once() -> None:
    seen = world()
    power, frame = seen.plant.power, seen.frame
    item = int(np.flatnonzero(np.isfinite(power.breaker_w))[0])
    assert frame is not None

    def rows(share: float) -> dict[str, str]:
        frame.values["power.out_w"][item] = share * power.breaker_w[item]
        return {row.label: row.value for row in power_rows(seen, item)}

    assert "Trips after" not in rows(0.99)
    assert rows(2.0)["Trips after"] == duration(float(power.breaker_s[item]) / 3.0)
    assert rows(2.0 * float(power.breaker_magnetic[item]))["Trips after"] == duration(MAGNETIC_S)


def test_the_limit_of_the_part_is_normal_and_a_lower_one_is_told() -> None:
    seen = world()
    assert seen.frame is not None

    def reason(bits: int) -> str:
        seen.frame.values["gpu.throttle"][0] = bits  # type: ignore[union-attr]
        return next(r.value for r in live_rows(seen, "gpu", 0) if r.label == "Throttle reason")

    assert reason(0) == "none"
    assert reason(0x4) == "at its power limit (TDP), normal"
    assert reason(0x8004) == "power cap below its TDP"
    assert reason(0x24) == "at its power limit (TDP), normal, thermal"


def test_weather_passes_and_machines_are_mended() -> None:
    seen = world()
    site = {choice.kind: choice.repair for choice in choices(seen.scenario, seen.plant, None)}
    assert site["heat_wave"] == "lasts: median 3 d, half 2.3 d to 3.9 d"
    loop = {choice.kind: choice.repair for choice in choices(seen.scenario, seen.plant, "crah/0")}
    assert loop["fan_stop"] == "repair: median 4 h, half 2.3 h to 6.9 h"


def test_plates_shorten_and_say_that_there_is_more() -> None:
    told = Told("Status", ("one", "two", "three"))
    assert shorter(told, 1) == Told("Status", ("one",), "2 more")
    assert shorter(told, 3) is told
    seen = world()
    legend = power_legend(seen.plant, seen.frame)
    assert legend.categories
    assert not fewer(legend).categories
    assert fewer(legend).stops == legend.stops


def test_a_tip_stands_beside_the_pointer_and_on_no_plate() -> None:
    size, room = QSize(100, 40), QRect(0, 0, 800, 600)
    assert tip_place(size, QPoint(300, 300), room, []) == QPoint(318, 318)
    plate = QRect(310, 310, 200, 200)
    at = tip_place(size, QPoint(300, 300), room, [plate])
    assert not QRect(at, size).intersects(plate)
    corner = tip_place(size, QPoint(790, 590), room, [])
    assert room.contains(QRect(corner, size))
