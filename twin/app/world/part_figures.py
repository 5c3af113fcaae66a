"""A part's catalogue figures as people write them: titles without abbreviations, one unit for one quantity."""

from __future__ import annotations

import re

from twin import units
from twin.app.toolkit.text import significant
from twin.catalog import Figure
from twin.language import tr

_TITLES = {
    "n_gpu": "GPUs",
    "n_cpu": "CPUs",
    "nics": "NICs",
    "layout": tr("Contains"),
    "cages": tr("Transceiver cages"),
    "scale_up_gpus": tr("GPUs in one NVLink domain"),
    "max_op_c": tr("Maximum operating temperature"),
    "slowdown_c": tr("Slowdown temperature"),
    "shutdown_c": tr("Shutdown temperature"),
    "hbm_max_c": tr("Maximum HBM temperature"),
    "inlet_max_c": tr("Maximum inlet temperature"),
    "inlet_min_c": tr("Minimum inlet temperature"),
    "rated_outdoor_c": tr("Rated outdoor temperature"),
    "rated_supply_c": tr("Rated supply temperature"),
    "idle_w": tr("Idle power"),
    "max_w": tr("Maximum power"),
    "typical_w": tr("Typical power"),
    "measured_max_w": tr("Measured maximum power"),
    "overhead_full_w": tr("Overhead at full load"),
    "overhead_idle_w": tr("Overhead when idle"),
    "power_limit_min_w": tr("Minimum power limit of the driver"),
    "fan_w": tr("Fan power"),
    "fans_w": tr("Power of its fans"),
    "least_flow": tr("Least flow of fans or pumps"),
    "standing_power": tr("Power of drives at any flow"),
    "held_pressure": tr("Pressure held at any flow"),
    "fan_fraction": tr("Fan share of power"),
    "psu_count": tr("Power supplies"),
    "psu_needed": tr("Power supplies needed"),
    "psu_capacity_w": tr("Capacity of a power supply"),
    "pump_count": tr("Pumps"),
    "continuous_fraction": tr("Continuous load allowed"),
    "hbm_power_fraction": tr("HBM share of power"),
    "liquid_fraction": tr("Heat to liquid"),
    "leak_w_k": tr("Leakage power per kelvin"),
    "g_ambient_w_k": tr("Heat conductance to the room"),
    "r_die_plate_k_w": tr("Thermal resistance, die to plate"),
    "r_hbm_plate_k_w": tr("Thermal resistance, HBM to plate"),
    "r_plate_coolant_k_w": tr("Thermal resistance, plate to coolant"),
    "r_ja_k_w": tr("Thermal resistance, die to air"),
    "gemm_clock_hz": tr("Clock under matrix load"),
    "max_voltage_v": tr("Maximum voltage"),
    "min_voltage_v": tr("Minimum voltage"),
    "max_reach_m": tr("Maximum reach"),
    "cop": tr("Coefficient of performance"),
    "carbon_kg_j": tr("Carbon intensity"),
    "water_m3_j": tr("Water use"),
    "nvme_bytes": tr("NVMe capacity"),
    "nvme_read_bytes_s": tr("NVMe read bandwidth"),
    "nvme_write_bytes_s": tr("NVMe write bandwidth"),
    "read_bytes_s": tr("Read bandwidth"),
    "write_bytes_s": tr("Write bandwidth"),
    "random_read_per_s": tr("Random reads"),
    "battery_s": tr("Battery autonomy"),
    "start_s": tr("Start time"),
    "restart_s": tr("Restart time"),
    "load_accept_s": tr("Time to full load"),
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
                return tr("{significant} MHz", significant=significant(figure.value / 1000000.0, 4))
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
