"""The table of all design rules."""

from __future__ import annotations

from twin.rules import cooling, data, fabric, job_rules, power, space, tenancy
from twin.rules.rule import Rule

RUN = (
    Rule(
        "job-fits",
        "Job does not fit",
        "run",
        "error",
        "Memory each job needs on a GPU, and nodes that a fabric joins for it.",
        "memory of the GPU part",
    ),
    Rule(
        "action-refused",
        "Intervention or edit refused",
        "run",
        "error",
        "What is done to the run at t = 0 and cannot be, and edits that a run cannot follow.",
        "the scene itself",
    ),
    Rule(
        "run-impossible",
        "No run is possible",
        "run",
        "error",
        "Whether plant, cooling and jobs come out at all.",
        "the scene itself",
    ),
)
"""Rules that only the engine can tell of: `twin check` asks it, the window hears from its worker."""

RULES: tuple[Rule, ...] = (
    *space.RULES,
    *power.RULES,
    *cooling.RULES,
    *fabric.RULES,
    *tenancy.RULES,
    *job_rules.RULES,
    *data.RULES,
    *RUN,
)
"""All rules, in the order in which findings of one severity are told."""

BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}
