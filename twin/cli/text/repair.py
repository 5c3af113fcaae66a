"""Repairs, health checks and lemons of a summary as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from twin import units


def repair_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for nodes in repair, each stock, health checks and lemons; nothing of what there was none of."""
    repairs = summary.get("repairs")  # run files of before lack it
    if not repairs:
        return
    if repairs["done"] or repairs["open"]:
        waits = [
            f"{repairs[key]:,} for {what}"
            for key, what in (("waiting_for_hands", "hands"), ("waiting_for_parts", "parts"))
            if repairs[key]
        ]
        line = f"nodes repaired {repairs['done']:,}"
        if repairs["done"]:
            known = (repairs[key] for key in ("mean_down_s", "p90_down_s"))
            mean, p90 = ("unknown" if down_s is None else units.spoken(down_s) for down_s in known)
            line += f", down {mean} on average, one in ten longer than {p90}"
        line += f"; still in repair {repairs['open']:,}"
        yield line + (f", waiting: {' and '.join(waits)}" if waits else "")
        down = summary["failures"]["down"]
        yield (
            f"nodes in repair at a time {down['mean']:,.1f} on average, {down['p99']:,} or fewer for 99 % of the time, "
            f"{down['most']:,} at most"
        )
    for name, stock in repairs["parts"].items():
        yield (
            f"parts of {name}: {stock['used']:,} used, {stock['stock']:,} left, {stock['on_order']:,} on order, "
            f"{stock['waiting']:,} nodes wait"
        )
    health, lemons = summary["health"], summary["lemons"]
    if health["runs"]:
        found = ", ".join(f"{name} {one['found']:,}" for name, one in health["by_check"].items())
        yield f"health checks ran {health['runs']:,} times on a node and found: {found}"
    if lemons["out"]:
        yield f"lemons taken out {lemons['out']:,}, replaced {lemons['replaced']:,}"
