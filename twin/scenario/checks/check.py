"""Checks across a whole scenario: every referenced id exists, and exists once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo, available_timezones

from twin.catalog import Catalog
from twin.scenario.checks import (
    addresses,
    building,
    causes,
    fabric,
    fabric_targets,
    facility,
    hardware,
    interventions,
    places,
    prices,
    rentals,
    sizes,
    storage,
    tenancy,
    workload,
)
from twin.scenario.checks.targets import kind_of
from twin.scenario.generators import expand
from twin.scenario.reading.set_value import assign
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import TargetKind
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.quantity import rendered
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.schema.site import Hall, RowGenerator
from twin.scenario.schema.systems import SwitchTier
from twin.scenario.text.parse import Path, Tree, child, locate, written
from twin.scenario.text.problem import Problem, ScenarioError, shown


def check(
    scenario: Scenario, tree: Tree, catalog: Catalog | None = None, during: tuple[float, float] | None = None
) -> None:
    """Check the consistency between fields.

    Parameters
    ----------
    scenario
        As validated.
    tree
        What it was made from, for the places.
    catalog
        To look parts up in; none: those of the scene.
    during
        Which interventions to look at, from and before a time [s]; none: those before the first edit, for later ones
        find another hall.

    Raises
    ------
    ScenarioError
        With every reference that leads nowhere and every id that is given twice; when there is none, with every
        rack that overflows and every job that cannot be cut as it says.
    """
    since_s, until_s = during or (0.0, min((edit.at_s for edit in scenario.edits), default=math.inf))
    acting = [
        (i, intervention)
        for i, intervention in enumerate(scenario.interventions)
        if since_s <= intervention.at_s < until_s
    ]
    checker = _Checker(scenario, tree, catalog or catalog_of(scenario), acting)
    problems = (
        checker.sizes()
        or checker.ids()
        or [
            *checker.references(),
            *checker.parts(),
            *checker.overrides(),
            *checker.stands(),
            *checker.actions(),
            *checker.place(),
        ]
    )
    problems = problems or checker.products() or checker.fits()
    if problems:
        raise ScenarioError(sorted(problems, key=lambda problem: problem.line))


def _is_timezone(name: str) -> bool:
    """Return whether a name is a time zone of the system; results are cached."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


