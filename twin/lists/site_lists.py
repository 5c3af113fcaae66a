"""All lists by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from twin.catalog import Catalog
from twin.language import tr
from twin.lists.address_plan import address_list
from twin.lists.bill_of_materials import bill_of_materials
from twin.lists.cable_schedule import cable_schedule
from twin.lists.port_map import port_map
from twin.lists.rack_loads import rack_loads
from twin.lists.table import SiteList
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True)
class ListKind:
    """A list that can be made of any scene: its title, and what makes it."""

    title: str
    make: Callable[[Scenario, Plant, Catalog], SiteList]


LISTS: dict[str, ListKind] = {
    "bom": ListKind(tr("Bill of materials"), bill_of_materials),
    "cables": ListKind(tr("Cable schedule"), cable_schedule),
    "ports": ListKind(tr("Port map"), port_map),
    "addresses": ListKind(tr("IP and VLAN plan"), address_list),
    "racks": ListKind(tr("Rack loads"), rack_loads),
}
