"""Power models and thermal chains of the shipped catalogue, built as the engine builds them."""

from dataclasses import replace

from twin.catalog import load_catalog
from twin.physics.gpu_power import GpuPowerModel
from twin.physics.hydraulics import M3_S_PER_CFM
from twin.physics.thermal_constants import PartThermal
from twin.planning.job.job_power import power_of
from twin.sim.thermal.part_models import in_air, on_cold_plate

CATALOG = load_catalog()
GPUS = sorted(CATALOG.ids("gpu"))
NODE_OF = {
    CATALOG.node(id).gpu: id for id in reversed(CATALOG.ids("node")) if CATALOG.node(id).cooling == "air"
}
"""An air-cooled node by GPU."""


def power(gpu: str) -> GpuPowerModel:
    """Return the power model of a GPU."""
    return power_of(CATALOG.gpu(gpu))


def liquid(gpu: str) -> PartThermal:
    """Return its chain under a cold plate."""
    return on_cold_plate(CATALOG.gpu(gpu))


def air(gpu: str, cfm_per_gpu: float | None = None) -> PartThermal:
    """Return its chain in the air of its own node, or at another air flow."""
    node = CATALOG.node(NODE_OF[gpu])
    if cfm_per_gpu is not None:
        node = replace(node, airflow_m3_s=cfm_per_gpu * M3_S_PER_CFM * node.n_gpu)
    return in_air(CATALOG.gpu(gpu), node)
