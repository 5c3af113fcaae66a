"""How the cost of a run grows with its size: one job over all GPUs, or jobs of 512, in halls of 4,096 to 262,144 GPUs.

A day of each hall is run, with the failures that its rates say: 8 at 16,384 GPUs, 124 at 262,144. Failures are drawn,
and their number decides what a run costs: a draw without one at 16,384 GPUs would make a large hall look dear, one with
four too many would make it look cheap. So each size takes the first three seeds whose number of failures is what the
rates say, within a twentieth or to the nearest whole number, and the median of the three counts. A tenth, or one more
or less, is too wide: 7 at 16,384 GPUs beside 131 at 262,144 are a slope of 1.06 by themselves. Six hours would flatter:
half of their cost is the start of the jobs, which grows with the number of GPUs alone, and the smallest hall has two
failures in them. In a day every size has several.

``python -m twin.cli.bench.growth jobs 64 3`` runs a day of one hall, of 64 rows of 1,024 GPUs, with seed 3, in a
process of its own and prints CPU time, memory and failures; without arguments it measures all of them and prints the
table that the help draws.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import median
from time import process_time
from typing import NamedTuple

import numpy as np

from twin.cli.bench.facility import DAY_S, figures_apart, peak_mb
from twin.runtime.loading import engine_type
from twin.runtime.protocol import ENGINE
from twin.scenario import loads
from twin.scenario.schema.document import Scenario

ROW_GPUS, JOB_NODES = 1024, 64
ROWS = (4, 16, 32, 64, 128, 256)
FITTED_ROWS = ROWS[1:]
"""Slopes are fitted from 16,384 GPUs on."""
RUN_S = DAY_S
FAILURES, NODE_DAYS = 419, 110_592
"""Rate of failures: those of Llama 3's nodes."""
REPEATS = 3
MOST_SEEDS = 100
"""So many seeds are tried at most; one in seven is typical of the smallest hall."""
KINDS = ("one", "jobs")
_MODULE = "twin.cli.bench.growth"


class GrowthCost(NamedTuple):
    """What runs of one size cost beyond the same halls without jobs, and their failures: medians.

    Parameters
    ----------
    cpu_s, memory_mb
        [s], [MB].
    failures
        In one run.
    """

    cpu_s: float
    memory_mb: float
    failures: float


Costs = Mapping[str, Sequence[GrowthCost]]
"""By kind, for each size."""


def measure() -> dict[str, float | None]:
    """Return the slopes and the failures of a run by key, None where a run failed."""
    costs = measured(FITTED_ROWS)
    gpus = [ROW_GPUS * rows for rows in FITTED_ROWS]
    figures: dict[str, float | None] = {
        f"growth_{kind}_{what}_slope": None
        if costs is None
        else slope(gpus, [cost[place] for cost in costs[kind]])
        for kind in KINDS
        for place, what in enumerate(("cpu", "memory"))
    }
    for place, rows in enumerate(FITTED_ROWS):
        figures[f"growth_failures_{rows}k"] = None if costs is None else costs["jobs"][place].failures
    return figures


def measured(sizes: Iterable[int]) -> Costs | None:
    """Return the cost of jobs in halls of so many rows: what the same hall costs without jobs is taken off."""
    costs: dict[str, list[GrowthCost]] = {kind: [] for kind in KINDS}
    for rows in sizes:
        empty = dict(islice(typical_runs(rows), REPEATS))
        if len(empty) < REPEATS:
            return None
        for kind in KINDS:
            runs = [figures_apart(_MODULE, kind, str(rows), str(seed)) for seed in empty]
            beyond = [
                (run[0] - bare[0], run[1] - bare[1], run[2])
                for run, bare in zip(runs, empty.values(), strict=True)
                if run is not None
            ]
            if len(beyond) < REPEATS:
                return None
            costs[kind].append(GrowthCost(*map(median, zip(*beyond, strict=True))))
    return costs


def typical_runs(rows: int) -> Iterator[tuple[int, list[float]]]:
    """Yield each seed whose failures are typical, and the figures of its run without jobs."""
    for seed in range(1, MOST_SEEDS + 1):
        run = figures_apart(_MODULE, "empty", str(rows), str(seed))
        if run is None:
            return
        if is_typical(run[2], rows):
            yield seed, run


def is_typical(failures: float, rows: int) -> bool:
    """Return whether a run of a hall of so many rows has the failures that its rates say.

    >>> [failures for failures in range(20) if is_typical(failures, 16)]
    [8]
    """
    expected = expected_failures(rows)
    return abs(failures - expected) <= max(0.5, 0.05 * expected)


def expected_failures(rows: int) -> float:
    """Return how many failures a run of a hall of so many rows has on average.

    >>> round(expected_failures(256), 1)
    124.1
    """
    return ROW_GPUS // 8 * rows * FAILURES / NODE_DAYS * RUN_S / DAY_S


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
    text = _HALL.format(
        rows=rows,
        pdus=8 * rows,
        racks=max(8, 4 * rows),
        net_m=3 * rows + 20,
        failures=FAILURES,
        node_days=NODE_DAYS,
    )
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
  causes: [{{id: faulty_gpu, rate: {failures} per {node_days} node-day, repair: gpu}}]
"""

_JOB = """  - id: {id}
    nodes: {nodes}
    workload: {{kind: llm, model: {model}, global_batch: {nodes}, sequence: 8192, parallelism: {cut}}}
    checkpoint: {{interval: 1 h}}
"""
_WIDE = "{tensor: 8, pipeline: 16, context: 2, interleave: 2}"
_NARROW = "{tensor: 8, pipeline: 4}"


def main(*names: str) -> None:
    """Print what one hall costs, or all of them: kind of job, GPUs, CPU seconds, megabytes, failures."""
    if names:
        kind, rows, seed = names
        scenario, before_mb = hall(int(rows), kind), peak_mb() or 0.0
        engine = engine_type(ENGINE)(scenario, int(seed))
        engine.advance(1.0)
        began_s = process_time()
        engine.advance(RUN_S)
        cpu_s, memory_mb = process_time() - began_s, (peak_mb() or 0.0) - before_mb
        print(json.dumps([cpu_s, memory_mb, sum(event.kind == "failure" for event in engine.events(0))]))
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
