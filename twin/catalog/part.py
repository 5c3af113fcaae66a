"""Base of all parts, and groups of parts inside another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from twin.catalog import fields

RACK_UNIT_M = 0.04445
"""Height of one rack unit [m], EIA-310."""

RACK_OPENING_M = 0.4826
"""Width of 19-inch equipment [m], EIA-310."""


@dataclass(frozen=True, slots=True)
class PartGroup:
    """`count` equal parts inside another part, `abreast` of them side by side in one height of a rack.

    `use` says what for ("compute", "storage") or is empty.
    """

    part: str
    count: int
    use: str = ""
    abreast: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A thing one can buy. `id` is its name in scenarios; None is: not known or not applicable."""

    KIND: ClassVar[str] = ""

    id: str = field()
    title: str = fields.text("Name for people")
    vendor: str = fields.text("Maker", optional=True)
    note: str = fields.text("What one must know of it", optional=True)
    price_usd: float | None = fields.quantity("currency", "Typical price, dated", optional=True)
    height_u: float | None = fields.number("Height in a rack", unit="U", optional=True)
    width_m: float | None = fields.quantity("length", "Outer width", optional=True)
    depth_m: float | None = fields.quantity("length", "Outer depth", optional=True)
    height_m: float | None = fields.quantity(
        "length", "Outer height of what stands on the floor", optional=True
    )
    weight_kg: float | None = fields.quantity("mass", "Weight as installed", optional=True)
    lead_s: float | None = fields.quantity("duration", "From the order to the delivery", optional=True)

    @property
    def size_m(self) -> tuple[float, float, float] | None:
        """Width, depth, height [m] for placing and drawing; None when the depth or height is not known."""
        height_m = self.height_m
        if height_m is None and self.height_u is not None:
            height_m = self.height_u * RACK_UNIT_M
        if height_m is None or self.depth_m is None:
            return None
        return (self.width_m if self.width_m is not None else RACK_OPENING_M, self.depth_m, height_m)
