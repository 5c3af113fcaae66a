"""Lumped thermal constants of a GPU and of the loops it hangs on.

Sources: PHYSICS.md section 3 and the `lumped_thermal` entry of reference/hardware.yaml. Every figure is an
engineering estimate fitted to published junction temperatures; none is a vendor's figure.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from twin.physics.hydraulics import (
    AIR_CP_J_KG_K,
    AIR_DENSITY_KG_M3,
    M3_S_PER_CFM,
    PG25_W_K_PER_LPM,
)

Floats = NDArray[np.float64]

HBM_POWER_SHARE = 0.12
"""Share of a GPU's power that is drawn by its memory stacks [-]."""
DESIGN_HEAT_FACTOR = 1.3
"""Coolant flow is sized on this multiple of the GPUs' rated power [-]."""
NODE_HEAT_FACTOR = 1.35
"""Heat of a whole node over the heat of its GPUs [-]."""
NODE_AIR_SHARE = 0.20
"""Share of the node heat of a liquid-cooled node that goes to the room [-]."""

LIQUID_LOOP_J_K_PER_GPU = 3280.0
"""Heat capacity of each of the return and the supply half of a coolant loop [J/K per GPU]."""
AIR_LOOP_J_K_PER_GPU = 1000.0
"""Same for hot and cold aisle of an air-cooled hall, surfaces included [J/K per GPU].

Set so that the inlets of a 40.8 kW rack pass 35 C about 15 s after the CRAHs stop."""
ROOM_J_K_PER_GPU = 6000.0
PLANT_J_K_PER_GPU = 5000.0
EXCHANGER_NTU_DESIGN = 2.5
"""UA of a CDU or CRAH coil over the heat capacity flow of its loop at design flow [-]."""
FACILITY_FLOW_FACTOR = 1.1
"""Facility water flow over loop flow, both as heat capacity flow at design [-]."""
PLANT_APPROACH_K = 17.0
"""Facility return over sink temperature at design load [K]."""
PLANT_MAX_FLOW_SHARE = 0.95
"""Heat rejection conductance never exceeds this share of the facility flow [-]."""
LIQUID_ROOM_SHARE = 0.27
AIR_ROOM_SHARE = 0.05
"""Residual heat that room units are sized for over rated GPU power: liquid- and air-cooled halls [-]."""
CRAH_APPROACH_K = 8.0

LEAK_REF_C = 60.0
LEAK_CLIP_C = (20.0, 110.0)
"""Leakage power counts from the first; the die temperature it is taken at is clipped to the second [C]."""


@dataclass(frozen=True, slots=True)
class PartThermal:
    """Thermal chain of one GPU: die and HBM -> cold plate (or heat sink) -> coolant (or air) in it.

    Attributes
    ----------
    name : str
        GPU part name of the catalogue.
    tdp_w : float
        Rated power [W].
    die_j_k, hbm_j_k, plate_j_k, fluid_j_k : float
        Heat capacities [J/K].
    g_die_plate_w_k, g_hbm_plate_w_k : float
        Conductances into the plate [W/K].
    g_convection_w_k, g_stagnant_w_k : float
        Plate to fluid: G = g_convection * flow_fraction^0.8 + g_stagnant [W/K].
    g_ambient_w_k : float
        Plate to the air of the hall [W/K].
    flow_w_k : float
        Heat capacity flow through the plate at flow fraction 1 [W/K].
    hbm_share : float
        Share of the power that heats the HBM [-].
    """

    name: str
    tdp_w: float
    flow_w_k: float
    g_die_plate_w_k: float
    g_convection_w_k: float = 1.0 / 0.016
    g_hbm_plate_w_k: float = 1.0 / 0.12
    g_stagnant_w_k: float = 2.0
    g_ambient_w_k: float = 0.25
    die_j_k: float = 60.0
    hbm_j_k: float = 25.0
    plate_j_k: float = 250.0
    fluid_j_k: float = 350.0
    hbm_share: float = HBM_POWER_SHARE

    @property
    def junction_to_supply_k_w(self) -> float:
        """Steady die temperature over coolant supply per watt at design flow, room path ignored [K/W]."""
        convection = self.g_convection_w_k + self.g_stagnant_w_k
        return (1.0 - self.hbm_share) / self.g_die_plate_w_k + 1.0 / convection + 1.0 / self.flow_w_k


