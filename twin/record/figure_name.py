"""Names of figures of a moment, as chapters write them in braces: ``{site.gpu_max_c}``, ``{job.step_s llama3}``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.plant.tables import Plant
from twin.record.channels import BY_ID, Channel, Entity
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario

CLOCK = "clock"
"""The time of day of the moment."""
OVER_ALL = ("max", "min", "mean", "sum")
"""How the values of all things become one."""


@dataclass(frozen=True)
class FigureName:
    """A name that was understood.

    Parameters
    ----------
    channel
        Its channel; None: the clock.
    over
        How several values become one; "" for one of them.
    id
        Whose value it is; "": the site's, or of all.
    """

    channel: Channel | None
    over: str = ""
    id: str = ""


def read_name(name: str) -> FigureName | None:
    """Return what a name means, such as "gpu.temp_c max" or "loop.flow cdu/0"; None: nothing."""
    channel_id, *words = name.split()
    if channel_id == CLOCK:
        return None if words else FigureName(None)
    channel = BY_ID.get(channel_id)
    if channel is None or (channel.entity == "site") != (not words) or len(words) > 1:
        return None
    if channel.entity == "site":
        return FigureName(channel)
    if words[0] in OVER_ALL:
        return FigureName(channel, over=words[0]) if channel.shows == "number" else None
    return FigureName(channel, id=words[0])


def ids_of(entity: Entity, scenario: Scenario, plant: Plant) -> Sequence[str]:
    """Return the ids of what a channel has values of; none for single GPUs."""
    if entity == "job":
        return [job.id for job in jobs_of(scenario)]
    known: dict[Entity, Sequence[str]] = {
        "node": plant.nodes.ids,
        "rack": plant.racks.ids,
        "switch": plant.switches.ids,
        "power": plant.power.ids,
        "loop": plant.loops.ids,
        "plant": plant.plants.ids,
        "hall": plant.halls.ids,
        "store": plant.stores,
    }
    return known.get(entity, ())
