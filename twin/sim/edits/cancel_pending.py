"""What was asked for and is pending, removed again: the run continues as if it had never been scheduled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin import units
from twin.plant.links import stands
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

if TYPE_CHECKING:
    from twin.sim.edits.editing import EditedRun
    from twin.sim.incidents.interventions import Incidents


def withdraw(engine: EditedRun, done: Intervention | Edit) -> str | None:
    """Take out an edit (its name tells which) or an intervention (one like it); return None, or why it stays."""
    if isinstance(done, Edit):
        return _withdraw_edit(engine, done.id)
    return _withdraw_intervention(engine, done)


def _withdraw_edit(engine: EditedRun, id: str) -> str | None:
    edits = engine.edits
    place = edits.ahead(id)
    if place is None:
        return _not_ahead(engine, id)
    reason = edits.needed(place, engine)
    if reason is None:
        edits.withdrawn.append(place)
        reason = _needed_by_people(engine.incidents)
        if reason is not None:
            edits.withdrawn.remove(place)
    if reason is not None:
        return f"{edits.name(place)} cannot be removed: {reason}"
    edits.forgo(place)
    engine.timers.cancel("edit", place)
    return None


def _not_ahead(engine: EditedRun, id: str) -> str:
    """Say why an edit cannot be taken out although somebody thinks it is ahead."""
    edits = engine.edits
    places = [place for place, edit in enumerate(edits.asked) if edit.id == id]
    if not places or places[-1] in edits.withdrawn:
        return f"no edit {id!r} is pending in this run"
    edit = edits.asked[places[-1]]
    what = "already been applied" if places[-1] in edits.acted else "been refused"
    return f"{edits.name(places[-1])} has {what}, {units.spoken(edit.at_s)} after the start"


def _needed_by_people(incidents: Incidents) -> str | None:
    """Return why what people asked for could not be done any more, had the edits that are left been the only ones."""
    for place, intervention in enumerate(incidents.asked):
        if incidents.timers.due_s("do", place) is not None and not incidents.edited_by(intervention.at_s):
            reason = incidents.refusal(intervention)
            if reason is not None:
                at = units.spoken(intervention.at_s)
                return f"{_words(intervention)}, {at} after the start, depends on it ({reason}); remove that first"
    return None


def _withdraw_intervention(engine: EditedRun, intervention: Intervention) -> str | None:
    incidents, timers = engine.incidents, engine.timers
    places = [place for place, other in enumerate(incidents.asked) if other == intervention]
    ahead = [place for place in places if timers.due_s("do", place) is not None]
    if not ahead:
        what = "was already carried out" if places else "is not scheduled in this run"
        return f"{_words(intervention)}, {units.spoken(intervention.at_s)} after the start, {what}"
    gone = ahead[-1]
    for place in range(gone + 1, len(incidents.asked)):
        if timers.due_s("do", place) is None and _drawn(incidents, place) != _drawn(incidents, place, -1):
            other = _words(incidents.asked[place])
            return (
                f"{_words(intervention)} cannot be removed: {other} was scheduled after it and has begun, "
                f"and its repair time was drawn as that of intervention {place + 1}, whose number would change; "
                "branch the run before it"
            )
    del incidents.asked[gone]
    incidents.heard -= 1
    if engine.first[0].interventions.count(intervention) > incidents.asked.count(intervention):
        incidents.withdrawn.append(intervention)
    timers.restore(
        [
            row._replace(id=row.id - 1) if row.kind in ("do", "undo") and row.id > gone else row
            for row in timers.rows()
            if (row.kind, row.id) != ("do", gone)
        ]
    )
    return None


def _drawn(incidents: Incidents, place: int, by: int = 0) -> float | None:
    """Return how long it lasts [s], had its number been another `by` so many; None: nothing is drawn."""
    intervention = incidents.asked[place]
    if intervention.duration_s is not None:
        return None
    # Gone with an edit, what it drew cannot be told any more.
    if not stands(incidents.plant, intervention.target):
        return float(by)
    return incidents.lasts_s(intervention, place + by)


def _words(intervention: Intervention) -> str:
    return f"{intervention.kind.replace('_', ' ')} {intervention.target}"
