"""Every address once, in the subnet of its row, and the same when racks are added at the end."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network

import pytest

from twin.catalog import load_catalog
from twin.lists.address_plan import address_list
from twin.lists.table import Cell
from twin.plant.build import build
from twin.scenario import Scenario, ScenarioError, load, loads
from twin.scenario.file.set_option import set_texts

CATALOG = load_catalog()
HALLS = ("lab-16", "nvl72-row", "llama3-16k", "video-ingest", "frontier", "recovery-policies")


def rows_of(scenario: Scenario) -> list[dict[str, Cell]]:
    return address_list(scenario, build(scenario, CATALOG), CATALOG).records()


def set_to(name: str, *settings: str) -> Scenario:
    return set_texts(load(f"builtin:{name}"), list(settings)).scenario


@pytest.mark.parametrize("name", HALLS)
def test_every_card_and_machine_has_an_address_of_its_own(name: str) -> None:
    scenario = load(f"builtin:{name}").scenario
    plant = build(scenario, CATALOG)
    rows = address_list(scenario, plant, CATALOG).records()
    faces = [IPv4Interface(str(row["address"])) for row in rows]
    gateways = {IPv4Address(str(row["gateway"])) for row in rows}
    hosts = {face.ip for face in faces}
    assert len(hosts) == len(rows) == len({row["name"] for row in rows})
    assert not hosts & gateways
    assert not hosts & {end for face in faces for end in (face.network[0], face.network[-1])}
    vlans: dict[Cell, IPv4Network] = {}
    for row, face in zip(rows, faces, strict=True):
        assert IPv4Address(str(row["gateway"])) in face.network
        if row["vlan"] is not None:
            assert vlans.setdefault(row["vlan"], face.network) == face.network
    nodes = plant.nodes
    by_port: dict[Cell, set[Cell]] = {}
    for row in rows:
        by_port.setdefault(row["port"], set()).add(row["device"])
    everything = {id for id, there in zip(nodes.ids, nodes.present, strict=True) if there}
    assert by_port["BMC"] == by_port["in-band"] == everything
    assert set(plant.switches.ids) <= by_port.get("management", set()) | {"none"}
    controllers = {str(device).partition("#")[0] for device in by_port["controller"]}
    assert {
        id for id, kind in zip(plant.power.ids, plant.power.kind, strict=True) if kind == "pdu"
    } <= controllers
    assert set(plant.loops.ids) <= controllers
    cards = sum(1 for row in rows if row["network"] == "compute")
    assert cards == len(plant.node_links.node)


def test_addresses_follow_row_rack_and_unit() -> None:
    """Of lab-16: 64 addresses a rack, 32 racks a row, 4 rows a generator."""
    rows = {row["name"]: row for row in rows_of(load("builtin:lab-16").scenario)}
    assert rows["gpu-0-0-0-bmc"]["address"] == "10.0.0.3/21"
    assert rows["ib-0-0"]["address"] == "10.0.0.48/21"
    assert (rows["gpu-0-1-0"]["address"], rows["gpu-0-1-0"]["vlan"]) == ("10.64.0.67/21", 600)
    assert rows["gpu-0-1-0-nic0"]["address"] == "10.192.0.67/21"
    assert rows["gpu-0-1-0-nic7"]["address"] == "10.192.224.67/21"  # rail 7: 7 times 4 rows of 2,048
    assert rows["gpu-0-1-0-nic7"]["gateway"] == "10.192.231.254"
    assert rows["gpu-0-1-0-nic7"]["vlan"] is None  # InfiniBand


@pytest.mark.parametrize("name", ["lab-16", "frontier"])
def test_a_rack_more_at_the_end_of_a_row_moves_no_address(name: str) -> None:
    scenario = load(f"builtin:{name}").scenario
    first = scenario.halls[0].rows[0]
    at = f"halls[{scenario.halls[0].id}].rows[{first.id}]"
    more = set_to(name, f"{at}.racks.count={first.racks.count + 1}", f"{at}.count={first.count + 1}")
    before = {row["name"]: row["address"] for row in rows_of(scenario) if row["rack"]}
    after = {row["name"]: row["address"] for row in rows_of(more) if row["rack"]}
    assert len(after) > len(before)
    assert {name: after[name] for name in before} == before


def test_what_the_scene_says_is_taken() -> None:
    scenario = set_to(
        "llama3-16k",
        "site.addresses.compute.prefix=100.64.0.0/10",
        "site.addresses.compute.vlan=2000",
        "site.addresses.racks_per_row=100",
    )
    rows = [row for row in rows_of(scenario) if row["network"] == "compute"]
    assert all(IPv4Interface(str(row["address"])).ip in IPv4Network("100.64.0.0/10") for row in rows)
    assert rows[0]["vlan"] == 2000
    assert IPv4Interface(str(rows[0]["address"])).network.num_addresses == 128 * 64


HEAD = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: T\nextends: builtin:lab-16\n'


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "in_band: {prefix: 10.70.0.0/20}",
            r"8: site\.addresses\.in_band\.prefix = .*is too small: 4 rows .* take 8,192 addresses; "
            r"write a prefix of /19 or shorter",
        ),
        (
            "storage: {prefix: 10.0.0.0/12}",
            r"8: .*storage\.prefix = .*overlaps that of out_of_band, 10\.0\.0\.0/10",
        ),
        (
            "storage: {vlan: 102}",
            r"8: .*storage\.vlan = 102: overlaps: VLAN 102 to 109 .* out_of_band has VLAN 100",
        ),
        ("in_band: {vlan: 4093}", r"8: .*in_band\.vlan = 4093: 4 subnets from VLAN 4093 on go beyond 4094"),
        ("in_band: {prefix: 10.0.0.1/8}", r"8: .*in_band\.prefix = .*has host bits set"),
        ("in_band: {prefix: there}", r"8: .*in_band\.prefix = .*is no IPv4 prefix"),
        ("racks_per_row: 1", r"8: .*racks_per_row = 1: is fewer than the 2 racks of the longest row"),
        (
            "facility: {prefix: 172.16.0.0/24}",
            r"8: .*is too small: power and cooling take 1,024 addresses; .* /22",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(said: str, told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        loads(f"{HEAD}site:\n  addresses:\n    {said}\n")


def test_defaults_that_are_too_small_are_left_out_with_a_note() -> None:
    scenario = load("builtin:lab-16").scenario
    plant, (hall,) = build(scenario, CATALOG), scenario.halls
    many = hall.model_copy(update={"rows": (hall.rows[0].model_copy(update={"count": 300}),)})
    scenario = scenario.model_copy(update={"halls": (many,)})
    made = address_list(scenario, plant, CATALOG)
    assert any(
        note.startswith("compute is left out: prefix 10.192.0.0/10 is too small: 8 rails")
        for note in made.notes
    )
    assert {row["network"] for row in made.records()} == {"facility", "out of band", "in band", "storage"}
