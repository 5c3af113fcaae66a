"""Tables of the availability of a hall in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from twin.planning.risk.availability_text import WITHOUT, figure, share, systems_title


def print_availability(found: dict[str, Any]) -> None:
    """Print what `twin risk --json` has under ``availability``."""
    from twin.cli.tables import console, print_table

    show = console().print
    show(f"\navailability, {systems_title(found['in_runs'])}")
    heads = ("system", "available", "outages a year", "hours a year", "of a GPU")
    print_table(heads, list(_systems(found)), right=4)
    if found["worst"]:
        show("")
        rows = [
            (figure(row["gpu_hours"]), figure(row["outages"]), f"{row['gpus']}", row["what"])
            for row in found["worst"]
        ]
        print_table(("GPU-hours a year", "outages a year", "GPUs", "what takes them"), rows)
    job = found["job"]
    if job is not None:
        enough = ""
        if job["in_service"] is not None:
            enough = f"; enough of its {job['pool']} nodes in service {share(job['in_service'])} of the time"
        show(
            f"\njob {job['job']}: {job['interruptions']:.2g} interruptions a year by power, cooling and network, "
            f"{job['hours']:.2g} h with restarts and lost work{enough}",
            soft_wrap=True,
        )
    if found["without_rate"]:
        show(f"note: {WITHOUT}: {', '.join(found['without_rate'])}", soft_wrap=True)


def _systems(found: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for system in found["systems"]:
        yield (
            system["system"],
            share(system["available"]),
            figure(system["outages"]),
            figure(system["hours"]),
            share(system["of_gpus"]),
        )
