"""How the cost of a run grows with its size: one job over all GPUs, or jobs of 512, in halls of 4,096 to 262,144 GPUs.

``python -m twin.cli.bench.growth jobs 64`` runs six hours of one hall, of 64 rows of 1,024 GPUs, in a process of its
own and prints CPU time and memory; without arguments it measures all of them and prints the table that the help draws.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from time import process_time

import numpy as np

from twin.cli.bench.facility import measured_apart, peak_mb
from twin.runtime.loading import engine_type
from twin.runtime.protocol import ENGINE
from twin.scenario import loads
from twin.scenario.schema.document import Scenario

ROW_GPUS, JOB_NODES = 1024, 64
ROWS = (4, 16, 32, 64, 128, 256)
FITTED_ROWS = ROWS[1:]
"""Slopes are fitted from 16,384 GPUs on."""
RUN_S = 6 * 3600.0
REPEATS = 3
KINDS = ("one", "jobs")
_MODULE = "twin.cli.bench.growth"

Costs = Mapping[str, Sequence[tuple[float, float]]]
"""CPU time [s] and memory [MB] by kind, for each size."""


def measure() -> dict[str, float | None]:
    """Return the slopes by key, None where a run failed."""
    costs = measured(FITTED_ROWS)
    gpus = [ROW_GPUS * rows for rows in FITTED_ROWS]
    return {
        f"growth_{kind}_{what}_slope": None
        if costs is None
        else slope(gpus, [row[place] for row in costs[kind]])
        for kind in KINDS
        for place, what in enumerate(("cpu", "memory"))
    }


def measured(sizes: Iterable[int]) -> Costs | None:
    """Return the cost of jobs in halls of so many rows: what the same hall costs without jobs is taken off."""
    costs: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    for rows in sizes:
        medians = {}
        for kind in ("empty", *KINDS):
            runs = [measured_apart(_MODULE, kind, str(rows)) for _ in range(REPEATS)]
            cpu_s, memory_mb = ([run[place] for run in runs] for place in (0, 1))
            if None in cpu_s or None in memory_mb:
                return None
            medians[kind] = median(x for x in cpu_s if x), median(x for x in memory_mb if x)
        for kind in KINDS:
            cpu_s, memory_mb = np.subtract(medians[kind], medians["empty"]).tolist()
            costs[kind].append((cpu_s, memory_mb))
    return costs


def slope(gpus: Sequence[float], costs: Sequence[float]) -> float | None:
    """Return by which power of the size a cost grows; None where something costs nothing.

    >>> slope([1.0, 10.0, 100.0], [2.0, 20.0, 200.0])
    1.0
    """
    if min(costs) <= 0.0:
        return None
    return round(float(np.polyfit(np.log(gpus), np.log(costs), 1)[0]), 6)


def hall(rows: int, kind: str) -> Scenario:
    """Return a hall of so many rows of 1,024 GPUs: ``empty``, with ``one`` job over all, or ``jobs`` of 512 GPUs."""
    nodes = ROW_GPUS // 8 * rows
    text = _HALL.format(rows=rows, pdus=8 * rows, racks=max(8, 4 * rows), net_m=3 * rows + 20)
    if kind == "one":
        text += "jobs:\n" + _JOB.format(id="all", nodes=nodes, model="llama3-405b", cut=_WIDE)
    elif kind == "jobs":
        jobs = (
            _JOB.format(id=f"job-{number}", nodes=JOB_NODES, model="llama3-70b", cut=_NARROW)
            for number in range(nodes // JOB_NODES)
        )
        text += "jobs:\n" + "".join(jobs)
    return loads(text, f"growth-{kind}").scenario


_HALL = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: Growth with size
duration: 1 day
site: {{climate: {{dry_bulb: 9 degC, wet_bulb: 6 degC, swing: 9 K}}}}
halls:
  - id: hall
    rows:
      - id: gpu
        count: {rows}
        pitch: 3 m
        racks: {{count: 32, nodes: [{{part: GrandTeton-H100, count: 4, first_u: 5}}]}}
      - {{id: net, at: {{y: {net_m} m}}, racks: {{count: {racks}, role: network}}}}
fabrics:
  - id: roce
    kind: fat-tree
    rows: [gpu]
    leaf: {{part: TH5-64x800G}}
    spine: {{part: TH5-64x800G, racks: net}}
    core: {{part: TH5-64x800G, racks: net}}
    cable: SMF-800G-2xDR4
power:
  - {{id: utility, kind: utility, capacity: 900 MW}}
  - {{id: main, kind: switchgear, from: utility}}
  - {{id: trafo-a, kind: transformer, part: transformer-MV-LV, count: {rows}, from: main}}
  - {{id: trafo-b, kind: transformer, part: transformer-MV-LV, count: {rows}, from: main}}
  - {{id: pdu-a, kind: pdu, part: floor-PDU, count: {pdus}, from: trafo-a, feeds: [gpu, net]}}
  - {{id: pdu-b, kind: pdu, part: floor-PDU, count: {pdus}, from: trafo-b, feeds: [gpu, net]}}
cooling:
  plants: [{{id: water, kind: chiller, part: chiller-water-cooled, supply: 20 degC}}]
  loops:
    - {{id: crah, kind: air, part: FanWall-500, count: {rows}, units: 4, plant: water, serves: [gpu, net]}}
failures:
  lemons: false
  causes: [{{id: faulty_gpu, rate: 419 per 110592 node-day, repair: gpu}}]
"""

_JOB = """  - id: {id}
    nodes: {nodes}
    workload: {{kind: llm, model: {model}, global_batch: {nodes}, sequence: 8192, parallelism: {cut}}}
    checkpoint: {{interval: 1 h}}
"""
_WIDE = "{tensor: 8, pipeline: 16, context: 2, interleave: 2}"
_NARROW = "{tensor: 8, pipeline: 4}"


def main(*names: str) -> None:
    """Print what one hall costs, or all of them: kind of job, GPUs, CPU seconds, megabytes."""
    if names:
        kind, rows = names
        scenario, before_mb = hall(int(rows), kind), peak_mb() or 0.0
        engine = engine_type(ENGINE)(scenario)
        engine.advance(1.0)
        began_s = process_time()
        engine.advance(RUN_S)
        print(json.dumps([process_time() - began_s, (peak_mb() or 0.0) - before_mb]))
        return
    costs = measured(ROWS)
    if costs is None:
        sys.exit(1)
    gpus = [ROW_GPUS * rows for rows in ROWS]
    print(
        json.dumps({kind: [[n, *cost] for n, cost in zip(gpus, costs[kind], strict=True)] for kind in KINDS})
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
