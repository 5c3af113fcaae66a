"""Lists against the hall, the books and hand calculations: every port once, every cable counted."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from tests import own_scene
from twin.api.cost import cost
from twin.catalog import Catalog, load_catalog
from twin.catalog.catalog import with_own
from twin.catalog.own_texts import OwnText
from twin.economics.site_bill import bill_of
from twin.lists.bill_of_materials import lead_time_s
from twin.lists.cable_plan import cable_plan, split_of
from twin.lists.cable_schedule import cable_schedule
from twin.lists.port_map import port_map
from twin.lists.rack_loads import phase_current_a
from twin.lists.site_lists import LISTS
from twin.lists.table import SiteList
from twin.plant.build import build
from twin.plant.links import links_of
from twin.plant.tables import Plant
from twin.scenario import Scenario, load, loads

CATALOG = load_catalog()
HALLS = ("lab-16", "superpod-h100", "nvl72-row", "llama3-16k", "fat-tree-1k", "ethernet-tcp", "video-ingest")


def of(name: str) -> tuple[Scenario, Plant]:
    scenario = load(f"builtin:{name}").scenario
    return scenario, build(scenario, CATALOG)


def ends(cables: SiteList) -> list[tuple[object, object]]:
    """Return device and port of both ends of all runs."""
    return [
        (device, port)
        for side in ("from", "to")
        for device, port in zip(cables.column(f"{side}_device"), cables.column(f"{side}_port"), strict=True)
    ]


def check_ports(scenario: Scenario, plant: Plant, catalog: Catalog) -> SiteList:
    """Hold what must be true of the cables of any hall, and return them."""
    cables = cable_schedule(scenario, plant, catalog)
    assert len(cables.rows) == links_of(plant).cables.sum()
    assert max(Counter(ends(cables)).values(), default=1) == 1
    assert len(set(cables.column("label"))) == len(cables.rows)
    ports = {(row[2], row[4]): row for row in port_map(scenario, plant, catalog).rows}
    for row in cables.rows:
        label, device, port, peer, peer_port = row[0], row[4], row[6], row[8], row[10]
        assert ports[device, port][7:9] == ("used", label)
        assert ports[device, port][10:] == (peer, peer_port)
        assert ports[peer, peer_port][10:] == (device, port)
    fans: dict[str, list[tuple[object, object]]] = {}
    for row in cables.rows:
        cable, _, leg = str(row[0]).partition(".")
        if leg:  # one that carries several runs: out of one fast port of the leaf or lower switch
            at_switch = (row[4], row[6]) if row[4] in plant.switches.ids else (row[8], row[10])
            fans.setdefault(cable, []).append((at_switch[0], str(at_switch[1]).partition("/")[0]))
    assert [cable for cable, out_of in fans.items() if len(set(out_of)) > 1] == []
    plan = cable_plan(scenario, plant, catalog)
    for slot in np.flatnonzero(plant.switches.present):
        at_a, at_b = plan.links.a[plan.link] == slot, plan.links.b[plan.link] == slot
        upper = plan.links.kind[plan.link] != 2
        used = [*plan.a_port[at_a & (plan.links.kind[plan.link] == 1)], *plan.b_port[at_b & upper]]
        assert max(used, default=0) < plant.switches.ports[slot]
    return cables


@pytest.mark.parametrize("name", HALLS)
def test_every_port_is_used_once_and_bill_schedule_and_map_agree(name: str) -> None:
    scenario, plant = of(name)
    cables = check_ports(scenario, plant, CATALOG)
    wanted = bill_of(scenario, plant, CATALOG).counts("cables")
    whole: dict[object, tuple[str, float]] = {}
    for row in cables.rows:
        whole[str(row[0]).split(".")[0]] = (str(row[2]), float(row[12] or 0.0))
    assert Counter(part for part, _ in whole.values()) == {
        part: count for part, count in wanted.items() if part != "fibre"
    }
    metres = sum(length for part, length in whole.values() if CATALOG.cable(part).medium.endswith("mode"))
    assert metres == pytest.approx(wanted.get("fibre", 0.0), rel=1e-9)


def hosts(fabric: str, count: int) -> Scenario:
    """Return DGX H100 hosts, one a rack, of 8 cards each, in one fabric."""
    return loads(
        f"""
