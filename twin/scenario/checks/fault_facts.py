"""What of a thing decides which faults it can have: its battery, pumps, coolant, supplies, cards, as the scene says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twin.catalog import BatteryPart, Catalog, PowerShelfPart, RackPart, UpsPart
from twin.scenario.checks.fabric_size import cards_of
from twin.scenario.generators import expand
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.generators.expand import GeneratedNode, Rack
from twin.scenario.schema.cooling import FacilityLoop, Loop
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import PowerStage
from twin.scenario.schema.fault_kinds.kind import TargetKind
from twin.scenario.schema.fault_kinds.needs import BY_AIR, Counted, FaultFacts, Parts
from twin.scenario.schema.site import RowGenerator
from twin.scenario.schema.work import Job


def facts_of(scenario: Scenario, catalog: Catalog, kind: TargetKind, target: str) -> FaultFacts | None:
    """Return the facts about a thing of a kind, by its id; None: the scene has it no longer.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    name = target.partition("/")[0]
    if kind == "power":
        return next((_of_stage(stage, catalog) for stage in scenario.power if stage.id == name), None)
    if kind == "loop":
        return next((_of_loop(loop) for loop in scenario.cooling.loops if loop.id == name), None)
    if kind == "plant":
        return next((_of_plant(plant) for plant in scenario.cooling.plants if plant.id == name), None)
    if kind == "job":
        return next((_of_job(scenario, job) for job in jobs_of(scenario) if job.id == target), None)
    if kind == "rack":
        return _of_rack(scenario, catalog, target)
    if kind in ("node", "gpu"):
        return _of_node(scenario, catalog, target if kind == "node" else target.rpartition("/")[0])
    return FaultFacts()


def partitions_for(scenario: Scenario, job: Job) -> tuple[str, ...]:
    """Return the partitions a job could be moved to."""
    return tuple(
        partition.id
        for partition in scenario.partitions
        if partition.id != job.partition
        and (not partition.tenants or job.tenant in partition.tenants)
        and (not job.rows or set(job.rows) & set(partition.rows))
    )


def _of_stage(stage: PowerStage, catalog: Catalog) -> FaultFacts:
    part = catalog.part(stage.part) if stage.part is not None and stage.part in catalog else None
    held = 0.0
    if stage.kind == "battery":
        held = stage.energy_j or (part.energy_j if isinstance(part, BatteryPart) else 0.0)
    elif stage.kind == "ups" and (stage.capacity_w is not None or isinstance(part, UpsPart)):
        of_part_s = part.battery_s if isinstance(part, UpsPart) else 0.0
        held = of_part_s if stage.battery_s is None else stage.battery_s
    return FaultFacts(stage.kind, battery=held > 0, counts={"machines": Parts(stage.units, "machines")})


def _of_loop(loop: Loop) -> FaultFacts:
    movers = Parts(loop.pumps, "fans" if loop.kind in BY_AIR else "pumps")
    return FaultFacts(loop.kind, valve=loop.control == "valve", counts={"pumps": movers, "fans": movers})


def _of_plant(plant: FacilityLoop) -> FaultFacts:
    counts: dict[Counted, Parts] = {"pumps": Parts(plant.pumps, "pumps")}
    if plant.units is not None:  # else as many as the rated heat needs
        counts |= {"machines": Parts(plant.units, "machines"), "fans": Parts(plant.units, "machines")}
    return FaultFacts(plant.kind, counts=counts)


def _of_job(scenario: Scenario, job: Job) -> FaultFacts:
    return FaultFacts(partitions=partitions_for(scenario, job))


def _of_rack(scenario: Scenario, catalog: Catalog, target: str) -> FaultFacts | None:
    rack, rows = expand.rack_at(scenario, target, catalog), _rows_of(scenario, target)
    if rack is None or rows is None:
        return None
    shelves = _shelves(rows, rack, catalog)
    cooled_by = _cooled_by(scenario, catalog, rack, rack.nodes)
    parts: dict[Counted, Parts] = {}
    if shelves and rack.nodes:
        parts["supplies"] = Parts(shelves, "power shelves")
    return FaultFacts(cooled_by=cooled_by, counts=parts)


def _of_node(scenario: Scenario, catalog: Catalog, target: str) -> FaultFacts | None:
    said = next((over[target] for hall in scenario.halls if target in (over := hall.overrides)), None)
    home = said.rack if said is not None and said.rack is not None else target.rpartition("/")[0]
    rack, rows = expand.rack_at(scenario, home, catalog), _rows_of(scenario, home)
    node = next((node for node in rack.nodes if node.id == target), None) if rack is not None else None
    if rack is None or node is None or rows is None:
        return None
    part = catalog.node(node.part)
    own = 0 if _shelves(rows, rack, catalog) else part.psu_count or 0
    return FaultFacts(
        cooled_by=_cooled_by(scenario, catalog, rack, [node]),
        cards=cards_of(part, catalog)[0] > 0 and any(_fabrics(scenario, rows)),
        counts={"supplies": Parts(own, "power supplies")} if own else {},
    )


def _rows_of(scenario: Scenario, rack: str) -> RowGenerator | None:
    """Return the row generator that a rack is named after."""
    name = rack.partition("/")[0]
    return next((rows for hall in scenario.halls for rows in hall.rows if rows.id == name), None)


def _shelves(rows: RowGenerator, rack: Rack, catalog: Catalog) -> int:
    """Return the power shelves of a rack: as its generator says, else those of its part."""
    if rows.racks.shelves is not None:
        return rows.racks.shelves.count
    part = catalog.part(rack.part) if rack.part is not None else None
    held = part.layout if isinstance(part, RackPart) else ()
    return sum(group.count for group in held if isinstance(catalog.part(group.part), PowerShelfPart))


def _cooled_by(
    scenario: Scenario, catalog: Catalog, rack: Rack, nodes: Sequence[GeneratedNode]
) -> frozenset[str]:
    """Return the kinds of loops that take the heat of some nodes of a rack; "air" too where none does.

    Of coolant, and of air, the first loop that serves the rack does; that of cold plates serves racks that have some.
    """
    serving = [loop.kind for loop in scenario.cooling.loops if rack.id.partition("/")[0] in loop.serves]
    has_plates = {node.id: catalog.node(node.part).cooling == "liquid" for node in rack.nodes}
    wet = [kind for kind in serving if kind == "immersion" or (kind == "liquid" and any(has_plates.values()))]
    air = next((kind for kind in serving if kind in BY_AIR), "air")
    return frozenset(
        wet[0] if wet and (wet[0] == "immersion" or has_plates[node.id]) else air for node in nodes
    )


def _fabrics(scenario: Scenario, rows: RowGenerator) -> Iterator[str]:
    """Yield the fabrics that connect the nodes of a row generator."""
    for fabric in scenario.fabrics:
        if rows.id in fabric.rows or (not fabric.rows and rows.racks.role == "compute"):
            yield fabric.id