@dataclass
class _Checker:
    scenario: Scenario
    tree: Tree
    catalog: Catalog
    acting: list[tuple[int, Intervention]] = field(default_factory=list)
    rows: list[str] = field(init=False)
    generators: dict[str, tuple[Hall, RowGenerator]] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = [rows.id for hall in self.scenario.halls for rows in hall.rows]
        self.generators = {rows.id: (hall, rows) for hall in self.scenario.halls for rows in hall.rows}

    def sizes(self) -> list[Problem]:
        """Return the problems of size, found without expanding the scene."""
        scenario = self.scenario
        wrong = (*sizes.lists(scenario), *sizes.halls(scenario, self.catalog), *sizes.machines(scenario))
        return [self._problem(at, reason, hint, value="") for at, reason, hint in wrong]

    def products(self) -> list[Problem]:
        """Return problems of too many jobs, switches or links; needs valid references and parts."""
        wrong = (*sizes.jobs(self.scenario), *sizes.fabrics(self.scenario, self.catalog))
        return [self._problem(at, reason, hint, value="") for at, reason, hint in wrong]

    def ids(self) -> list[Problem]:
        """Return duplicate ids; with those, checks of references would mislead."""
        scenario = self.scenario
        named = _named(("halls",), (hall.id for hall in scenario.halls))
        for h, hall in enumerate(scenario.halls):
            named += _named(("halls", h, "rows"), (rows.id for rows in hall.rows))
            if hall.building is not None:
                at: Path = ("halls", h, "building")
                named += _named((*at, "columns"), (grid.id for grid in hall.building.columns))
                named += _named((*at, "doors"), (door.id for door in hall.building.doors))
                named += _named((*at, "inner_walls"), (wall.id for wall in hall.building.inner_walls))
        named += _named(("fabrics",), (network.id for network in scenario.fabrics))
        named += _named(("power",), (stage.id for stage in scenario.power))
        named += _named(
            ("cooling", "plants"), (facility_loop.id for facility_loop in scenario.cooling.plants)
        )
        named += _named(("cooling", "loops"), (loop.id for loop in scenario.cooling.loops))
        named += _named(("power_caps",), (cap.id for cap in scenario.power_caps))
        named += _named(("storage",), (store.id for store in scenario.storage))
        named += _named(("rentals",), (rental.id for rental in scenario.rentals))
        spaces = (
            named,
            [
                *_named(("jobs",), (job.id for job in scenario.jobs)),
                *_named(("streams",), (stream.id for stream in scenario.streams)),
                *_named(("traces",), (trace.id for trace in scenario.traces)),
            ],
            _named(("reservations",), (reservation.id for reservation in scenario.reservations)),
            _named(("tenants",), (tenant.id for tenant in scenario.tenants)),
            _named(("groups",), (group.id for group in scenario.groups)),
            _named(("site", "power_purchases"), (contract.id for contract in scenario.site.power_purchases)),
            _named(("site", "heat_sales"), (sale.id for sale in scenario.site.heat_sales)),
            _named(("partitions",), (partition.id for partition in scenario.partitions)),
            _named(("clouds",), (cloud.id for cloud in scenario.clouds)),
            _named(("failures", "causes"), (cause.id for cause in scenario.failures.causes)),
            _named(("exclusions",), (exclusion.id for exclusion in scenario.exclusions)),
            _named(("interventions",), (intervention.id for intervention in scenario.interventions)),
            _named(("edits",), (edit.id for edit in scenario.edits)),
        )
        return [problem for space in spaces for problem in self._twice(space)]

    def references(self) -> Iterator[Problem]:
        """Yield names of unknown items."""
        scenario = self.scenario
        stages, stores = [entry.id for entry in scenario.power], [entry.id for entry in scenario.storage]
        plants, tenants = (
            [facility_loop.id for facility_loop in scenario.cooling.plants],
            [tenant.id for tenant in scenario.tenants],
        )
        for i, network in enumerate(scenario.fabrics):
            yield from self._references(network.rows, self.rows, "row generator", ("fabrics", i, "rows"))
            for name in ("leaf", "spine", "core"):
                tier: SwitchTier | None = getattr(network, name)
                homes = tier.racks if tier else None
                yield from self._reference(homes, self.rows, "row generator", ("fabrics", i, name, "racks"))
        fed = [*self.rows, *(loop.id for loop in scenario.cooling.loops), *plants]
        for i, stage in enumerate(scenario.power):
            for key, above in (("from", stage.source), ("or_from", stage.spare_source), ("at", stage.at)):
                yield from self._reference(above, stages, "power stage", ("power", i, key))
            noun = "row generator, loop or facility loop"
            yield from self._references(stage.feeds, fed, noun, ("power", i, "feeds"))
        for at, reason, hint in facility.circles(scenario):
            yield self._problem(at, reason, hint)
        yield from self._caps()
        for i, loop in enumerate(scenario.cooling.loops):
            yield from self._reference(loop.plant, plants, "facility loop", ("cooling", "loops", i, "plant"))
            yield from self._references(
                loop.serves, self.rows, "row generator", ("cooling", "loops", i, "serves")
            )
        for i, store in enumerate(scenario.storage):
            yield from self._reference(store.racks, self.rows, "row generator", ("storage", i, "racks"))
            yield from self._reference(store.backs, stores, "store", ("storage", i, "backs"))
            if store.part is None:
                for key, bandwidth in (("read", store.read_bytes_s), ("write", store.write_bytes_s)):
                    if bandwidth is None:
                        yield self._problem(
                            ("storage", i), f"needs {key!r}, or a part that gives it", value=""
                        )
        for at, reason, hint in (
            *tenancy.references(scenario, self.catalog),
            *workload.references(scenario),
        ):
            yield self._problem(at, reason, hint)
        for i, rental in enumerate(scenario.rentals):
            for m, member in enumerate(rental.members):
                wrong = "" if member in self.rows else self._item(member)
                if wrong:
                    yield self._problem(("rentals", i, "members", m), wrong)
        for i, job in enumerate(scenario.jobs):
            yield from self._reference(job.tenant, tenants, "tenant", ("jobs", i, "tenant"))
            yield from self._references(job.rows, self.rows, "row generator", ("jobs", i, "rows"))
            yield from self._reference(job.storage, stores, "store", ("jobs", i, "storage"))
            to = ("jobs", i, "checkpoint", "storage")
            yield from self._reference(job.checkpoint.storage, stores, "store", to)

    def parts(self) -> Iterator[Problem]:
        """Yield parts that the catalogue lacks, or has as another kind."""
        for h, hall in enumerate(self.scenario.halls):
            for r, rows in enumerate(hall.rows):
                at: Path = ("halls", h, "rows", r, "racks")
                yield from self._part(rows.racks.part, ("rack",), (*at, "part"))
                for n, group in enumerate(rows.racks.nodes):
                    yield from self._part(group.part, ("node",), (*at, "nodes", n, "part"))
                if rows.racks.shelves is not None:
                    yield from self._part(rows.racks.shelves.part, ("power_shelf",), (*at, "shelves", "part"))
        for i, network in enumerate(self.scenario.fabrics):
            for name in ("leaf", "spine", "core"):
                tier: SwitchTier | None = getattr(network, name)
                if tier is not None:
                    yield from self._part(tier.part, ("switch",), ("fabrics", i, name, "part"))
            yield from self._part(network.cable, ("cable",), ("fabrics", i, "cable"))
            yield from self._part(network.technology, ("technology",), ("fabrics", i, "technology"))
        for i, stage in enumerate(self.scenario.power):
            yield from self._part(stage.part, facility.stage_parts(stage.kind), ("power", i, "part"))
        for i, plant in enumerate(self.scenario.cooling.plants):
            yield from self._part(
                plant.part, (facility.PLANT_PARTS[plant.kind],), ("cooling", "plants", i, "part")
            )
        for i, loop in enumerate(self.scenario.cooling.loops):
            wanted = (facility.LOOP_PARTS[loop.kind],)
            yield from self._part(loop.part, wanted, ("cooling", "loops", i, "part"))
        for i, store in enumerate(self.scenario.storage):
            yield from self._part(store.part, ("storage",), ("storage", i, "part"))

    def overrides(self) -> Iterator[Problem]:
        """Yield overrides of items that no generator makes."""
        for h, hall in enumerate(self.scenario.halls):
            for item, override in hall.overrides.items():
                at: Path = ("halls", h, "overrides", item)
                wrong = self._item(item, hall)
                if wrong:
                    yield self._problem(at, wrong, value="")
                    continue
                depth = item.count("/")
                for key, given, right in (
                    ("part", override.part is not None, depth in (2, 3)),
                    ("at", override.at is not None, depth in (1, 2)),
                    ("facing", override.facing is not None, depth in (1, 2)),
                    ("rack", override.rack is not None, depth == 3),
                    ("u", override.u is not None, depth == 3),
                    ("drained", override.drained, depth == 3),
                ):
                    if given and not right:
                        yield self._problem((*at, key), f"does not fit {item!r}", _FITS[key])
                if override.rack is not None:
                    home = self._item(override.rack)
                    if home or override.rack.count("/") != 2:
                        yield self._problem(
                            (*at, "rack"), home or f"{override.rack!r} is not a rack", _FITS["rack"]
                        )
                if override.part is not None and depth in (2, 3):
                    yield from self._part(
                        override.part, ("rack",) if depth == 2 else ("node",), (*at, "part")
                    )

    def stands(self) -> Iterator[Problem]:
        """Yield places and groups of items that do not exist."""
        for at, reason, hint in places.places(self.scenario):
            yield self._problem(at, reason, hint, value="")
        for at, reason, hint in building.buildings(self.scenario):
            yield self._problem(at, reason, hint)
        for at, reason, hint in places.members(self.scenario, self._item):
            yield self._problem(at, reason, hint)

    def actions(self) -> Iterator[Problem]:
        """Yield interventions on targets that do not exist."""
        for i, intervention in self.acting:
            at: Path = ("interventions", i)
            wrong = list(
                interventions.wrong(self.scenario, intervention, self._place_wrong, self.catalog)
            ) or self._after(intervention)
            for key, reason, hint in wrong:
                yield self._problem((*at, key) if key else at, reason, hint, value=None if key else "")

    def place(self) -> Iterator[Problem]:
        """Yield the problems of the site."""
        site = self.scenario.site
        # There are none on a system without time zone data: then any will do.
        known = set() if _is_timezone(site.timezone) else available_timezones()
        if known and site.timezone not in known:
            near = nearest(site.timezone, known)
            hint = f"did you mean {near!r}?" if near else "write it like Europe/Berlin"
            yield self._problem(("site", "timezone"), "is not a time zone", hint)
        if site.climate.wet_bulb_c > site.climate.dry_bulb_c:
            reason = f"is above dry_bulb, {rendered(site.climate.dry_bulb_c, 'temperature')}"
            yield self._problem(
                ("site", "climate", "wet_bulb"), reason, "the wet bulb cannot exceed the dry bulb"
            )

    def fits(self) -> list[Problem]:
        """Return racks that overflow, and fabrics and jobs that are impossible; needs valid references."""
        wrong = list(hardware.too_high(self.scenario, self.catalog)) or [
            *facility.facility(self.scenario, self.catalog),
            *prices.prices(self.scenario, self.catalog),
            *addresses.addresses(self.scenario, self.catalog),
            *rentals.rentals(self.scenario, self.catalog),
            *fabric.fabrics(self.scenario, self.catalog),
            *fabric_targets.targets(self.scenario, self.catalog, self.acting),
            *storage.chains(self.scenario),
            *causes.causes(self.scenario),
            *tenancy.trespasses(self.scenario),
            *workload.fits(self.scenario, self.catalog),
        ]
        return [self._problem(at, reason, hint) for at, reason, hint in wrong]

    def _after(self, intervention: Intervention) -> list[interventions.Wrong]:
        """Return the references that a value set later would break."""
        if not KINDS[intervention.kind].is_setting or intervention.value is None:
            return []
        later = _Checker(
            assign(self.scenario, intervention.target, intervention.value), self.tree, self.catalog
        )
        broken = set(later.references()) - set(self.references())
        return [("value", problem.reason, problem.hint) for problem in broken]

    def _caps(self) -> Iterator[Problem]:
        """Yield power caps on targets that do not exist."""
        wanted: tuple[TargetKind, ...] = ("all", "hall", "row", "rack", "power")
        for i, cap in enumerate(self.scenario.power_caps):
            kind, reason, hint = kind_of(self.scenario, cap.target, wanted, self._place_wrong)
            if kind is None:
                yield self._problem(("power_caps", i, "target"), reason, hint)

    def _place_wrong(self, item: str) -> str:
        """Return why `item` is no row, rack, node or GPU; "" when it is one."""
        node, _, gpu = item.rpartition("/")
        if item.count("/") != 4 or not gpu.isdecimal():
            return self._item(item)
        wrong = self._item(node)
        gpus = 0 if wrong else self._gpus(node)
        return wrong or ("" if int(gpu) < gpus else f"{item!r} does not exist: {node} has {gpus} GPUs")

    def _gpus(self, node: str) -> int:
        """Return how many GPUs a node that exists has."""
        hall, generator = self.generators[node.partition("/")[0]]
        return expand.gpus_of(hall, generator, node, self.catalog)

    def _item(self, item: str, hall: Hall | None = None) -> str:
        """Return why no generator makes an item of this id, one of this hall; "" when one does."""
        name, *numbers = item.split("/")
        home, generator = self.generators.get(name, (None, None))
        if generator is None or (hall is not None and home is not hall):
            row_ids = [rows.id for rows in hall.rows] if hall is not None else self.rows
            near = nearest(name, row_ids)
            return f"unknown row generator: {name!r}" + (f"; did you mean {near!r}?" if near else "")
        limits = [generator.count, generator.racks.count]
        if len(numbers) > 2 and all(n.isdecimal() for n in numbers):
            rack = "/".join([name, *numbers[:2]])
            part = generator.racks.part
            for hall in self.scenario.halls:
                override = hall.overrides.get(rack)
                part = override.part or part if override is not None else part
            known = part is None or part in self.catalog
            known = known and all(group.part in self.catalog for group in generator.racks.nodes)
            limits.append(len(expand.node_parts(generator.racks, part, self.catalog)) if known else 10**6)
            node = f"{rack}/{numbers[2]}"
            override = next(
                (
                    other_hall.overrides[node]
                    for other_hall in self.scenario.halls
                    if node in other_hall.overrides
                ),
                None,
            )
            if override is not None and override.u is not None and override.part is not None:
                limits[2] = 10**6  # a node added to what the generator makes
        if not numbers or len(numbers) > 3 or not all(n.isdecimal() for n in numbers):
            return f"{item!r} is not a row, rack or node: write generator/row/rack/node, such as gpu/0/3/1"
        for number, limit, noun in zip(
            numbers, limits, ("rows", "racks in a row", "nodes in that rack"), strict=False
        ):
            if int(number) >= limit:
                return f"{item!r} does not exist: {name!r} has {limit} {noun}, counted from 0"
        return ""

    def _twice(self, space: Iterable[tuple[str, Path]]) -> Iterator[Problem]:
        first: dict[str, Path] = {}
        for name, path in space:
            if name in first:
                mark = locate(self.tree, first[name])
                reason = f"is a duplicate; {written(first[name], self.tree)} in line {mark.line} has it too"
                yield self._problem(path, reason, "ids must be unique")
            first.setdefault(name, path)

    def _references(self, names: Iterable[str], known: list[str], noun: str, at: Path) -> Iterator[Problem]:
        seen: set[str] = set()
        for i, name in enumerate(names):
            yield from self._reference(name, known, noun, (*at, i))
            if name in seen:
                yield self._problem((*at, i), "is listed twice", value=shown(name))
            seen.add(name)

    def _reference(self, name: str | None, known: list[str], noun: str, at: Path) -> Iterator[Problem]:
        if name is not None and name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known[:8])}" if known else ""
            yield self._problem(at, f"unknown {noun}", hint, value=shown(name))

    def _part(self, part: str | None, kinds: tuple[str, ...], at: Path) -> Iterator[Problem]:
        if part is None or (part in self.catalog and self.catalog.part(part).KIND in kinds):
            return
        fitting = [id for kind in kinds for id in self.catalog.ids(kind)]
        near = nearest(part, fitting)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(fitting[:8])}"
        if part in self.catalog:
            reason = f"is a {self.catalog.part(part).KIND}, not a {' or '.join(kinds)}"
        else:
            reason = f"is not a {' or '.join(kinds)} of the catalogue"
        yield self._problem(at, reason, hint)

    def _problem(self, at: Path, reason: str, hint: str = "", value: str | None = None) -> Problem:
        mark = locate(self.tree, at)
        if value is None:
            found: Tree | None = self.tree
            for step in at:
                found = child(found, step) if found is not None else None
            value = shown(found.plain()) if found is not None else ""
        return Problem(mark.file, mark.line, written(at, self.tree), value, reason, hint)


def _named(at: Path, ids: Iterable[str | None]) -> list[tuple[str, Path]]:
    """Return the ids of a list with the paths of their keys."""
    return [(name, (*at, index, "id")) for index, name in enumerate(ids) if name is not None]


_FITS = {
    "part": "racks and nodes have parts",
    "at": "only rows and racks can be placed, such as gpu/0/3",
    "facing": "only rows and racks have a front, such as gpu/0/3",
    "rack": "a node moves to a rack, such as gpu/0/3",
    "u": "only nodes have a rack unit, such as gpu/0/3/1",
    "drained": "only nodes can be drained, such as gpu/0/3/1",
}
