"""A design as a scene: its room, its site, and its workloads as jobs one after another."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from twin.catalog import Catalog
from twin.commands.edit.command import CommandError
from twin.commands.room.room_design import design as design_room
from twin.commands.room.room_plan import RoomRequest
from twin.designs.design import Design
from twin.designs.design_bill import nodes_of
from twin.designs.need import DAY_S, SUFFIX, LanguageWork, SiteNeed, VisionWork
from twin.designs.need_file import NeedFile
from twin.designs.screening import PAUSE_S
from twin.designs.work_table import WorkStep, stage_of
from twin.scenario import Document, loads
from twin.scenario.schema.quantity import rendered
from twin.scenario.text.emit import block

LONGEST_DAYS = 400


class DesignError(ValueError):
    """A design that no scene can be made of, in one sentence."""


def scene_of_design(file: NeedFile, design: Design, catalog: Catalog, name: str, stage: int = -1) -> Document:
    """Return a design as a scene.

    Parameters
    ----------
    file, design
        The need, and what meets it.
    catalog
        Of the parts.
    name
        Of the scene, for people.
    stage
        Which stage of growth; -1: the last.

    Raises
    ------
    DesignError
        When the room cannot be laid out.
    ScenarioError
        When its text is no scene.
    """
    need, part = file.need, design.choice.part
    gpus = design.stages[stage]
    last = stage in (-1, len(design.stages) - 1)
    room = design.room if last else _smaller(design, gpus)
    try:
        document = design_room(room, catalog).document
    except CommandError as wrong:
        raise DesignError(f"{part.part}: {wrong}") from None
    notes = _notes(file, design, room, gpus, last)
    duration = max(1, math.ceil(design.time_s / DAY_S)) if design.promises else 1
    begins = need.stages[stage].date if need.stages else "2027-01"
    document |= {
        "title": name,
        "notes": notes,
        "start": f"{begins}-01T00:00+00:00",
        "duration": f"{min(LONGEST_DAYS, duration)} day",
        "site": {
            "name": need.title,
            "climate": {"place": need.climate},
            "grid": {
                "carbon": rendered(need.carbon_kg_j, "carbon_intensity"),
                "price": rendered(need.price_usd_j, "energy_price"),
            },
            "redundancy": {"power": room.power, "cooling": room.cooling, "network": room.network},
        },
        "failures": {"rates": "catalog", "machines": "catalog"},
    }
    if need.sources:
        document["sources"] = list(need.sources)
    for key, named in (("parts", need.parts), ("models", need.models)):
        if named is not None:
            document[key] = list(named)
    if need.tenants:
        document["tenants"] = [{"id": tenant, "title": tenant.capitalize()} for tenant in need.tenants]
    jobs = [job for job in _jobs(file, design, gpus, last) if job]
    if jobs:
        document["jobs"] = jobs
    return loads(block(_ordered(document)), name, own_files=file.own_files)


def _smaller(design: Design, gpus: int) -> RoomRequest:
    """Return the room of an earlier stage, with as large a share of spares, storage and network of its own."""
    part = design.choice.part
    nodes = math.ceil(gpus / part.node.n_gpu)
    spares = math.ceil(design.spares * nodes / design.nodes) if design.nodes else 0
    plan = part.room(nodes + spares)
    return replace(design.room, nodes=plan.nodes, rows=plan.rows, racks=plan.racks)


def _jobs(file: NeedFile, design: Design, gpus: int, last: bool) -> list[dict[str, Any]]:
    """Return the workloads of a stage as jobs; one whose model is no preset has none."""
    need, part, jobs = file.need, design.choice.part, []
    begin_s = 0.0
    for place, work in enumerate(need.workloads):
        if (work.stage == "last") != last and len(design.stages) > 1:
            continue
        step, promise = design.steps[place], design.promises[place]
        workload = _language(work, step) if isinstance(work, LanguageWork) else _vision(need, work)
        if workload is None:
            continue
        nodes = math.ceil(min(gpus, stage_of(work, design.stages)) / part.node.n_gpu)
        job: dict[str, Any] = {"id": f"work-{place + 1}", "title": work.model or "Own model"}
        if need.tenants:
            job["tenant"] = need.tenants[0]
        stored = {"storage": "pfs"} if design.room.storage else {}
        job |= {"nodes": nodes} | stored
        if begin_s:
            job["submit"] = rendered(float(round(begin_s)), "duration")
        job["steps"] = math.ceil(step.steps)
        job["workload"] = workload
        job["checkpoint"] = {
            "interval": f"{max(1, round(promise.interval_s))} s",
            "pause": f"{PAUSE_S:g} s",
        } | stored
        begin_s += promise.promised_s
        jobs.append(job)
    return jobs


def _language(work: LanguageWork, step: WorkStep) -> dict[str, Any] | None:
    if work.model is None or step.cut is None:
        return None
    cut = step.cut.parallel
    parallelism = {
        "tensor": cut.tp,
        "pipeline": cut.pp,
        "context": cut.cp,
        "expert": cut.ep,
        "interleave": cut.vp,
        "microbatch": cut.microbatch,
    }
    found: dict[str, Any] = {"kind": "llm", "model": work.model, "global_batch": work.global_batch}
    if work.sequence is not None:
        found["sequence"] = work.sequence
    return found | {
        "precision": work.precision,
        "recompute": step.cut.stack.recompute,
        "parallelism": {key: value for key, value in parallelism.items() if value > 1} or {"tensor": 1},
        "stack": {"sharding": step.cut.stack.sharding},
    }


def _vision(need: SiteNeed, work: VisionWork) -> dict[str, Any]:
    found: dict[str, Any] = {
        "kind": "vision",
        "model": work.model,
        "sample_flop": work.sample_flop,
        "parameters": work.parameters,
        "batch_per_gpu": work.batch_per_gpu,
        "sample": rendered(work.sample_bytes, "data"),
        "efficiency": work.efficiency,
        "dataset": rendered(need.data_bytes, "data"),
    }
    return found | ({"node_cache": rendered(work.node_cache_bytes, "data")} if work.node_cache_bytes else {})


def _notes(file: NeedFile, design: Design, room: RoomRequest, gpus: int, last: bool) -> str:
    part, binding = design.choice.part, design.binding
    told = [
        f"Made from the need {file.name.rpartition('/')[2].removesuffix(SUFFIX)}: "
        f"{nodes_of(part, room):,} x {part.part}, of which {math.ceil(gpus / part.node.n_gpu):,} work.",
    ]
    if last and binding is not None:
        told.append(f"Nearest to its limit: {binding.words}.")
    if not last:
        told.append("An earlier stage: its network is its own, and more switches join when it grows.")
    if design.isolation_nodes or design.isolation_ports:
        told.append(
            f"Isolation of its tenants: {design.isolation_nodes:,} nodes and {design.isolation_ports:,} leaf ports "
            "more; whose they are is not drawn."
        )
    if any(isinstance(work, LanguageWork) and work.model is None for work in file.need.workloads):
        told.append("A model of one's own is no preset: its job is left out.")
    return " ".join(told)


_ORDER = (
    "format",
    "version",
    "catalog",
    "title",
    "notes",
    "sources",
    "parts",
    "models",
    "start",
    "duration",
    "site",
    "halls",
    "fabrics",
    "power",
    "cooling",
    "storage",
    "tenants",
    "jobs",
    "failures",
)


def _ordered(document: dict[str, Any]) -> dict[str, Any]:
    return {key: document[key] for key in _ORDER if key in document}
