"""Jobs that a stream makes: when they come, how large they are and how long they run, by counter hashes.

Each draw belongs to (seed of the scenario, id of the stream, number of the job): another stream, a longer run or
another size changes none of the others.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.physics.normal import normal_quantile
from twin.physics.reliability import component_key, hash_uniform
from twin.scenario.generators.allowed_rows import RowNodes, rows_within, split
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.schema.streams import JobStream, Lengths
from twin.scenario.schema.work import Checkpointing, Job, Recovery

MAX_JOBS = 200_000
"""More than any scene can show; a stream that would make more is cut off here, and `check` refuses it."""
OFFICE_DAY = (0.4, 0.3, 0.3, 0.3, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 1.8, 1.8, 1.5, 1.7, 1.9, 1.9, 1.8, 1.6, 1.3, 1.1, 1.0,
              0.8, 0.6, 0.5)  # fmt: skip
"""Submissions by hour of the day: most in working hours, least at night, as GPU clusters report [est]."""
_HOUR_S = 3600.0


def stream_jobs(stream: JobStream, scenario: Scenario) -> list[Job]:
    """Return the jobs of one stream, in order of submission.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a node part; `check` has said so before.
    """
    rows = rows_within(scenario, stream.rows, stream.partition)
    per_node = RowNodes(scenario, catalog_of(scenario)).per_node(rows)
    key, seed = component_key(stream.id), scenario.seed
    submit_s = _submissions(stream, scenario, seed, key)
    numbers = np.arange(submit_s.size)
    sizes = np.array(stream.sizes.gpus)[_choice(stream, hash_uniform(seed, key, "size", numbers))]
    run_s = lengths_s(stream.lengths, hash_uniform(seed, key, "length", numbers))
    need_s = wall_s(run_s, stream.checkpoint, stream.recovery)
    shape = [(1, None) if stream.mig else split(int(n), per_node) for n in stream.sizes.gpus]
    shapes = dict(zip(stream.sizes.gpus, shape, strict=True))
    template = Job(
        id=stream.id,
        tenant=stream.tenant,
        user=stream.user,
        partition=stream.partition,
        rows=stream.rows,
        mig=stream.mig,
        priority=stream.priority,
        preemptible=stream.preemptible,
        flexible=stream.flexible,
        cloud=stream.cloud,
        workload=stream.workload,
        checkpoint=stream.checkpoint,
        recovery=stream.recovery,
        storage=stream.storage,
    )
    limit, deadline = stream.limit_factor, stream.deadline_factor
    longest_s = longest_limit_s(scenario, stream.partition)
    made = []
    columns = zip(submit_s.tolist(), sizes.tolist(), run_s.tolist(), need_s.tolist(), strict=True)
    for number, (submit, size, run, need) in enumerate(columns):
        nodes, gpus = shapes[size]
        change = {
            "id": f"{stream.id}-{number}",
            "submit_s": submit,
            "nodes": nodes,
            "gpus": gpus,
            "run_s": run,
            "limit_s": None if limit is None else min(limit * need, longest_s),
            "deadline_s": None if deadline is None else submit + deadline * need,
        }
        made.append(template.model_copy(update=change))
    return made


def longest_limit_s(scenario: Scenario, partition: str | None) -> float:
    """Return the longest wall time one can ask for in a partition [s]; people who want more ask for that."""
    limits = (entry.limit_s for entry in scenario.partitions if entry.id == partition)
    return next((limit for limit in limits if limit is not None), math.inf)


def expected_jobs(stream: JobStream, duration_s: float) -> float:
    """Return how many jobs a stream makes on average in `duration_s` [s]."""
    in_time = max(0.0, duration_s - stream.begin_s) / stream.arrivals.gap_s
    return in_time if stream.count is None else min(in_time, stream.count)


def lengths_s(lengths: Lengths, u: Floats) -> Floats:
    """Return running times for uniform draws `u` [s]."""
    if lengths.kind == "constant":
        drawn = np.full(u.shape, lengths.mean_s)
    elif lengths.kind == "exponential":
        drawn = -lengths.mean_s * np.log(u)
    else:  # the mean of a log-normal is exp(mu + sigma^2 / 2)
        mu = math.log(lengths.mean_s) - lengths.sigma**2 / 2
        drawn = np.exp(mu + lengths.sigma * normal_quantile(u))
    return drawn if lengths.longest_s is None else np.minimum(drawn, lengths.longest_s)


def wall_s(run_s: Floats, checkpoint: Checkpointing, recovery: Recovery) -> Floats:
    """Return the time jobs hold their GPUs when nothing goes wrong: start, work, pauses of a fixed interval [s]."""
    start_s = recovery.constant_s
    if start_s is None:
        start_s = recovery.container_s + recovery.init_s + recovery.warmup_s
    if isinstance(checkpoint.interval, str):
        return start_s + run_s
    return start_s + run_s * (1.0 + checkpoint.pause_s / checkpoint.interval)


def _choice(stream: JobStream, u: Floats) -> NDArray[np.intp]:
    """Return which of its sizes each uniform draw means."""
    weights = np.array(stream.sizes.weights or (1.0,) * len(stream.sizes.gpus), float)
    weights = np.resize(weights, len(stream.sizes.gpus))
    edges = np.cumsum(weights) / weights.sum()
    chosen: NDArray[np.intp] = np.minimum(np.searchsorted(edges, u, side="right"), edges.size - 1)
    return chosen


def _submissions(stream: JobStream, scenario: Scenario, seed: int, key: int) -> Floats:
    """Return when the jobs of a stream are submitted, before the end of the scene [s]."""
    arrivals, end_s = stream.arrivals, scenario.duration_s
    most = min(MAX_JOBS, stream.count or MAX_JOBS)
    between_s = arrivals.gap_s * arrivals.burst  # of arrivals, each of `burst` jobs on average
    guess = max(1.0, (end_s - stream.begin_s) / between_s)
    count = int(min(most, guess + 8.0 * math.sqrt(guess) + 16.0))
    while True:  # draws by counter: those of a longer row begin with those of a shorter one
        numbers = np.arange(count)
        if arrivals.kind == "even":
            at_s = stream.begin_s + numbers * between_s
        else:
            gaps = -np.log(hash_uniform(seed, key, "arrival", numbers))
            passed = np.cumsum(gaps) * between_s
            at_s = (
                stream.begin_s + passed if arrivals.kind == "poisson" else _by_hour(passed, stream, scenario)
            )
        if count >= most or at_s[-1] >= end_s:
            break
        count = min(most, 2 * count)
    if arrivals.burst > 1.0:
        u = hash_uniform(seed, key, "burst", numbers)
        together = 1 + np.floor(np.log(u) / math.log1p(-1.0 / arrivals.burst))
        at_s = np.repeat(at_s, np.minimum(together, MAX_JOBS).astype(np.int64))
    return np.asarray(at_s[at_s < end_s][:most], np.float64)


def _by_hour(passed: Floats, stream: JobStream, scenario: Scenario) -> Floats:
    """Return the times at which a daily rhythm reaches the count of a steady rate after `passed` seconds [s].

    The rate of each hour is constant, and the mean of a day is that of the steady rhythm, so time is stretched where
    little comes and pressed where much does.
    """
    weights = np.array(stream.arrivals.hours or OFFICE_DAY)
    weights = np.resize(weights, 24)
    weights = weights / weights.mean()
    begin = scenario.start.astimezone(UTC) + timedelta(seconds=stream.begin_s)
    local = begin.astimezone(_zone(scenario.site.timezone, scenario.start))
    into_s = local.hour * _HOUR_S + local.minute * 60.0 + local.second + local.microsecond * 1e-6
    edges_s = np.arange(25) * _HOUR_S
    mass_s = np.concatenate([[0.0], np.cumsum(weights)]) * _HOUR_S
    before = float(np.interp(into_s, edges_s, mass_s))
    days, rest = np.divmod(passed + before, mass_s[-1])
    at_s: Floats = stream.begin_s + days * edges_s[-1] + np.interp(rest, mass_s, edges_s) - into_s
    return at_s


def _zone(name: str, start: datetime) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):  # no time zone data on this system: the clock of the start
        return start.tzinfo or UTC
