"""From a key of the file to its name, and to the components that it describes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from twin.language import tr
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.titles import title_of_key
from twin.scenario.text.parse import Path
from twin.shown_text import one_line


def _below(at: object, step: str | int) -> object:
    """Return the value under a key as a file writes it, or under an index; None without one."""
    if isinstance(at, BaseModel):
        fields = type(at).model_fields
        name = next((name for name, info in fields.items() if step in (info.alias or name, name)), None)
        return getattr(at, name) if name is not None else None
    if isinstance(at, Mapping):
        return at.get(step)
    if isinstance(at, Sequence) and not isinstance(at, str) and isinstance(step, int):
        return at[step] if step < len(at) else None
    return None


def named(scenario: Scenario, at: Path) -> tuple[str, str, str]:
    """Return a key as people write it, the id of the innermost entry that holds it, and the subject of the sentence.

    >>> from twin.scenario import load
    >>> named(load("builtin:lab-16").scenario, ("halls", 0, "rows", 0, "racks", "count"))
    ('halls[lab].rows[gpu].racks.count', 'gpu', 'racks per row of gpu')
    """
    text, subject, own = "", "", ""
    node: object = scenario
    for step in at:
        node = _below(node, step)
        if isinstance(step, int):
            name = getattr(node, "id", None)
            text += f"[{name if name is not None else step}]"
            subject, own = (name, "") if name is not None else (subject, f"{own}[{step}]")
        elif "/" in step:
            text += f"[{step}]"
            subject, own = step, ""
        else:
            text += f".{step}" if text else step
            own += f".{step}" if own else step
    if at[:1] == ("chapters",) and len(at) > 1:
        return text, subject, _of_chapter(scenario, at)
    if not own or own == "id":
        return text, subject, subject
    own = "place" if own == "at" else _in_words(own)
    return text, subject, tr("{own} of {subject}", own=own, subject=subject) if subject else own


def _of_chapter(scenario: Scenario, at: Path) -> str:
    """Return a chapter by number and title, and which of its keys or buttons it is about."""
    chapter = scenario.chapters[int(at[1])]
    words = [str(step) for step in at[2:] if isinstance(step, str)]
    told = tr("chapter {number}, “{title}”", number=int(at[1]) + 1, title=one_line(chapter.title))
    if not words or words == ["at"]:
        return told
    if words[0] == "try":
        return tr(
            "{chapter}, button “{label}”:", chapter=told, label=one_line(chapter.trials[int(at[3])].label)
        )
    return tr("{chapter}: {key}", chapter=told, key=_in_words(words[-1]))


def _in_words(key: str) -> str:
    """Return a key within a sentence: a plain word as it is, a path or two words by their title."""
    if key.isalpha():
        return key
    title = title_of_key(re.sub(r"\[\d+\]", "", key))
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def component_ids(scenario: Scenario, plant: Plant, at: Path) -> tuple[str, ...]:
    """Return the ids of the components of a key: rows of a generator, items of a power stage, loops, a job."""
    if at[:1] == ("halls",) and len(at) > 3 and at[2] == "overrides":
        return (str(at[3]),)
    _, subject, _ = named(scenario, at)
    if not subject:
        return ()
    kinds = {"power": plant.power.ids, "cooling": plant.loops.ids, "halls": plant.rows.ids}
    ids = kinds.get(str(at[0]), [])
    made = tuple(id for id in ids if id.rpartition("/")[0] == subject)
    return made or (subject,)
