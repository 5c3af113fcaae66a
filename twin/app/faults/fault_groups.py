"""Kinds of fault by what they hit, as menus order them; and what else a thing depends on. No widgets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twin.app.faults.break_choices import Choice, choices, target_kind
from twin.language import tr
from twin.plant.find import find
from twin.plant.links import link_id
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.scenario.checks.fault_facts import facts_of
from twin.scenario.checks.targets import TITLES
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import GROUPS, FaultKind, TargetKind


def grouped(found: Sequence[Choice], target: TargetKind) -> dict[str, list[Choice]]:
    """Return the ways to break a thing by group, in the order of the table of kinds."""
    sorted_out: dict[str, list[Choice]] = {}
    for choice in found:
        sorted_out.setdefault(KINDS[choice.kind].group_of(target), []).append(choice)
    return sorted_out


def depends_on(scenario: Scenario, plant: Plant, thing: str, frame: Frame | None) -> list[str]:
    """Return what a GPU, node or rack depends on: its cables and switch, feeds, coolant, and its job."""
    found = find(plant, thing)
    if found is None or found[0] not in ("gpu", "node", "rack"):
        return []
    kind, slot = found
    node = int(plant.gpus.node[slot]) if kind == "gpu" else slot
    if kind == "rack":
        inside = np.flatnonzero(
            (plant.nodes.rack == slot) & plant.nodes.present & (plant.nodes.gpu_count > 0)
        )
        node = int(inside[0]) if len(inside) else -1
    rack = slot if kind == "rack" else int(plant.nodes.rack[node])
    things = [plant.nodes.ids[node]] if kind == "gpu" else []
    if node >= 0 and kind != "rack":
        cables = np.flatnonzero(plant.node_links.node == node)[:1]
        things += [link_id(plant, int(cables[0]))] if len(cables) else []
        things += [plant.switches.ids[int(plant.node_links.leaf[cables[0]])]] if len(cables) else []
    feeds = (int(plant.racks.feed_a[rack]), int(plant.racks.feed_b[rack]))
    things += [plant.power.ids[item] for item in dict.fromkeys(feeds) if item >= 0]
    loops = [int(plant.nodes.loop[node])] if node >= 0 else [int(plant.racks.air_loop[rack])]
    for loop in loops:
        if loop >= 0:
            source = int(plant.loops.plant[loop])
            things += [plant.loops.ids[loop], *([plant.plants.ids[source]] if source >= 0 else [])]
    return [*things, *_job_there(scenario, plant, node, frame)]


def _job_there(scenario: Scenario, plant: Plant, node: int, frame: Frame | None) -> list[str]:
    if frame is None or node < 0:
        return []
    first = int(plant.nodes.gpu_first[node])
    held = frame.values["gpu.job"][first : first + int(plant.nodes.gpu_count[node])]
    jobs = jobs_of(scenario)
    return [jobs[k].id for k in np.unique(held).tolist() if 0 <= k < len(jobs)][:1]


def faults_near(
    scenario: Scenario, plant: Plant, thing: str | None, frame: Frame | None
) -> dict[str, list[tuple[str | None, Choice]]]:
    """Return by group what can go wrong with a thing, with what it depends on, and with the site.

    Each as the thing it happens to, None for the site, and the choice.
    """
    around = [thing, *(depends_on(scenario, plant, thing, frame) if thing is not None else [])]
    found: dict[str, list[tuple[str | None, Choice]]] = {}
    for item in dict.fromkeys([*around, None]):
        at = target_kind(scenario, plant, item)
        if at is None:
            continue
        for group, some in grouped(choices(scenario, plant, item), at[0]).items():
            found.setdefault(group, []).extend((item, choice) for choice in some)
    return {group: found[group] for group in GROUPS if group in found}


def why_no_fault(scenario: Scenario, plant: Plant, thing: str | None, kind: FaultKind) -> str:
    """Return why a thing cannot have a fault that acts on other things, or on such that have what it has not."""
    at = target_kind(scenario, plant, thing)
    if at is not None and at[0] in kind.targets:
        reason = kind.refusal(at[0], facts_of(scenario, plant.catalog, at[0], thing or "site"))[0]
        if reason:
            return tr("{thing} {reason}", thing=thing or tr("the site"), reason=reason)
    titles = [TITLES[target] for target in kind.targets if target not in ("site", "all", "path")]
    last = titles[-1] if titles else TITLES["site"]
    names = tr("{others} or {last}", others=", ".join(titles[:-1]), last=last) if titles[1:] else last
    return tr("select a {names} first", names=names)
