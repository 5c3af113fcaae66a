"""How fast the engine runs whole facilities: a day of RAPS's machine, a day of 100,000 GPUs with faults.

``python -m twin.cli.bench.facility raps`` (or ``giant``) runs one of them in a process of its own and prints CPU time
and memory, which then are its own: the peak of a process that has done other things before says nothing.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from time import process_time

from twin.record.frame import Frame
from twin.runtime.inline import peak_rss_bytes
from twin.runtime.loading import engine_type
from twin.runtime.protocol import ENGINE, RunEngine
from twin.scenario import loads
from twin.scenario.schema.document import Scenario

DAY_S = 86400.0
RAPS_INTERVAL_S = 15.0
RAPS_JOBS = 96
"""One every 900 s, of 1 to 3,000 nodes, for 1 to 12 hours: RAPS's synthetic mix for Frontier (recalled)."""
FAULTS = (
    "2 h pump_stop cdu/3 for=20s",
    "3 h pump_stop cdu/7 count=1 for=1h",
    "4 h valve_stuck cdu/9 value=30% for=1h",
    "5 h leak gpu/3/5 for=2h",
    "6 h trip pdu-a/11 for=30min",
    "7 h fail ups-a/2 for=1h",
    "8 h blocked_plate gpu/4/7/1/3 value=40% for=6h",
    "8.5 h bad_contact gpu/6/7/1/2 value=3 for=6h",
    "9 h psu_loss gpu/8/3/2 count=3 for=3h",
    "10 h chiller_trip water count=1 for=1h",
    "11 h fan_stop crah/0 count=1 for=1h",
    "12 h heat_wave site value=6K for=6h",
    "13 h fail pdu-b/20 for=1h",
    "14 h pump_stop water count=1 for=1h",
    "15 h power_cap gpu/10 value=1.2MW for=1h",
    "16 h fail gpu/12/0/0 for=2h",
    "17 h fail utility/0 for=20min",
    "18 h no_start genset/0 for=1h",
    "19 h battery_empty ups-b/1 for=1h",
    "20 h leak gpu/20/3 for=1h",
)
"""Twenty things that go wrong in a day, of every kind."""


def measure(name: str) -> dict[str, float | None]:
    """Return the figures of a facility, ``raps`` or ``giant``, by key; None where its run failed."""
    cpu_s, memory_mb = measured_apart("twin.cli.bench.facility", name)
    return {f"{name}_day_cpu_s": cpu_s, f"{name}_day_mb": memory_mb}


def measured_apart(module: str, *names: str) -> tuple[float | None, float | None]:
    """Run a module in a process of its own; return the CPU time [s] and the peak memory [MB] that it prints."""
    figures = figures_apart(module, *names)
    return (None, None) if figures is None else (figures[0], figures[1])


