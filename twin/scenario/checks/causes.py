"""Checks of causes of failure: the scene must have the components they strike."""

from __future__ import annotations

from collections.abc import Iterator

from twin.scenario.formats.fault_trace import unpack
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import impairment_of
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

_MISSING = {
    "pdu": ("the scene has no PDU or busbar", "add a stage of kind pdu under power"),
    "cdu": ("the scene has no loop with coolant", "add a loop of kind liquid under cooling.loops"),
    "switch": ("the scene has no fabric", "add one under fabrics"),
    "leaf": ("the scene has no fabric", "add one under fabrics"),
    "link": ("the scene has no fabric", "add one under fabrics"),
}


def causes(scenario: Scenario) -> Iterator[Wrong]:
    """Yield causes and bursts of components that the scene lacks, and invalid rows of a fault trace."""
    failures = scenario.failures
    present = {
        "pdu": any(stage.kind in ("pdu", "busbar") for stage in scenario.power),
        "cdu": any(loop.kind in ("liquid", "immersion") for loop in scenario.cooling.loops),
        "switch": bool(scenario.fabrics),
        "leaf": bool(scenario.fabrics),
        "link": bool(scenario.fabrics),
    }
    for i, cause in enumerate(failures.causes):
        if not present.get(cause.on, True):
            reason, hint = _MISSING[cause.on]
            yield ("failures", "causes", i, "on"), f"has no possible target: {reason}", hint
        elif not scenario.fabrics and (bad := impairment_of(cause.effect)) and bad.what in ("cards", "cable"):
            yield (
                ("failures", "causes", i, "effect"),
                "has no effect: the scene has no fabric",
                _MISSING["link"][1],
            )
    known = [cause.id for cause in failures.causes]
    for i, name in enumerate(failures.off):
        if name not in known:
            near = nearest(name, known)
            hint = (
                f"did you mean {near!r}?" if near else "failures: {rates: catalog} has those of the catalogue"
            )
            yield ("failures", "off", i), "is not a cause of this scene", hint
    if failures.bursts is not None and not present.get(failures.bursts.domain, True):
        reason, hint = _MISSING[failures.bursts.domain]
        yield ("failures", "bursts", "domain"), f"has no neighbours: {reason}", hint
    if failures.trace is not None and failures.trace.rows is not None:
        try:
            unpack(failures.trace.rows)
        except ValueError as bad:
            yield ("failures", "trace", "rows"), str(bad), ""
