"""Differences of two scenes in words: "Row gpu, racks count: 8 to 12"."""

from __future__ import annotations

import re
from typing import Any

from twin.analysis.branch_changes import entry_in_words
from twin.language import tr
from twin.scenario.file.diff import Difference
from twin.scenario.text.path import split

_CALLED: dict[tuple[str, ...], str] = {
    ("halls", "*", "rows"): tr("Row"),
    ("halls", "*", "building", "columns"): tr("Columns"),
    ("halls", "*", "building", "doors"): tr("Door"),
    ("halls", "*", "building", "inner_walls"): tr("Wall"),
    ("halls",): tr("Hall"),
    ("fabrics",): tr("Network"),
    ("power",): tr("Power stage"),
    ("power_caps",): tr("Power cap"),
    ("cooling", "plants"): tr("Facility loop"),
    ("cooling", "loops"): tr("Loop"),
    ("storage",): tr("Storage system"),
    ("tenants",): tr("Tenant"),
    ("jobs",): tr("Job"),
    ("streams",): tr("Job stream"),
    ("traces",): tr("Job trace"),
    ("partitions",): tr("Partition"),
    ("reservations",): tr("Reservation"),
    ("clouds",): tr("Cloud"),
    ("rentals",): tr("Rental"),
    ("failures", "causes"): tr("Failure cause"),
    ("groups",): tr("Group"),
}
"""Name of the entries under a key; * is the id of the entry that holds them."""
_GENERATED = (tr("Generator"), tr("Row"), tr("Rack"), tr("Node"), "GPU")
"""Component of an override, by the number of slashes in its id."""
_TIMED = ("interventions", "edits")
_NOTHING = "\N{EM DASH}"
_FIGURE = re.compile(r"(-?\d+(?:\.\d+)?)(\D.*)?")
"""A number and its unit."""
_MOST, _MOST_MEANING, _LONG_FIGURE = 140, 72, 8


def name_of(difference: Difference) -> str:
    """Return the component and the key that differ: "Row gpu, racks count"."""
    component, keys = parts_of(difference.path)
    key_words = " ".join(key.replace("_", " ") for key in keys)
    named = f"{component}, {key_words}" if component and key_words else component or key_words
    return named[:1].upper() + named[1:]


def values_of(difference: Difference) -> tuple[str, str]:
    """Return the old and the new value in a few words; "" for none."""
    if ".overrides[" in difference.path and isinstance(
        difference.new if difference.new is not None else difference.old, dict
    ):
        return "", _short(_item_words(difference))
    return tuple(
        _short(_words(value)) if value is not None else "" for value in (difference.old, difference.new)
    )  # type: ignore[return-value]


def sentence(difference: Difference) -> str:
    """Return a difference as one sentence."""
    name, (old, new) = name_of(difference), values_of(difference)
    if ".overrides[" in difference.path and isinstance(
        difference.new if difference.new is not None else difference.old, dict
    ):
        return f"{name} {_item_words(difference)}"
    if isinstance(difference.new if difference.new is not None else difference.old, dict):
        return _whole(difference, name, old, new)
    if (
        isinstance(difference.old, list)
        and isinstance(difference.new, list)
        and (gains := _gains(difference.old, difference.new))
    ):
        return f"{name}: {gains}"
    if difference.kind == "added":
        return tr("{name}: {new}, not set before", name=name, new=new)
    if difference.kind == "removed":
        return tr("{name}: no longer set, was {old}", name=name, old=old)
    meaning = _meaning(difference.means) if _FIGURE.fullmatch(new) else ""
    return f"{name}: {old} \N{RIGHTWARDS ARROW} {new}{meaning}"


def _whole(difference: Difference, name: str, old: str, new: str) -> str:
    """Return the sentence on an entry that was added or removed."""
    entry = difference.new if difference.new is not None else difference.old
    if difference.path.startswith(_TIMED):
        return tr(
            "{word} at {entry}: {entry_in_words}",
            word=tr("No longer") if difference.new is None else tr("New"),
            entry=entry["at"],
            entry_in_words=entry_in_words(entry),
        )
    came = difference.new is not None
    about = new if came else old
    return f"{name} {'added' if came else 'removed'}" + (f": {about}" if about else "")


