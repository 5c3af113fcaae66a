"""What hardware and jobs need of each other, as far as it shows without a model: height, nodes, divisors, names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ruamel.yaml import YAML

from twin import resources
from twin.catalog import Catalog
from twin.scenario import expand
from twin.scenario.document import Scenario
from twin.scenario.site import CABINET_UNITS, Racks
from twin.scenario.tree import Path
from twin.scenario.validate import nearest
from twin.scenario.work import Job, LlmTraining

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


def _stack(racks: Racks, catalog: Catalog) -> Iterator[tuple[int, str, str, str]]:
    units, free_u = CABINET_UNITS, 1
    if racks.part is not None:
        rack = catalog.rack(racks.part)
        units = int(rack.height_u)
        heights = (max(1, round(catalog.part(g.part).height_u or 1)) * g.count for g in rack.layout)
        free_u += sum(heights)
    for n, group in enumerate(racks.nodes):
        each = max(1, round(catalog.node(group.part).height_u))
        first = max(group.first_u, free_u)
        free_u = first + group.count * each
        if free_u - 1 <= units:
            continue
        room = max(0, (units - first + 1) // each)
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
                f"at most {room} fit there" if room else "nothing fits above what is there",
            )
        return


def jobs(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what keeps a job from running on the nodes it may use.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    nodes = [
        (row.id.partition("/")[0], node)
        for row in expand.rows(scenario, catalog)
        for rack in row.racks
        for node in rack.nodes
    ]
    for i, job in enumerate(scenario.jobs):
        at: Path = ("jobs", i)
        names = list(_names(job))
        yield from ((("jobs", i, "workload", key), reason, hint) for key, reason, hint in names)
        mine = [node for rows, node in nodes if not job.rows or rows in job.rows]
        kinds = {(node.part, node.gpus) for node in mine}
        if len(mine) < job.nodes:
            where = f"rows {', '.join(job.rows)} have" if job.rows else "the halls have"
            yield (*at, "nodes"), f"is too many: {where} {len(mine)} nodes", ""
        elif len(kinds) > 1:
            parts = ", ".join(sorted(part for part, _ in kinds))
            yield (*at, "rows"), f"leaves nodes of several kinds: {parts}", "name rows of one kind under rows"
        elif isinstance(job.workload, LlmTraining):
            part, gpus = kinds.pop()
            for key, reason, hint in _cut(job, job.workload, gpus, catalog.node(part).gpu, bool(names)):
                yield (*at, *key.split(".")), reason, hint


def _names(job: Job) -> Iterator[tuple[str, str, str]]:
    """Yield the presets that a workload names and that do not exist."""
    if not isinstance(job.workload, LlmTraining):
        return
    known = sorted(_models())
    if job.workload.model not in known:
        yield "model", "is no model preset", _choice(job.workload.model, known)
    named = job.workload.profile
    if named is not None and named not in _profiles():
        yield "profile", "is no calibration profile", _choice(named, sorted(_profiles()))


def _cut(
    job: Job, workload: LlmTraining, node_gpus: int, gpu: str, nameless: bool
) -> Iterator[tuple[str, str, str]]:
    """Yield degrees that do not divide what they cut."""
    cut = workload.parallelism
    degrees = {"tensor": cut.tensor, "pipeline": cut.pipeline, "context": cut.context}
    gpus, group = job.nodes * node_gpus, math.prod(degrees.values())
    to = "workload.parallelism"
    if workload.profile is None and gpu.lower() not in {
        served.lower() for gpus_of in _profiles().values() for served in gpus_of
    }:
        hint = f"name one: {', '.join(sorted(_profiles()))}"
        yield "workload.profile", f"is needed: no calibration profile serves {gpu}", hint
    if gpus % group:
        said = " x ".join(f"{key} {value}" for key, value in degrees.items())
        alone = [key for key, value in degrees.items() if gpus % value]
        step = group // math.gcd(group, node_gpus)
        near = [count for count in (job.nodes // step * step, (job.nodes // step + 1) * step) if count]
        hint = f"{' or '.join(f'{count:,}' for count in near)} nodes would do"
        if alone:
            hint = f"{max(d for d in range(1, degrees[alone[0]]) if gpus % d == 0)} would divide them"
        reason = (
            f"does not divide the GPUs: {job.nodes:,} nodes have {gpus:,}, no multiple of {said} = {group:,}"
        )
        yield f"{to}.{alone[0]}" if alone else to, reason, hint
        return
    replicas = gpus // group
    share = replicas * cut.microbatch
    if workload.global_batch % share:
        below = workload.global_batch // share * share
        hint = f"{' or '.join(f'{batch:,}' for batch in (below, below + share) if batch)} would do"
        reason = f"is no multiple of data parallel {replicas:,} x microbatch {cut.microbatch} = {share:,}"
        yield "workload.global_batch", reason, hint
    if not nameless:
        yield from _shape(workload, _models()[workload.model], to)


def _shape(workload: LlmTraining, model: Mapping[str, Any], to: str) -> Iterator[tuple[str, str, str]]:
    cut = workload.parallelism
    heads, layers = int(model["heads"]), int(model["layers"])
    tokens = workload.sequence or int(model["seq"])
    if heads % cut.tensor:
        yield f"{to}.tensor", f"does not divide the {heads} attention heads of {workload.model}", ""
    if cut.pipeline > layers:
        yield f"{to}.pipeline", f"makes more stages than {workload.model} has layers: {layers}", ""
    elif cut.pipeline * cut.interleave > layers:
        stages = f"{cut.pipeline} x {cut.interleave} = {cut.pipeline * cut.interleave}"
        reason = f"makes more stages than {workload.model} has layers: {stages} of {layers}"
        yield f"{to}.interleave", reason, f"at most {layers // cut.pipeline}"
    if tokens % cut.context:
        yield f"{to}.context", f"does not divide the sequence of {tokens:,} tokens", ""


def _choice(word: str, known: list[str]) -> str:
    near = nearest(word, known)
    return f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"


@cache
def _models() -> Mapping[str, Mapping[str, Any]]:
    """Return the model presets that are shipped; `planning` reads and checks all of them."""
    return dict(_yaml("models.yaml")["models"])


@cache
def _profiles() -> Mapping[str, tuple[str, ...]]:
    """Return the shipped calibration profiles, each with the GPUs it serves."""
    names = (entry.name for entry in (resources.folder("assets") / "profiles").iterdir())
    files = [name for name in names if name.endswith(".yaml") and name != "models.yaml"]
    return {name.removesuffix(".yaml"): tuple(_yaml(name).get("gpus", ())) for name in files}


def _yaml(name: str) -> Mapping[str, Any]:
    file = resources.folder("assets") / "profiles" / name
    return dict(YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8")))
