"""What people did that is still ahead in the run: edits of the scene, and what is to happen to it by hand."""

from __future__ import annotations

from dataclasses import dataclass

from twin.app.faults.random_incidents import words_of
from twin.app.session.session import Session
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention


@dataclass(frozen=True)
class Ahead:
    """Something that can be taken out again, as if nobody had ever asked for it."""

    title: str
    at_s: float
    what: Edit | Intervention


def still_ahead(session: Session, low_s: float, high_s: float) -> list[Ahead]:
    """Return what is to happen in a range of time [s] and can be taken out now, in its order.

    Nothing of a recording can, nor while another time than the present is looked at.
    """
    draft = session.draft
    if draft is None or session.recording is not None or session.looking_s is not None:
        return []
    now_s = max(session.t_s, draft.t_s)
    found = [Ahead(edit.title or edit.id, edit.at_s, edit) for edit in draft.file.scenario.edits]
    found += [
        Ahead(words_of(intervention), intervention.at_s, intervention)
        for intervention in session.live.by_hand
    ]
    ahead = [item for item in found if low_s <= item.at_s <= high_s and item.at_s > now_s]
    return sorted(ahead, key=lambda item: item.at_s)
