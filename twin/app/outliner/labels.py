"""Lines of the outliner before anybody has looked at them, and the words on them. No widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from twin.language import counted
from twin.plant.tables import Plant, SwitchRole


@dataclass(frozen=True, slots=True)
class Seed:
    """What a line is of.

    Attributes
    ----------
    id
        Of the thing; "" for a heading.
    title, note
        What it is called, and in fewer words what it is: part, place, number.
    icon
        Name of a drawing.
    make
        Returns what is inside; None: nothing is.
    deep
        What is inside are GPUs: a search and the look for a thing pass them over.
    opened
        A search has found something inside.
    """

    id: str
    title: str
    note: str = ""
    icon: str = "row"
    make: Callable[[], list[Seed]] | None = None
    deep: bool = False
    opened: bool = False

    def holding(self, seeds: list[Seed]) -> Seed:
        """Return the line with only these inside."""
        return replace(self, make=lambda: seeds, opened=True)


def counted_gpus(gpus: int) -> str:
    """Return "1 GPU", "16,384 GPUs"."""
    return counted(gpus, "GPU")


def switch_seed(plant: Plant, switch: int, make: Callable[[], list[Seed]] | None = None) -> Seed:
    """Return the line of a switch."""
    switches = plant.switches
    role = SwitchRole(int(switches.role[switch])).words
    return Seed(
        switches.ids[switch], switches.ids[switch], f"{role}, {switches.part[switch]}", "switch", make
    )
