"""Checks of jobs against hardware without a model: height, links, scale-up domains."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog
from twin.scenario.checks.largest_jobs import asked
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import CABINET_UNITS, RackGenerator
from twin.scenario.schema.work import Inference, LlmTraining, Load, Reinforcement
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""


def too_high(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield node groups that end above their rack.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    for h, hall in enumerate(scenario.halls):
        for r, rows in enumerate(hall.rows):
            for n, key, reason, hint in _stack(rows.racks, catalog):
                yield ("halls", h, "rows", r, "racks", "nodes", n, key), reason, hint


def _stack(racks: RackGenerator, catalog: Catalog) -> Iterator[tuple[int, str, str, str]]:
    units, free_u = CABINET_UNITS, 1
    if racks.part is not None:
        rack = catalog.rack(racks.part)
        units = int(rack.height_u)
        heights = (
            max(1, round(catalog.part(g.part).height_u or 1)) * -(-g.count // g.abreast) for g in rack.layout
        )
        free_u += sum(heights)
    for n, group in enumerate(racks.nodes):
        each = max(1, round(catalog.node(group.part).height_u))
        first = max(group.first_u, free_u)
        free_u = first + -(-group.count // group.abreast) * each
        if free_u - 1 <= units:
            continue
        room = max(0, (units - first + 1) // each) * group.abreast
        reason = (
            f"does not fit: {group.count} {group.part} of {each} U from unit {first} reach unit {free_u - 1}, "
            f"and the rack has {units} U"
        )
        if room == 0 and group.first_u == first:
            yield n, "first_u", reason, f"begin at unit {units - each + 1} or below"
        else:
            yield (
                n,
                "count",
                reason,
                f"at most {room} fit there" if room else "the rack is full above",
            )
        return


def unlinked(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield jobs that talk between scale-up domains in a scene without any fabric: their network is not modelled."""
    for ask in asked(scenario, catalog) if not scenario.fabrics else ():
        job, node = ask.job, ask.node
        if node is None or isinstance(job.workload, Inference | Load):
            continue
        if job.nodes * node.n_gpu > max(node.n_gpu, node.scale_up_gpus):
            reason = (
                "use a network that is not modelled, as the scene has no fabric: step times assume the "
                "calibration fabric"
            )
            yield ask.size, reason, "add a fabric under fabrics"


def split_tensors(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield tensor groups larger than a scale-up domain: each layer then waits for the network."""
    for ask in asked(scenario, catalog):
        workload, at = ask.job.workload, ask.workload
        groups: list[tuple[Path, int]] = []
        if isinstance(workload, LlmTraining | Reinforcement):
            groups.append(((*at, "parallelism", "tensor"), workload.parallelism.tensor))
        if isinstance(workload, Reinforcement):
            groups.append(((*at, "rollout_tensor"), workload.rollout_tensor))
        if isinstance(workload, Inference):
            groups.append(((*at, "tensor"), workload.tensor))
        node = ask.node
        if node is None:
            continue
        together = max(node.n_gpu, node.scale_up_gpus)
        for path, tensor in groups:
            if tensor > together:
                reason = f"uses the fabric in every layer: only {together} GPUs of {node.id} share a scale-up domain"
                yield path, reason, f"at most {together} stay inside"
