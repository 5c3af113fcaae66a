"""The error of a scenario that cannot be built."""

from __future__ import annotations


class PlantError(ValueError):
    """The scenario names something that the plant cannot have; the message is one sentence for people."""
