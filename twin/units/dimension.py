"""The kinds of quantity the program knows, each with its SI unit and the unit names it accepts."""

from __future__ import annotations

from dataclasses import dataclass, field

_MINUTE = 60.0
_HOUR = 3600.0
_DAY = 86400.0
_MONTH = 30.4375 * _DAY
_YEAR = 365.25 * _DAY
_KWH_J = 3.6e6
_CFM_M3_S = 0.3048**3 / 60.0
_LPM_M3_S = 1e-3 / 60.0
_ZERO_C_K = 273.15


@dataclass(frozen=True, slots=True)
class Dimension:
    """One kind of quantity.

    Attributes
    ----------
    name
        Key of the table, "power".
    title
        With its article for messages, "a power".
    si_unit
        Unit of the float inside the program, "W".
    suffix
        Ending of field names that hold it, "w" as in `power_w`; empty for a pure number.
    example
        A correct text, "132 kW".
    factors
        Accepted unit text -> factor to the SI unit.
    display
        Units `render` chooses from, smallest first.
    offsets
        Unit text -> value added after the factor (temperature only).
    pint_unit
        The SI unit as pint writes it; empty when only the table is accepted.
    bare_number
        Whether a number without unit is accepted.
    """

    name: str
    title: str
    si_unit: str
    suffix: str
    example: str
    factors: dict[str, float]
    display: tuple[str, ...]
    pint_unit: str = ""
    offsets: dict[str, float] = field(default_factory=dict)
    bare_number: bool = False


_PREFIX = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_LARGE = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}


def _prefixed(unit: str, prefixes: dict[str, float], scale: float = 1.0) -> dict[str, float]:
    return {prefix + unit: factor * scale for prefix, factor in prefixes.items()}


def _named(scale: float, *names: str) -> dict[str, float]:
    return dict.fromkeys(names, scale)


def _only(prefixes: dict[str, float], keep: str) -> dict[str, float]:
    return {prefix: factor for prefix, factor in prefixes.items() if prefix in keep.split(",")}


_DURATION = {
    **_only(_prefixed("s", _PREFIX), "ns,us,µs,ms,s"),
    **_named(1.0, "sec", "second", "seconds"),
    **_named(_MINUTE, "min", "minute", "minutes"),
    **_named(_HOUR, "h", "hr", "hour", "hours"),
    **_named(_DAY, "d", "day", "days"),
    **_named(7 * _DAY, "week", "weeks"),
    **_named(_MONTH, "month", "months"),
    **_named(_YEAR, "yr", "year", "years"),
}

_DATA = {
    **_prefixed("B", _LARGE | _BINARY),
    **_prefixed("b", _LARGE | _BINARY, 1 / 8),
    **_prefixed("bit", _LARGE, 1 / 8),
    **_named(1.0, "byte", "bytes"),
}

_BANDWIDTH = {f"{unit}/s": factor for unit, factor in _DATA.items()} | _prefixed("bps", _LARGE, 1 / 8)


def _rates() -> dict[str, float]:
    """Return events per time: "/day", "per 1000 day", "/(1000 node-day)", "/kday", "%/month", "Hz"."""
    factors = {"Hz": 1.0}
    for unit, seconds in _DURATION.items():
        for per in (unit, f"node-{unit}"):
            factors.update(_named(1 / seconds, f"/{per}", f"1/{per}", f"per {per}"))
            thousand = (f"/(1000 {per})", f"/1000 {per}", f"per 1000 {per}", f"/k{per}", f"1/k{per}")
            factors.update(_named(1e-3 / seconds, *thousand))
            factors.update(_named(1e-2 / seconds, f"%/{per}", f"% per {per}"))
    return factors


