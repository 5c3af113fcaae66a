"""The last step to the nodes: power supplies of their own, or shelves of the rack, each on one of two feeds.

Supply k of n hangs on feed A when k is even, on feed B when it is odd, so 4+2 on two feeds is 3+3; those that fail are
taken from the last one down. A node whose live supplies are fewer than it needs is under a power brake.
"""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.catalog import Catalog
from twin.catalog.compute_parts import NodePart
from twin.catalog.power_parts import PowerShelfPart
from twin.physics.power_flow import stage_input_w
from twin.plant.tables import Plant
from twin.sim.core.slot_fields import Column
from twin.sim.core.state import Fields, Stateful


class Supplies(Stateful):
    """Power supplies and shelves: which are live, what they lose.

    Attributes
    ----------
    node_count, node_needed, node_lost
        Power supplies of each node: how many there are, are needed for full power, are out of order (N,).
    shelf_count, shelf_needed, shelf_lost
        The same of the shelves of each rack (R,); `shelves_live`: those that have a live feed.
    rack_feeds, rack_dark
        Live feeds of each rack, and whether nothing supplies it (R,).
    share_a, share_b
        What of its load each rack takes from either feed (R,) [-].
    node_dark, node_braked
        Nodes that nothing supplies, and those with too few live supplies for full power (N,).
    """

    def __init__(self, plant: Plant, catalog: Catalog) -> None:
        nodes, racks = plant.nodes, plant.racks
        self.node_rack = np.asarray(nodes.rack, np.intp)
        self.present = nodes.present
        specs = [catalog.node(name) for name in plant.node_parts]
        by_part = np.asarray(nodes.part, np.intp)
        shelved = np.asarray(racks.shelves, np.intp) > 0
        own = np.array([_supplies(spec) for spec in specs], np.intp).reshape(-1, 2)[by_part]
        own[shelved[self.node_rack]] = 0
        self.node_count, self.node_needed = own.T
        self.shelf_count = np.asarray(racks.shelves, np.intp)
        self.shelf_needed = np.asarray(racks.shelves_needed, np.intp)
        self.two_feeds = np.asarray(racks.feed_b) >= 0
        self.node_lost = np.zeros(len(nodes.ids), np.intp)
        self.shelf_lost = np.zeros(len(racks.ids), np.intp)
        self.any_shelves = bool(shelved.any())
        rows = {name: _shelf(catalog, name) for name in set(racks.shelf_part)}
        shelf = np.array([rows[name] for name in racks.shelf_part], float).reshape(-1, 3)
        self.shelf_a_w, self.shelf_b, self.shelf_c = shelf.T
        converters = [_converters(catalog, spec) for spec in specs]
        self.any_converters = any(row[0] > 0 for row in converters)
        by_node = np.array(converters, float).reshape(-1, 4)[by_part]
        self.converter_n, self.converter_a, self.converter_b, self.converter_c = by_node.T
        self.switch(np.ones(len(racks.ids), bool), np.ones(len(racks.ids), bool))

    def switch(self, live_a: Bools, live_b: Bools) -> None:
        """Take note which feeds of each rack are live (R,); without feed B only feed A counts."""
        live_b = live_b & self.two_feeds
        self.rack_feeds: IntP = live_a.astype(np.intp) + live_b
        on_a, on_b = self._on(self.shelf_count - self.shelf_lost, self.two_feeds)
        shelf_a, shelf_b = on_a * live_a, on_b * live_b
        self.shelves_live = shelf_a + shelf_b
        shelved = self.shelf_count > 0
        self.rack_dark: Bools = np.where(shelved, self.shelves_live == 0, self.rack_feeds == 0)
        weight_a = np.where(shelved, shelf_a, live_a).astype(float)
        weight_b = np.where(shelved, shelf_b, live_b).astype(float)
        total = np.maximum(weight_a + weight_b, 1e-300)
        self.share_a: Floats = weight_a / total
        self.share_b: Floats = weight_b / total
        rack = self.node_rack
        node_a, node_b = self._on(self.node_count - self.node_lost, self.two_feeds[rack])
        live = node_a * live_a[rack] + node_b * live_b[rack]
        supplied = self.node_count > 0
        self.node_dark: Bools = (self.rack_dark[rack] | (supplied & (live == 0))) & self.present
        short = np.where(supplied, live < self.node_needed, (self.shelves_live < self.shelf_needed)[rack])
        self.node_braked: Bools = short & ~self.node_dark & self.present

    @staticmethod
    def _on(count: IntP, two: Bools) -> tuple[IntP, IntP]:
        on_b = np.where(two, count // 2, 0)
        return count - on_b, on_b

    def lose(self, kind: str, slot: int, lost: int) -> int:
        """Let `lost` supplies of a node, or shelves of a rack, be out of order; return how many there are."""
        gone, count = (
            (self.node_lost, self.node_count) if kind == "node" else (self.shelf_lost, self.shelf_count)
        )
        gone[slot] = min(max(lost, 0), int(count[slot]))
        return int(count[slot])

    def rack_input_w(self, rack_dc_w: Floats) -> Floats:
        """Return what each rack takes from its feeds (R,) [W]; nothing where it is dark."""
        if not self.any_shelves:
            return np.where(self.rack_dark, 0.0, rack_dc_w)
        live = np.where(self.shelf_count > 0, self.shelves_live, 1)
        through = stage_input_w(rack_dc_w, live, self.shelf_a_w, self.shelf_b, self.shelf_c)
        return np.where(self.rack_dark, 0.0, through)

    def lit_input_w(self, rack_dc_w: Floats) -> Floats:
        """Return what each rack would take with all its sound shelves live (R,) [W]."""
        sound = np.where(self.shelf_count > 0, self.shelf_count - self.shelf_lost, 1)
        return stage_input_w(rack_dc_w, sound, self.shelf_a_w, self.shelf_b, self.shelf_c)

    def converter_loss_w(self, node_w: Floats) -> Floats:
        """Return what the voltage converters in the nodes lose (N,) [W]; nodes that are off lose nothing."""
        taken = stage_input_w(node_w, self.converter_n, self.converter_a, self.converter_b, self.converter_c)
        result: Floats = np.where((self.converter_n > 0) & (node_w > 0), taken - node_w, 0.0)
        return result

    STATE = Fields(
        Column("node_lost", "nodes", np.intp, key="node"), Column("shelf_lost", "racks", np.intp, key="shelf")
    )


def _supplies(spec: NodePart) -> tuple[int, int]:
    """Return how many power supplies a node has and needs; none known: (0, 0), it is never braked."""
    count = spec.psu_count or 0
    if spec.power_entry != "psu" or count == 0:
        return 0, 0
    needed = spec.psu_needed
    if needed is None:
        needed = math.ceil(spec.max_w / spec.psu_capacity_w) if spec.psu_capacity_w else 1
    return count, min(needed, count)


def _shelf(catalog: Catalog, name: str) -> tuple[float, float, float]:
    part = catalog.part(name) if name else None
    return part.input_coefficients() if isinstance(part, PowerShelfPart) else (0.0, 1.0, 0.0)


def _converters(catalog: Catalog, spec: NodePart) -> tuple[float, float, float, float]:
    """Return how many voltage converters a node has, and the coefficients of one."""
    if not spec.converter:
        return 0.0, 0.0, 1.0, 0.0
    return float(spec.converters or 1), *catalog.psu(spec.converter).input_coefficients()
