"""Repairs, health checks and lemons of a summary as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from twin import units
from twin.analysis.figures import repair_time


def repair_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for nodes in repair, each stock, health checks and lemons, where there were any."""
    repairs = summary.get("repairs")  # run files of before lack it
    if not repairs:
        return
    if repairs["done"] or repairs["open"]:
        waits = [
            f"{repairs[key]:,} for {noun}"
            for key, noun in (("waiting_for_hands", "a technician"), ("waiting_for_parts", "a spare part"))
            if repairs[key]
        ]
        line = f"nodes repaired {repairs['done']:,}"
        if repairs["done"]:
            known = (repairs[key] for key in ("mean_down_s", "p90_down_s"))
            mean, p90 = ("unknown" if down_s is None else units.spoken(down_s) for down_s in known)
            of_these = "of these repairs" if repairs["open"] else "to repair"
            line += f"; time {of_these}: mean {mean}, P90 {p90}"
        line += f"; still in repair {repairs['open']:,}"
        took = repair_time(summary)
        if took is not None and took.open and took.at_least_s is not None:
            line += (
                f"; mean time to repair at least {units.spoken(round(took.at_least_s))} with these up to now"
            )
        yield line + (f", waiting: {' and '.join(waits)}" if waits else "")
        down = summary["failures"]["down"]
        yield (
            f"nodes in repair at a time: mean {down['mean']:,.1f}, P99 {down['p99']:,}, max. {down['most']:,}"
        )
    for name, stock in repairs["parts"].items():
        yield (
            f"spare parts of {name}: {stock['used']:,} used, {stock['stock']:,} left, {stock['on_order']:,} on order, "
            f"{stock['waiting']:,} nodes waiting"
        )
    health, lemons = summary["health"], summary["lemons"]
    if health["runs"]:
        found = ", ".join(f"{name} {check['found']:,}" for name, check in health["by_check"].items())
        yield f"health checks ran {health['runs']:,} times on a node and found: {found}"
    if lemons["out"]:
        yield f"lemon nodes removed {lemons['out']:,}, replaced {lemons['replaced']:,}"
