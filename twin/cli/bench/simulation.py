"""How fast the engine runs a whole scene, and the planner estimates and searches.

``python -m twin.cli.bench.simulation [RUN]`` runs the scene in a process of its own, recorded into RUN where that is
given, and prints CPU time and memory.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np

from twin.catalog import load_catalog
from twin.cli.bench.facility import measured_apart, peak_mb
from twin.planning.job.job import LlmJob, cut, estimate
from twin.planning.risk.risk import outcome, risk_of
from twin.planning.search.search import search
from twin.plant.build import build
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load

SCENE = "builtin:llama3-16k"
_ESTIMATES = 200
_SEEKS = 200
_SEARCHES = 5


def measure_run() -> dict[str, float | None]:
    """Return CPU time and memory that 54 days of the scene take, by key."""
    cpu_s, memory_mb = measured_apart("twin.cli.bench.simulation")
    return {
        "simulation_cpu_s": cpu_s,
        "simulation_mb": memory_mb,
        "simulated_s_per_cpu_s": None if cpu_s is None else load(SCENE).scenario.duration_s / cpu_s,
    }


def measure_recording() -> dict[str, float | None]:
    """Return CPU time of the same run recorded, and of seeks in its recording, by key."""
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
        path = Path(folder) / "bench.twinrun"
        cpu_s, _memory_mb = measured_apart("twin.cli.bench.simulation", str(path))
        p99_ms = None if cpu_s is None else seek_p99_ms(path)
    return {"recorded_cpu_s": cpu_s, "seek_p99_ms": p99_ms}


def measure_planning() -> dict[str, float]:
    """Return the figures of the planner by key."""
    return {"estimate_us": estimate_us(), "cuts_1000_s": cuts_1000_s(), "sample_cpu_s": sample_cpu_s()}


def seek_p99_ms(path: Path) -> float:
    """Return the 99th percentile of the times of looks at random moments of a recording [ms]."""
    spent_ms = []
    with Reader(path) as reader:
        for t_s in np.random.default_rng(1).uniform(0.0, reader.t_end_s, _SEEKS).tolist():
            began = perf_counter()
            reader.frame(t_s)
            spent_ms.append(1e3 * (perf_counter() - began))
    return float(np.percentile(spent_ms, 99))


def cuts_1000_s() -> float:
    """Return the median CPU time of a search, for 1,000 of its parallelism layouts [s]."""
    spent = []
    for _ in range(_SEARCHES):
        began = process_time()
        found = search("llama3-70b", 256, 512, "h100")
        spent.append((process_time() - began) * 1000 / found.tried)
    return median(spent)


def estimate_us() -> float:
    """Return the median time of one estimate of a 16,384-GPU job [us]."""
    job = LlmJob("llama3-405b", cut(16384, 2048, tp=8, pp=16, vp=4), "h100")
    estimate(job)
    spent = []
    for _ in range(_ESTIMATES):
        began = perf_counter()
        estimate(job)
        spent.append(perf_counter() - began)
    return median(spent) * 1e6


def sample_cpu_s() -> float:
    """Return the CPU time of 1,000 runs of the reliability model of the scene's job [s]."""
    scenario, catalog = load(SCENE).scenario, load_catalog()
    risk = risk_of(scenario, build(scenario, catalog), catalog)
    began = process_time()
    outcome(risk)
    return process_time() - began


def main(*path: str) -> None:
    """Print CPU time [s] and peak memory [MB] of the scene; record it into `path` where it is given."""
    result = run(load(SCENE).scenario, record=path[0] if path else None)
    print(json.dumps([result.cpu_s, peak_mb()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
