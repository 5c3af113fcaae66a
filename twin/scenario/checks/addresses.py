"""The networks of the IP and VLAN plan: their sizes from the generators of a scene, and what is wrong with them.

A network is cut into subnets of one row of racks each, for each of its rails. Rows and racks have room to grow, so that
addresses stay when some are added at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import combinations

from twin.catalog import Catalog, NodePart, RackPart
from twin.scenario.checks.fabric import connected
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import Addresses
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

DEFAULTS: dict[str, tuple[str, int]] = {
    "facility": ("172.16.0.0/16", 10),
    "out_of_band": ("10.0.0.0/10", 100),
    "in_band": ("10.64.0.0/10", 600),
    "storage": ("10.128.0.0/10", 1100),
    "compute": ("10.192.0.0/10", 2100),
}
"""Prefix and first VLAN of each network where the scene says none: private ranges of RFC 1918."""
UNITS = 64
"""Addresses of a rack for each column of devices: one for each rack unit, and those that no device may have."""
FACILITY_ROOM = 16
"""Least addresses of the machines of one stage or loop."""
MOST_VLAN = 4094
_LEAST_ROWS, _LEAST_RACKS = 4, 32
_MOST_COOLERS = 500
"""Machines of a facility loop; as many as the heat needs where the scene does not say it."""


@dataclass(frozen=True)
class AddressSpace:
    """One network with its subnets: those of the rows, again for each rail.

    Parameters
    ----------
    key
        Its name under `site.addresses`.
    network
        All its addresses.
    vlan
        Of the first subnet.
    rails, rows
        How many subnets there are: each row has one in each rail.
    row_addresses
        Addresses of a subnet, a power of two.
    rack_addresses
        Of them for one rack.
    tagged
        Whether it has VLANs; InfiniBand has none.
    """

    key: str
    network: IPv4Network
    vlan: int
    rails: int
    rows: int
    row_addresses: int
    rack_addresses: int
    tagged: bool = True

    @property
    def needed(self) -> int:
        """Return how many addresses its subnets take."""
        return self.rails * self.rows * self.row_addresses

    @property
    def needed_prefix(self) -> int:
        """Return the length of the longest prefix that is large enough."""
        return 32 - (max(1, self.needed) - 1).bit_length()

    @property
    def vlans(self) -> range:
        """Return the VLANs that it takes."""
        return range(self.vlan, self.vlan + (self.rails * self.rows if self.tagged else 0))

    def subnet(self, rail: int, row: int) -> IPv4Network:
        """Return the subnet of a row in a rail."""
        place = rail * self.rows + row
        first = int(self.network.network_address) + place * self.row_addresses
        return IPv4Network((first, 32 - (self.row_addresses - 1).bit_length()))

    def vlan_of(self, rail: int, row: int) -> int | None:
        """Return the VLAN of a row in a rail, None where there are none."""
        return self.vlan + rail * self.rows + row if self.tagged else None


@dataclass(frozen=True)
class AddressPlan:
    """All networks, and where rows, fabrics and machines are in them.

    Parameters
    ----------
    spaces
        By key.
    first_row
        Number of the first row of each generator.
    first_rail
        Of each fabric among the rails of the compute network.
    first_machine
        Place of the first machine of each power stage, loop and facility loop in the facility network.
    """

    spaces: dict[str, AddressSpace]
    first_row: dict[str, int]
    first_rail: dict[str, int]
    first_machine: dict[str, int]


def address_plan(scenario: Scenario, catalog: Catalog) -> AddressPlan:
    """Return the networks of a scene; raises UnknownPart."""
    said = scenario.site.addresses or Addresses()
    first_row, rows, longest = {}, 0, 0
    for generator in (rows_of for hall in scenario.halls for rows_of in hall.rows):
        first_row[generator.id] = rows
        rows += power_of_two(max(_LEAST_ROWS, generator.count))
        longest = max(longest, generator.racks.count)
    racks = power_of_two(said.racks_per_row or max(_LEAST_RACKS, longest + 1))
    columns, adapters = _devices(scenario, catalog)
    first_rail, rails, tagged = {}, 0, False
    for fabric in scenario.fabrics:
        first_rail[fabric.id] = rails
        rails += connected(scenario, fabric, catalog).most_cards * fabric.homes
        leaf = fabric.leaf.part if fabric.leaf is not None else None
        spoken = fabric.technology or (catalog.switch(leaf).technology if leaf is not None else "")
        tagged |= not is_infiniband(spoken, catalog)
    first_machine, machines = _machines(scenario)
    rack_addresses = UNITS * power_of_two(columns)
    of_rows = {
        "out_of_band": (1, True),
        "in_band": (1, True),
        "storage": (adapters, True),
        "compute": (rails, tagged),
    }
    spaces = {}
    for key, (prefix, vlan) in DEFAULTS.items():
        network = getattr(said, key)
        base = IPv4Network(network.prefix or prefix), network.vlan or vlan
        if key == "facility":
            spaces[key] = AddressSpace(key, *base, 1, 1, power_of_two(machines + 2), 1)
        else:
            many, has_vlans = of_rows[key]
            spaces[key] = AddressSpace(
                key, *base, many, max(1, rows), racks * rack_addresses, rack_addresses, has_vlans
            )
    return AddressPlan(spaces, first_row, first_rail, first_machine)


def power_of_two(least: int) -> int:
    """Return the least power of two that is no less than a number."""
    return 1 << (max(1, least) - 1).bit_length()


def storage_adapters(part: NodePart) -> int:
    """Return how many network adapters for storage a node has."""
    return sum(group.count for group in part.nics if group.use == "storage")


def is_infiniband(technology: str, catalog: Catalog) -> bool:
    """Return whether a technology of the catalogue is InfiniBand, which has partitions in place of VLANs."""
    return technology in catalog and getattr(catalog.part(technology), "family", "") == "infiniband"


def addresses(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what is wrong with the addresses that a scene gives; without any nothing is."""
    said = scenario.site.addresses
    if said is None:
        return
    longest = max((rows.racks.count for hall in scenario.halls for rows in hall.rows), default=0)
    at: Path = ("site", "addresses")
    if said.racks_per_row is not None and said.racks_per_row < longest:
        reason = f"is fewer than the {longest:,} racks of the longest row"
        yield (*at, "racks_per_row"), reason, f"write {longest:,} or more"
        return
    spaces = address_plan(scenario, catalog).spaces
    for space in spaces.values():
        for key, reason, hint in misfits(space):
            yield (*at, space.key, key), reason, hint
    for first, second in combinations(spaces.values(), 2):
        for key, overlap in (
            ("prefix", first.network.overlaps(second.network)),
            ("vlan", max(first.vlans.start, second.vlans.start) < min(first.vlans.stop, second.vlans.stop)),
        ):
            if not overlap:
                continue
            given = second if getattr(getattr(said, second.key), key) is not None else first
            other = first if given is second else second
            if key == "prefix":
                reason = f"overlaps that of {other.key}, {other.network}"
            else:
                reason = (
                    f"overlaps: {_span(given)} are those of its subnets, and {other.key} has {_span(other)}"
                )
            yield (
                (*at, given.key, key),
                reason,
                f"networks must be apart: {other.key} can have another one, too",
            )


