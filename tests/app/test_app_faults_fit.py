"""What a fault needs is decided once: on each thing the menu offers what the check accepts and the run takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from usual_cases import usually

from tests.sim.fault_hall import SCENE, value_for
from twin.app.faults.break_choices import choices, target_id, target_kind
from twin.catalog import load_catalog
from twin.plant.links import link_id, links_of
from twin.plant.tables import LoopKind, Plant
from twin.scenario import load, loads
from twin.scenario.checks.fault_facts import facts_of
from twin.scenario.checks.interventions import wrong
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine

SHIPPED = sorted((Path(__file__).parents[2] / "scenes").glob("*.twin.yaml"))
_AIR = "kind: air, part: CRAH-chilled"
MADE = {
    "every": SCENE,
    "doors": SCENE.replace(_AIR, "kind: rear-door, part: RDHx-active"),
    "tanks": SCENE.replace(
        "serves: [wet], pumps: 3}",
        "serves: [wet], pumps: 3}\n"
        "    - {id: tank, kind: immersion, part: immersion-tank-1P, count: 2, plant: water, serves: [gpu]}",
    ),
    "mixed": SCENE.replace(
        "    rows:\n",
        "    overrides:\n"
        "      gpu/0/0/1: {part: GB200-compute-tray}\n"
        "      wet/0/0/0: {absent: true}\n"
        "      wet/0/0/1: {rack: gpu/0/1, u: 30}\n"
        "    rows:\n",
    )
    .replace("serves: [wet], pumps", "serves: [wet, gpu], pumps")
    .replace("nodes: 4, rows: [gpu]", "nodes: 4, rows: [wet]"),
}
"""Of halls, what no shipped scene has: doors and tanks, a rack cooled by both, nodes that are moved or gone."""
_EACH = 3


def scene_of(name: str) -> Scenario:
    return loads(MADE[name]).scenario if name in MADE else load(SHIPPED[0].with_name(name)).scenario


def some(ids: list[str]) -> list[str]:
    """Return the first few of each generator, and its last."""
    of: dict[str, list[str]] = {}
    for id in ids:
        of.setdefault(id.partition("/")[0], []).append(id)
    return [id for mine in of.values() for id in dict.fromkeys([*mine[:_EACH], mine[-1]])]


def things_in(scenario: Scenario, plant: Plant) -> Iterator[str | None]:
    """Yield the site, and a few of each sort of thing; of nodes, some of each part on each kind of loop."""
    yield None
    nodes = plant.nodes
    alike: dict[tuple[int, int, int], list[int]] = {}
    for node in np.flatnonzero(nodes.present).tolist():
        loop, row = int(nodes.loop[node]), int(plant.racks.row[nodes.rack[node]])
        kind = int(plant.loops.kind[loop]) if loop >= 0 else -1
        alike.setdefault((int(nodes.part[node]), kind, row), []).append(node)
    for node in [node for mine in alike.values() for node in mine[:_EACH]]:
        yield nodes.ids[node]
        if nodes.gpu_count[node]:
            yield f"{nodes.ids[node]}/0"
    there = [id for id, stands in zip(plant.racks.ids, plant.racks.present, strict=True) if stands]
    yield from some(there)
    for ids in (plant.rows.ids, plant.switches.ids, plant.power.ids, plant.loops.ids):
        yield from some(list(ids))
    yield from (*plant.halls.ids, *plant.plants.ids)
    yield from [job.id for job in jobs_of(scenario)[:_EACH]]
    links = len(links_of(plant))
    yield from [link_id(plant, link) for link in range(0, links, max(1, links // _EACH))]


NAMES = [*MADE, *(path.name for path in SHIPPED)]


@pytest.mark.parametrize("name", usually(NAMES, [name for name in NAMES if not name.startswith("campus")]))
def test_menu_check_and_run_agree_on_every_kind_and_thing(name: str) -> None:
    scenario = scene_of(name)
    engine = Engine(scenario, 1)
    things = list(things_in(scenario, engine.plant))
    for thing in things:
        found = target_kind(scenario, engine.plant, thing)
        assert found is not None, thing
        offered = {choice.kind: choice for choice in choices(scenario, engine.plant, thing)}
        for kind in KINDS.values():
            id = target_id(thing, kind.id)
            target = "all" if id == "all" else found[0]
            if target not in kind.targets:
                assert kind.id not in offered
                continue
            choice = offered.get(kind.id)
            fault = Intervention(
                at=0.0,
                kind=kind.id,
                target=id,
                value=value_for(kind, target) if choice is None else choice.value or None,
                count=choice.most or None if choice is not None else None,
            )
            problems = list(wrong(scenario, fault, engine.incidents.facility.no_place, load_catalog()))
            refusal = engine.incidents.refusal(fault)
            assert (choice is None, bool(problems), refusal is not None) in (
                (False, False, False),
                (True, True, True),
            ), f"{kind.id} {id}: {problems}, {refusal}"


@pytest.mark.parametrize("name", [*MADE, "nvl72-row.twin.yaml", "blackout.twin.yaml", "frontier.twin.yaml"])
def test_facts_of_the_scene_are_those_of_what_is_built(name: str) -> None:
    scenario = scene_of(name)
    engine = Engine(scenario, 1)
    plant, catalog = engine.plant, load_catalog()
    nodes = plant.nodes
    for node in np.flatnonzero(nodes.present)[:60].tolist():
        facts = facts_of(scenario, catalog, "node", nodes.ids[node])
        assert facts is not None
        kind = LoopKind(int(plant.loops.kind[nodes.loop[node]]))
        assert facts.cooled_by == {kind.name.lower().replace("_", "-")}, nodes.ids[node]
        assert facts.cards == engine.outages.cards(node).any()
        supplies = facts.counts.get("supplies")
        assert (supplies.there if supplies else 0) == engine.power.lose_supplies("node", node, 0)
    for item, id in enumerate(plant.power.ids[:200]):
        stage = facts_of(scenario, catalog, "power", id)
        assert stage is not None
        assert stage.battery == (plant.power.energy_j[item] > 0), id
