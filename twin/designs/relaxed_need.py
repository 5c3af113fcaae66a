"""What would have to stand in a need for its limits to be met: keys of its file and their values."""

from __future__ import annotations

from collections.abc import Iterable

from twin.designs.answer import enough
from twin.designs.design import Limit

_KEYS = {
    "budget": "limits.budget_usd",
    "yearly": "limits.yearly_usd",
    "power": "limits.power",
    "area": "limits.area_m2",
    "carbon": "limits.carbon_t",
    "availability": "limits.availability",
    "ready": "limits.ready",
}
_MILLIONS = ("budget", "yearly")
_BARE = ("area", "carbon")


def key_of(limit: Limit) -> str:
    """Return the key of a limit in a need: ``workloads[0].deadline``, ``limits.power``."""
    return (
        _KEYS.get(limit.name)
        or f"workloads[{limit.name.removeprefix('deadline[').removesuffix(']')}].deadline"
    )


def relaxed(limits: Iterable[Limit]) -> dict[str, str]:
    """Return by key what each limit that is exceeded would have to be, as text of YAML; rounded so that it is kept.

    Examples
    --------
    >>> relaxed([Limit("power", 45.4142, 40.0), Limit("budget", 3.2, 5.0), Limit("availability", 4.321, 1.0)])
    {'limits.power': '45.42 MW', 'limits.availability': '0.95678'}
    """
    return {key_of(limit): _text(limit) for limit in limits if limit.ratio > 1.0}


def _text(limit: Limit) -> str:
    number = enough(limit.value).replace(",", "")
    if limit.name in _MILLIONS:
        return f"{number}e+6"
    if limit.name == "availability":
        return f"{1.0 - float(number) / 100.0:.8f}".rstrip("0")
    return number if limit.name in _BARE else f"{number} {limit.unit}"
