"""Expansion check: cables to move and equipment to discard when a scene grows to more GPUs.

The grown scene comes from the same generators: a single row gets more racks, then there are more rows; several rows
become more of them. The fabric keeps its kind as long as its ports allow it. Floor space, power and cooling are not
grown with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from twin.catalog import Catalog
from twin.planning.job.result import PlanError
from twin.planning.network.recabling import Recabling, recabling
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.scenario.checks.fabric import connected, unmet
from twin.scenario.checks.fabric_size import Misfit, Size, size_of
from twin.scenario.generators import expand
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.generators.allowed_rows import rows_of
from twin.scenario.schema.building import Point
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.schema.site import RackGenerator
from twin.scenario.schema.systems import Fabric, SwitchTier

FULL_ROW_RACKS = 8
"""A single row that is shorter is filled up to so many racks before a second one is begun."""

LAY_CABLE_H = 0.25
"""Time to lay, dress, plug in and test one cable [h]. Status: estimated."""

MOVE_CABLE_H = 0.2
"""Time to unplug one cable, trace it, and lay its free end anew or take it out [h]. Status: estimated."""

MOST_GPUS = 1_000_000


@dataclass(frozen=True)
class ValueChange:
    """One value of the scene that is another after growing."""

    path: str
    before: str
    after: str


@dataclass(frozen=True)
class Growth:
    """The changes needed to grow a scene.

    Attributes
    ----------
    gpus_before, gpus_after
        Of the whole scene; `gpus_after` is at least what was asked for, in rows of equal length.
    changes
        Of generators and fabrics.
    recabling
        Cables and switches.
    no_longer_fits
        Why fabrics cannot stay as they are, one sentence each.
    untouched_gpus
        So many GPUs the scene can have without touching a cable that lies.
    work_h
        Time of a technician [h], estimated by `LAY_CABLE_H` and `MOVE_CABLE_H`.
    cable_usd, switch_usd
        Of the new cables and switches at the prices of the catalogue; None where it has none.
    verdict
        One sentence.
    scenario
        The grown scene.
    """

    gpus_before: int
    gpus_after: int
    changes: tuple[ValueChange, ...]
    recabling: Recabling
    no_longer_fits: tuple[str, ...]
    untouched_gpus: int
    work_h: float
    cable_usd: float | None
    switch_usd: float | None
    verdict: str
    scenario: Scenario

    @property
    def cost_usd(self) -> float | None:
        """Cables and switches together; None unless both have a price."""
        if self.cable_usd is None or self.switch_usd is None:
            return None
        return self.cable_usd + self.switch_usd


def grow(scenario: Scenario, gpus: int, catalog: Catalog | None = None) -> Growth:
    """Return the changes needed to grow a scene to at least `gpus` GPUs.

    Raises
    ------
    PlanError
        When the scene has as many already, has nothing that could grow, or no topology of its switches reaches so far.
    UnknownPart
        When the catalogue lacks a part.
    """
    parts = catalog if catalog is not None else catalog_of(scenario)
    grower = _Grower(scenario, parts)
    if gpus <= grower.gpus:
        raise PlanError(f"the scene has {grower.gpus:,} GPUs already; name more with --to")
    if gpus > MOST_GPUS:
        raise PlanError(f"{gpus:,} GPUs are above the supported maximum; at most {MOST_GPUS:,} are looked at")
    racks = math.ceil((gpus - grower.gpus) / grower.rack_gpus)
    grown = grower.grown(racks)
    before, after = build(scenario, parts), build(grown.scenario, parts)
    change = recabling(before, after)
    untouched = grower.untouched(before, racks, change)
    cable_usd, switch_usd = _prices(before, after, grown.scenario, parts, change)
    gpus_after = grower.gpus + grown.racks * grower.rack_gpus
    return Growth(
        gpus_before=grower.gpus,
        gpus_after=gpus_after,
        changes=tuple(grown.changes),
        recabling=change,
        no_longer_fits=tuple(grown.no_longer_fits),
        untouched_gpus=untouched,
        work_h=change.new * LAY_CABLE_H + change.touched * MOVE_CABLE_H,
        cable_usd=cable_usd,
        switch_usd=switch_usd,
        verdict=_verdict(grower.gpus, gpus_after, untouched, change, grown.changes, grower.step),
        scenario=grown.scenario,
    )


@dataclass(frozen=True)
class _Grown:
    scenario: Scenario
    racks: int  # added
    changes: list[ValueChange]
    no_longer_fits: list[str]


class _Grower:
    """A scene and the row generator that grows in it: the one with most of the GPUs that jobs use.

    Ports are given out in the order of the nodes. So where others with GPUs follow that generator, the new rows come
    behind all of them, as a generator of the same racks, and nobody's ports are renumbered.
    """

    def __init__(self, scenario: Scenario, catalog: Catalog) -> None:
        self.scenario, self.catalog = scenario, catalog
        if not scenario.fabrics:
            raise PlanError("the scene has no fabric, so nothing is cabled")
        self.gpus = expand.counts(scenario, catalog).gpus
        places = [
            (h, r)
            for h, hall in enumerate(scenario.halls)
            for r, rows in enumerate(hall.rows)
            if self._gpus_of(rows.racks)
        ]
        if not places:
            raise PlanError("no row generator of the scene has GPUs, so none can grow")
        used = {name for job in jobs_of(scenario) for name in rows_of(scenario, job) or self._names(places)}
        main = max(reversed(places), key=lambda place: self._weight(place, used))
        self._hall, self._place = places[-1]
        self.rows = scenario.halls[main[0]].rows[main[1]]
        self.like = "" if main == places[-1] else self.rows.id  # the new rows are a generator of their own
        self.fabrics = scenario.fabrics
        if self.like:
            self._append()
        self.racks_now = (
            0 if self.like else self.rows.count * self.rows.racks.count
        )  # racks of the generator that grows
        self.rack_gpus = self._gpus_of(self.rows.racks)
        self.step = "row" if self.rows.count > 1 else "rack"

    def _names(self, places: list[tuple[int, int]]) -> list[str]:
        return [self.scenario.halls[h].rows[r].id for h, r in places]

    def _weight(self, place: tuple[int, int], used: set[str]) -> tuple[bool, int]:
        rows = self.scenario.halls[place[0]].rows[place[1]]
        return rows.id in used, rows.count * rows.racks.count * self._gpus_of(rows.racks)

    def _append(self) -> None:
        """Let new rows like those of the generator stand behind all others, and on the same fabrics."""
        hall = self.scenario.halls[self._hall]
        ids = {rows.id for other_hall in self.scenario.halls for rows in other_hall.rows}
        name = next(f"{self.like[:32]}-{k}" for k in range(2, 1000) if f"{self.like[:32]}-{k}" not in ids)
        behind_m = max(rows.at.y_m + rows.count * rows.pitch_m for rows in hall.rows)
        self.fabrics = tuple(
            fabric.model_copy(update={"rows": (*fabric.rows, name)}) if self.like in fabric.rows else fabric
            for fabric in self.scenario.fabrics
        )
        self.rows = self.rows.model_copy(update={"id": name, "at": Point(y=behind_m)})

    def _gpus_of(self, racks: RackGenerator) -> int:
        return sum(
            self.catalog.node(part).n_gpu for part in expand.node_parts(racks, racks.part, self.catalog)
        )

    def grown(self, racks: int) -> _Grown:
        """Return the scene with at least so many racks more; raises PlanError when its fabric cannot follow."""
        rows, per_row = self._rows_for(self.racks_now + racks)
        wider = self.rows.model_copy(
            update={"count": rows, "racks": self.rows.racks.model_copy(update={"count": per_row})}
        )
        hall = self.scenario.halls[self._hall]
        kept = self._place + 1 if self.like else self._place
        lines = (*hall.rows[:kept], wider, *hall.rows[self._place + 1 :])
        halls = (
            *self.scenario.halls[: self._hall],
            hall.model_copy(update={"rows": lines}),
            *self.scenario.halls[self._hall + 1 :],
        )
        at = f"halls[{hall.id}].rows[{self.rows.id}]"
        if self.like:
            new_value = f"{rows} row{'s' * (rows != 1)} of {per_row} racks, as {self.like}"
            changes = [ValueChange(at, "none", new_value)]
        else:
            changes = _changed(f"{at}.count", self.rows.count, rows)
            changes += _changed(f"{at}.racks.count", self.rows.racks.count, per_row)
        scenario = self.scenario.model_copy(update={"halls": halls})
        fabrics, reasons = [], []
        for fabric in self.fabrics:
            follower, why = self._follow(scenario, fabric)
            fabrics.append(follower)
            changes += _fabric_changes(fabric, follower)
            reasons += why
        added = rows * per_row - self.racks_now
        return _Grown(scenario.model_copy(update={"fabrics": tuple(fabrics)}), added, changes, reasons)

    def _rows_for(self, racks: int) -> tuple[int, int]:
        """Return rows and racks in a row: several rows go on as long as they are; one may be lengthened."""
        per_row = self.rows.racks.count
        if self.rows.count > 1:
            return math.ceil(racks / per_row), per_row
        full = max(per_row, FULL_ROW_RACKS)
        few, many = max(1, racks // full), math.ceil(racks / full)
        rows = min(many, few, key=lambda rows: rows * math.ceil(racks / rows))
        return rows, math.ceil(racks / rows)

    def _follow(self, scenario: Scenario, fabric: Fabric) -> tuple[Fabric, list[str]]:
        """Return the fabric that serves the grown scene: the first that works out, from least change to most."""
        if fabric.kind == "explicit":
            raise PlanError(
                f"fabric {fabric.id!r} lists its cables one by one: it has no rule for new cables"
            )
        reasons: list[str] = []
        before = connected(self.scenario, fabric, self.catalog)
        after = connected(scenario, fabric, self.catalog)
        size = size_of(fabric, self.catalog, len(before.cards), before.most_cards, before.card_bytes_s)
        units = math.ceil(len(after.cards) / size.unit_nodes), max(1, size.units)
        for candidate in _candidates(fabric, units):
            wrong = self._wrong(scenario, candidate, size)
            if not wrong:
                return candidate, reasons
            reasons.append(f"{candidate.kind} fabric {fabric.id}: {wrong}")
        raise PlanError(f"no topology of its switches carries fabric {fabric.id!r} so far: {reasons[-1]}")

    def _wrong(self, scenario: Scenario, fabric: Fabric, before: Size) -> str:
        """Return why a fabric does not carry the grown scene as it carries that of before; "" when it does."""
        nodes = connected(scenario, fabric, self.catalog)
        try:
            size = size_of(fabric, self.catalog, nodes.count, nodes.most_cards, nodes.card_bytes_s)
        except Misfit as wrong:
            return f"{wrong.key} {wrong.reason}"
        if fabric.kind == "single-switch" and size.leaves > fabric.homes:
            return f"would need {size.leaves} leaves and has no spine"
        if size.units > 1 and 0 < size.spine_up < before.spine_up and not size.pair_cables:
            return f"core.count leaves a spine {size.spine_up} cables up, and it has {before.spine_up} now"
        alone = scenario.model_copy(update={"fabrics": (fabric,)})
        return next((f"{'.'.join(map(str, at[2:]))} {why}" for at, why, _ in unmet(alone, self.catalog)), "")

    def untouched(self, before: Plant, racks: int, whole: Recabling) -> int:
        """Return the most GPUs the scene grows to without touching a cable, up to `racks` racks more."""
        if not whole.touched:
            return self.gpus + self.grown(racks).racks * self.rack_gpus
        low, high, most = 0, racks, 0
        while high - low > 1:
            middle = (low + high) // 2
            grown = self.grown(middle)
            if recabling(before, build(grown.scenario, self.catalog)).touched:
                high = middle
            else:
                low, most = middle, max(most, grown.racks)
        return self.gpus + most * self.rack_gpus


def _candidates(fabric: Fabric, units: tuple[int, int]) -> Iterator[Fabric]:
    """Yield the fabric as it is, with as many switches as it needs, and with further tiers.

    `units` are the units, pods or groups there will be and those there are.
    """
    yield fabric
    free: dict[str, Any] = {
        name: tier.model_copy(update={"count": None})
        for name in ("leaf", "spine", "core")
        if (tier := getattr(fabric, name)) is not None
    }
    if fabric.kind == "torus":
        yield fabric.model_copy(update={"dims": ()})
        return
    if fabric.kind == "ring":
        return
    yield fabric.model_copy(update=free | _as_before(fabric, units))
    yield fabric.model_copy(update=free)
    leaf: SwitchTier = free["leaf"]
    above = free.get("spine", leaf)
    if fabric.kind == "dragonfly-plus":
        yield fabric.model_copy(update=free | {"unit_nodes": 4 * (fabric.unit_nodes or 32)})
    elif fabric.kind == "rail-only":
        yield fabric.model_copy(update=free | {"spine": above})
    elif fabric.kind in ("single-switch", "leaf-spine"):
        # Cards of one number meet in one leaf from here on: so GPU clusters are built.
        yield fabric.model_copy(update=free | {"kind": "rail-optimised", "spine": above})
    if fabric.kind == "fat-tree":
        yield fabric.model_copy(update=free | {"unit_nodes": None})
    else:
        yield fabric.model_copy(
            update=free | {"kind": "fat-tree", "spine": above, "core": above, "unit_nodes": None}
        )


def _as_before(fabric: Fabric, units: tuple[int, int]) -> dict[str, SwitchTier]:
    """Return the tiers that every unit, pod or group has its own of, with as many switches a unit as before."""
    pods = fabric.kind in ("fat-tree", "dragonfly-plus")
    own = ("leaf", "spine", "core") if pods else ("leaf",)
    tiers: dict[str, SwitchTier | None] = {name: getattr(fabric, name) for name in own}
    return {
        name: tier.model_copy(update={"count": tier.count * units[0] // units[1]})
        for name, tier in tiers.items()
        if tier is not None and tier.count is not None
    }


def _changed(path: str, before: object, after: object) -> list[ValueChange]:
    return [ValueChange(path, str(before), str(after))] if before != after else []


def _fabric_changes(before: Fabric, after: Fabric) -> list[ValueChange]:
    at = f"fabrics[{before.id}]"
    found = _changed(f"{at}.kind", before.kind, after.kind)
    found += _changed(f"{at}.unit_nodes", before.unit_nodes or "default", after.unit_nodes or "default")
    found += _changed(f"{at}.dims", list(before.dims) or "most cubic", list(after.dims) or "most cubic")
    for name in ("leaf", "spine", "core"):
        old: SwitchTier | None = getattr(before, name)
        new: SwitchTier | None = getattr(after, name)
        found += _changed(f"{at}.{name}", old.part if old else "none", new.part if new else "none")
        if old is not None and new is not None:
            found += _changed(f"{at}.{name}.count", old.count or "as needed", new.count or "as needed")
    return found


def _prices(
    before: Plant, after: Plant, scenario: Scenario, catalog: Catalog, change: Recabling
) -> tuple[float | None, float | None]:
    """Return the cost of the new cables and of the new switches [USD]; None where a part has no price."""
    cables = {catalog.cable(fabric.cable).price_usd for fabric in scenario.fabrics}
    (cable,) = cables if len(cables) == 1 else (None,)
    had = set(zip(before.switches.ids, before.switches.part, strict=True))
    bought = [
        part
        for id, part in zip(after.switches.ids, after.switches.part, strict=True)
        if (id, part) not in had
    ]
    prices = [catalog.switch(part).price_usd for part in bought]
    known = [price for price in prices if price is not None]
    return (
        None if cable is None else change.new * cable,
        sum(known) if len(known) == len(prices) else None,
    )


def _verdict(
    before: int, after: int, untouched: int, change: Recabling, changes: list[ValueChange], step: str
) -> str:
    if not change.touched:
        return f"Can grow from {before:,} to {after:,} GPUs without recabling: {change.new:,} new cables."
    kinds = [f"{value.before} becomes {value.after}" for value in changes if value.path.endswith(".kind")]
    needed = [
        f"a {' and a '.join(change.tiers)} tier {'is' if len(change.tiers) == 1 else 'are'} needed"
    ] * bool(change.tiers)
    touched = (
        f"{change.touched:,} of {change.cables_before:,} cables change "
        f"({change.moved:,} moved, {change.removed:,} removed), {change.new:,} are new"
    )
    if change.switches_removed:
        touched += f", {change.switches_removed:,} switches are removed"
    far = (
        f"Can grow to {untouched:,} GPUs without recabling; beyond,"
        if untouched > before
        else f"Cannot grow by a {step} without recabling:"
    )
    return f"{far} for {after:,} GPUs {', '.join([*needed, *kinds, touched])}."
