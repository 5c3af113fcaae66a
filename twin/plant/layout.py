"""Rows, racks, nodes and GPUs of all halls, from generators and overrides.

Coordinates are those of each hall alone; `twin.plant.halls` sets the halls beside one another.
An item that an override takes away keeps its slot with `present` false, so that everybody else keeps theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats, Ints32
from twin.catalog import Catalog, NodePart
from twin.plant.cabinet import Cabinet, cabinet_of
from twin.plant.error import PlantError
from twin.plant.generated import Generated, Racked
from twin.plant.overrides import Overrides
from twin.plant.tables import Fixtures, Gpus, Nodes, Racks, Rows
from twin.scenario.schema import site
from twin.scenario.schema.document import Scenario


@dataclass
class Layout:
    """Tables of rows, racks, nodes and GPUs, without cooling, power and fabric."""

    rows: Rows
    racks: Racks
    nodes: Nodes
    gpus: Gpus
    fixtures: Fixtures
    node_parts: list[str]
    gpu_parts: list[str]
    generator_racks: dict[str, Ints32]
    """Row generator -> its rack slots in order."""


def lay_out(scenario: Scenario, catalog: Catalog) -> Layout:
    """Return rows, racks, nodes and GPUs of a scenario.

    Raises
    ------
    PlantError
        When an override names an item that its generator does not make, or a rack is overfull.
    UnknownPart
        When the catalogue lacks a part.
    """
    generators = [(h, rows) for h, hall in enumerate(scenario.halls) for rows in hall.rows]
    cabinets = _Cabinets(catalog)
    kinds: list[int] = []
    row_ids: list[str] = []
    labels: list[str] = []
    rack_ids: list[str] = []
    lettered: Counter[str] = Counter()
    generator_racks: dict[str, Ints32] = {}
    for _, rows in generators:
        first_rack, first_row = len(rack_ids), len(row_ids)
        kinds.append(cabinets.number(rows.racks, rows.racks.part))
        row_ids += [f"{rows.id}/{i}" for i in range(rows.count)]
        labels += [f"{rows.label} {letters(lettered[rows.label] + i)}" for i in range(rows.count)]
        lettered[rows.label] += rows.count
        rack_ids += [f"{row}/{j}" for row in row_ids[first_row:] for j in range(rows.racks.count)]
        generator_racks[rows.id] = np.arange(first_rack, len(rack_ids), dtype=np.int32)
    # A row that is alone under its name needs no letter: NET, not NET A.
    labels = [label if lettered[label.rsplit(" ", 1)[0]] > 1 else label.rsplit(" ", 1)[0] for label in labels]
    generated = Generated(generators, kinds, cabinets.kinds)
    rows_table, racked = generated.rows(row_ids, labels), generated.racks()
    chosen = racked.cabinet.copy()
    overrides = Overrides(scenario, generators, rack_ids, generator_racks)
    for rack, racks, part in overrides.rack_parts:
        if any(isinstance(catalog.part(group.part), NodePart) for group in catalog.rack(part).layout):
            racks = racks.model_copy(update={"nodes": ()})  # it brings its own instead
        chosen[rack] = cabinets.number(racks, part)
    racks_table = _racks_table(racked, rack_ids, cabinets.kinds, chosen)
    nodes, gpus, node_parts, gpu_parts = _expand(racks_table, chosen, cabinets.kinds, catalog, overrides)
    _apply_places(overrides, generated, rows_table, racks_table)
    _apply_absence(overrides, rows_table, racks_table, nodes, gpus)
    return Layout(
        rows_table,
        racks_table,
        nodes,
        gpus,
        _fixtures(chosen, cabinets.kinds),
        node_parts,
        gpu_parts,
        generator_racks,
    )


def letters(index: int) -> str:
    """Return A, B, ..., Z, AA, AB, ... for 0, 1, 2, ..."""
    text = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 26)
        text = chr(ord("A") + digit) + text
    return text


class _Cabinets:
    """Kinds of racks met so far, numbered."""

    def __init__(self, catalog: Catalog) -> None:
        self.kinds: list[Cabinet] = []
        self._catalog = catalog
        self._numbers: dict[tuple[str | None, tuple[site.NodeGroup, ...], site.Shelves | None], int] = {}

    def number(self, racks: site.RackGenerator, part: str | None) -> int:
        key = (part, racks.nodes, racks.shelves)
        if key not in self._numbers:
            self._numbers[key] = len(self.kinds)
            self.kinds.append(cabinet_of(racks, part, self._catalog))
        return self._numbers[key]


def _racks_table(racked: Racked, ids: list[str], kinds: list[Cabinet], chosen: Ints32) -> Racks:
    count = len(ids)
    node_count = np.array([len(k.nodes) for k in kinds], np.int32)[chosen] if count else np.zeros(0, np.int32)

    def of_kind(values: list[float]) -> Floats:
        return np.array(values, np.float64)[chosen] if count else np.zeros(0)

    nobody = np.full(count, -1, np.int32)
    names = [k.part for k in kinds]
    return Racks(
        ids=ids,
        row=racked.row,
        hall=racked.hall,
        kind=racked.kind,
        part=[names[k] for k in chosen.tolist()],
        x_m=racked.x_m,
        y_m=racked.y_m,
        width_m=np.minimum(of_kind([k.width_m for k in kinds]), racked.pitch_m),
        depth_m=of_kind([k.depth_m for k in kinds]),
        height_m=of_kind([k.height_m for k in kinds]),
        facing=racked.facing,
        units_u=of_kind([k.units_u for k in kinds]).astype(np.int32),
        loop=nobody.copy(),
        air_loop=nobody.copy(),
        feed_a=nobody.copy(),
        feed_b=nobody.copy(),
        shelf_part=[kinds[k].shelf_part for k in chosen.tolist()],
        shelves=of_kind([k.shelves for k in kinds]).astype(np.int32),
        shelves_needed=of_kind([k.shelves_needed for k in kinds]).astype(np.int32),
        gear_w=of_kind([k.gear_w for k in kinds]),
        node_first=(np.cumsum(node_count) - node_count).astype(np.int32),
        node_count=node_count,
        present=np.ones(count, np.bool_),
    )


def _of_cabinets(
    chosen: Ints32, per_kind: Sequence[Sequence[tuple[int, ...]]], columns: int
) -> tuple[Ints32, Ints32]:
    """Return (rack, contents row by row (n, columns)) for racks of the chosen kinds, in order of racks."""
    counts = np.array([len(rows) for rows in per_kind], np.int64)
    table = np.array([row for rows in per_kind for row in rows], np.int32).reshape(-1, columns)
    first = np.cumsum(counts) - counts
    each = counts[chosen] if len(chosen) else np.zeros(0, np.int64)
    rack = np.repeat(np.arange(len(chosen)), each)
    within = np.arange(len(rack)) - np.repeat(np.cumsum(each) - each, each)
    return rack.astype(np.int32), table[first[chosen[rack]] + within] if len(rack) else table[:0]


def _fixtures(chosen: Ints32, kinds: list[Cabinet]) -> Fixtures:
    rack, content = _of_cabinets(chosen, [[(int(f), u, h) for f, u, h in k.fixtures] for k in kinds], 3)
    return Fixtures(rack, content[:, 1].copy(), content[:, 2].copy(), content[:, 0].copy())


def _expand(
    racks: Racks, chosen: Ints32, kinds: list[Cabinet], catalog: Catalog, overrides: Overrides
) -> tuple[Nodes, Gpus, list[str], list[str]]:
    """Return nodes and GPUs of all racks, and the names of their parts."""
    numbers: dict[str, int] = {}
    contents = [[(numbers.setdefault(p, len(numbers)), *place) for p, *place in k.nodes] for k in kinds]
    rack, content = _of_cabinets(chosen, contents, 5)
    counts = racks.node_count.tolist()
    ids = [f"{rack_id}/{k}" for rack_id, n in zip(racks.ids, counts, strict=True) for k in range(n)]
    added = overrides.added(racks)
    if added:
        rack, content, ids = _with_added(racks, rack, content, ids, added, numbers)
    part, height_u = content[:, 0].copy(), content[:, 2].copy()
    for slot, name in overrides.node_parts(racks):
        part[slot] = numbers.setdefault(name, len(numbers))
        height_u[slot] = max(1, round(catalog.node(name).height_u))
    u = content[:, 1].copy()
    for slot, home, unit in overrides.node_places(racks):
        rack[slot] = home if home >= 0 else rack[slot]
        u[slot] = unit or u[slot]
    if added:
        fresh = np.array([numbers[name] for _, _, name, _ in added])
        heights = np.array([max(1, round(catalog.node(name).height_u)) for name in numbers], np.int32)
        height_u = np.where((height_u == 0) & np.isin(part, fresh), heights[part], height_u)
    parts = [catalog.node(name) for name in numbers]
    gpu_parts = list(dict.fromkeys(p.gpu for p in parts))

    def of_part(values: list[int]) -> Ints32:
        return np.array(values, np.int32)[part] if len(part) else np.zeros(0, np.int32)

    gpu_count = of_part([p.n_gpu for p in parts])
    compute_nics = [[g for g in p.nics if g.use != "storage"] for p in parts]
    nic_bytes_s = [
        max([catalog.nic(g.part).bandwidth_bytes_s for g in found], default=0.0) for found in compute_nics
    ]
    nodes = Nodes(
        ids=ids,
        rack=rack,
        part=part,
        u=u,
        height_u=height_u,
        column=content[:, 3].copy(),
        abreast=content[:, 4].copy(),
        gpu_first=(np.cumsum(gpu_count) - gpu_count).astype(np.int32),
        gpu_count=gpu_count,
        loop=np.full(len(ids), -1, np.int32),
        unit=np.full(len(ids), -1, np.int32),
        nics=of_part([sum(g.count for g in found) for found in compute_nics]),
        nic_bytes_s=np.array(nic_bytes_s, np.float64)[part] if len(part) else np.zeros(0),
        liquid=of_part([p.cooling == "liquid" for p in parts]).astype(np.bool_),
        drained=np.zeros(len(ids), np.bool_),
        present=np.ones(len(ids), np.bool_),
    )
    node_of_gpu = np.repeat(np.arange(len(ids), dtype=np.int32), gpu_count)
    index = np.arange(len(node_of_gpu)) - nodes.gpu_first[node_of_gpu]
    gpus = Gpus(
        node=node_of_gpu,
        index=index.astype(np.int32),
        rack=rack[node_of_gpu],
        part=of_part([gpu_parts.index(p.gpu) for p in parts])[node_of_gpu],
        present=np.ones(len(node_of_gpu), np.bool_),
    )
    return nodes, gpus, list(numbers), gpu_parts


def _with_added(
    racks: Racks,
    rack: Ints32,
    content: Ints32,
    ids: list[str],
    added: list[tuple[int, int, str, int]],
    numbers: dict[str, int],
) -> tuple[Ints32, Ints32, list[str]]:
    """Return rack, content and ids of all nodes with those `added` behind the others of their rack.

    Their height is left 0: it is that of their part.
    """
    more = [(numbers.setdefault(part, len(numbers)), u, 0, 0, 1) for _, _, part, u in added]
    home = np.array([entry[0] for entry in added], np.int32)
    rack = np.concatenate([rack, home]).astype(np.int32)
    content = np.concatenate([content, np.array(more, np.int32)])
    ids = ids + [f"{racks.ids[r]}/{number}" for r, number, _, _ in added]
    order = np.argsort(rack, kind="stable")
    racks.node_count += np.bincount(home, minlength=len(racks.ids)).astype(np.int32)
    racks.node_first[:] = np.cumsum(racks.node_count) - racks.node_count
    return rack[order], content[order], [ids[k] for k in order.tolist()]


def _apply_places(overrides: Overrides, generated: Generated, rows: Rows, racks: Racks) -> None:
    """Move and turn rows, then racks, as the overrides say."""
    turned, moved = np.zeros(len(rows.ids), np.bool_), np.zeros(len(rows.ids), np.bool_)
    for _, (name, index), override in sorted(overrides.items, key=lambda entry: len(entry[1][1])):
        if override.at is None and override.facing is None:
            continue
        slots = overrides.racks((name, index))
        facing = {None: 0, "north": 1, "south": -1}[override.facing]
        if facing:
            racks.facing[slots] = facing
        if len(index) == 2 and override.at is not None:
            racks.x_m[slots], racks.y_m[slots] = override.at.x_m, override.at.y_m
        if len(index) != 1:
            continue
        row = overrides.first_row[name] + index[0]
        turned |= generated.generator == generated.generator[row]
        rows.facing[row] = facing or rows.facing[row]
        if override.at is not None:
            moved[row] = True
            by_x_m = override.at.x_m - rows.x0_m[row]
            by_y_m = override.at.y_m + rows.depth_m[row] / 2 - rows.y_m[row]
            for column in (rows.x0_m, rows.x1_m):
                column[row] += by_x_m
            rows.y_m[row] += by_y_m
            racks.x_m[slots] += by_x_m
            racks.y_m[slots] += by_y_m
    if turned.any():
        rows.contained[turned] = generated.contained(rows.facing, moved)[turned]


def _apply_absence(overrides: Overrides, rows: Rows, racks: Racks, nodes: Nodes, gpus: Gpus) -> None:
    """Mark items absent or drained as the overrides say."""
    for item, path, override in overrides.items:
        name, index = path
        if len(index) <= 2:
            slots = overrides.racks(path)
            racks.present[slots] &= not override.absent
            if override.absent and len(index) == 1:
                rows.present[overrides.first_row[name] + index[0]] = False
            continue
        node = overrides.node(item, path, racks)
        if len(index) == 3:
            nodes.drained[node] |= override.drained
            nodes.present[node] &= not override.absent
            continue
        if index[3] >= nodes.gpu_count[node]:
            raise PlantError(f"override {item!r}: node {nodes.ids[node]} has {nodes.gpu_count[node]} GPUs")
        gpus.present[nodes.gpu_first[node] + index[3]] &= not override.absent
    nodes.present &= racks.present[nodes.rack]
    gpus.present &= nodes.present[gpus.node]
