"""Traffic on the fabrics of the open scene at one moment: who sits where, what is down, which flows cross what."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from twin.app.world.rows import World
from twin.planning.network.collective import Collective, collectives_of
from twin.planning.network.link_flows import Crossing, JobSeat, TrafficMap, in_rank_order
from twin.plant.tables import Plant
from twin.record.channels import JobState, State
from twin.scenario.generators.all_jobs import jobs_of

_SITTING = (JobState.STARTING, JobState.RUNNING, JobState.CHECKPOINT)
_LEAST_STEP_S = 1e-6


class Fabrics:
    """What the jobs of a scene send in a frame of it.

    Parameters
    ----------
    world
        Scene and newest frame.
    traffic
        Routes; told here which links are down.
    """

    def __init__(self, world: World, traffic: TrafficMap) -> None:
        self.world, self.traffic = world, traffic
        traffic.set_dead(self._dead())
        self.seats = self._seats()

    def seat(self, job: int) -> JobSeat | None:
        """Return where a job sits, None while it has no nodes."""
        return next((seat for seat in self.seats if seat.job == job), None)

    def crossing(self, links: NDArray[np.int32]) -> list[Crossing]:
        """Return what crosses some links now, the most first."""
        return self.traffic.crossing(links.astype(np.int64), self.seats)

    def along(self, links: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the bundles that the flows over some links run through."""
        return self.traffic.along(links.astype(np.int64), self.seats)

    def collectives(self, job: int) -> tuple[Collective, ...]:
        """Return the kinds of communication of a job; nothing while it has no nodes."""
        seat = self.seat(job)
        return () if seat is None else collectives_of(self.traffic, seat)

    def sending(self) -> tuple[int, ...]:
        """Return the jobs that send something through a fabric."""
        return tuple(seat.job for seat in self.seats if self.traffic.placement(seat) is not None)

    def key(self) -> tuple[object, ...]:
        """Return what, while it stays the same, leaves all routes as they are."""
        return (*((seat.job, seat.nodes.tobytes()) for seat in self.seats), self._dead().tobytes())

    def _seats(self) -> tuple[JobSeat, ...]:
        frame, plant = self.world.frame, self.world.plant
        if frame is None:
            return ()
        job = np.asarray(frame.values["gpu.job"])
        node = plant.gpus.node[: len(job)]
        seats = []
        jobs, state = jobs_of(self.world.scenario), frame.values["job.state"]
        sitting = np.flatnonzero(np.isin(state[: len(jobs)], [int(state) for state in _SITTING]))
        by_job = np.argsort(job, kind="stable")
        first, behind = (np.searchsorted(job[by_job], sitting, side) for side in ("left", "right"))
        for index, begin, end in zip(sitting.tolist(), first.tolist(), behind.tolist(), strict=True):
            spec, step_s = jobs[index], float(frame.values["job.step_s"][index])
            nodes = np.unique(node[by_job[begin:end]]).astype(np.int64)
            if len(nodes) == spec.nodes and step_s > _LEAST_STEP_S:
                seats.append(JobSeat(index, in_rank_order(nodes, frame.values["node.seat"]), step_s))
        return tuple(seats)

    def _dead(self) -> NDArray[np.bool_]:
        """Return which links are down: at a switch that is, or in a bundle all of whose cables are."""
        links, frame, plant = self.traffic.links, self.world.frame, self.world.plant
        dead = np.zeros(len(links), np.bool_)
        if frame is None:
            return dead
        state = np.asarray(frame.values["switch.state"])
        if len(state) == len(plant.switches.ids):
            dead |= links.of_switches((state == State.FAILED) | (state == State.OFF))
        down = np.asarray(frame.values["bundle.down"])
        if len(down) == len(plant.bundles.cables):
            dead |= ((down > 0) & (down >= plant.bundles.cables))[plant.bundles.of_link]
        return dead


class _Plant:
    """A plant by identity: its tables cannot be hashed."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Plant) and self._plant is other._plant

    def __hash__(self) -> int:
        return id(self._plant)

    @property
    def _plant(self) -> Plant:
        return self.world.plant


@lru_cache(maxsize=2)
def _traffic(plant: _Plant) -> TrafficMap:
    world = plant.world
    return TrafficMap(world.plant, world.catalog, jobs_of(world.scenario))


def forget() -> None:
    """Keep no routes of a scene that is put away, nor the scene for their sake."""
    _traffic.cache_clear()


def fabrics_of(world: World) -> Fabrics:
    """Return the traffic of a moment; routes are found once per scene and state of its links."""
    return Fabrics(world, _traffic(_Plant(world)))
