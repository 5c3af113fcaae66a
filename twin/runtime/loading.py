"""The engine by dotted name, so that nothing that imports the runtime imports the simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import cast

from twin.record.redraw import Redraw
from twin.runtime.protocol import EngineType, RunEngine
from twin.runtime.state_before import StateBefore, holds
from twin.scenario.schema.document import Scenario


def engine_type(name: str) -> EngineType:
    """Return the engine class called `name`, such as ``twin.sim.engine.engine:Engine``.

    Raises
    ------
    ValueError
        When the name has no colon.
    ImportError, AttributeError
        When there is no such module, or nothing of that name in it.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(f"{name!r} is not an engine; name it package.module:Class")
    return cast(EngineType, getattr(import_module(module), attribute))


def begun(
    make: EngineType, scenario: Scenario, seed: int | None, redraws: Sequence[Redraw] = ()
) -> RunEngine:
    """Return an engine at t = 0 that draws from other seeds from the times of `redraws` on."""
    engine = make(scenario, seed)
    for redraw in redraws:
        engine.redraw(redraw)
    return engine


def gone_on(
    make: EngineType,
    scenario: Scenario,
    snapshot: bytes,
    redraws: Sequence[Redraw] = (),
    hall: object = None,
) -> RunEngine:
    """Return an engine that goes on from a snapshot; of `redraws` it makes those that it does not know yet.

    `hall` is that of the run when the snapshot was taken, where it is known.

    Raises
    ------
    ValueError
        When something that is done from then on is refused, or a redraw lies before it.
    """
    before = StateBefore.of(snapshot)
    engine = make.restore(scenario, before.state, hall)
    if before.act is not None and not holds(scenario, before.act):
        refusal = engine.intervene(before.act)
        if refusal is not None:
            raise ValueError(refusal)
    for redraw in redraws:
        engine.redraw(redraw)
    return engine


def begun_anew(
    make: EngineType, scenario: Scenario, seed: int | None, redraws: Sequence[Redraw] = ()
) -> RunEngine:
    """Return the engine of a branch whose parent has no snapshot before the cut, at t = 0.

    Raises
    ------
    ValueError
        When something that is done from the cut on is refused, as a restored engine raises it; a run that begins with
        its scene only tells of it.
    """
    engine = begun(make, scenario, seed, redraws)
    cut_s = math.inf if scenario.branch is None else scenario.branch.at_s
    later = {
        intervention.target: intervention.kind
        for intervention in scenario.interventions
        if intervention.at_s >= cut_s
    }
    for event in engine.events(0):
        if event.kind == "refused" and event.subject in later:
            raise ValueError(f"{later[event.subject]} {event.subject}: {event.text}")
    return engine
