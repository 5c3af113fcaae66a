"""What halls are made of: a node or rack part with its figures, worked out once for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from twin.catalog import Catalog, NodePart
from twin.commands.room.room_plan import MOST_NODES, Cabling, RackStack, RoomError, RoomRequest, stack_of
from twin.economics.price_book import PriceBook
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.hardware_profile import profile_on
from twin.planning.profile.profiles import CalibratedProfile
from twin.planning.risk.failure_table import repair_of
from twin.planning.risk.reliability_model import SampledCause
from twin.plant.design_load import node_design_w
from twin.plant.node_contents import count_of
from twin.scenario.file.catalog_causes import catalog_causes
from twin.scenario.schema.faults import Cause
from twin.scenario.schema.site import RedundancyLevel

RACK_W = {"air": 45e3, "liquid": 90e3}
"""Power of a rack of nodes, at most, by how they are cooled [est]."""
OWN_SUPPLIES = "psu"
"""Power entry of nodes that stand in any cabinet; others come in racks of their own."""
RACKS_A_ROW = 60
ROWS_RATIO = 6.0
"""Racks of a row over the number of rows, about: halls are longer along their rows."""


@dataclass(frozen=True)
class HallPart:
    """A part that a room can be filled with.

    Attributes
    ----------
    part
        Of a node, or of a rack that brings its nodes.
    node
        The node.
    stack
        What is in a full rack.
    profile
        That serves its GPUs.
    rate_s, repair_s
        Failures of one node [1/s], and how long one takes it away on average [s].
    """

    part: str
    node: NodePart
    stack: RackStack
    profile: CalibratedProfile
    rate_s: float
    repair_s: float

    @property
    def gpu(self) -> str:
        """Return the GPU part."""
        return self.node.gpu

    @property
    def domain_gpus(self) -> int:
        """Return the GPUs of a scale-up domain."""
        return min(self.node.scale_up_gpus, self.profile.profile.domain_gpus)

    @cached_property
    def design_w(self) -> float:
        """Return the design load of a node [W]."""
        return node_design_w(self.node)

    @property
    def cooling(self) -> str:
        """Return "air" or "liquid"."""
        return self.node.cooling

    def room(self, nodes: int) -> RoomRequest:
        """Return the room that holds some nodes, with the fewest to spare.

        Raises
        ------
        RoomError
            When no room holds as many.
        """
        each = min(self.stack.nodes, nodes) if self.stack.rack is None else self.stack.nodes
        needed = math.ceil(nodes / each)
        usual = max(1, round(math.sqrt(needed / ROWS_RATIO)))
        ways = []
        for rows in range(max(1, usual // 2, math.ceil(needed / (2 * RACKS_A_ROW))), 2 * usual + 1):
            racks = math.ceil(needed / rows)
            if rows * racks * each <= MOST_NODES:
                ways.append((rows * racks - needed, abs(racks - ROWS_RATIO * rows), rows, racks))
        if not ways:
            raise RoomError(
                "racks",
                f"{nodes:,} nodes in rows of equal length are more than the {MOST_NODES:,} of one room",
            )
        _, _, rows, racks = min(ways)
        return RoomRequest(part=self.part, nodes=each, rows=rows, racks=racks)


def hall_parts(catalog: Catalog, wanted: Sequence[str]) -> tuple[HallPart, ...]:
    """Return the parts that rooms can be filled with, of GPUs whose names begin as wanted, and that have a price."""
    book, found = PriceBook(catalog), []
    for name in (*catalog.ids("node"), *catalog.ids("rack")):
        if name not in book:
            continue
        one = _part(name, catalog, wanted)
        if one is not None:
            found.append(one)
    return tuple(found)


def _part(name: str, catalog: Catalog, wanted: Sequence[str]) -> HallPart | None:
    part = catalog.part(name)
    each = 1
    if isinstance(part, NodePart):
        if not part.gpu or not part.n_gpu or part.power_entry != OWN_SUPPLIES:
            return None
        each = max(1, int(RACK_W[part.cooling] // node_design_w(part)))
    while each:
        try:
            stack = stack_of(RoomRequest(part=name, nodes=each, rows=1, racks=1), catalog)
            break
        except RoomError as wrong:
            if wrong.field != "nodes":
                return None
            each -= 1
    else:
        return None
    node = stack.node
    if stack.rack is not None and node.power_entry == OWN_SUPPLIES:
        return None
    if not any(node.gpu == gpu or node.gpu.startswith(gpu) for gpu in wanted):
        return None
    try:
        profile = profile_on(node.gpu, catalog, node.id)
    except ProfileError:
        return None
    causes = [_sampled(cause, node) for cause in catalog_causes() if cause.on == "node" and cause.stops]
    rate = sum(cause.rate_s for cause in causes)
    away = sum(cause.rate_s * cause.mean_repair_s for cause in causes)
    return HallPart(name, node, stack, profile, rate, away / rate if rate else 0.0)


def _sampled(cause: Cause, node: NodePart) -> SampledCause:
    return SampledCause(
        cause.per_node_s * count_of(node, cause.each), repair_of(cause, None), 0.0, cause.planned
    )


def with_targets(
    room: RoomRequest, level: RedundancyLevel, cabling: Cabling, oversubscription: float, storage: int
) -> RoomRequest:
    """Return a room with its redundancy, network and storage."""
    return replace(
        room,
        power=level,
        cooling=level,
        cabling=cabling,
        oversubscription=oversubscription,
        storage=storage,
        generators=True,
    )