format: twin/scenario
version: 3
catalog: "2026.11"
title: Hosts
halls: [{{id: hall, rows: [{{id: gpu, racks: {{count: {count}, nodes: [{{part: DGX-H100, count: 1}}]}}}}]}}]
fabrics: [{{id: net, kind: {fabric}, technology: RoCE-400}}]
"""
    ).scenario


@pytest.mark.parametrize(
    ("fabric", "nodes"), [("torus, dims: [2, 2, 2]", 8), ("torus", 27), ("ring", 6), ("ring", 2)]
)
def test_cables_between_nodes_take_a_card_at_each_end(fabric: str, nodes: int) -> None:
    scene = hosts(fabric, nodes)
    cables = check_ports(scene, build(scene, CATALOG), CATALOG)
    assert cables.rows
    assert {str(port)[:3] for _, port in ends(cables)} == {"NIC"}
    assert max(int(str(port).split()[1]) for _, port in ends(cables)) < 8


def test_lengths_follow_the_trays() -> None:
    """Of lab-16: 2 m inside the rack of the switch, else 0.6 m to the next rack [1.0 m slack, 1.4 m down twice]."""
    scenario, plant = of("lab-16")
    cables = cable_schedule(scenario, plant, CATALOG)
    far = abs(plant.racks.x_m[1] - plant.racks.x_m[0]) + 2 * 1.4 + 1.0
    lengths = {row[3]: row[12] for row in cables.rows}
    assert lengths == {"gpu/0/0": 2.0, "gpu/0/1": pytest.approx(far)}
    assert cables.rows[0][:3] == ("ib-001", "ib", "MMF-400G-SR4")
    assert cables.rows[0][3:11] == ("gpu/0/0", "gpu/0/0/0", 3, "NIC 0", "gpu/0/0", "ib/0/0", 48, "1")


def test_a_fast_port_is_split_and_its_cable_fans_out() -> None:
    scenario, plant = of("llama3-16k")
    cables = cable_schedule(scenario, plant, CATALOG)
    assert split_of(plant, CATALOG, 0) == 2
    first, second = cables.rows[:2]
    assert (first[0], first[10], second[0], second[10]) == ("roce-00001.1", "1/1", "roce-00001.2", "1/2")
    assert first[8] == second[8] == "roce/0/0"
    assert first[4] != second[4]


@pytest.mark.parametrize("name", [*HALLS, "blackout", "hybrid-burst", "frontier"])
def test_the_bill_of_materials_sums_to_the_books(name: str) -> None:
    scenario, plant = of(name)
    bom = LISTS["bom"].make(scenario, plant, CATALOG)
    books = cost(name, samples=2)
    assert bom.sum("total_usd") == pytest.approx(float(books.likely.capital.total_usd[0]), rel=1e-12)
    for row in bom.records():
        if row["total_usd"] is not None:
            assert row["total_low_usd"] <= row["total_usd"] <= row["total_high_usd"]
            assert row["count"] * row["likely_usd"] == pytest.approx(row["total_usd"])
        assert row["standing"] in ("published", "derived", "recalled", "estimated", "scene", "")


def test_weight_power_and_delivery_of_parts_by_hand() -> None:
    scenario, plant = of("lab-16")
    rows = {row["part"]: row for row in LISTS["bom"].make(scenario, plant, CATALOG).records()}
    node, switch = CATALOG.node("DGX-H100"), CATALOG.switch("QM9700")
    assert rows["DGX-H100"]["weight_kg"] == pytest.approx(2 * node.weight_kg)
    assert rows["DGX-H100"]["power_kw"] == pytest.approx(2 * (node.measured_max_w or node.max_w) / 1e3)
    assert rows["QM9700"]["power_kw"] == pytest.approx(switch.typical_w / 1e3)
    assert rows["H100-SXM"]["power_kw"] is None  # in that of its node
    assert (rows["H100-SXM"]["lead_weeks"], rows["QM9700"]["lead_weeks"]) == (26.0, 20.0)
    assert {rows[part]["lead_standing"] for part in ("H100-SXM", "QM9700", "DGX-H100")} == {"usual"}
    racks = LISTS["racks"].make(scenario, plant, CATALOG).records()
    cabinet = CATALOG.rack("EIA-48U").weight_kg
    assert racks[1]["weight_kg"] == pytest.approx(cabinet + node.weight_kg)
    assert racks[0]["weight_kg"] == pytest.approx(cabinet + node.weight_kg + switch.weight_kg)


def test_racks_by_feed_and_phase() -> None:
    scenario, plant = of("llama3-16k")
    racks = LISTS["racks"].make(scenario, plant, CATALOG)
    row = racks.records()[1]
    assert (row["feed_a"], row["feed_b"], row["volt"], row["phases"]) == ("pdu-a/0", "pdu-b/0", 415.0, 3)
    assert row["power_kw"] == pytest.approx(4 * 10.0)
    assert row["phase_alone_a"] == pytest.approx(40_000 / (415 * math.sqrt(3)))
    assert row["phase_a"] == pytest.approx(row["phase_alone_a"] / 2)
    assert row["coolant_kw"] + row["air_kw"] == pytest.approx(row["power_kw"])
    assert phase_current_a(12_000, 48, 1) == 250
    assert racks.sum("power_kw") * 1e3 == pytest.approx(bill_of(scenario, plant, CATALOG).it_w)


def test_things_that_were_taken_out_have_no_cable() -> None:
    scenario, plant = of("lab-16")
    plant.nodes.present[1] = False
    cables = cable_schedule(scenario, plant, CATALOG)
    assert set(cables.column("from_device")) == {"gpu/0/0/0"}
    assert {row[2] for row in port_map(scenario, plant, CATALOG).rows} == {"gpu/0/0/0", "ib/0/0"}


def test_a_lead_time_that_the_catalogue_states_goes_before_the_usual_one() -> None:
    scenario, plant = of("superpod-h100")
    rows = {row["part"]: row for row in LISTS["bom"].make(scenario, plant, CATALOG).records()}
    transformer = next(row for part, row in rows.items() if str(part).startswith("transformer"))
    assert (transformer["lead_weeks"], transformer["lead_standing"]) == (60.0, "estimated")
    for row in rows.values():
        assert (row["lead_weeks"] is None) == (row["lead_standing"] == "")
    lead = "    lead: {value: 12 weeks, source: est, status: unverified}\n"
    own = own_scene.gpu_text().replace("    price:", f"{lead}    price:")
    catalog = with_own((OwnText("parts/toys.yaml", "parts", own),))
    assert lead_time_s(catalog.part(own_scene.GPU), catalog) == (12 * 7 * 86400.0, "unverified")