TDP_W = MappingProxyType(
    {
        "A100-SXM-40": 400.0,
        "A100-SXM-80": 400.0,
        "H100-SXM": 700.0,
        "H200-SXM": 700.0,
        "B200-SXM": 1000.0,
        "B300-SXM": 1100.0,
        "GB200-GPU": 1200.0,
        "GB300-GPU": 1400.0,
        "MI300X": 750.0,
    }
)
"""Rated GPU power by part (reference/hardware.yaml) [W]."""

DIE_PLATE_K_W = MappingProxyType(
    {
        "A100-SXM-40": 0.030,
        "A100-SXM-80": 0.030,
        "H100-SXM": 0.022,
        "H200-SXM": 0.022,
        "B200-SXM": 0.018,
        "B300-SXM": 0.017,
        "GB200-GPU": 0.016,
        "GB300-GPU": 0.014,
        "MI300X": 0.020,
    }
)
"""Die to plate resistance [K/W]; A100, B300 and MI300X are placed by die area beside the others."""

LIQUID_LPM_PER_KW = MappingProxyType({"B300-SXM": 1.5, "GB200-GPU": 1.5, "GB300-GPU": 1.5})
"""Coolant flow per kW of 1.3 x rated power where it is not 1.2 [lpm/kW]."""

JUNCTION_TO_INLET_K_W = MappingProxyType(
    {
        "A100-SXM-40": 0.085,
        "A100-SXM-80": 0.085,
        "H100-SXM": 0.060,
        "H200-SXM": 0.060,
        "B200-SXM": 0.037,
        "B300-SXM": 0.036,
        "MI300X": 0.055,
    }
)
"""Die to inlet air resistance of air-cooled parts (reference/hardware.yaml; B200: 52-61 C at 990 W) [K/W]."""

CHASSIS_CFM_PER_GPU = MappingProxyType(
    {
        "A100-SXM-40": 840.0 / 8,
        "A100-SXM-80": 840.0 / 8,
        "H100-SXM": 1105.0 / 8,
        "H200-SXM": 1105.0 / 8,
        "B200-SXM": 1550.0 / 8,
        "B300-SXM": 1600.0 / 8,
        "MI300X": 1200.0 / 8,
    }
)
"""Air flow of the chassis per GPU: DGX A100 840, DGX H100 1,105, DGX B200 1,550 CFM per 8 GPUs [CFM]."""


def liquid_part(name: str) -> PartThermal:
    """Chain of a GPU on a direct-to-chip cold plate.

    Parameters
    ----------
    name : str
        GPU part name; KeyError when unknown.

    Returns
    -------
    PartThermal
        With junction-to-supply .048 / .041 / .036 / .033 K/W for H100 / B200 / GB200 / GB300.
    """
    tdp_w = TDP_W[name]
    lpm = LIQUID_LPM_PER_KW.get(name, 1.2) * DESIGN_HEAT_FACTOR * tdp_w / 1000.0
    return PartThermal(
        name=name, tdp_w=tdp_w, flow_w_k=lpm * PG25_W_K_PER_LPM, g_die_plate_w_k=1.0 / DIE_PLATE_K_W[name]
    )


def air_part(name: str, airflow_cfm_per_gpu: float | None = None) -> PartThermal:
    """Chain of an air-cooled GPU: plate = heat sink, fluid = air through it.

    Parameters
    ----------
    name : str
        GPU part name; KeyError when unknown or sold for liquid only.
    airflow_cfm_per_gpu : float, optional
        Chassis air flow per GPU [CFM]; default that of the vendor's own 8-GPU node.

    Returns
    -------
    PartThermal
        Convection chosen so that junction-to-inlet is the part's published resistance at this flow.

    Raises
    ------
    ValueError
        When the flow is too small for the part's junction-to-inlet resistance.
    """
    cfm = CHASSIS_CFM_PER_GPU[name] if airflow_cfm_per_gpu is None else airflow_cfm_per_gpu
    flow_w_k = cfm * M3_S_PER_CFM * AIR_DENSITY_KG_M3 * AIR_CP_J_KG_K
    die_k_w = DIE_PLATE_K_W[name]
    convection_k_w = JUNCTION_TO_INLET_K_W[name] - (1.0 - HBM_POWER_SHARE) * die_k_w - 1.0 / flow_w_k
    if convection_k_w <= 0.0:
        raise ValueError(f"{cfm:.0f} CFM per GPU cannot give {name} its junction-to-inlet resistance")
    part = PartThermal(name=name, tdp_w=TDP_W[name], flow_w_k=flow_w_k, g_die_plate_w_k=1.0 / die_k_w)
    g_total = 1.0 / convection_k_w
    return replace(part, g_convection_w_k=g_total - part.g_stagnant_w_k, plate_j_k=600.0, fluid_j_k=20.0)
