"""What the engine does about every kind of fault and intervention: one handler each."""

from __future__ import annotations

from twin.scenario.schema.fault_kinds.kind import CAPPED
from twin.sim.incidents import job_interventions as jobs
from twin.sim.incidents import node_interventions as nodes
from twin.sim.incidents.facility_faults import FacilityFaults
from twin.sim.incidents.fault_handler import ByTarget, FabricFault, Handler, Leak, Machine

_BROKEN = FabricFault(drawn=True)

HANDLERS: dict[str, Handler] = {
    "fail": ByTarget(
        {"power": Machine(FacilityFaults.supply), "switch": _BROKEN, "link": _BROKEN}, nodes.NodeFailure()
    ),
    "flap": FabricFault(drawn=False),
    "drain": nodes.Drain(),
    "undrain": nodes.Undrain(),
    "trip": Machine(FacilityFaults.breaker),
    "battery_empty": Machine(FacilityFaults.battery),
    "no_start": Machine(FacilityFaults.generator),
    "psu_loss": Machine(FacilityFaults.supplies),
    "pump_stop": Machine(FacilityFaults.pumps),
    "fan_stop": Machine(FacilityFaults.fans),
    "valve_stuck": Machine(FacilityFaults.valve),
    "leak": Leak(FacilityFaults.leak),
    "chiller_trip": Machine(FacilityFaults.chillers),
    "heat_rejection_loss": Machine(FacilityFaults.rejection),
    "heat_wave": Machine(FacilityFaults.heat_wave),
    "blocked_plate": Machine(FacilityFaults.plate),
    "bad_contact": Machine(FacilityFaults.contact),
    "power_cap": ByTarget(dict.fromkeys(CAPPED, Machine(FacilityFaults.cap)), jobs.JobCap()),
    "slow": nodes.Degrade(),
    "hang": nodes.Hang(),
    "corrupt": nodes.Degrade(),
    "pcie": nodes.Degrade(),
    "cancel": jobs.Cancel(),
    "requeue": jobs.Requeue(),
    "move": jobs.Move(),
    "site_loss": Machine(FacilityFaults.site),
    "set": jobs.Set(),
}
"""By the ids of `twin.scenario.schema.fault_kinds`."""
