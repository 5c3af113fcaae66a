"""A small hall with something for every kind of fault to act on."""

from __future__ import annotations

from twin.scenario import loads
from twin.scenario.schema.document import Scenario

SCENE = """\
format: twin/scenario
version: 1
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


def fault_hall() -> Scenario:
    """Return the hall."""
    return loads(SCENE).scenario