def figures_apart(module: str, *names: str) -> list[float] | None:
    """Run a module in a process of its own; return the figures that it prints, None where it failed."""
    command = [sys.executable, "-m", module, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        module_and_names = " ".join((module, *names))
        print(
            f"{module_and_names} failed: {done.stderr.strip()[-300:] or 'no reason given'}", file=sys.stderr
        )
        return None
    figures: list[float] = json.loads(done.stdout)
    return figures


def run_day(scenario: Scenario, interval_s: float | None) -> float:
    """Return CPU time of a run without its building [s].

    Parameters
    ----------
    interval_s
        A result of every series so often [s]; None: none.
    """
    engine: RunEngine = engine_type(ENGINE)(scenario)
    began = process_time()
    if interval_s is None:
        engine.advance(engine.end_s)
    else:
        frame = Frame.empty(engine.layout)
        frame.detail = False
        for k in range(1, math.floor(engine.end_s / interval_s) + 1):
            engine.advance(k * interval_s)
            engine.fill(frame)
    return process_time() - began


def peak_mb() -> float | None:
    """Return the largest memory of this process [MB]; None where the system does not tell."""
    # What Linux tells of a child counts the memory of its parent before the child's program was loaded.
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.exists() else []:
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    peak = peak_rss_bytes()
    return None if peak is None else peak / 1e6


def raps_day() -> Scenario:
    """Return a day of 38,400 GPUs with a mix of jobs known by their power alone."""
    jobs = []
    for k in range(RAPS_JOBS):
        nodes = 1 + int(3000 * _unit(3 * k))
        minutes = int(60 + 660 * _unit(3 * k + 1))
        gpu, cpu = 20 + 75 * _unit(5 * k + 2), 10 + 40 * _unit(7 * k + 3)
        jobs.append(
            f"  - {{id: job-{k}, nodes: {nodes}, submit: {int(k * DAY_S / RAPS_JOBS)} s, steps: {minutes}, "
            f"workload: {{kind: load, gpu: {gpu:.1f} %, cpu: {cpu:.1f} %}}, checkpoint: {{interval: none}}, "
            f"recovery: {{constant: 0 s}}}}"
        )
    return loads(_RAPS + "\n".join(jobs) + "\n", "raps-day").scenario


def giant_day() -> Scenario:
    """Return a day of 100,000 GPUs in a place with weather, and twenty faults."""
    from twin.scenario.reading.inject_option import parse_injection

    scenario = loads(_GIANT, "giant-day").scenario
    return scenario.model_copy(update={"interventions": tuple(parse_injection(fault) for fault in FAULTS)})


def _unit(k: int) -> float:
    """Return the k-th member of a sequence that fills 0..1 evenly."""
    return (0.6180339887498949 * (k + 1)) % 1.0


_RAPS = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: A day of 38,400 GPUs
duration: 1 day
site: {climate: {dry_bulb: 15 degC, wet_bulb: 12 degC, swing: 11 K}}
halls:
  - id: hall
    rows: [{id: cab, count: 3, pitch: 4.2 m, racks: {count: 25, pitch: 1.3 m, part: Frontier-rack}}]
power:
  - {id: utility, kind: utility, capacity: 40 MW}
  - {id: board, kind: switchgear, from: utility, feeds: [cab, cdu]}
cooling:
  plants: [{id: water, kind: cooling-tower, supply: 30 degC}]
  loops:
    - {id: cdu, kind: liquid, part: CDU-frontier, count: 25, plant: water, serves: [cab], supply: 32 degC}
    - {id: crah, kind: air, part: CRAH-chilled, units: 10, plant: water, serves: [cab], supply: 32 degC}
failures: {enabled: false}
jobs:
"""

_GIANT = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: A day of 100,000 GPUs
start: 2026-07-14T00:00-04:00
duration: 1 day
site: {timezone: America/New_York, climate: {place: ashburn}}
halls:
  - id: hall
    rows:
      - id: gpu
        count: 40
        pitch: 3 m
        racks: {count: 40, nodes: [{part: HGX-H100-DLC, count: 8, first_u: 1}]}
power:
  - {id: utility, kind: utility, capacity: 250 MW}
  - {id: trafo, kind: transformer, part: transformer-MV-LV, count: 96, from: utility}
  - {id: gear, kind: switchgear, count: 16, from: trafo}
  - {id: genset, kind: generator, part: diesel-genset-3MW, count: 64, at: gear}
  - {id: ups-a, kind: ups, part: UPS-double-conversion, count: 160, from: gear}
  - {id: ups-b, kind: ups, part: UPS-double-conversion, count: 160, from: gear}
  - {id: pdu-a, kind: pdu, part: floor-PDU, count: 800, from: ups-a, feeds: [gpu, cdu], breaker: {}}
  - {id: pdu-b, kind: pdu, part: floor-PDU, count: 800, from: ups-b, feeds: [gpu, cdu], breaker: {}}
  - {id: house, kind: switchgear, count: 4, from: gear, feeds: [crah, water]}
cooling:
  plants: [{id: water, kind: chiller, part: chiller-water-cooled, supply: 20 degC}]
  loops:
    - {id: cdu, kind: liquid, part: CDU-inrow-1350, count: 120, plant: water, serves: [gpu], supply: 28 degC}
    - {id: crah, kind: air, part: FanWall-500, units: 60, plant: water, serves: [gpu], supply: 24 degC}
jobs:
  - id: run
    nodes: 12288
    workload:
      kind: llm
      model: llama3-405b
      global_batch: 12288
      sequence: 8192
      parallelism: {tensor: 8, pipeline: 16, interleave: 2, context: 2}
    checkpoint: {interval: 20 min, pause: 10 s}
failures:
  causes: [{id: node, rate: 3.8 per 1000 node-day, repair: gpu}]
"""


def main(name: str) -> None:
    """Print CPU time [s] and peak memory [MB] of a day."""
    cpu_s = run_day(raps_day(), RAPS_INTERVAL_S) if name == "raps" else run_day(giant_day(), None)
    print(json.dumps([cpu_s, peak_mb()]))


if __name__ == "__main__":
    main(sys.argv[1])
