"""The table of all design rules."""

from __future__ import annotations

from collections.abc import Collection

from twin.language import tr
from twin.rules import (
    building,
    chapter_rules,
    cooling,
    data,
    fabric,
    job_rules,
    own_parts,
    power,
    redundancy,
    sizing,
    space,
    tenancy,
)
from twin.rules.rule import Rule

RUN = (
    Rule(
        "year-peak",
        tr("Peak of the year over the utility"),
        "power",
        "warning",
        tr("Power from the utility in the hottest hour of a typical year with all racks at design load."),
        tr("capacity of the utility"),
    ),
    Rule(
        "job-fits",
        tr("Job does not fit"),
        "run",
        "error",
        tr("Memory that each job needs on a GPU, and nodes that a fabric joins for it."),
        tr("memory of the GPU part"),
    ),
    Rule(
        "action-refused",
        tr("Intervention or edit refused"),
        "run",
        "error",
        tr("Interventions at t = 0 that are refused, and edits that a run cannot apply."),
        tr("the scene itself"),
    ),
    Rule(
        "run-impossible",
        tr("Scene cannot be simulated"),
        "run",
        "error",
        tr("Whether plant, cooling and jobs can be built."),
        tr("the scene itself"),
    ),
)
"""Rules that need a run or a typical year: `twin check` asks the engine, the window its worker process."""

BY_ID: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        *space.RULES,
        *building.RULES,
        *power.RULES,
        *cooling.RULES,
        *fabric.RULES,
        *redundancy.RULES,
        *sizing.RULES,
        *tenancy.RULES,
        *job_rules.RULES,
        *data.RULES,
        *own_parts.RULES,
        *chapter_rules.RULES,
        *RUN,
    )
}
"""All rules by id, in the order of findings of one severity."""

RULES: Collection[Rule] = BY_ID.values()
"""The same rules alone."""
