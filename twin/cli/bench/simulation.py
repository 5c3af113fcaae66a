"""How fast the engine runs a whole scene, and the planner estimates a step."""

from __future__ import annotations

from statistics import median
from time import perf_counter, process_time

from twin.catalog import load_catalog
from twin.planning.job import LlmJob, cut, estimate
from twin.planning.risk import outcome, risk_of
from twin.plant.build import build
from twin.runtime.inline import run
from twin.scenario import load

SCENE = "builtin:llama3-16k"
_ESTIMATES = 200


def measure() -> dict[str, float]:
    """Return the figures of the simulation by key."""
    result = run(load(SCENE).scenario)
    return {
        "simulated_s_per_cpu_s": result.engine.now_s / result.cpu_s,
        "simulation_cpu_s": result.cpu_s,
        "estimate_us": estimate_us(),
        "sample_cpu_s": sample_cpu_s(),
    }


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
