"""Input: what the jobs want to read, what stores and caches deliver, and how long a step waits for it."""

from __future__ import annotations

from functools import cached_property

from twin import units
from twin.physics.input_tiers import input_wait_s
from twin.record.channels import JobState
from twin.sim.core.log import Log
from twin.sim.core.state import StateField, Stateful
from twin.sim.jobs.input_plan import InputReading, JobInput
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.stores import StoreReader, StoreShares

BEGINS, CEASES = 0.01, 0.001
"""Share of a step spent waiting from which a job counts as input-bound, and below which it no longer does."""


class Ingest(Stateful):
    """Lets jobs that step read from their stores, and says when one of them begins or ceases to wait."""

    def __init__(self, jobs: Jobs, inputs: list[JobInput | None], stores: StoreShares, log: Log) -> None:
        self.jobs, self.inputs, self.stores, self.log = jobs, inputs, stores, log
        self.bound: set[int] = set()

    @cached_property
    def readers(self) -> frozenset[int]:
        """Jobs that read anything while they step."""
        return frozenset(job for job, reading in enumerate(self.inputs) if reading is not None)

    def reads(self, job: int) -> bool:
        """Return whether a job reads anything while it steps."""
        return self.inputs[job] is not None

    def wait_s(self, now: float, step_s: dict[int, float]) -> dict[int, float]:
        """Return how long a step of each job that reads waits for its input [s].

        Parameters
        ----------
        now
            The time [s].
        step_s
            Step of every job that takes steps and reads, by its index, were all input there [s].
        """
        readings: dict[int, InputReading] = {}
        readers: dict[int, StoreReader] = {}
        for index, seconds in step_s.items():
            job_input = self.inputs[index]
            if job_input is None:
                continue
            reading = job_input.reading(self.jobs.rows[index].progress)
            readings[index] = reading
            if reading.stored_bytes > 0:
                needed = reading.stored_bytes / max(seconds, reading.node_s)
                paused = self.jobs.rows[index].state == JobState.CHECKPOINT
                readers[index] = StoreReader(reading.uses, min(needed, reading.limit_bytes_s), paused=paused)
        self.stores.read(now, readers)
        waits = {}
        for index, reading in readings.items():
            waits[index] = _wait_s(reading, readers.get(index), step_s[index])
            self._say(now, self.jobs.rows[index], waits[index], waits[index] + step_s[index])
        return waits

    def _say(self, now: float, row: JobRow, wait_s: float, step_s: float) -> None:
        if row.index not in self.bound and wait_s > BEGINS * step_s:
            self.bound.add(row.index)
            source, words = self._source(row)
            text = f"{row.id} is input-bound: {wait_s:.3g} s of each {step_s:.3g} s step waits on {words}"
            self.log.add(now, "input_bound", row.id, text, wait_s=wait_s, step_s=step_s, on=source)
        elif row.index in self.bound and wait_s <= CEASES * step_s:
            self.bound.discard(row.index)
            self.log.add(now, "input_free", row.id, f"{row.id} is no longer input-bound")

    def _source(self, row: JobRow) -> tuple[str, str]:
        """Return the busiest store of a job's chain and how busy it is; "" where its own nodes hold it up."""
        stores = self.stores
        reader = stores.readers.get(row.index)
        if reader is None or (reader.granted >= reader.asked and self._own(row) > 0):
            return "", "its own nodes"
        store = max((use.store for use in reader.uses), key=lambda s: stores.tally[s].load)
        users = sum(any(use.store == store for use in user.uses) for user in stores.readers.values())
        rate = units.render(stores.tally[store].read, "bandwidth", digits=3)
        return stores.ids[store], f"{stores.ids[store]} ({rate}, {users} job{'s' * (users > 1)})"

    def _own(self, row: JobRow) -> float:
        job_input = self.inputs[row.index]
        return job_input.reading(row.progress).node_s if job_input is not None else 0.0

    STATE = StateField("bound", set, sorted)


def _wait_s(reading: InputReading, reader: StoreReader | None, step_s: float) -> float:
    """Return how much longer than `step_s` a step lasts for its input, read ahead [s]; exactly 0 where all comes."""
    read_s = reading.node_s
    if reader is not None and reader.granted < reading.stored_bytes / max(step_s, reading.node_s):
        read_s = max(read_s, reading.stored_bytes / reader.granted)
    return float(input_wait_s(read_s, step_s)) if read_s > step_s else 0.0
