"""What interventions and faults act on: the parts of a run that their handlers reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from twin.plant.find import find
from twin.plant.tables import Plant
from twin.record.events import Severity, Value
from twin.scenario.schema.faults import Intervention
from twin.sim.care.degraded import Degraded
from twin.sim.care.repairs import RepairShop
from twin.sim.care.shutdowns import Shutdowns
from twin.sim.core.failure_counts import FailureTally
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.settings import ScenarioInForce
from twin.sim.core.timers import Timers
from twin.sim.fabric.outages import Outages
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.incidents.facility_faults import FacilityFaults
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler
from twin.sim.queue.cloud import Clouds
from twin.sim.queue.partition_moves import Moves
from twin.sim.thermal.clocks import Clocks


@dataclass
class Actuators:
    """The parts of one run.

    Parameters
    ----------
    arm
        Waits for the earliest failure again.
    moves, clouds
        Set once the engine has made them.
    capped
        Power caps on jobs that are in force, the latest last.
    hasten
        Lets faults of a thing end as soon as hands can; returns how long that takes [s], None: it has none that can.
    """

    timers: Timers
    log: Log
    nodes: NodeTable
    jobs: Jobs
    recovery: RecoveryHandler
    failures: FailureClocks
    clocks: Clocks
    settings: ScenarioInForce
    outages: Outages
    facility: FacilityFaults
    repairs: RepairShop
    degraded: Degraded
    shutdowns: Shutdowns
    tally: FailureTally
    arm: Callable[[], None]
    hasten: Callable[[str], tuple[float | None, bool]]
    moves: Moves = field(init=False)
    clouds: Clouds = field(init=False)
    capped: list[Intervention] = field(default_factory=list)

    @property
    def plant(self) -> Plant:
        """Return the hall as it stands."""
        return self.nodes.plant

    def target_kind(self, target: str) -> str:
        """Return what a target is, such as "rack" or "link"; "": no thing of the hall."""
        if "~" in target:
            return "link"
        found = find(self.plant, target)
        return "" if found is None else found[0]

    def nodes_of(self, target: str) -> list[int]:
        """Return the nodes of a GPU, node, rack, row or hall; none of other things."""
        from twin.plant.graph import nodes_at  # runs that drain nothing need no graphs

        nodes: list[int] = nodes_at(self.plant, target).tolist()
        return nodes

    def job(self, name: str) -> JobRow | None:
        """Return the job of that name, if there is one."""
        return next((row for row in self.jobs.rows if row.id == name), None)

    def say(
        self, kind: str, subject: str, text: str, severity: Severity | None = None, **data: Value | None
    ) -> None:
        """Log what happens now, with figures and ids by name."""
        self.log.add(self.timers.now_s, kind, subject, text, severity, where="", **data)
