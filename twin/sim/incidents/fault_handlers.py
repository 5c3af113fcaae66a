"""What the engine does about every kind of fault and intervention: one handler each."""

from __future__ import annotations

from twin.scenario.schema.fault_kinds.kind import CAPPED
from twin.sim.incidents import job_interventions as jobs
from twin.sim.incidents import node_interventions as nodes
from twin.sim.incidents.facility_faults import FacilityFaults
from twin.sim.incidents.fault_handler import ByTarget, FabricFault, Handler, LeakFault, MachineFault

_BROKEN = FabricFault(drawn=True)

HANDLERS: dict[str, Handler] = {
    "fail": ByTarget(
        {"power": MachineFault(FacilityFaults.supply), "switch": _BROKEN, "link": _BROKEN},
        nodes.NodeFailure(),
    ),
    "flap": FabricFault(drawn=False),
    "drain": nodes.NodeDrain(),
    "undrain": nodes.Undrain(),
    "trip": MachineFault(FacilityFaults.breaker),
    "battery_empty": MachineFault(FacilityFaults.battery),
    "no_start": MachineFault(FacilityFaults.generator),
    "psu_loss": MachineFault(FacilityFaults.supplies),
    "pump_stop": MachineFault(FacilityFaults.pumps),
    "fan_stop": MachineFault(FacilityFaults.fans),
    "valve_stuck": MachineFault(FacilityFaults.valve),
    "filter_clogged": MachineFault(FacilityFaults.filter),
    "leak": LeakFault(FacilityFaults.leak),
    "chiller_trip": MachineFault(FacilityFaults.chillers),
    "heat_rejection_loss": MachineFault(FacilityFaults.rejection),
    "heat_wave": MachineFault(FacilityFaults.heat_wave),
    "blocked_plate": MachineFault(FacilityFaults.plate),
    "bad_contact": MachineFault(FacilityFaults.contact),
    "power_cap": ByTarget(dict.fromkeys(CAPPED, MachineFault(FacilityFaults.cap)), jobs.JobCap()),
    "slow": nodes.Degrade(),
    "hang": nodes.Hang(),
    "corrupt": nodes.Degrade(),
    "pcie": nodes.Degrade(),
    "cancel": jobs.Cancel(),
    "requeue": jobs.Requeue(),
    "move": jobs.MoveJob(),
    "site_loss": MachineFault(FacilityFaults.site),
    "set": jobs.Set(),
}
"""By the ids of `twin.scenario.schema.fault_kinds`."""
