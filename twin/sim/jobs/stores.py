"""Stores of a run: who reads and writes now, what each gets, and what that adds up to.

Readers are jobs that step; besides them checkpoints are on their way, to a store while they are written and from it
while a restart loads them. Reads and writes of a store share its time, bytes and operations are limited apart, and what
is short is shared max-min fair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from twin.physics.max_min import max_min_rates
from twin.plant.tables import Stores as Table
from twin.sim.core.slot_fields import Column
from twin.sim.core.state import Fields, Records, StateField, Stateful
from twin.sim.jobs.input_plan import OPERATION_BYTES, Use

FULL = 1 + 1e-12
"""A store asked for this share of what it can do is not short: rounding."""

Flow = tuple[float, tuple[Use, ...]]
"""What a reader or writer asks [B/s], and what each byte of it costs the stores."""


@dataclass(slots=True)
class StoreReader:
    """A job that reads: what it would take of its store, and what it gets, or got before it paused [B/s]."""

    uses: tuple[Use, ...]
    asked: float
    granted: float = 0.0
    paused: bool = False


@dataclass(slots=True)
class Transfer:
    """A checkpoint on its way to a store or from it; `step` is what it saves, `tier` what the store is to the job.

    It moves no faster than `cap_bytes_s`, the pace of an undisturbed one, and is done at `finish_s`; undisturbed at
    `due_s`.
    """

    job: int
    step: float
    store: int
    left_bytes: float
    cap_bytes_s: float
    due_s: float
    finish_s: float
    rate_bytes_s: float = 0.0
    late: bool = False
    tier: int = 0


@dataclass(slots=True)
class StoreTally:
    """What one store does now, has done in all, and did at most."""

    read: float = 0.0  # B/s
    write: float = 0.0
    operations: float = 0.0  # 1/s
    load: float = 0.0  # 1: busy all the time
    read_bytes: float = 0.0
    write_bytes: float = 0.0
    operation_count: float = 0.0
    busy_s: float = 0.0
    read_max: float = 0.0
    write_max: float = 0.0
    operations_max: float = 0.0
    load_max: float = 0.0

    def book(self, dt_s: float) -> None:
        """Count `dt_s` seconds of what is done now."""
        self.read_bytes += self.read * dt_s
        self.write_bytes += self.write * dt_s
        self.operation_count += self.operations * dt_s
        self.busy_s += self.load * dt_s
        if self.read > self.read_max:
            self.read_max = self.read
        if self.write > self.write_max:
            self.write_max = self.write
        if self.operations > self.operations_max:
            self.operations_max = self.operations
        if self.load > self.load_max:
            self.load_max = self.load


class StoreShares(Stateful):
    """Shares every store among its readers and writers.

    `pause`, `resume`, `end`, `load` and `end_load` say what changes at a moment; `share` then says who gets what from
    there on.

    Attributes
    ----------
    writes, loads
        Checkpoints on their way to a store, and those that are read back.
    moved
        Jobs with one of them that will be done at another time than was said; whoever follows them clears it.
    disturbed
        Whether a reader gets another rate since `read` last said what they get.
    """

    def __init__(self, table: Table) -> None:
        self.ids = table.ids
        read = np.where(np.isnan(table.read_bytes_s), np.inf, table.read_bytes_s)  # not known: no limit
        cost = np.where(
            np.isfinite(read), read / table.write_bytes_s, 0.0
        )  # reads foregone for a byte written
        self.read_limit: list[float] = read.tolist()
        self.write_cost: list[float] = np.nan_to_num(cost).tolist()
        self.operation_limit: list[float] = table.operations_s.tolist()
        stores = range(len(table.ids))
        self.write_uses = [(Use(s, 0.0, 1.0, 1 / OPERATION_BYTES),) for s in stores]
        self.load_uses = [(Use(s, 1.0, 0.0, 1 / OPERATION_BYTES),) for s in stores]
        self.tally = [StoreTally() for _ in table.ids]
        self.readers: dict[int, StoreReader] = {}
        self.writes: list[Transfer] = []
        self.loads: list[Transfer] = []
        self.at_s = 0.0
        self.moved: set[int] = set()
        self.disturbed = False
        self.stale = False

    def book(self, now: float) -> None:
        """Count what has been read and written until `now`."""
        dt = now - self.at_s
        if dt > 0:
            for use in self.tally:
                use.book(dt)
            for moving in self._moving():
                moving.left_bytes = max(0.0, moving.left_bytes - moving.rate_bytes_s * dt)
        self.at_s = now

    def read(self, now: float, readers: dict[int, StoreReader]) -> None:
        """Let these jobs read from now on, and no others; who pauses keeps what it got."""
        if not (readers or self.readers or self.writes or self.loads or self.stale):
            self.at_s, self.disturbed = now, False
            return
        self.book(now)
        for job, reader in readers.items():
            if reader.paused:
                reader.granted = self.readers[job].granted if job in self.readers else reader.asked
        self.readers = readers
        self._grant()
        self.disturbed = False

    def pause(self, now: float, job: int, writes: Sequence[Transfer]) -> None:
        """Let a job read no more, its read-ahead being full, and its checkpoint begin to move."""
        reader = self.readers.get(job)
        if reader is None and not writes:
            return
        self.book(now)
        if reader is not None:
            reader.paused = True
        self.writes += writes
        self.stale = True

    def resume(self, now: float, job: int) -> None:
        """Let a job that paused read again."""
        reader = self.readers.get(job)
        if reader is not None:
            self.book(now)
            reader.paused = False
            self.stale = True

    def end(self, now: float, job: int, done: Callable[[Transfer], bool] = lambda write: True) -> None:
        """Take note that those checkpoints of a job move no more: they are done, or given up."""
        left = [transfer for transfer in self.writes if transfer.job != job or not done(transfer)]
        if len(left) < len(self.writes):
            self.book(now)
            self.writes = left
            self.stale = True

    def load(self, now: float, load: Transfer) -> None:
        """Let a job read a checkpoint back from now on."""
        self.book(now)
        self.loads.append(load)
        self.stale = True

    def end_load(self, now: float, job: int) -> None:
        """Take note that a job reads no checkpoint any more: all of it is there, or its restart was cut off."""
        left = [load for load in self.loads if load.job != job]
        if len(left) < len(self.loads):
            self.book(now)
            self.loads = left
            self.stale = True

    def load_of(self, job: int) -> Transfer | None:
        """Return the checkpoint that a job reads back now."""
        return next((load for load in self.loads if load.job == job), None)

    def share(self) -> None:
        """Log again who gets what, if anything has changed."""
        if self.stale:
            self._grant()

    def finish_s(self, job: int) -> dict[tuple[float, int], float]:
        """Return by step and tier when each checkpoint of a job will be done, as things are [s]."""
        return {(write.step, write.tier): write.finish_s for write in self.writes if write.job == job}

    def load_bytes_s(self, store: int, limit_bytes_s: float) -> float:
        """Return what one more reader would get of a store now, of `limit_bytes_s` at most [B/s]."""
        flows = self._flows()
        if not any(use.store == store for _, uses in flows for use in uses):
            return min(limit_bytes_s, self.read_limit[store])
        flows.append((limit_bytes_s, self.load_uses[store]))
        return self._shared(flows)[-1]

    def _moving(self) -> list[Transfer]:
        return [*self.writes, *self.loads]

    def _flows(self) -> list[Flow]:
        """Return what every reader, then every write, then every load asks, and of which stores."""
        reads = [(reader.asked, reader.uses) for reader in self.readers.values() if not reader.paused]
        writes = [(write.cap_bytes_s, self.write_uses[write.store]) for write in self.writes]
        loads = [(load.cap_bytes_s, self.load_uses[load.store]) for load in self.loads]
        return reads + writes + loads

    def _grant(self) -> None:
        self.stale = False
        flows = self._flows()
        rates = [asked for asked, _ in flows]
        if math.inf in rates or self._add_up(rates, flows) > FULL:
            rates = self._shared(flows)
            self._add_up(rates, flows)
        reading = [reader for reader in self.readers.values() if not reader.paused]
        for reader, rate in zip(reading, rates, strict=False):
            self.disturbed |= abs(rate - reader.granted) > 1e-9 * reader.granted
            reader.granted = rate
        for moving, rate in zip(self._moving(), rates[len(reading) :], strict=True):
            moving.rate_bytes_s = rate
            moving.late |= rate < moving.cap_bytes_s / FULL
            if moving.late:
                finish_s = max(moving.due_s, self.at_s + moving.left_bytes / rate)
                if finish_s != moving.finish_s:
                    moving.finish_s = finish_s
                    self.moved.add(moving.job)

    def _shared(self, flows: list[Flow]) -> list[float]:
        """Return the max-min fair rates of flows that ask too much together [B/s]."""
        entries = [
            (f, link, weight)
            for f, (_, uses) in enumerate(flows)
            for use in uses
            for link, weight in (
                (2 * use.store, use.read + use.write * self.write_cost[use.store]),
                (2 * use.store + 1, use.operations),
            )
        ]
        flow, link, weight = (np.array(column) for column in zip(*entries, strict=True))
        capacity = np.column_stack((self.read_limit, self.operation_limit)).ravel()
        asked = np.array([flow[0] for flow in flows])
        rates: list[float] = max_min_rates(asked, flow, link, weight, capacity).tolist()
        return rates

    def _add_up(self, rates: list[float], flows: list[Flow]) -> float:
        """Take these rates as what the stores do now; return the highest load, above 1 where that cannot be."""
        for tally in self.tally:
            tally.read = tally.write = tally.operations = tally.load = 0.0
        for rate, (_, uses) in zip(rates, flows, strict=True):
            for use in uses:
                tally = self.tally[use.store]
                tally.read += rate * use.read
                tally.write += rate * use.write
                tally.operations += rate * use.operations
        highest = 0.0
        for s, tally in enumerate(self.tally):
            busy = (tally.read + tally.write * self.write_cost[s]) / self.read_limit[s]
            load = max(busy, tally.operations / self.operation_limit[s])
            tally.load = min(1.0, load)
            highest = max(highest, load)
        return highest

    def figures(self, now: float) -> list[dict[str, Any]]:
        """Return means and peaks of every store up to `now`; changes nothing."""
        made = []
        for id, past in zip(self.ids, self.tally, strict=True):
            tally = StoreTally(*astuple(past))
            if now > self.at_s:
                tally.book(now - self.at_s)
            totals = (tally.read_bytes, tally.write_bytes, tally.operation_count, tally.busy_s)
            mean = [total / now if now > 0 else None for total in totals]
            made.append(
                {
                    "id": id,
                    "read_mean_bytes_s": mean[0],
                    "read_max_bytes_s": tally.read_max,
                    "write_mean_bytes_s": mean[1],
                    "write_max_bytes_s": tally.write_max,
                    "iops_mean": mean[2],
                    "iops_max": tally.operations_max,
                    "load_mean": mean[3],
                    "load_max": tally.load_max,
                }
            )
        return made

    STATE = Fields(
        StateField("at_s"),
        Column(
            "tally",
            "storage",
            list,
            load=lambda saved: [StoreTally(*figures) for figures in saved],
            save=lambda tally: [astuple(figures) for figures in tally],
        ),
        StateField(
            "readers",
            lambda saved: {
                job: StoreReader(tuple(Use(*use) for use in uses), *rest) for job, uses, *rest in saved
            },
            lambda readers: [
                [job, [astuple(use) for use in reader.uses], reader.asked, reader.granted, reader.paused]
                for job, reader in readers.items()
            ],
        ),
        Records("writes", Transfer),
        Records("loads", Transfer, missing=[]),
    )
