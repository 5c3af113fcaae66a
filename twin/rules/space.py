"""Design rules of space: overlaps, clearance and weight."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, Ints32
from twin.language import tr
from twin.plant.cabinet import FRONT_M, REAR_M
from twin.plant.design_load import floor_load_pa, rack_weights_kg
from twin.plant.tables import LoopKind
from twin.rules.finding import Found, number, quantity
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext
from twin.scenario.checks.fabric import crowded
from twin.scenario.text.parse import Path

CABINET_KG = 1360.0
"""Static rating of a 19-inch cabinet [kg]: 3,000 lb, usual for 42 to 48 U cabinets [recalled]."""

TOUCH_M = 0.005
"""Overlap of footprints that counts as rounding of pitch and width [m]."""

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


# --- units of a rack


def _units(case: RuleContext) -> Iterator[Found]:
    """Yield racks with two components in one unit, or with a component outside the units of the rack."""
    crowds = list(crowded(case.scenario, case.catalog))
    for at, reason, hint in crowds:
        yield Found(at=at, reason=reason, fix=hint)
    if crowds:
        return  # switches without room all sit in unit 1: reported already
    plant = case.plant
    nodes, switches, fixtures, racks = plant.nodes, plant.switches, plant.fixtures, plant.racks
    node, switch = np.flatnonzero(nodes.present), np.flatnonzero(switches.present & (switches.rack >= 0))
    tray = np.flatnonzero(racks.present[fixtures.rack])
    rack = np.concatenate([nodes.rack[node], switches.rack[switch], fixtures.rack[tray]])
    first_u = np.concatenate([nodes.u[node], switches.u[switch], fixtures.u[tray]])
    height_u = np.concatenate([nodes.height_u[node], switches.height_u[switch], fixtures.height_u[tray]])
    alone = np.ones(len(switch) + len(tray), np.int32)
    column = np.concatenate([nodes.column[node], alone - 1])
    abreast = np.concatenate([nodes.abreast[node], alone])
    outside = (first_u < 1) | (first_u + height_u - 1 > racks.units_u[rack])
    wrong = np.union1d(rack[_doubled(rack, first_u, height_u, column, abreast)], rack[outside])
    for at, ids in case.by_generator(wrong):
        slot = plant.slots[ids[0]][1]
        in_rack = rack == slot
        highest = int((first_u + height_u - 1)[in_rack].max(initial=0))
        units = int(racks.units_u[slot])
        if highest > units:
            reason = tr(
                "need unit {highest} in {many}, but the rack has {units} U",
                highest=highest,
                many=many(ids),
                units=units,
            )
        else:
            reason = tr("have a rack-unit conflict in {many}: two components share a unit", many=many(ids))
        used = int(height_u[in_rack & (column == 0)].sum())
        fix = tr("fewer or lower nodes, or racks of their own for the switches")
        yield Found(
            at=(*at, "racks"),
            reason=reason,
            fix=fix,
            ids=tuple(ids),
            value=number(used, "U"),
            limit=number(units, "U"),
        )


def _doubled(
    rack: Ints32, first_u: Ints32, height_u: Ints32, column: Ints32, abreast: Ints32
) -> NDArray[np.int64]:
    """Return entries that share a unit with another one."""
    entry = np.repeat(np.arange(len(rack)), height_u)
    level = np.arange(len(entry)) - np.repeat(np.cumsum(height_u) - height_u, height_u)
    key = rack[entry].astype(np.int64) * 128 + first_u[entry] + level
    order = np.lexsort((column[entry], key))
    entry, key = entry[order], key[order]
    same = key[1:] == key[:-1]
    beside = (abreast[entry[1:]] == abreast[entry[:-1]]) & (column[entry[1:]] != column[entry[:-1]])
    doubled: NDArray[np.int64] = entry[1:][same & ~beside]
    return doubled


def many(ids: list[str]) -> str:
    """Return the first of some things, and how many there are beside it."""
    return ids[0] if len(ids) == 1 else tr("{first_id} and {more:,} more", first_id=ids[0], more=len(ids) - 1)


# --- the floor


class Floor:
    """Footprints of racks, then of cooling units, and pairs of them that overlap in x."""

    def __init__(self, case: RuleContext) -> None:
        racks, machines, loops = case.plant.racks, case.plant.machines, case.plant.loops
        standing = np.zeros(0, np.int64)
        if len(machines.loop):  # rear doors are part of their racks
            standing = np.flatnonzero((loops.present & (loops.kind != LoopKind.REAR_DOOR))[machines.loop])
        self.rack = np.flatnonzero(racks.present)
        self.ids = [racks.ids[slot] for slot in self.rack.tolist()]
        self.ids += [loops.ids[int(machines.loop[slot])] for slot in standing.tolist()]

        def both(of_racks: Floats, of_machines: Floats) -> Floats:
            return np.concatenate([of_racks[self.rack], of_machines[standing]])

        self.hall = np.concatenate([racks.hall[self.rack], loops.hall[machines.loop[standing]]])
        self.x_m, self.y_m = both(racks.x_m, machines.x_m), both(racks.y_m, machines.y_m)
        self.width_m = both(racks.width_m, machines.width_m)
        self.depth_m = both(racks.depth_m, machines.depth_m)
        self.is_rack = np.arange(len(self.x_m)) < len(self.rack)
        self.first, self.second = self.pairs()
        gap_m = np.abs(self.y_m[self.first] - self.y_m[self.second])
        self.gap_m = gap_m - (self.depth_m[self.first] + self.depth_m[self.second]) / 2

    def areas_m(self, places: NDArray[np.int64]) -> Floats:
        """Return some footprints as low x, low y, high x, high y, shape (n, 4) [m]."""
        half = np.stack([self.width_m[places], self.depth_m[places]], axis=1) / 2
        middle = np.stack([self.x_m[places], self.y_m[places]], axis=1)
        return np.concatenate([middle - half, middle + half], axis=1)

    def pairs(self) -> Pairs:
        """Return pairs of footprints of one hall that overlap in x by more than rounding; each has a rack."""
        low_m = self.x_m - self.width_m / 2 + self.hall * 1e6
        order = np.argsort(low_m, kind="stable")
        high_m, is_rack = (low_m + self.width_m - TOUCH_M)[order], self.is_rack[order]
        place, racks = np.arange(len(order)), np.flatnonzero(is_rack)
        end = np.maximum(np.searchsorted(low_m[order], high_m, side="left"), place + 1)
        # A rack meets all that begin before it ends, a machine the racks among them alone: machines may be many.
        before = np.searchsorted(racks, place + 1)
        count = np.where(is_rack, end - place - 1, np.searchsorted(racks, end) - before)
        first = np.repeat(place, count)
        within = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
        second = first + within + 1
        of_machine = ~is_rack[first]
        second[of_machine] = racks[(before[first] + within)[of_machine]]
        return order[first], order[second]

    def shared_m(self, pair: int) -> float:
        """Return the overlap of two footprints in x or y, whichever is less [m]."""
        first, second = self.first[pair], self.second[pair]
        x_m = (self.width_m[first] + self.width_m[second]) / 2 - abs(self.x_m[first] - self.x_m[second])
        return float(min(x_m, -self.gap_m[pair]))

    def clear_m(self, facing: Ints32) -> tuple[Floats, Floats]:
        """Return the clear space before and behind each rack [m]; inf where it is free."""
        free_m = np.full((2, len(self.rack)), np.inf)
        slot, _, side, gap_m = self._seen(facing)
        np.minimum.at(free_m, (side, slot), gap_m)
        return free_m[0], free_m[1]

    def tight(self, facing: Ints32) -> list[tuple[float, float, int, int]]:
        """Return (clear space [m], least [m], rack, neighbour) of racks with too little clearance, worst first."""
        slot, neighbour, side, gap_m = self._seen(facing)
        least_m = np.where(side == 0, FRONT_M, REAR_M)
        hit = np.flatnonzero((gap_m < least_m - TOUCH_M) & ~_inside(self)[slot])
        hit = hit[np.lexsort((slot[hit], gap_m[hit]))]
        columns = (gap_m, least_m, slot, neighbour)
        return list(zip(*(column[hit].tolist() for column in columns), strict=True))

    def _seen(self, facing: Ints32) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]:
        """Return the neighbours before (side 0) and behind (1) each rack: (rack, neighbour, side, gap [m])."""
        found = []
        for own, neighbour in ((self.first, self.second), (self.second, self.first)):
            apart = self.is_rack[own] & (self.gap_m > -TOUCH_M)
            ahead = np.sign(self.y_m[neighbour[apart]] - self.y_m[own[apart]])
            side = np.where(ahead == facing[own[apart]], 0, 1)
            found.append((own[apart], neighbour[apart], side, np.maximum(self.gap_m[apart], 0.0)))
        slot, neighbours, side, gap_m = (np.concatenate(columns) for columns in zip(*found, strict=True))
        return slot, neighbours, side, gap_m


def _collide(case: RuleContext) -> Iterator[Found]:
    """Yield racks that overlap a rack or cooling unit, and rows whose pitch is less than the width of their racks."""
    floor = Floor(case)
    hit = floor.gap_m < -TOUCH_M
    reported: dict[str, Found] = {}
    for pair in np.flatnonzero(hit).tolist():
        first, second = int(floor.first[pair]), int(floor.second[pair])
        moved = floor.is_rack[second] and place_key(case, floor.ids[second])[2] == "overrides"
        rack, obstacle = (second, first) if moved or not floor.is_rack[first] else (first, second)
        ids, at = (floor.ids[rack], floor.ids[obstacle]), place_key(case, floor.ids[rack])
        shared, none = quantity(floor.shared_m(pair), "length"), quantity(0.0, "length")
        subject = "it" if at[2] == "overrides" else ids[0]
        reason = tr(
            "makes {subject} overlap {second_id} by {shared}",
            subject=subject,
            second_id=ids[1],
            shared=shared.text,
        )
        found = Found(at=at, reason=reason, fix=tr("another place"), ids=ids, value=shared, limit=none)
        reported.setdefault(ids[0], found)
    yield from reported.values()
    for h, hall in enumerate(case.scenario.halls):
        for r, rows in enumerate(hall.rows):
            part = rows.racks.part
            width_m = case.catalog.rack(part).width_m if part is not None else 0.0
            if rows.racks.count > 1 and width_m > rows.racks.pitch_m + TOUCH_M:
                pitch, width = quantity(rows.racks.pitch_m, "length"), quantity(width_m, "length")
                key: Path = ("halls", h, "rows", r, "racks", "pitch")
                reason = tr(
                    "is {pitch}, but a {part} is {width} wide: the racks overlap",
                    pitch=pitch.text,
                    part=part,
                    width=width.text,
                )
                yield Found(
                    at=key,
                    reason=reason,
                    fix=tr("{width} or more", width=width.text),
                    value=pitch,
                    limit=width,
                )


def place_key(case: RuleContext, rack: str) -> Path:
    """Return the key for the place of a rack: its override or that of its row, else that of its generator."""
    at = case.generators[rack.partition("/")[0]]
    for item in (rack, rack.rpartition("/")[0]):
        override = case.scenario.halls[int(at[1])].overrides.get(item)
        if override is not None and override.at is not None:
            return (*at[:2], "overrides", item, "at")
    return (*at, "at")


def _clearance(case: RuleContext) -> Iterator[Found]:
    """Yield racks with too little clearance to take nodes out, for each pair of generators."""
    floor = Floor(case)
    between: dict[frozenset[str], list[tuple[float, float, int, int]]] = {}
    for gap in floor.tight(case.plant.racks.facing[floor.rack]):
        generators = frozenset(floor.ids[k].partition("/")[0] for k in gap[2:])
        between.setdefault(generators, []).append(gap)
    for tight in between.values():
        clear_m, least_m, rack, neighbour = tight[0]
        clear, least = quantity(clear_m, "length"), quantity(least_m, "length")
        ids = tuple(dict.fromkeys(floor.ids[gap[2]] for gap in tight))
        places = len({frozenset(gap[2:]) for gap in tight}) - 1
        more = (
            tr(
                "; {places:,} more place{word} too tight",
                places=places,
                word=tr("s are") if places > 1 else " is",
            )
            if places
            else ""
        )
        reason = tr(
            "leaves {clear} clear between {floor} and {ids_2}",
            clear=clear.text,
            floor=floor.ids[rack],
            ids_2=floor.ids[neighbour],
        )
        yield Found(
            at=_blamed(case, floor, rack, neighbour),
            reason=tr("{reason}, minimum {least}{more}", reason=reason, least=least.text, more=more),
            fix=tr("another place, or a larger pitch"),
            ids=ids,
            value=clear,
            limit=least,
        )


def _blamed(case: RuleContext, floor: Floor, rack: int, neighbour: int) -> Path:
    """Return the key to blame for a tight place: of the rack that was moved, else of the smaller generator."""
    racks = [floor.ids[k] for k in (rack, neighbour) if floor.is_rack[k]]
    places = [place_key(case, id) for id in racks]
    moved = [at for at in places if at[2] == "overrides"]
    if moved:
        return moved[0]
    names = [id.partition("/")[0] for id in racks]
    if len(set(names)) == 1 and len(racks) > 1:
        return (*places[0][:-1], "pitch")
    many = [int(case.racks_of((name,)).sum()) for name in names]
    return places[min(range(len(names)), key=lambda k: (many[k], -k))]


def _inside(floor: Floor) -> Bools:
    """Return the racks that overlap something: another rule reports them."""
    hit = floor.gap_m < -TOUCH_M
    inside = np.zeros(len(floor.x_m), np.bool_)
    inside[floor.first[hit]] = inside[floor.second[hit]] = True
    return inside[: len(floor.rack)]


# --- weight


def _heavy(case: RuleContext) -> Iterator[Found]:
    """Yield cabinets above the static rating; complete racks of a maker are not checked."""
    weight_kg, whole = rack_weights_kg(case.plant, case.catalog)
    over = np.flatnonzero((weight_kg > CABINET_KG) & ~whole & case.plant.racks.present)
    for at, ids in case.by_generator(over[np.argsort(-weight_kg[over], kind="stable")]):
        weight = number(round(float(weight_kg[case.plant.slots[ids[0]][1]])), "kg")
        limit = number(CABINET_KG, "kg")
        reason = tr(
            "weigh {weight} in {many}, above the cabinet rating of {limit}",
            weight=weight.text,
            many=many(ids),
            limit=limit.text,
        )
        fix = tr("fewer nodes in each, or a rack part with a higher rating")
        yield Found(at=(*at, "racks"), reason=reason, fix=fix, ids=tuple(ids), value=weight, limit=limit)


def _floor_load(case: RuleContext) -> Iterator[Found]:
    """Yield racks too heavy for the floor of their hall."""
    plant, racks = case.plant, case.plant.racks
    floor = Floor(case)
    before_m, behind_m = floor.clear_m(racks.facing[floor.rack])
    weight_kg = rack_weights_kg(case.plant, case.catalog)[0][floor.rack]
    size_m = racks.width_m[floor.rack], racks.depth_m[floor.rack]
    load_pa = floor_load_pa(weight_kg, *size_m, before_m, behind_m)
    limit_pa = np.array([hall.floor_load_pa for hall in case.scenario.halls])[racks.hall[floor.rack]]
    over = np.flatnonzero(load_pa > limit_pa * 1.001)
    over = over[np.argsort(-load_pa[over], kind="stable")]
    load_of = dict(zip(floor.rack[over].tolist(), load_pa[over].tolist(), strict=True))
    found = case.by_generator(floor.rack[over])
    found.sort(key=lambda entry: int(entry[0][1]))
    for hall, entries in groupby(found, key=lambda entry: int(entry[0][1])):
        for at, ids in entries:
            load = quantity(load_of[plant.slots[ids[0]][1]], "pressure")
            limit = quantity(case.scenario.halls[hall].floor_load_pa, "pressure")
            reason = tr(
                "put {load} on the floor at {many}, above its limit of {limit}",
                load=load.text,
                many=many(ids),
                limit=limit.text,
            )
            fix = tr("a higher floor_load of the hall, a larger pitch, or lighter racks")
            yield Found(at=(*at, "racks"), reason=reason, fix=fix, ids=tuple(ids), value=load, limit=limit)


RULES = (
    Rule(
        "rack-units",
        tr("Rack-unit conflict"),
        "space",
        "error",
        tr("Units of a rack that two components share, or that the rack does not have."),
        tr("EIA-310: rack units"),
        _units,
    ),
    Rule(
        "rack-collision",
        tr("Racks overlap"),
        "space",
        "error",
        tr("Footprints of racks and cooling units on the floor."),
        tr("outer dimensions of the parts"),
        _collide,
    ),
    Rule(
        "clearance",
        tr("Too little clearance"),
        "space",
        "warning",
        tr("Clear space before and behind each rack."),
        tr("ANSI/TIA-942-A 5.11.7: 1 m before, 0.6 m behind [unverified]"),
        _clearance,
    ),
    Rule(
        "floor-load",
        tr("Floor overloaded"),
        "space",
        "error",
        tr(
            "Weight of each rack over its footprint and half the aisles beside it, against floor_load of the hall."
        ),
        tr("ANSI/TIA-942-A: 12 kPa recommended, 7.2 kPa minimum [unverified]"),
        _floor_load,
    ),
    Rule(
        "rack-weight",
        tr("Cabinet overloaded"),
        "space",
        "error",
        tr("Weight of each cabinet with its contents, against its static rating."),
        tr("1,360 kg (3,000 lb), the usual static rating of cabinets [unverified]"),
        _heavy,
    ),
)
