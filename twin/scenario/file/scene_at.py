"""The scene as it stands at a time of its run: the file with those edits that have acted, as text."""

from __future__ import annotations

import math

from twin.scenario.file import apply_edits, patch_text
from twin.scenario.file.load import Document
from twin.scenario.text.patch import Change, Patch


def effective(document: Document, until_s: float = math.inf) -> Document:
    """Return the document in which the edits up to a time have become part of the scene.

    It holds no edits, and no interventions either: those mean the hall of their own time.
    """
    if not document.scenario.edits:
        return document
    changes = [Change("edits", "[]"), Change("interventions", "[]")]
    for edit in apply_edits.in_order(document.scenario):
        if edit.at_s <= until_s:
            changes += [Change(change.path, change.value) for change in edit.changes]
    return patch_text.apply(document, Patch(tuple(changes)), sparing=True)
