"""What the summary says of cloud sites, of disasters, and of owning against renting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from twin.economics.ownership import OwnershipCost, break_even_utilisation, owned_usd_gpu_h
from twin.sim.meters.hourly_totals import KWH_J
from twin.sim.summary.queue import allocation

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


def clouds(engine: RunParts, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys ``cloud``, ``disaster``, ``rentals`` and ``economics``, of what the scene has of them.

    Parameters
    ----------
    engine
        The run; read only.
    figures
        The rest of its summary.
    """
    made: dict[str, Any] = {}
    if engine.scenario.clouds:
        made["cloud"] = engine.clouds.figures(engine.now_s)
        made["disaster"] = engine.replication.figures()
    if engine.scenario.rentals:
        reclaims, never = engine.incidents.reclaims.figures(), {"reclaims": 0, "away": 0}
        made["rentals"] = {
            id: {**figures, **reclaims.get(id, never)}
            for id, figures in engine.rents.figures(engine.now_s).items()
        }
    if engine.scenario.ownership is not None:
        made["economics"] = _economics(engine, figures)
    return made


def _economics(engine: RunParts, figures: Mapping[str, Any]) -> dict[str, Any] | None:
    """Compare an own GPU-hour, at the use, PUE and energy price of this run, with the clouds' prices."""
    use, facility, pue = allocation(figures["ledger_gpu_s"]), figures["facility"], figures["pue"]
    ownership = engine.scenario.ownership
    if ownership is None or pue is None or facility["grid_j"] <= 0 or use is None:
        return None
    price_usd_kwh = facility["cost_usd"] / (facility["grid_j"] / KWH_J)
    owned = OwnershipCost(
        ownership.capital_usd,
        ownership.years,
        ownership.interest,
        ownership.operations,
        ownership.power_w,
        pue,
        price_usd_kwh,
    )
    own_usd = float(owned_usd_gpu_h(owned.fixed_usd_h, owned.energy_usd_h, use)) if use > 0 else None
    rents = {}
    for cloud in engine.scenario.clouds:
        even = float(break_even_utilisation(owned.fixed_usd_h, owned.energy_usd_h, cloud.price_usd_gpu_h))
        rents[cloud.id] = {
            "price_usd_gpu_h": cloud.price_usd_gpu_h,
            "break_even_utilisation": even if math.isfinite(even) else None,
            "cheaper": "here" if use >= even else "there",
        }
    return {
        "utilisation": use,
        "price_usd_kwh": price_usd_kwh,
        "pue": pue,
        "own_usd_gpu_h": own_usd,
        "clouds": rents,
    }