_ALL = (
    Dimension(
        "power",
        "a power",
        "W",
        "w",
        "132 kW",
        _prefixed("W", _only(_PREFIX | _LARGE, "m,,k,M,G")),
        ("W", "kW", "MW", "GW"),
        "W",
    ),
    Dimension(
        "energy",
        "an energy",
        "J",
        "j",
        "5 MWh",
        _prefixed("J", _only(_LARGE, ",k,M,G,T")) | _prefixed("Wh", _only(_LARGE, ",k,M,G,T"), _HOUR),
        ("J", "Wh", "kWh", "MWh", "GWh"),
        "J",
    ),
    Dimension(
        "temperature",
        "a temperature",
        "degC",
        "c",
        "45 degC",
        {"degC": 1.0, "°C": 1.0, "C": 1.0, "K": 1.0, "degF": 5 / 9, "°F": 5 / 9},
        ("degC",),
        offsets={"K": -_ZERO_C_K, "degF": -160 / 9, "°F": -160 / 9},
    ),
    Dimension(
        "temperature_difference",
        "a temperature difference",
        "K",
        "k",
        "8 K",
        {"K": 1.0, "mK": 1e-3, "delta_degC": 1.0},
        ("K",),
    ),
    Dimension(
        "duration",
        "a duration",
        "s",
        "s",
        "10 min",
        _DURATION,
        ("ns", "us", "ms", "s", "min", "h", "d"),
        "s",
    ),
    Dimension(
        "length",
        "a length",
        "m",
        "m",
        "0.6 m",
        {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048},
        ("m", "km"),
        "m",
    ),
    Dimension("area", "an area", "m2", "m2", "600 m2", {"m2": 1.0, "m^2": 1.0, "m²": 1.0}, ("m2",), "m**2"),
    Dimension(
        "volume",
        "a volume",
        "m3",
        "m3",
        "200 L",
        {"L": 1e-3, "l": 1e-3, "mL": 1e-6, "m3": 1.0, "m^3": 1.0, "m³": 1.0},
        ("L", "m3"),
        "m**3",
    ),
    Dimension(
        "mass",
        "a mass",
        "kg",
        "kg",
        "130.5 kg",
        {"g": 1e-3, "kg": 1.0, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237},
        ("g", "kg", "t"),
        "kg",
    ),
    Dimension(
        "mass_flow", "a mass flow", "kg/s", "kg_s", "2.5 kg/s", {"kg/s": 1.0, "g/s": 1e-3}, ("kg/s",), "kg/s"
    ),
    Dimension(
        "volume_flow",
        "a volume flow",
        "m3/s",
        "m3_s",
        "150 L/min",
        {
            **_named(_LPM_M3_S, "L/min", "l/min", "lpm", "LPM"),
            **_named(_CFM_M3_S, "CFM", "cfm"),
            **_named(1e-3, "L/s", "l/s"),
            **_named(1.0, "m3/s", "m^3/s", "m³/s"),
            **_named(1 / _HOUR, "m3/h", "m^3/h", "m³/h"),
        },
        ("L/min", "m3/s"),
        "m**3/s",
    ),
    Dimension(
        "pressure",
        "a pressure",
        "Pa",
        "pa",
        "120 kPa",
        {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "bar": 1e5, "mbar": 1e2, "psi": 6894.757293168, "kg/m2": 9.80665},
        ("Pa", "kPa"),
        "Pa",
    ),
    Dimension(
        "bandwidth",
        "a bandwidth",
        "B/s",
        "bytes_s",
        "400 Gb/s",
        _BANDWIDTH,
        ("B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"),
        "byte/s",
    ),
    Dimension(
        "data",
        "an amount of data",
        "B",
        "bytes",
        "80 GB",
        _DATA,
        ("B", "kB", "MB", "GB", "TB", "PB", "EB"),
        "byte",
    ),
    Dimension(
        "compute",
        "a compute rate",
        "FLOP/s",
        "flops_s",
        "989 TFLOP/s",
        _prefixed("FLOP/s", _LARGE) | _prefixed("FLOPS", _LARGE) | _prefixed("flop/s", _LARGE),
        ("FLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"),
        "FLOP/s",
    ),
    Dimension(
        "frequency",
        "a frequency",
        "Hz",
        "hz",
        "1980 MHz",
        _prefixed("Hz", _only(_PREFIX | _LARGE, "m,,k,M,G")),
        ("mHz", "Hz", "kHz", "MHz", "GHz"),
        "Hz",
    ),
    Dimension(
        "currency",
        "an amount of money",
        "USD",
        "usd",
        "25000 USD",
        _prefixed("USD", _only(_LARGE, ",k,M,G")),
        ("USD",),
        "USD",
    ),
    Dimension(
        "power_ramp",
        "a change of power in time",
        "W/s",
        "w_s",
        "5 MW/min",
        {
            "W/s": 1.0,
            "kW/s": 1e3,
            "MW/s": 1e6,
            "kW/min": 1e3 / 60,
            "MW/min": 1e6 / 60,
            "MW/h": 1e6 / 3600,
        },
        ("kW/min", "MW/min", "kW/s"),
        "W/s",
    ),
    Dimension(
        "energy_price",
        "a price of energy",
        "USD/J",
        "usd_j",
        "0.08 USD/kWh",
        {"USD/kWh": 1 / _KWH_J, "USD/MWh": 1e-3 / _KWH_J, "USD/J": 1.0},
        ("USD/kWh",),
        "USD/J",
    ),
    Dimension(
        "rent_price",
        "a price of time",
        "USD/s",
        "usd_s",
        "2.4 USD/h",
        {"USD/h": 1 / 3600.0, "USD/s": 1.0},
        ("USD/h",),
    ),
    Dimension(
        "carbon_intensity",
        "a carbon intensity",
        "kg/J",
        "kg_j",
        "414 g/kWh",
        {
            **_named(1e-3 / _KWH_J, "g/kWh", "kg/MWh", "gCO2/kWh", "g CO2/kWh"),
            **_named(1 / _KWH_J, "kg/kWh", "t/MWh", "kgCO2/kWh"),
            "kg/J": 1.0,
        },
        ("g/kWh",),
        "kg/J",
    ),
    Dimension(
        "thermal_resistance",
        "a thermal resistance",
        "K/W",
        "k_w",
        "0.048 K/W",
        {"K/W": 1.0, "K/kW": 1e-3, "mK/W": 1e-3, "degC/W": 1.0},
        ("K/W",),
        "kelvin/W",
    ),
    Dimension(
        "thermal_conductance",
        "a thermal conductance",
        "W/K",
        "w_k",
        "0.25 W/K",
        {"W/K": 1.0, "kW/K": 1e3, "MW/K": 1e6},
        ("W/K", "kW/K", "MW/K"),
        "W/kelvin",
    ),
    Dimension(
        "heat_capacity",
        "a heat capacity",
        "J/K",
        "j_k",
        "250 J/K",
        {"J/K": 1.0, "kJ/K": 1e3, "MJ/K": 1e6, "GJ/K": 1e9},
        ("J/K", "kJ/K", "MJ/K"),
        "J/kelvin",
    ),
    Dimension(
        "volume_per_energy",
        "a volume per energy",
        "m3/J",
        "m3_j",
        "1.8 L/kWh",
        {
            **_named(1e-3 / _KWH_J, "L/kWh", "l/kWh", "m3/MWh"),
            **_named(_LPM_M3_S / 1e3, "lpm/kW", "LPM/kW"),
            "m3/J": 1.0,
        },
        ("L/kWh",),
        "m**3/J",
    ),
    Dimension("voltage", "a voltage", "V", "v", "415 V", {"V": 1.0, "kV": 1e3, "mV": 1e-3}, ("V", "kV"), "V"),
    Dimension("current", "a current", "A", "a", "60 A", {"A": 1.0, "kA": 1e3, "mA": 1e-3}, ("A", "kA"), "A"),
    Dimension(
        "angle",
        "an angle",
        "deg",
        "deg",
        "90 deg",
        {"deg": 1.0, "°": 1.0, "rad": 57.29577951308232},
        ("deg",),
    ),
    Dimension(
        "rate",
        "a rate of events",
        "1/s",
        "per_s",
        "3.8 per 1000 day",
        _rates(),
        ("per 1000 day", "/s"),
    ),
    Dimension(
        "fraction",
        "a fraction",
        "",
        "",
        "25 %",
        {"%": 1e-2, "percent": 1e-2, "‰": 1e-3, "ppm": 1e-6},
        ("%",),
        bare_number=True,
    ),
)

DIMENSIONS: dict[str, Dimension] = {dimension.name: dimension for dimension in _ALL}
"""Every kind of quantity by name."""