def misfits(space: AddressSpace) -> Iterator[tuple[str, str, str]]:
    """Yield key, reason and hint of what does not fit into a network: its subnets, and their VLANs."""
    if space.needed > space.network.num_addresses:
        rails = f"{space.rails} rails of " if space.rails > 1 else ""
        racks = space.row_addresses // space.rack_addresses
        rooms = f"{rails}{space.rows} rows with room for {racks} racks of {space.rack_addresses} addresses"
        told = "power and cooling" if space.key == "facility" else rooms
        reason = f"is too small: {told} take {space.needed:,} addresses"
        yield "prefix", reason, f"write a prefix of /{space.needed_prefix} or shorter"
    if space.vlans and space.vlans[-1] > MOST_VLAN:
        reason = f"{len(space.vlans):,} subnets from VLAN {space.vlan} on go beyond {MOST_VLAN}"
        yield "vlan", reason, "begin lower" if len(space.vlans) < MOST_VLAN else "fewer rows"


def _span(space: AddressSpace) -> str:
    return f"VLAN {space.vlans[0]} to {space.vlans[-1]}"


def _devices(scenario: Scenario, catalog: Catalog) -> tuple[int, int]:
    """Return how many devices stand side by side in a rack at most, and the storage adapters of a node at most."""
    columns, nodes, racks = 1, set[str](), set[str]()
    for hall in scenario.halls:
        for rows in hall.rows:
            racks |= {rows.racks.part or ""}
            nodes |= {group.part for group in rows.racks.nodes}
            columns = max([columns, *(group.abreast for group in rows.racks.nodes)])
        for override in hall.overrides.values():
            racks, nodes = racks | {override.part or ""}, nodes | {override.part or ""}
    parts = [catalog.part(name) for name in racks if name in catalog]
    layouts = [group for part in parts if isinstance(part, RackPart) for group in part.layout]
    columns = max([columns, *(group.abreast for group in layouts)])
    nodes |= {group.part for group in layouts}
    found = [catalog.part(name) for name in nodes if name in catalog]
    return columns, max([1, *(storage_adapters(part) for part in found if isinstance(part, NodePart))])


def _machines(scenario: Scenario) -> tuple[dict[str, int], int]:
    """Return the first place of each stage, loop and facility loop, and how many places all take."""
    counts = [
        *((stage.id, stage.count) for stage in scenario.power),
        *((loop.id, loop.count * loop.units) for loop in scenario.cooling.loops),
        *((plant.id, _MOST_COOLERS) for plant in scenario.cooling.plants),
    ]
    first, places = {}, 1
    for id, count in counts:
        first[id] = places
        places += power_of_two(max(FACILITY_ROOM, count))
    return first, places
