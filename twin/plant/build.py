"""A scenario to the plant: the one place where all tables are made."""

from __future__ import annotations

from twin.catalog import Catalog, load_catalog
from twin.plant.bundles import bundle
from twin.plant.cooling import connect_cooling
from twin.plant.fabric import connect_fabrics, fabric_table
from twin.plant.halls import settle_halls
from twin.plant.layout import lay_out
from twin.plant.power import connect_power
from twin.plant.storage import connect_storage
from twin.plant.tables import Plant
from twin.scenario.document import Scenario


def build(scenario: Scenario, catalog: Catalog | None = None) -> Plant:
    """Return everything that stands in the halls of a scenario, at epoch 0.

    Parameters
    ----------
    scenario
        The effective scenario (after ``extends``).
    catalog
        Parts; None: the shipped ones.

    Returns
    -------
    Plant
        Slots in order of the document; an item an override takes away keeps its slot with `present` false.

    Raises
    ------
    PlantError
        When the scenario names something that the plant cannot have.
    UnknownPart
        When the catalogue lacks a part.
    """
    parts = catalog if catalog is not None else load_catalog()
    layout = lay_out(scenario, parts)
    plants, loops, machines = connect_cooling(scenario, parts, layout)
    power = connect_power(scenario, parts, layout, loops, plants)
    storage = connect_storage(scenario, parts, layout)
    switches, links = connect_fabrics(scenario, parts, layout)
    halls = settle_halls(scenario, layout, loops, machines, power)
    bundles = bundle(layout.racks, layout.rows, layout.nodes, switches, links, len(halls.ids))
    return Plant(
        epoch=0,
        node_parts=layout.node_parts,
        gpu_parts=layout.gpu_parts,
        halls=halls,
        rows=layout.rows,
        racks=layout.racks,
        nodes=layout.nodes,
        gpus=layout.gpus,
        switches=switches,
        node_links=links.nodes,
        switch_links=links.switches,
        peer_links=links.peers,
        bundles=bundles,
        fixtures=layout.fixtures,
        machines=machines,
        loops=loops,
        plants=plants,
        power=power,
        fabrics=[fabric.id for fabric in scenario.fabrics],
        fabric_table=fabric_table(scenario, parts),
        stores=storage.ids,
        storage=storage,
    )
