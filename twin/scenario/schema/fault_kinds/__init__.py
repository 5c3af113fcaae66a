"""Every kind of fault and intervention, and which of them causes of failure bring about.

To add a kind, add its entry to the table of its subject and its handler to `twin.sim.incidents.fault_handlers`; what
its target must have is one of `needs`. The schema, ``twin check``, ``--inject``, menus, dialogs, alarms, explain and
random incidents read these tables. Ids stand in files: they never change; titles may. Repair times that nobody
publishes, and what random incidents do, are engineering estimates [est].
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

from twin.scenario.schema.fault_kinds import cooling, failures, jobs, performance, power, site
from twin.scenario.schema.fault_kinds.kind import Component, FaultKind, Impaired, Impairment

KINDS: dict[str, FaultKind] = {}
"""Every kind by its id, in the order of menus."""
REMAP = "remap"
"""Effect of a cause that is no fault by itself: a GPU restarts once with spare rows of memory."""


def register(*kinds: FaultKind) -> None:
    """Add kinds of faults."""
    for kind in kinds:
        if kind.id in KINDS:
            raise ValueError(f"fault kind {kind.id!r} exists already")
        KINDS[kind.id] = kind


@contextmanager
def with_kinds(*kinds: FaultKind) -> Iterator[None]:
    """Have more kinds of faults for a while."""
    register(*kinds)
    try:
        yield
    finally:
        for kind in kinds:
            del KINDS[kind.id]


def effects() -> tuple[str, ...]:
    """Return what causes of failure can do: each stops what it strikes, or leaves it going, worse or wrong."""
    return (*dict.fromkeys(kind.effect for kind in KINDS.values() if kind.effect), REMAP)


def lasting_effects() -> tuple[str, ...]:
    """Return the effects that continue until somebody finds them; clocks first, then results, cards, cables."""
    order = get_args(Impaired)
    found = {kind.effect: bad for kind in KINDS.values() if kind.effect and (bad := kind.impairment)}
    return tuple(sorted(found, key=lambda effect: order.index(found[effect].what)))


def effects_on(component: Component) -> tuple[str, ...]:
    """Return the effects that a cause counted for a component can have."""
    found = (kind.effect for kind in KINDS.values() if component in kind.components)
    return (*dict.fromkeys(found), *((REMAP,) if component == "node" else ()))


def shares_left() -> dict[str, float]:
    """Return the share of speed that each effect leaves where a cause does not say [-]."""
    found = {effect: impairment_of(effect) for effect in lasting_effects()}
    return {effect: bad.left for effect, bad in found.items() if bad is not None and bad.left is not None}


def fault_of(effect: str, on: Component) -> FaultKind | None:
    """Return the kind of fault that a cause on a component brings about with an effect; None: it has no such effect."""
    return next((kind for kind in KINDS.values() if kind.effect == effect and on in kind.components), None)


def impairment_of(effect: str) -> Impairment | None:
    """Return how a node works on with an effect; None: it stops, or restarts."""
    return next((kind.impairment for kind in KINDS.values() if kind.effect == effect), None)


for subject in (failures, power, cooling, performance, jobs, site):  # in the order of menus
    register(*subject.KINDS)
