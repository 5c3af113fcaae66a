"""How fast the engine runs a shared cluster: 30 days of 2,048 nodes with 20,000 jobs under EASY backfill.

``python -m twin.cli.bench.cluster`` runs it in a process of its own and prints CPU time and memory.
"""

from __future__ import annotations

import json

from twin.cli.bench.facility import measured_apart, peak_mb, run_day
from twin.scenario import loads
from twin.scenario.schema.document import Scenario

JOBS = 20_000


def measure() -> dict[str, float | None]:
    """Return the figures by key; None where the run failed."""
    cpu_s, memory_mb = measured_apart("twin.cli.bench.cluster")
    return {"cluster_month_cpu_s": cpu_s, "cluster_month_mb": memory_mb}


def cluster_month() -> Scenario:
    """Return the scene: nine in ten GPUs asked for, sizes from one GPU to 1,024, heavy-tailed lengths, failures."""
    return loads(_CLUSTER, "cluster-month").scenario


_CLUSTER = f"""
format: twin/scenario
version: 3
catalog: "2026.11"
title: A month of a shared cluster
duration: 30 day
site: {{climate: {{dry_bulb: 12 degC, wet_bulb: 9 degC, swing: 8 K}}}}
halls:
  - id: hall
    rows:
      - {{id: gpu, count: 16, pitch: 3 m, racks: {{count: 32, nodes: [{{part: DGX-H100, count: 4, first_u: 2}}]}}}}
cooling:
  plants: [{{id: water, kind: chiller, supply: 16 degC}}]
  loops: [{{id: crah, kind: air, part: FanWall-500, count: 16, units: 4, plant: water, serves: [gpu], supply: 22 degC}}]
tenants:
  - {{id: red, share: 2}}
  - {{id: blue}}
scheduler: {{policy: easy}}
streams:
  - id: red
    tenant: red
    count: {JOBS // 2}
    arrivals: {{kind: even, gap: 259 s}}
    sizes: {{gpus: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024], weights: [20, 6, 8, 20, 12, 10, 10, 8, 5, 1]}}
    lengths: {{kind: lognormal, mean: 11 h, sigma: 1.5, longest: 5 day}}
    limit: 3
    recovery: {{policy: requeue, constant: 2 min}}
  - id: blue
    tenant: blue
    count: {JOBS // 2}
    arrivals: {{kind: even, gap: 259 s}}
    sizes: {{gpus: [8, 16, 32, 64, 128, 256], weights: [30, 20, 20, 16, 10, 4]}}
    lengths: {{kind: lognormal, mean: 14 h, sigma: 1.2, longest: 5 day}}
    limit: 2
    workload: {{kind: load, gpu: 60 %}}
    recovery: {{policy: requeue, constant: 2 min}}
failures:
  causes:
    - {{id: gpu, rate: 2.4 per 1000 node-day, repair: gpu}}
    - {{id: software, rate: 1.4 per 1000 node-day, repair: restart}}
"""


def main() -> None:
    """Print CPU time [s] and peak memory [MB]."""
    cpu_s = run_day(cluster_month(), None)
    print(json.dumps([cpu_s, peak_mb()]))


if __name__ == "__main__":
    main()
