"""Design rules of the data: duplicate ids, unverified figures, exclusions that match no finding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.catalog import UnknownPart
from twin.language import tr
from twin.rules.finding import Found, number
from twin.rules.rule import Rule, written
from twin.rules.rule_context import RuleContext
from twin.scenario.file.warnings import newer_edition
from twin.scenario.text.parse import Path

VERIFIED = ("published", "derived")
UNMATCHED = "exclusion-unmatched"
LEAST = 0.5
"""Share of the figures of a part that should be published or derived from published ones."""


def _twice(case: RuleContext) -> Iterator[Found]:
    """Yield ids used twice: the reader refuses such files, but a scene built in memory may have them."""
    scenario = case.scenario
    components: list[tuple[str, Path]] = []
    for h, hall in enumerate(scenario.halls):
        components += [(hall.id, ("halls", h, "id"))]
        components += [(rows.id, ("halls", h, "rows", r, "id")) for r, rows in enumerate(hall.rows)]
    components += [
        (loop.id, ("cooling", "plants", i, "id")) for i, loop in enumerate(scenario.cooling.plants)
    ]
    components += [(loop.id, ("cooling", "loops", i, "id")) for i, loop in enumerate(scenario.cooling.loops)]
    for key in ("fabrics", "power", "power_caps", "storage"):
        components += _named(case, key)
    jobs = [job for key in ("jobs", "streams", "traces") for job in _named(case, key)]
    for space in (components, jobs, _named(case, "tenants"), _named(case, "partitions")):
        seen: set[str] = set()
        for name, at in space:
            if name in seen:
                reason = tr("is a duplicate id: {name!r} is used twice", name=name)
                yield Found(at=at, reason=reason, fix=tr("another id for one of the two"), ids=(name,))
            seen.add(name)


def _named(case: RuleContext, key: str) -> list[tuple[str, Path]]:
    return [(entry.id, (key, i, "id")) for i, entry in enumerate(getattr(case.scenario, key))]


def _unverified(case: RuleContext) -> Iterator[Found]:
    """Yield parts with mostly unverified or estimated figures, and where they are used."""
    used: dict[str, tuple[Path, str]] = {}

    def use(part: str | None, at: Path, id: str) -> None:
        if part:
            used.setdefault(part, (at, id))

    plant, scenario = case.plant, case.scenario
    for at in case.generators.values():
        rows = scenario.halls[int(at[1])].rows[int(at[3])]
        use(rows.racks.part, (*at, "racks", "part"), f"{rows.id}/0")
        for n, group in enumerate(rows.racks.nodes):
            use(group.part, (*at, "racks", "nodes", n, "part"), f"{rows.id}/0")
    for kind, name in enumerate(plant.node_parts):  # those that rack parts bring, too
        nodes = np.flatnonzero((plant.nodes.part == kind) & plant.nodes.present)
        for at, ids in case.by_generator(plant.nodes.rack[nodes[:1]]):
            use(name, (*at, "racks", "part"), ids[0])
    for i, fabric in enumerate(scenario.fabrics):
        for name in ("leaf", "spine", "core"):
            tier = getattr(fabric, name)
            use(tier.part if tier else None, ("fabrics", i, name, "part"), fabric.id)
        use(fabric.cable, ("fabrics", i, "cable"), fabric.id)
    for i, stage in enumerate(scenario.power):
        use(stage.part, ("power", i, "part"), f"{stage.id}/0")
    for i, loop in enumerate(scenario.cooling.loops):
        use(loop.part, ("cooling", "loops", i, "part"), f"{loop.id}/0")
    for slot, part in enumerate(plant.plants.part):
        use(part, ("cooling", "plants", slot, "id"), plant.plants.ids[slot])
    for i, store in enumerate(scenario.storage):
        use(store.part, ("storage", i, "part"), store.id)
    for part, (at, id) in used.items():
        try:
            figures = () if part in case.catalog.own_parts else case.catalog.figures(part)  # told by own-part
        except UnknownPart:
            continue
        sure = sum(figure.status in VERIFIED for figure in figures)
        if figures and sure < LEAST * len(figures):
            share = number(round(100 * sure / len(figures)), "%")
            reason = tr(
                "is {part}: {figures} of its {count} figures are unverified or estimated",
                part=part,
                figures=len(figures) - sure,
                count=len(figures),
            )
            fix = tr(
                "verify them against the data sheet, then set their source in the catalogue; twin "
                "catalog show {part} lists them",
                part=part,
            )
            limit = number(100 * LEAST, "%")
            yield Found(at=at, reason=reason, fix=fix, ids=(id,) if id else (), value=share, limit=limit)


RULES = (
    Rule(
        "duplicate-id",
        tr("Duplicate id"),
        "data",
        "error",
        tr("Ids of components, jobs, tenants and partitions."),
        tr("ids are unique"),
        _twice,
    ),
    Rule(
        "part-unverified",
        tr("Part data not verified"),
        "data",
        "notice",
        tr("Share of the figures of each part that are published or derived."),
        tr("half of the figures"),
        _unverified,
    ),
    Rule(
        "catalogue-edition",
        tr("Scene made with a newer catalogue"),
        "data",
        "warning",
        tr("Edition of the catalogue that the scene names, against the installed one."),
        tr("the installed catalogue"),
        written(newer_edition),
    ),
    Rule(
        UNMATCHED,
        tr("Exclusion without a finding"),
        "data",
        "notice",
        tr("Exclusions of the file that match no finding."),
        tr("the scene itself"),
    ),
)
