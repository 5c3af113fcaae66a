"""Warnings on a scene that need no plant: design rules on its text alone."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog
from twin.scenario.checks import fabric, hardware, recovery, storage, workload
from twin.scenario.file.load import Document
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import ON_SITE
from twin.scenario.text.parse import Path, child, locate, written
from twin.scenario.text.problem import Problem, shown

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""


def doubts(document: Document, catalog: Catalog) -> list[Problem]:
    """Return the warnings on a scene, in the order of its file, even if no plant can be built."""
    scenario = document.scenario
    topics = (
        newer_edition,
        unfed,
        idle_stages,
        fabric.unmet,
        fabric.crowded,
        fabric.at_odds,
        hardware.unlinked,
        hardware.split_tensors,
        storage.unmet,
        workload.left_out,
        workload.shut_out,
        recovery.idle_recovery,
    )
    wrong = [problem_at(document, *finding) for topic in topics for finding in topic(scenario, catalog)]
    return sorted(wrong, key=lambda problem: problem.line)


def newer_edition(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield a catalogue that is newer than the one at hand."""
    if scenario.catalog > catalog.version:
        reason = f"is newer than the installed catalogue {catalog.version}: figures of parts may differ"
        yield ("catalog",), reason, "install a newer gpu-twin"


def unfed(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield rows without power."""
    del catalog  # all doubts are asked alike
    fed = {name for stage in scenario.power for name in stage.feeds}
    for h, hall in enumerate(scenario.halls if scenario.power else ()):
        for r, rows in enumerate(hall.rows):
            if rows.id not in fed:
                reason = "has no power stage, so no losses and limits apply to it"
                yield ("halls", h, "rows", r, "id"), reason, "list it under feeds of a power stage"


def idle_stages(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield last stages that feed nothing."""
    del catalog
    sources = {name for stage in scenario.power for name in (stage.source, stage.spare_source)}
    for i, stage in enumerate(scenario.power):
        if stage.kind not in ON_SITE and not stage.feeds and stage.id not in sources:
            reason = "feeds nothing: no row or stage is connected to it"
            yield ("power", i, "feeds"), reason, "list rows under feeds"
        elif stage.kind in ON_SITE and stage.at is None and not stage.feeds and stage.id not in sources:
            yield ("power", i, "id"), "is not connected", "at: names the stage it feeds into"


def problem_at(document: Document, at: Path, reason: str, hint: str) -> Problem:
    """Return a finding at a path of a scene; at a missing key it is placed at the entry around it."""
    node = document.tree
    for step in at:
        below = child(node, step)
        if below is None:
            break
        node = below
    mark = locate(document.tree, at)
    value = "" if isinstance(node.value, dict | list) else shown(node.plain())
    return Problem(mark.file, mark.line, written(at, document.tree), value, reason, hint)
