"""Design rules of the data: names given twice, figures that nobody has verified, exclusions that cover nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from twin.catalog import UnknownPart
from twin.rules.finding import Found, number
from twin.rules.rule import Rule, written
from twin.rules.rule_context import RuleContext
from twin.scenario.file.warnings import newer_edition
from twin.scenario.text.parse import Path

VERIFIED = ("published", "derived")
UNMATCHED = "exclusion-unmatched"
LEAST = 0.5
"""Share of the figures of a part that should be read at a source, or follow from such."""


def _twice(case: RuleContext) -> Iterator[Found]:
    """Yield names that lead to two things; files are refused for it, scenes that were put together are not."""
    here = case.scenario
    things: list[tuple[str, Path]] = []
    for h, hall in enumerate(here.halls):
        things += [(hall.id, ("halls", h, "id"))]
        things += [(rows.id, ("halls", h, "rows", r, "id")) for r, rows in enumerate(hall.rows)]
    things += [(one.id, ("cooling", "plants", i, "id")) for i, one in enumerate(here.cooling.plants)]
    things += [(one.id, ("cooling", "loops", i, "id")) for i, one in enumerate(here.cooling.loops)]
    for key in ("fabrics", "power", "power_caps", "storage"):
        things += _named(case, key)
    jobs = [one for key in ("jobs", "streams", "traces") for one in _named(case, key)]
    for space in (things, jobs, _named(case, "tenants"), _named(case, "partitions")):
        seen: set[str] = set()
        for name, at in space:
            if name in seen:
                reason = f"is given twice: {name!r} leads to two things"
                yield Found(at=at, reason=reason, fix="another id for one of them", ids=(name,))
            seen.add(name)


def _named(case: RuleContext, key: str) -> list[tuple[str, Path]]:
    return [(one.id, (key, i, "id")) for i, one in enumerate(getattr(case.scenario, key))]


def _unverified(case: RuleContext) -> Iterator[Found]:
    """Yield parts of which most figures are recalled or estimated, with where they are used."""
    used: dict[str, tuple[Path, str]] = {}

    def use(part: str | None, at: Path, id: str) -> None:
        if part:
            used.setdefault(part, (at, id))

    plant, here = case.plant, case.scenario
    for at in case.generators.values():
        rows = here.halls[int(at[1])].rows[int(at[3])]
        use(rows.racks.part, (*at, "racks", "part"), f"{rows.id}/0")
        for n, group in enumerate(rows.racks.nodes):
            use(group.part, (*at, "racks", "nodes", n, "part"), f"{rows.id}/0")
    for kind, name in enumerate(plant.node_parts):  # those that rack parts bring, too
        mine = np.flatnonzero((plant.nodes.part == kind) & plant.nodes.present)
        for at, ids in case.by_generator(plant.nodes.rack[mine[:1]]):
            use(name, (*at, "racks", "part"), ids[0])
    for i, fabric in enumerate(here.fabrics):
        for tier in ("leaf", "spine", "core"):
            said = getattr(fabric, tier)
            use(said.part if said else None, ("fabrics", i, tier, "part"), fabric.id)
        use(fabric.cable, ("fabrics", i, "cable"), fabric.id)
    for i, stage in enumerate(here.power):
        use(stage.part, ("power", i, "part"), f"{stage.id}/0")
    for i, loop in enumerate(here.cooling.loops):
        use(loop.part, ("cooling", "loops", i, "part"), f"{loop.id}/0")
    for slot, part in enumerate(plant.plants.part):
        use(part, ("cooling", "plants", slot, "id"), plant.plants.ids[slot])
    for i, store in enumerate(here.storage):
        use(store.part, ("storage", i, "part"), store.id)
    for part, (at, id) in used.items():
        try:
            figures = case.catalog.figures(part)
        except UnknownPart:
            continue
        sure = sum(one.status in VERIFIED for one in figures)
        if figures and sure < LEAST * len(figures):
            share = number(round(100 * sure / len(figures)), "%")
            reason = (
                f"is {part}: {len(figures) - sure} of its {len(figures)} figures are recalled or estimated"
            )
            fix = f"read them at a source: twin catalog show {part}"
            limit = number(100 * LEAST, "%")
            yield Found(at=at, reason=reason, fix=fix, ids=(id,) if id else (), value=share, limit=limit)


RULES = (
    Rule(
        "duplicate-id",
        "Name given twice",
        "data",
        "error",
        "Ids of things, jobs, tenants and partitions.",
        "ids are unique",
        _twice,
    ),
    Rule(
        "part-unverified",
        "Part data not verified",
        "data",
        "notice",
        "Share of the figures of each part that are published or follow from such.",
        "half of them",
        _unverified,
    ),
    Rule(
        "catalogue-edition",
        "Made with a newer catalogue",
        "data",
        "warning",
        "Edition of the catalogue that the scene names, against the installed one.",
        "the installed catalogue",
        written(newer_edition),
    ),
    Rule(
        UNMATCHED,
        "Exclusion that covers nothing",
        "data",
        "notice",
        "Exclusions of the file that no finding matches any more.",
        "the scene itself",
    ),
)
