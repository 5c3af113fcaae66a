"""A part's catalogue figures as people write them: titles without abbreviations, one unit for one quantity."""

from __future__ import annotations

import re

from twin import units
from twin.app.toolkit.text import significant
from twin.catalog import Figure

_TITLES = {
    "n_gpu": "GPUs",
    "n_cpu": "CPUs",
    "nics": "NICs",
    "layout": "Contains",
    "cages": "Transceiver cages",
    "scale_up_gpus": "GPUs in one NVLink domain",
    "max_op_c": "Maximum operating temperature",
    "slowdown_c": "Slowdown temperature",
    "shutdown_c": "Shutdown temperature",
    "hbm_max_c": "Maximum HBM temperature",
    "inlet_max_c": "Maximum inlet temperature",
    "inlet_min_c": "Minimum inlet temperature",
    "rated_outdoor_c": "Rated outdoor temperature",
    "rated_supply_c": "Rated supply temperature",
    "idle_w": "Idle power",
    "max_w": "Maximum power",
    "typical_w": "Typical power",
    "measured_max_w": "Measured maximum power",
    "overhead_full_w": "Overhead at full load",
    "overhead_idle_w": "Overhead when idle",
    "power_limit_min_w": "Minimum power limit of the driver",
    "fan_w": "Fan power",
    "fans_w": "Power of its fans",
    "least_flow": "Least flow of fans or pumps",
    "standing_power": "Power of drives at any flow",
    "held_pressure": "Pressure held at any flow",
    "fan_fraction": "Fan share of power",
    "psu_count": "Power supplies",
    "psu_needed": "Power supplies needed",
    "psu_capacity_w": "Capacity of a power supply",
    "pump_count": "Pumps",
    "continuous_fraction": "Continuous load allowed",
    "hbm_power_fraction": "HBM share of power",
    "liquid_fraction": "Heat to liquid",
    "leak_w_k": "Leakage power per kelvin",
    "g_ambient_w_k": "Heat conductance to the room",
    "r_die_plate_k_w": "Thermal resistance, die to plate",
    "r_hbm_plate_k_w": "Thermal resistance, HBM to plate",
    "r_plate_coolant_k_w": "Thermal resistance, plate to coolant",
    "r_ja_k_w": "Thermal resistance, die to air",
    "gemm_clock_hz": "Clock under matrix load",
    "max_voltage_v": "Maximum voltage",
    "min_voltage_v": "Minimum voltage",
    "max_reach_m": "Maximum reach",
    "cop": "Coefficient of performance",
    "carbon_kg_j": "Carbon intensity",
    "water_m3_j": "Water use",
    "nvme_bytes": "NVMe capacity",
    "nvme_read_bytes_s": "NVMe read bandwidth",
    "nvme_write_bytes_s": "NVMe write bandwidth",
    "read_bytes_s": "Read bandwidth",
    "write_bytes_s": "Write bandwidth",
    "random_read_per_s": "Random reads",
    "battery_s": "Battery autonomy",
    "start_s": "Start time",
    "restart_s": "Restart time",
    "load_accept_s": "Time to full load",
}
_SPELLED = {
    **{word: word.upper() for word in ("tdp", "bf16", "fp8", "fp4", "hbm", "psu", "gpu", "cpu")},
    "gpus": "GPUs",
    "nvme": "NVMe",
}
_INDEX = re.compile(r"\[\d+\]$")
_UNIT = re.compile(r"_(bytes_s|flops_s|m3_s|m3_j|per_s|w_k|k_w|j_k|kg_j|usd|bytes|hz|kg|[ckwsmuvaj])$")
_LONG_NUMBER = re.compile(r"(?<![\w.])\d{4,}\b")


def figure_title(key: str) -> str:
    """Return what a figure is.

    Examples
    --------
    >>> figure_title("nics[0]"), figure_title("max_op_c"), figure_title("peak_bf16_flops_s")
    ('Network cards', 'Maximum operating temperature', 'Peak BF16')
    """
    key = _INDEX.sub("", key)
    if key in _TITLES:
        return _TITLES[key]
    title = " ".join(_SPELLED.get(word, word) for word in _UNIT.sub("", key).split("_"))
    return title[:1].upper() + title[1:]


def figure_value(figure: Figure) -> str:
    """Return its value: power, temperature and flow in the units of the live values, thousands grouped."""
    if "," not in figure.text:  # an efficiency curve is text
        match figure.unit:
            case "W":
                return units.render(figure.value, "power")
            case "degC":
                return f"{figure.value:g} °C"
            case "Hz":
                return f"{significant(figure.value / 1e6, 4)} MHz"
            case "U":
                return f"{figure.value:g} U"
            case "m3/s":
                return flow(figure.value)
    return group_thousands(figure.text).replace(" x ", " \N{MULTIPLICATION SIGN} ")


def flow(flow_m3_s: float) -> str:
    """Return a flow of air or coolant, as rules and errors say it.

    Examples
    --------
    >>> flow(11.3267), flow(0.025)
    ('11.3 m³/s', '1,500 L/min')
    """
    rounded = float(f"{flow_m3_s:.3g}")
    return group_thousands(units.render(rounded, "volume_flow")).replace("m3", "m³")


def group_thousands(written: str) -> str:
    """Return text with its long whole numbers grouped.

    Examples
    --------
    >>> group_thousands("250000 USD"), group_thousands("2 x QM9700")
    ('250,000 USD', '2 x QM9700')
    """
    return _LONG_NUMBER.sub(lambda found: f"{int(found.group()):,}", written)