def _item_words(difference: Difference) -> str:
    """Return the sentence on a generated row, rack or node that differs from its neighbours."""
    old, new = difference.old or {}, difference.new or {}
    if difference.kind == "removed":
        return "removed"
    if difference.kind == "added":
        return (
            tr("added: {new} at unit {new_2}", new=new["part"], new_2=new["u"])
            if "part" in new and "u" in new
            else tr("added again")
        )
    if not new:
        return tr("equals its generator again")
    clauses = []
    for key, value in new.items():
        if old.get(key) == value:
            continue
        match key:
            case "at":
                clauses.append(tr("is at {words}", words=_words(value)))
            case "facing":
                clauses.append(tr("faces {value}", value=value))
            case "part":
                clauses.append(tr("is {value}", value=value))
            case "rack":
                clauses.append(tr("is in rack {value}", value=value))
            case "u":
                clauses.append(tr("is at unit {value}", value=value))
            case "drained":
                clauses.append(tr("is drained at the start") if value else tr("is not drained"))
            case _:
                clauses.append(tr("{key} is {words}", key=key, words=_words(value)))
    return ", ".join(clauses) or "differs"


def parts_of(path: str) -> tuple[str, tuple[str, ...]]:
    """Return the component of a path, as people call it, and the keys below it; raises `ScenarioError` for no path."""
    steps = split(path)
    if len(steps) > 3 and steps[2] == "overrides":
        depth = min(steps[3].count("/"), len(_GENERATED) - 1)
        return f"{_GENERATED[depth]} {steps[3]}", steps[4:]
    for keys, called in _CALLED.items():
        if len(steps) > len(keys) and all(key in ("*", step) for key, step in zip(keys, steps, strict=False)):
            return f"{called} {steps[len(keys)]}", steps[len(keys) + 1 :]
    if steps[0] == "edits" and len(steps) > 1:
        return tr("Edit {steps}", steps=steps[1]), steps[2:]
    if steps[0] == "exclusions" and len(steps) > 1:
        return tr("Accepted finding {steps}", steps=steps[1]), steps[2:]
    return "", steps


def _gains(old: list[Any], new: list[Any]) -> str:
    """Return the words that a list gains and loses; "" for a list of entries."""
    if any(isinstance(entry, dict | list) for entry in (*old, *new)):
        return ""
    more = [str(entry) for entry in new if entry not in old]
    less = [str(entry) for entry in old if entry not in new]
    clauses = [tr("gains {more}", more=", ".join(more))] if more else []
    clauses += [tr("loses {less}", less=", ".join(less))] if less else []
    return _short(", ".join(clauses)) or tr("in another order")


def _words(value: Any) -> str:
    """Return a value without quotes and brackets."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        shown = {key: entry for key, entry in value.items() if key != "id"}
        return ", ".join(f"{key.replace('_', ' ')} {_inner(entry)}" for key, entry in shown.items())
    if isinstance(value, list):
        if value and all(isinstance(entry, dict) for entry in value):
            return "; ".join(str(entry.get("id") or _words(entry)) for entry in value)
        return ", ".join(_inner(entry) for entry in value) or "nothing"
    text = " ".join(str(value).split())
    figure = _FIGURE.fullmatch(text)
    return f"{float(figure[1]):.6g}{figure[2] or ''}" if figure and len(figure[1]) > _LONG_FIGURE else text


def _inner(value: Any) -> str:
    """Return a value inside another one; an entry with an id is shown as that id."""
    if value == {}:
        return "default"
    return f"({_words(value)})" if isinstance(value, dict | list) else _words(value)


def _meaning(means: str) -> str:
    """Return the meaning of a key, where it is short."""
    first = means.partition(";")[0]
    return f" ({first})" if first and len(first) <= _MOST_MEANING else ""


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}\N{HORIZONTAL ELLIPSIS}"
