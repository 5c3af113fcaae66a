"""Kinds of GPUs of a site: what of capital and operation each of them bears, and which of them jobs held.

A piece of a node is borne by the GPU of that node, network by its NICs, power, cooling and building by the nameplate of
its nodes, and all else by capital.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog, NodePart
from twin.catalog.contents import contents
from twin.economics.bill import Bill
from twin.economics.books import Statement
from twin.economics.capital import FABRIC, CapitalLine
from twin.plant.tables import Plant
from twin.record.reader import Reader

MOST_FRAMES = 200
"""Frames of a run that are looked at for which GPUs a job held."""
_BY_POWER = ("power", "substation", "generation", "cooling", "building", "labour", "soft")


def owned_by_class(statement: Statement, bill: Bill, plant: Plant, catalog: Catalog) -> Floats:
    """Return what each kind of GPU bears of capital and fixed operation, shape (kinds, samples) [USD/year].

    Parameters
    ----------
    statement
        At which prices.
    bill
        Its GPUs by part, in the order of the rows.
    plant, catalog
        Nodes of the hall.
    """
    kinds = list(bill.gpus)
    nodes = _nodes_of(plant, catalog, kinds)

    def weight(of: Callable[[NodePart], float]) -> Floats:
        total = np.zeros(len(kinds))
        for node, kind, count in nodes:
            total[kind] += count * of(node)
        return total / total.sum() if total.sum() else np.full(len(kinds), 1.0 / max(1, len(kinds)))

    by_ports = weight(lambda node: float(sum(group.count for group in node.nics)))
    by_power = weight(lambda node: node.max_w)
    borne = np.zeros((len(kinds), statement.capital.prices.samples))
    rest: list[CapitalLine] = []
    pieces = {node.id: {node.id: 1, **contents(node)} for node, _, _ in nodes}
    for line in statement.capital.lines:
        entry = line.entry
        if any(entry in held for held in pieces.values()):
            share = weight(partial(_holds, pieces, entry))
        elif line.group in FABRIC:
            share = by_ports
        elif line.group in _BY_POWER:
            share = by_power
        else:
            rest.append(line)
            continue
        borne += share[:, None] * statement.capital.annuity_usd(line)
    by_capital = borne / borne.sum(axis=0) if borne.any() else np.full(borne.shape, 1.0 / max(1, len(kinds)))
    left = statement.operation.fixed_usd + sum(statement.capital.annuity_usd(line) for line in rest)
    return np.asarray(borne + by_capital * left, np.float64)


def held_steps(reader: Reader, plant: Plant, bill: Bill) -> Generator[None, None, Floats]:
    """Work out the share of each job's GPUs that are of each kind, shape (jobs, kinds) [-], frame by frame.

    By frames of the run, evenly in time; a job that none of them shows held what there is.
    """
    kinds = list(bill.gpus)
    installed = np.array([bill.gpus[kind] for kind in kinds], np.float64)
    jobs = len(reader.header.ids.get("job", ()))
    seen = np.zeros((jobs, len(kinds)))
    if len(kinds) > 1:
        number = {part: place for place, part in enumerate(kinds)}
        of_gpu = np.array([number.get(part, -1) for part in plant.gpu_parts])[plant.gpus.part]
        times = reader.sample_times()
        for t_s in times[:: max(1, len(times) // MOST_FRAMES)].tolist():
            job = reader.frame(t_s).values["gpu.job"][: len(of_gpu)]
            held = (job >= 0) & (of_gpu[: len(job)] >= 0)
            np.add.at(seen, (job[held], of_gpu[: len(job)][held]), 1.0)
            yield
    unseen = seen.sum(axis=1) == 0.0
    seen[unseen] = installed
    return np.asarray(seen / seen.sum(axis=1, keepdims=True), np.float64)


def held_evenly(jobs: int, bill: Bill) -> Floats:
    """Return the same where no frame is kept: every job held what there is."""
    installed = np.array([*bill.gpus.values()], np.float64)
    return np.tile(installed / max(1.0, float(installed.sum())), (jobs, 1))


def _holds(pieces: Mapping[str, Mapping[str, int]], entry: str, node: NodePart) -> float:
    return float(pieces[node.id].get(entry, 0))


def _nodes_of(plant: Plant, catalog: Catalog, kinds: list[str]) -> list[tuple[NodePart, int, int]]:
    """Return the node parts of a hall, the kind of their GPUs, and how many there are."""
    numbers = np.bincount(plant.nodes.part[plant.nodes.present], minlength=len(plant.node_parts))
    parts = zip(map(catalog.node, plant.node_parts), numbers.tolist(), strict=True)
    return [(node, kinds.index(node.gpu), count) for node, count in parts if count and node.gpu in kinds]
