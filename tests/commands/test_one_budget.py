"""One power budget of a rack: ghost, rules, figures of a scene and its comparison say the same of every rack part."""

from __future__ import annotations

from functools import cache

import pytest

from twin.app.inspector.facility_facts import design_rows
from twin.app.toolkit.text import quantity
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.commands.budget.budget import budget, difference
from twin.commands.budget.part_load import part_load
from twin.commands.budget.power_room import PowerRoom
from twin.commands.edit.command import EditedScene
from twin.plant.design_load import DesignLoad, loop_heat_w, rack_budget
from twin.rules.rule_context import RuleContext
from twin.scenario.file.load import loads

CATALOG = load_catalog()
RACKS = [id for id in CATALOG.ids("rack") if CATALOG.rack(id).layout]
ROOM = """
format: twin/scenario
version: 1
catalog: "2026.11"
title: A room with one kind of rack
start: 2026-01-05T00:00:00Z
duration: 1 h
halls:
  - id: hall
    rows: [{{id: gpu, count: 1, racks: {{count: {count}, part: {part}}}}}]
power:
  - {{id: utility, kind: utility, capacity: 900 MW}}
  - {{id: pdu, kind: pdu, capacity: 20 MW, from: utility, feeds: [gpu]}}
cooling:
  plants: [{{id: water, kind: chiller, part: chiller-water-cooled, supply: 17 degC}}]
  loops:
    - {{id: cdu, kind: liquid, part: CDU-L2L-2600, plant: water, serves: [gpu], supply: 28 degC}}
    - {{id: crah, kind: air, part: FanWall-500, plant: water, serves: [gpu], supply: 24 degC}}
"""


@cache
def room(part: str, count: int) -> EditedScene:
    return EditedScene.of(loads(ROOM.format(part=part, count=count)), catalog=CATALOG)


@pytest.mark.parametrize("part", RACKS)
def test_ghost_rule_figures_and_comparison_say_the_same_of_a_rack(part: str) -> None:
    ghost, single, double = part_load(CATALOG, part), room(part, 1), room(part, 2)
    assert ghost.power_w == ghost.heat_w > 0
    load = rack_budget(single.plant, CATALOG)
    (power_w,), (into_coolant_w,), (into_air_w,) = load.power_w, load.liquid_w, load.air_w
    assert power_w == pytest.approx(ghost.power_w)
    assert into_coolant_w + into_air_w == power_w
    assert (into_coolant_w > 0) == any(
        CATALOG.node(name).cooling == "liquid" for name in single.plant.node_parts
    )
    # Rules: feeds, and loops.
    rules = RuleContext(single.scenario, single.plant, CATALOG)
    assert rules.usual_w[1] == pytest.approx(power_w)
    assert rules.heat_w == pytest.approx([into_coolant_w, into_air_w])
    assert loop_heat_w(single.plant, CATALOG).sum() == pytest.approx(power_w)
    # The page of the rack.
    rows = {
        row.label: row.value for row in design_rows(World(single.scenario, single.plant, CATALOG, None), 0)
    }
    assert rows["Design load"] == quantity(ghost.power_w, "W")
    # Figures of the scene, and what one rack more makes of them.
    figures = budget(single)
    assert figures.it_w == figures.heat_w == pytest.approx(power_w)
    assert (figures.liquid_heat_w, figures.air_heat_w) == pytest.approx((into_coolant_w, into_air_w))
    more = difference(figures, budget(double))
    assert more["it_w"] == more["heat_w"] == pytest.approx(power_w)
    # What the ghost says of the feed is what its rule says once the rack stands there.
    fullest = PowerRoom(single.plant, CATALOG).with_more(ghost.power_w)
    assert fullest is not None
    after_w = DesignLoad(double.plant, CATALOG).out_w()[single.plant.power.ids.index(fullest.id)]
    assert fullest.after * 20e6 == pytest.approx(after_w, rel=1e-6)


def test_an_nvl72_rack_has_one_design_load_below_its_nameplate() -> None:
    """18 trays of 6,667 W, 9 NVLink switch trays and 2 switches; the nameplate of the whole rack is 132 kW."""
    ghost, switches = part_load(CATALOG, "GB200-NVL72"), (("NVL5-switch-tray", 9), ("SN2201", 2))
    gear_w = sum(count * CATALOG.switch(name).typical_w for name, count in switches)
    assert ghost.power_w == pytest.approx(18 * 6667 + gear_w)
    assert ghost.power_w < CATALOG.rack("GB200-NVL72").max_w
