"""A small hall with something for every kind of fault to act on."""

from __future__ import annotations

from twin.catalog import load_catalog
from twin.scenario import loads
from twin.scenario.checks.fault_facts import facts_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import FaultKind, TargetKind

SCENE = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: All there is to break
start: 2026-01-05T08:00+01:00
duration: 2 day
site:
  climate: {dry_bulb: 12 degC, wet_bulb: 9 degC}
halls:
  - id: hall
    rows:
      - {id: gpu, racks: {count: 2, nodes: [{part: DGX-H100, count: 2}]}}
      - {id: wet, at: {y: 4 m}, racks: {count: 1, part: GB200-NVL72}}
fabrics:
  - {id: ib, kind: rail-optimised, rows: [gpu], leaf: {part: QM9700}, spine: {part: QM9700}}
power:
  - {id: grid, kind: utility}
  - {id: board, kind: switchgear, from: grid}
  - {id: gen, kind: generator, part: diesel-genset-3MW, units: 2, at: board}
  - {id: ups, kind: ups, part: UPS-double-conversion, count: 2, from: board}
  - {id: pdu, kind: pdu, part: floor-PDU, count: 2, from: ups, breaker: {rating: 125 %},
      feeds: [gpu, wet, cdu, air, water]}
cooling:
  plants:
    - {id: water, kind: chiller, units: 3}
  loops:
    - {id: cdu, kind: liquid, part: CDU-inrow-1350, plant: water, serves: [wet], pumps: 3}
    - {id: air, kind: air, part: CRAH-chilled, plant: water, serves: [gpu, wet]}
jobs:
  - {id: run, nodes: 4, rows: [gpu], workload: {kind: load, gpu: 80 %}}
  - {id: late, nodes: 4, rows: [gpu], workload: {kind: load, gpu: 80 %}}
partitions:
  - {id: batch, rows: [gpu]}
failures: {enabled: false, repair_constant: 5 min}
"""
THINGS: dict[str, tuple[str, ...]] = {
    "gpu": ("gpu/0/0/0/0", "wet/0/0/3/0"),
    "node": ("gpu/0/0/0", "wet/0/0/3"),
    "rack": ("gpu/0/0", "wet/0/0"),
    "row": ("gpu/0",),
    "hall": ("hall",),
    "switch": ("ib/0/0",),
    "link": ("gpu/0/0/0~0",),
    "power": ("pdu/0", "ups/0", "gen/0"),
    "loop": ("cdu/0", "air/0"),
    "plant": ("water",),
    "job": ("run", "late"),
    "all": ("all",),
    "site": ("site",),
    "path": ("scheduler.depth",),
}
"""Things of each kind of target; of some only one has what a fault needs."""


VALUES = {"path": "77", "rack": "20 kW", "row": "30 kW", "hall": "100 kW", "power": "100 kW"}
"""Power caps of things as a whole, and the value of a setting."""


def fault_hall() -> Scenario:
    """Return the hall."""
    return loads(SCENE).scenario


def fitting(scenario: Scenario) -> list[tuple[FaultKind, TargetKind, str]]:
    """Return every kind of fault with each kind of its targets, and the first thing there that it fits."""
    found = []
    for kind in KINDS.values():
        for target in kind.targets:
            things = [
                thing
                for thing in THINGS[target]
                if not kind.refusal(target, facts_of(scenario, load_catalog(), target, thing))[0]
            ]
            assert things, f"{kind.id} fits no {target}"
            found.append((kind, target, things[0]))
    return found


def value_for(kind: FaultKind, target: TargetKind) -> str | None:
    """Return a value that a fault of such a thing can have; None: it takes none."""
    if "value" not in kind.options:
        return None
    return VALUES[target] if target in VALUES and (kind.value == "power" or kind.is_setting) else kind.example


def line_of(kind: FaultKind, target: TargetKind, thing: str) -> str:
    """Return a fault of a thing as ``--inject`` takes it after the time."""
    value = value_for(kind, target)
    lasts = " for=1h" if "for" in kind.options else ""
    return f"{kind.id} {thing}" + (f" value='{value}'" if value else "") + lasts
