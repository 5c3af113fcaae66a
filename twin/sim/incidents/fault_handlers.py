"""What the engine does about every kind of fault and intervention: one handler each."""

from __future__ import annotations

from twin.scenario.schema.fault_kinds.kind import CAPPED
from twin.sim.incidents import job_interventions as jobs
from twin.sim.incidents import node_interventions as nodes
from twin.sim.incidents.facility_faults import ACTS, FacilityFaults
from twin.sim.incidents.fault_handler import ByTarget, FabricFault, Handler, LeakFault, MachineFault

_BROKEN = FabricFault(drawn=True)

HANDLERS: dict[str, Handler] = {
    **{kind: MachineFault(act) for kind, act in ACTS.items()},
    "fail": ByTarget(
        {"power": MachineFault(FacilityFaults.supply), "switch": _BROKEN, "link": _BROKEN},
        nodes.NodeFailure(),
    ),
    "flap": FabricFault(drawn=False),
    "drain": nodes.NodeDrain(),
    "undrain": nodes.Undrain(),
    "repair": nodes.Technician(),
    "leak": LeakFault(FacilityFaults.leak),
    "power_cap": ByTarget(dict.fromkeys(CAPPED, MachineFault(FacilityFaults.cap)), jobs.JobCap()),
    "slow": nodes.Degrade(),
    "hang": nodes.Hang(),
    "corrupt": nodes.Degrade(),
    "pcie": nodes.Degrade(),
    "cancel": jobs.Cancel(),
    "requeue": jobs.Requeue(),
    "move": jobs.MoveJob(),
    "set": jobs.Set(),
}
"""By the ids of `twin.scenario.schema.fault_kinds`."""
