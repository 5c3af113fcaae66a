"""Part types that compute or hold data: GPU, CPU, node, rack, storage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.part import Part, PartGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuPart(Part):
    """One GPU as a scheduler counts it (both dies of a package together). All rates are dense."""

    KIND: ClassVar[str] = "gpu"

    memory_bytes: float = fields.quantity("data", "HBM capacity")
    memory_bandwidth_bytes_s: float = fields.quantity("bandwidth", "HBM bandwidth")
    peak_bf16_flops_s: float = fields.quantity("compute", "Dense 16-bit matrix peak")
    peak_fp8_flops_s: float | None = fields.quantity("compute", "Dense 8-bit matrix peak", optional=True)
    peak_fp4_flops_s: float | None = fields.quantity("compute", "Dense 4-bit matrix peak", optional=True)
    sustained_bf16_flops_s: float | None = fields.quantity(
        "compute", "Measured large dense 16-bit GEMM at the default power limit", optional=True
    )
    link_bandwidth_bytes_s: float = fields.quantity("bandwidth", "Scale-up links of the GPU, per direction")
    tdp_w: float = fields.quantity("power", "Default power limit")
    power_limit_min_w: float | None = fields.quantity(
        "power", "Lowest power limit one can set", optional=True
    )
    idle_w: float = fields.quantity("power", "Power with no job")
    idle_clock_hz: float = fields.quantity("frequency", "SM clock with no job")
    boost_clock_hz: float = fields.quantity("frequency", "Highest SM clock, f_max")
    knee_clock_hz: float = fields.quantity(
        "frequency", "SM clock below which the voltage no longer falls, f_v"
    )
    gemm_clock_hz: float = fields.quantity(
        "frequency", "SM clock of a large dense 16-bit GEMM at the power limit"
    )
    min_voltage_v: float = fields.quantity("voltage", "Core voltage below the knee clock")
    max_voltage_v: float = fields.quantity("voltage", "Core voltage at the boost clock")
    leak_w_k: float = fields.quantity(
        "thermal_conductance", "Leakage power per kelvin of the die above 60 degC"
    )
    max_op_c: float = fields.quantity("temperature", "Die temperature above which clocks walk down")
    slowdown_c: float = fields.quantity("temperature", "Die temperature of the hardware slowdown")
    shutdown_c: float = fields.quantity("temperature", "Die temperature of the shutdown")
    hbm_max_c: float = fields.quantity("temperature", "HBM temperature above which it refreshes more")
    hbm_power_fraction: float = fields.quantity(
        "fraction", "Share of the power that is dissipated in the HBM"
    )
    r_ja_k_w: float | None = fields.quantity(
        "thermal_resistance", "Die to inlet air with its heat sink", optional=True
    )
    r_die_plate_k_w: float = fields.quantity("thermal_resistance", "Die to cold plate or heat sink")
    r_hbm_plate_k_w: float = fields.quantity("thermal_resistance", "HBM to cold plate or heat sink")
    r_plate_coolant_k_w: float | None = fields.quantity(
        "thermal_resistance", "Cold plate to coolant at design flow", optional=True
    )
    g_ambient_w_k: float = fields.quantity(
        "thermal_conductance", "Cold plate or heat sink to the air of the hall"
    )
    die_heat_capacity_j_k: float = fields.quantity("heat_capacity", "Die with its lid")
    hbm_heat_capacity_j_k: float = fields.quantity("heat_capacity", "HBM stacks together")
    sink_heat_capacity_j_k: float | None = fields.quantity("heat_capacity", "Heat sink", optional=True)
    plate_heat_capacity_j_k: float | None = fields.quantity("heat_capacity", "Cold plate", optional=True)
    coolant_heat_capacity_j_k: float | None = fields.quantity(
        "heat_capacity", "Coolant in the cold plate", optional=True
    )
    coolant_flow_m3_j: float | None = fields.quantity(
        "volume_per_energy", "Design coolant flow per watt of TDP", optional=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuPart(Part):
    """One CPU socket."""

    KIND: ClassVar[str] = "cpu"

    cores: int = fields.count("Cores")
    tdp_w: float = fields.quantity("power", "Power limit")
    idle_w: float | None = fields.quantity("power", "Power with no load", optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePart(Part):
    """One server or compute tray: what runs one operating system."""

    KIND: ClassVar[str] = "node"

    height_u: float = fields.number("Height in a rack", unit="U")
    depth_m: float = fields.quantity("length", "Outer depth")
    gpu: str = fields.reference("The GPU", "gpu")
    n_gpu: int = fields.count("GPUs")
    cpu: str = fields.reference("The CPU", "cpu")
    n_cpu: int = fields.count("CPU sockets")
    nics: tuple[PartGroup, ...] = fields.groups("Network adapters, use compute or storage", "nic")
    scale_up_gpus: int = fields.count("GPUs of the scale-up domain the node belongs to")
    memory_bytes: float | None = fields.quantity("data", "Host memory", optional=True)
    nvme_bytes: float | None = fields.quantity(
        "data", "Local NVMe for caching and checkpoints", optional=True
    )
    nvme_read_bytes_s: float | None = fields.quantity("bandwidth", "Local NVMe read", optional=True)
    nvme_write_bytes_s: float | None = fields.quantity("bandwidth", "Local NVMe write", optional=True)
    max_w: float = fields.quantity("power", "Nameplate input power")
    measured_max_w: float | None = fields.quantity(
        "power", "Highest input power seen in training", optional=True
    )
    idle_w: float = fields.quantity("power", "Input power with no job")
    overhead_idle_w: float = fields.quantity("power", "Input power besides the GPUs with no job")
    overhead_full_w: float = fields.quantity("power", "Input power besides the GPUs with all GPUs at TDP")
    power_entry: str = fields.choice(
        "Own power supplies, or fed from the busbar of the rack", "psu", "busbar"
    )
    psu_count: int | None = fields.count("Power supplies", optional=True)
    psu_needed: int | None = fields.count("Power supplies needed at full power", optional=True)
    psu_capacity_w: float | None = fields.quantity("power", "Capacity of one power supply", optional=True)
    converter: str = fields.reference(
        "Voltage converter between the busbar and the node, whose loss is in none of these figures",
        "psu",
        optional=True,
    )
    converters: int | None = fields.count("Such converters, sharing the load", optional=True)
    cooling: str = fields.choice("Cold plates on the GPUs or not", "air", "liquid")
    liquid_fraction: float = fields.quantity(
        "fraction", "Share of the heat that goes into the liquid", zero=True
    )
    airflow_m3_s: float = fields.quantity(
        "volume_flow", "Air through the node at full load in air of 25 degC"
    )
    fans_w: float | None = fields.quantity(
        "power", "Its fans at that, within the power besides the GPUs; none: it has no fans", optional=True
    )
    coolant_flow_m3_s: float | None = fields.quantity(
        "volume_flow", "Coolant through the node", optional=True
    )
    inlet_min_c: float = fields.quantity("temperature", "Lowest inlet air")
    inlet_max_c: float = fields.quantity("temperature", "Highest inlet air")


@dataclass(frozen=True, slots=True, kw_only=True)
class RackPart(Part):
    """One rack type; `layout` names what is in it from the floor up (empty: bare)."""

    KIND: ClassVar[str] = "rack"

    height_u: float = fields.number("Room for equipment", unit="U")
    width_m: float = fields.quantity("length", "Outer width")
    depth_m: float = fields.quantity("length", "Outer depth")
    height_m: float = fields.quantity("length", "Outer height")
    layout: tuple[PartGroup, ...] = fields.groups(
        "Equipment from the floor up", "node", "switch", "power_shelf", "cdu", "storage"
    )
    n_gpu: int = fields.count("GPUs in the rack as delivered", zero=True)
    max_w: float = fields.quantity("power", "Highest input power")
    liquid_fraction: float = fields.quantity(
        "fraction", "Share of the heat that goes into the liquid", zero=True
    )
    coolant_flow_m3_s: float | None = fields.quantity("volume_flow", "Design coolant flow", optional=True)
    shelves_needed: int | None = fields.count("Power shelves needed at full power", optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePart(Part):
    """One storage appliance, or a tier of them, as the unit one adds."""

    KIND: ClassVar[str] = "storage"

    tier: str = fields.choice("What it is to a reader", "object", "parallel", "nvme", "memory")
    read_bytes_s: float = fields.quantity("bandwidth", "Sequential read")
    write_bytes_s: float = fields.quantity("bandwidth", "Sequential write")
    random_read_per_s: float | None = fields.quantity("rate", "Small random reads", optional=True)
    first_byte_s: float | None = fields.quantity(
        "duration", "From a request to its first byte, where that limits what one reader gets", optional=True
    )
    capacity_bytes: float | None = fields.quantity("data", "Usable capacity", optional=True)
    power_w: float | None = fields.quantity("power", "Power under load", optional=True)
