import numpy as np
import pytest
from demo_scenes import nvl72_rows, superpod

from twin.plant.build import build
from twin.plant.graph import describe, domain_of, entity_id, find, nodes_under, power_path
from twin.plant.tables import Plant

PLANTS = {"superpod": lambda: build(superpod(2)), "nvl72": lambda: build(nvl72_rows())}


@pytest.fixture(params=sorted(PLANTS))
def plant(request: pytest.FixtureRequest) -> Plant:
    return PLANTS[request.param]()


def test_every_id_leads_to_its_slot_and_back(plant: Plant) -> None:
    sizes = {
        "hall": len(plant.halls.ids),
        "row": len(plant.rows.ids),
        "rack": len(plant.racks.ids),
        "node": len(plant.nodes.ids),
        "gpu": len(plant.gpus.node),
        "switch": len(plant.switches.ids),
        "loop": len(plant.loops.ids),
        "plant": len(plant.plants.ids),
        "power": len(plant.power.ids),
        "store": len(plant.stores),
        "fabric": len(plant.fabrics),
    }
    seen = set()
    for kind, size in sizes.items():
        for slot in range(size):
            one = entity_id(plant, kind, slot)
            assert one not in seen
            seen.add(one)
            assert find(plant, one) == (kind, slot)
            text = describe(plant, kind, slot)
            assert text
            assert "\n" not in text


@pytest.mark.parametrize(
    "id",
    ["", "gpu", "gpu/9", "gpu/0/0/0/8", "gpu/0/0/0/07", "gpu/0/0/0/x", "hall/0", "gpu//0", "gpu/0/0/0/²"],
)
def test_what_is_not_there_is_not_found(id: str) -> None:
    assert find(build(superpod(1)), id) is None


def test_what_is_absent_is_not_found() -> None:
    document = superpod(1).model_dump(by_alias=True)
    document["halls"][0]["overrides"] = {"gpu/0/0": {"absent": True}, "gpu/0/1/0/3": {"absent": True}}
    plant = build(type(superpod(1)).model_validate(document))
    for id in ("gpu/0/0", "gpu/0/0/2", "gpu/0/0/2/1", "gpu/0/1/0/3"):
        assert find(plant, id) is None
    assert find(plant, "gpu/0/1/0/4") is not None


def test_a_line_for_people() -> None:
    plant = build(superpod(2))
    said = {
        id: describe(plant, *find(plant, id))
        for id in ("gpu/1/0/2/3", "gpu/1/0/2", "gpu/1/0", "ib/0/11", "crah/0", "pdu-a/1")
    }
    assert said == {
        "gpu/1/0/2/3": "H100-SXM, GPU 3 of node gpu/1/0/2",
        "gpu/1/0/2": "DGX-H100 with 8 GPUs, unit 19 of rack gpu/1/0",
        "gpu/1/0": "compute rack in Row B (gpu/1) with 4 nodes",
        "ib/0/11": "QM9700, leaf of fabric ib, unit 1, rail 3",
        "crah/0": "CRAH 0 (4 x CRAH-chilled) for 10 racks",
        "pdu-a/1": "pdu pdu-a/1 (floor-PDU) under ups-a/1",
    }
    for id, line in said.items():
        assert describe(plant, *(find(plant, id) or ("hall", -1))) == line
    plant.racks.present[:] = np.arange(len(plant.racks.ids)) == 0
    assert describe(plant, "hall", 0).endswith(" with 1 rack")


def test_a_node_knows_what_it_hangs_on() -> None:
    plant = build(superpod(2))
    node = plant.nodes.ids.index("gpu/1/0/2")
    on = domain_of(plant, node)
    assert plant.racks.ids[on.rack] == "gpu/1/0"
    assert (on.row, on.hall, on.unit) == (1, 0, 1)
    assert [plant.power.ids[i] for i in on.path_a] == ["pdu-a/0", "ups-a/0", "utility/0"]
    assert [plant.power.ids[i] for i in on.path_b] == ["pdu-b/0", "ups-b/0", "utility/0"]
    assert [plant.switches.ids[s] for s in on.leaves] == [f"ib/0/{8 + r}" for r in range(8)]
    assert plant.plants.ids[on.plant] == "fws"
    assert on.loop == on.air_loop


def test_what_fails_reaches_what_hangs_on_it(plant: Plant) -> None:
    """Blast radius is the inverse of the domains of a node."""
    domains = [domain_of(plant, n) for n in range(len(plant.nodes.ids))]
    for kind, slots in (
        ("rack", len(plant.racks.ids)),
        ("loop", len(plant.loops.ids)),
        ("power", len(plant.power.ids)),
    ):
        for slot in range(slots):
            hit = {
                n
                for n, on in enumerate(domains)
                if (kind == "rack" and on.rack == slot)
                or (kind == "loop" and on.loop == slot)
                or (kind == "power" and slot in on.path_a + on.path_b)
            }
            assert set(nodes_under(plant, kind, slot).tolist()) == hit
    for switch in np.flatnonzero(plant.switches.unit >= 0).tolist():
        hit = {n for n, on in enumerate(domains) if switch in on.leaves}
        assert set(nodes_under(plant, "switch", switch).tolist()) == hit
    everybody = np.arange(len(plant.nodes.ids)).tolist()
    for kind in ("hall", "plant", "fabric"):
        assert nodes_under(plant, kind, 0).tolist() == everybody
    spine = int(np.flatnonzero(plant.switches.unit < 0)[0])
    assert len(nodes_under(plant, "switch", spine)) > 0


def test_power_path_of_nothing_is_empty() -> None:
    assert power_path(build(superpod(1)), -1) == ()


def test_machines_side_by_side_and_sources_are_said() -> None:
    document = superpod(1).model_dump(by_alias=True)
    document["power"] += ({"id": "gen", "kind": "generator", "units": 3, "at": "utility"},)
    document["cooling"]["plants"] = [{"id": "fws", "kind": "chiller", "units": 2}]
    plant = build(type(superpod(1)).model_validate(document))
    said = {one: describe(plant, *plant.slots[one]) for one in ("gen/0", "fws", "ups-a/1")}
    assert said == {
        "gen/0": "generator gen/0 (3 x machine) at utility/0",
        "fws": "facility water fws from 2 x chiller-air-cooled",
        "ups-a/1": "ups ups-a/1 (UPS-double-conversion) under utility/0",
    }
