"""What can be wrong with a scenario once it is built."""

from __future__ import annotations


class PlantError(ValueError):
    """The scenario names something that the plant cannot have; the message is one sentence for people."""
