"""Designs as rows: for JSON, for a table in Markdown, for the terminal."""

from __future__ import annotations

import re
from typing import Any

from twin.designs.answer import Designs
from twin.designs.design import Design, Limit
from twin.designs.trace_need import TraceAsked
from twin.shown_text import printable

HEADS = (
    "design",
    "GPUs",
    "part",
    "cut",
    "network",
    "stores",
    "redundancy",
    "spares",
    "checkpoint",
    "days",
    "MUSD",
    "MUSD/y",
    "t CO2e/y",
    "MW",
    "site available",
    "nodes available",
    "halts/y",
    "nearest limit",
)
DAY_S = 86_400.0
_MARKS = re.compile(r"([\\`*_\[\]<>|#~&])")


def cells(name: str, design: Design) -> list[str]:
    """Return the cells of a design under `HEADS`."""
    choice, room = design.choice, design.room
    network = room.cabling if room.oversubscription == 1.0 else f"{room.cabling} {room.oversubscription:g}:1"
    return [
        name,
        f"{choice.gpus:,}",
        choice.part.part,
        "; ".join(words for step in design.steps if (words := cut_words(step.cut)))
        or ("data" if design.steps else "-"),
        network,
        f"{room.storage}",
        room.power,
        f"{design.spares}",
        "; ".join(f"{promise.interval_s / 60.0:.3g} min" for promise in design.promises) or "-",
        f"{design.time_s / DAY_S:.1f}" if design.promises else "-",
        f"{design.capital_usd / 1e6:,.1f}",
        f"{design.yearly_usd / 1e6:,.1f}",
        f"{design.carbon_kg / 1e3:,.0f}",
        f"{design.site_w / 1e6:.3g}",
        f"{100.0 * design.site_available:.2f} %",
        f"{100.0 * design.in_service:.2f} %",
        f"{design.interruptions:.2g}",
        design.binding.words if design.binding is not None else "none",
    ]


def cut_words(cut: Any) -> str:
    """Return "tp 8 pp 16 cp 2 dp 64" of a cut; "" without one."""
    if cut is None:
        return ""
    parallel = cut.parallel
    degrees = (
        ("tp", parallel.tp),
        ("pp", parallel.pp),
        ("cp", parallel.cp),
        ("ep", parallel.ep),
        ("dp", parallel.dp),
    )
    return " ".join(f"{name} {count}" for name, count in degrees if count > 1)


def row(design: Design) -> dict[str, Any]:
    """Return a design as ``--json`` prints it."""
    choice, room = design.choice, design.room
    return {
        "gpu": choice.part.gpu,
        "part": choice.part.part,
        "gpus": choice.gpus,
        "nodes": design.nodes,
        "spare_nodes": design.spares,
        "stages": list(design.stages),
        "isolation_nodes": design.isolation_nodes,
        "isolation_ports": design.isolation_ports,
        "cooling": choice.part.cooling,
        "cabling": room.cabling,
        "oversubscription": room.oversubscription,
        "storage_boxes": room.storage,
        "redundancy": room.power,
        "capital_usd": design.capital_usd,
        "yearly_usd": design.yearly_usd,
        "carbon_kg": design.carbon_kg,
        "site_w": design.site_w,
        "area_m2": design.area_m2,
        "available": design.available,
        "site_available": design.site_available,
        "in_service": design.in_service,
        "interruptions_year": design.interruptions,
        "ready_s": design.ready_s,
        "time_s": design.time_s,
        "workloads": [
            {
                "cut": cut_words(step.cut) or None,
                "step_s": promise.step_s,
                "steps": step.steps,
                "waits_share": 1.0 - step.step_s / promise.step_s,
                "ideal_s": promise.ideal_s,
                "mean_s": promise.mean_s,
                "sigma_s": promise.sigma_s,
                "promised_s": promise.promised_s,
                "ettr": promise.ettr,
                "checkpoint_s": promise.interval_s,
            }
            for step, promise in zip(design.steps, design.promises, strict=True)
        ],
        "ranges": _ranges(design),
        "limits": [limit_row(limit) for limit in design.limits],
        "binding": design.binding.name if design.binding is not None else None,
    }


def _ranges(design: Design) -> dict[str, list[float]] | None:
    """Return P5, P50 and P95 of what has them."""
    ranges = design.ranges
    if ranges is None:
        return None
    known = {
        "capital_usd": ranges.capital_usd,
        "yearly_usd": ranges.yearly_usd,
        "carbon_kg": ranges.carbon_kg,
        "time_s": design.time_range_s,
    }
    return {name: list(ends) for name, ends in known.items()}


def limit_row(limit: Limit) -> dict[str, Any]:
    """Return a limit as ``--json`` prints it."""
    return {
        "name": limit.name,
        "title": limit.title,
        "unit": limit.unit,
        "value": limit.value,
        "most": limit.most,
        "kept": limit.ratio <= 1.0,
    }


def trace_row(asked: TraceAsked) -> dict[str, Any]:
    """Return what a trace asks for as ``--json`` prints it."""
    return {
        "jobs": asked.jobs,
        "gpu_hours": asked.gpu_h,
        "span_s": asked.span_s,
        "largest_gpus": asked.largest,
        "peak_gpus": asked.peak,
        "utilisation": asked.utilisation,
        "gpus": asked.gpus,
    }


def answer_row(found: Designs, names: list[str]) -> dict[str, Any]:
    """Return an answer as ``--json`` prints it."""
    return {
        "need": found.file.name,
        "title": found.file.need.title,
        "trace": trace_row(found.file.trace) if found.file.trace is not None else None,
        "possible": found.possible,
        "screened": found.screened,
        "feasible": found.feasible,
        "designs": [{"name": name, **row(design)} for name, design in zip(names, found.designs, strict=True)],
        "nearest": row(found.near) if found.near is not None else None,
        "relaxed_alone": [limit_row(limit) for limit in found.alone],
        "sentences": list(found.sentences),
    }


def markdown(found: Designs, names: list[str]) -> str:
    """Return the designs as a page in Markdown; text of the need is plain there."""
    lines = [
        f"# {_plain(found.file.need.title)}",
        "",
        f"{found.screened:,} of {found.possible:,} candidates screened, {found.feasible:,} keep all limits; "
        f"{len(found.designs)} that none other beats in cost, time, carbon, power and availability.",
        "",
        "Days: mean and two standard deviations, failures included. Money: likely prices. Availability: share of the "
        "time with power, cooling and enough nodes.",
        "",
        f"| {' | '.join(HEADS)} |",
        f"|{'---|' * len(HEADS)}",
    ]
    for name, design in zip(names, found.designs, strict=True):
        told = cells(f"[{name}]({name}.twin.yaml)", design)
        lines.append(
            f"| {' | '.join(cell if place == 0 else _plain(cell) for place, cell in enumerate(told))} |"
        )
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it stands."""
    return _MARKS.sub(r"\\\1", printable(text).replace("\n", " "))
