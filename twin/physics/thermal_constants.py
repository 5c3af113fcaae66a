"""The thermal chain of a GPU, and constants of the loops it hangs on.

The numbers of a part come from the catalogue; those here belong to the model. Source: PHYSICS.md section 3.
Every figure is an engineering estimate [est] fitted to published junction temperatures; none is a vendor's.
"""

from dataclasses import dataclass

from twin.physics.hydraulics import (
    AIR_CP_J_KG_K,
    AIR_DENSITY_KG_M3,
    M3_S_PER_CFM,
    M3_S_PER_LPM,
    PG25_W_K_PER_LPM,
)

STAGNANT_W_K = 2.0
"""Plate to still coolant or air [W/K]."""
SINK_AIR_J_K = 20.0
"""Heat capacity of the air in a heat sink and its duct [J/K]."""
NODE_HEAT_FACTOR = 1.35
"""Heat of a whole node over the heat of its GPUs [-]."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
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
    g_hbm_plate_w_k: float
    g_convection_w_k: float
    g_stagnant_w_k: float = STAGNANT_W_K
    g_ambient_w_k: float
    die_j_k: float
    hbm_j_k: float
    plate_j_k: float
    fluid_j_k: float
    hbm_share: float

    @property
    def junction_to_supply_k_w(self) -> float:
        """Steady die temperature over coolant supply per watt at design flow, room path ignored [K/W]."""
        convection = self.g_convection_w_k + self.g_stagnant_w_k
        return (1.0 - self.hbm_share) / self.g_die_plate_w_k + 1.0 / convection + 1.0 / self.flow_w_k


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Common constants of air- and liquid-cooled GPUs of one kind.

    Attributes
    ----------
    name : str
        GPU part name of the catalogue.
    tdp_w : float
        Rated power [W].
    hbm_share : float
        Share of the power that heats the HBM [-].
    r_die_plate_k_w, r_hbm_plate_k_w : float
        Die and HBM to cold plate or heat sink [K/W].
    g_ambient_w_k : float
        Cold plate or heat sink to the air of the hall [W/K].
    die_j_k, hbm_j_k : float
        Heat capacities [J/K].
    """

    name: str
    tdp_w: float
    hbm_share: float
    r_die_plate_k_w: float
    r_hbm_plate_k_w: float
    g_ambient_w_k: float
    die_j_k: float
    hbm_j_k: float


def liquid_part(
    package: Package,
    *,
    r_plate_coolant_k_w: float,
    coolant_flow_m3_j: float,
    plate_j_k: float,
    coolant_j_k: float,
) -> PartThermal:
    """Chain of a GPU on a direct-to-chip cold plate.

    Parameters
    ----------
    package : Package
    r_plate_coolant_k_w : float
        Plate to coolant at design flow, `STAGNANT_W_K` aside [K/W].
    coolant_flow_m3_j : float
        Design flow of PG25 per watt of rated power [m3/J].
    plate_j_k, coolant_j_k : float
        Heat capacities of the plate and the coolant in it [J/K].
    """
    flow_lpm = coolant_flow_m3_j * package.tdp_w / M3_S_PER_LPM
    return _chain(package, flow_lpm * PG25_W_K_PER_LPM, 1.0 / r_plate_coolant_k_w, plate_j_k, coolant_j_k)


def air_part(package: Package, *, r_ja_k_w: float, airflow_m3_s: float, heat_sink_j_k: float) -> PartThermal:
    """Chain of an air-cooled GPU: plate = heat sink, fluid = air through it.

    Parameters
    ----------
    package : Package
    r_ja_k_w : float
        Die to inlet air at this flow [K/W].
    airflow_m3_s : float
        Chassis air flow per GPU [m3/s].
    heat_sink_j_k : float
        Heat capacity of the heat sink [J/K].

    Returns
    -------
    PartThermal
        Convection chosen so that junction-to-inlet is the part's resistance at this flow.

    Raises
    ------
    ValueError
        When the flow is too small for the part's junction-to-inlet resistance.
    """
    flow_w_k = airflow_m3_s * AIR_DENSITY_KG_M3 * AIR_CP_J_KG_K
    convection_k_w = r_ja_k_w - (1.0 - package.hbm_share) * package.r_die_plate_k_w - 1.0 / flow_w_k
    if convection_k_w <= 0.0:
        cfm = airflow_m3_s / M3_S_PER_CFM
        raise ValueError(
            f"{cfm:.0f} CFM per GPU cannot give {package.name} its junction-to-inlet resistance (r_ja) of "
            f"{r_ja_k_w:g} K/W"
        )
    return _chain(package, flow_w_k, 1.0 / convection_k_w - STAGNANT_W_K, heat_sink_j_k, SINK_AIR_J_K)


def _chain(
    package: Package, flow_w_k: float, g_convection_w_k: float, plate_j_k: float, fluid_j_k: float
) -> PartThermal:
    return PartThermal(
        name=package.name,
        tdp_w=package.tdp_w,
        flow_w_k=flow_w_k,
        g_die_plate_w_k=1.0 / package.r_die_plate_k_w,
        g_hbm_plate_w_k=1.0 / package.r_hbm_plate_k_w,
        g_convection_w_k=g_convection_w_k,
        g_ambient_w_k=package.g_ambient_w_k,
        die_j_k=package.die_j_k,
        hbm_j_k=package.hbm_j_k,
        plate_j_k=plate_j_k,
        fluid_j_k=fluid_j_k,
        hbm_share=package.hbm_share,
    )
