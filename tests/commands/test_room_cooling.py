"""Cooling of a designed room: what its heat needs and one spare a group, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from twin.catalog import load_catalog
from twin.commands.room.room import AddRoom, RoomRequest, design
from twin.commands.room.room_spares import spares_of
from twin.plant.design_load import loop_heat_w, node_design_w
from twin.plant.tables import LoopKind

CATALOG = load_catalog()


def air(room: RoomRequest) -> dict[str, object]:
    """Return the loop of the air as the file says it."""
    (said,) = (
        one for one in design(room, CATALOG).fragment.entries["cooling.loops"] if one["kind"] != "liquid"
    )
    return said


def test_seven_rows_of_servers_by_hand() -> None:
    """Seven rows of ten racks were given fourteen fan walls, 7 MW for 2.5 MW."""
    room = RoomRequest(rows=7, racks=10, part="DGX-H100", nodes=4)
    scene = design(room, CATALOG).scene
    switches = len(scene.plant.switches.ids)
    heat_w = 280 * node_design_w(CATALOG.node("DGX-H100")) + switches * CATALOG.switch("QM9700").typical_w
    assert 2.0e6 < heat_w <= 2.5e6, "one group, and five walls of 500 kW carry it"
    said = air(room)
    assert (said["part"], said.get("count", 1), said["units"]) == ("FanWall-500", 1, 5 + 1)
    assert loop_heat_w(scene.plant, scene.catalog).sum() == pytest.approx(heat_w)
    assert [one.words for one in spares_of(scene)] == [
        "5 + 1 air handlers",
        "2 + 1 chillers",
        "4 + 1 generators",
        "2 x (4 + 1) UPS",
    ]
    assert air(RoomRequest(rows=7, racks=10, spare=False))["units"] == 5


def test_a_small_room_has_small_machines() -> None:
    """269 kW of 32 nodes and 9 kW of 12 switches: two of 150 kW and one more."""
    said = air(RoomRequest(rows=1, racks=8))
    assert (said["part"], said.get("count", 1), said["units"]) == ("CRAH-chilled", 1, 2 + 1)
    heat_w = 32 * 8.4e3 + 12 * CATALOG.switch("QM9700").typical_w
    assert 150e3 < heat_w <= 2 * 150e3


@pytest.mark.parametrize(
    "room",
    [
        RoomRequest(rows=16, racks=32, storage=40),
        RoomRequest(rows=8, racks=20),
        RoomRequest(rows=7, racks=10),
        RoomRequest(rows=8, racks=16, part="GB200-NVL72", storage=6),
        RoomRequest(rows=4, racks=18, part="GB300-NVL72"),
        RoomRequest(rows=3, racks=7, part="MI300X-8", nodes=3, storage=9, cabling="leaf-spine"),
    ],
)
def test_every_group_holds_with_its_spare_lost_and_none_has_many_times_its_heat(room: RoomRequest) -> None:
    scene = design(room, CATALOG).scene
    plant = scene.plant
    mine = np.array([name.startswith("crah") for name in plant.loops.ids])
    heat_w = loop_heat_w(scene.plant, CATALOG)[mine]
    (each_w,) = {one.each_w for one in spares_of(scene) if one.machines == "air handlers"}
    installed_w = plant.loops.units[mine] * each_w
    assert (installed_w - each_w >= heat_w).all()
    assert (installed_w - 2 * each_w < heat_w.max()).all(), "one machine fewer would be no spare"
    assert installed_w.sum() < 1.5 * heat_w.sum() + each_w


@pytest.mark.parametrize("storage", [0, 40])
@pytest.mark.parametrize(
    ("part", "nodes", "rows", "racks"),
    [
        ("HGX-H100-8-OEM", 4, 18, 37),
        ("HGX-H100-8-OEM", 4, 24, 32),
        ("DGX-H100", 4, 22, 41),
        ("DGX-H100", 4, 16, 32),
        ("MI300X-8", 3, 28, 32),
        ("GB200-NVL72", 18, 18, 37),
    ],
)
def test_no_air_loop_is_left_with_network_racks_and_too_few_nodes(
    part: str, nodes: int, rows: int, racks: int, storage: int
) -> None:
    scene = design(
        RoomRequest(part=part, nodes=nodes, rows=rows, racks=racks, storage=storage), CATALOG
    ).scene
    plant = scene.plant
    breathes = (plant.loops.kind == LoopKind.AIR) & (plant.loops.flow_m3_s > 0.0)
    rise_k = loop_heat_w(plant, CATALOG)[breathes] / (1.2e3 * plant.loops.flow_m3_s[breathes])
    assert (rise_k <= 25.0).all()


def test_short_rows_share_a_coolant_loop() -> None:
    """Two racks of 116 kW a row: eight rows to 2 MW at most; twenty come out as four loops of five.

    Ten racks want more coolant than one CDU moves.
    """
    room = RoomRequest(rows=20, racks=2, part="GB200-NVL72")
    scene = design(room, CATALOG).scene
    node = CATALOG.node("GB200-compute-tray")
    rack_w = 18 * node.max_w * node.liquid_fraction + float(scene.plant.racks.gear_w.max())
    assert 8 < 2e6 / (2 * rack_w) < 9
    cdus = next(one for one in spares_of(scene) if one.machines == "CDUs")
    assert cdus.group_w == pytest.approx(10 * rack_w)
    flow_m3_s = float(scene.plant.loops.flow_m3_s[0])
    assert CATALOG.cdu("CDU-inrow-1350").flow_m3_s < flow_m3_s < 2 * CATALOG.cdu("CDU-inrow-1350").flow_m3_s
    assert cdus.words == "4 x (2 + 1) CDUs"
    loops = scene.plant.racks.loop[scene.plant.racks.node_count > 0]
    assert (loops == np.repeat(np.arange(4), 10)).all()


@pytest.mark.parametrize("rows", [1, 3, 4, 7, 8])
@pytest.mark.parametrize("racks", [3, 8, 18])
def test_every_coolant_loop_holds_with_its_spare_lost(rows: int, racks: int) -> None:
    scene = design(RoomRequest(rows=rows, racks=racks, part="GB200-NVL72"), CATALOG).scene
    plant = scene.plant
    mine = plant.loops.kind == LoopKind.LIQUID
    (part,) = {CATALOG.cdu(name) for name, wet in zip(plant.loops.part, mine, strict=True) if wet}
    left = plant.loops.units[mine] - 1
    assert (left * part.capacity_w >= loop_heat_w(scene.plant, CATALOG)[mine] * 0.999).all()
    assert (left * (part.flow_m3_s or np.inf) >= plant.loops.flow_m3_s[mine] * 0.999).all()
    assert rows % mine.sum() == 0 or mine.sum() % rows == 0, "no loop has parts of rows of others"


def test_the_room_that_stands_says_the_same_as_the_wizard() -> None:
    from twin.commands.edit.command import EditedScene
    from twin.scenario import loads
    from twin.scenario.file.patch_text import edit

    room = RoomRequest(rows=2, racks=6, part="GB200-NVL72", storage=6)
    text = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: Mine\nhalls:\n  - {id: hall}\n'
    empty = EditedScene.of(loads(text), catalog=CATALOG)
    built = EditedScene.of(edit(empty.document, AddRoom(room).patch(empty))[0], catalog=CATALOG)
    assert spares_of(built) == spares_of(design(room, CATALOG).scene)
