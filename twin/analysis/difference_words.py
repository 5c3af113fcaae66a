"""What differs between two scenes, as people say it: "Row gpu, racks count: 8 to 12"."""

from __future__ import annotations

import re
from typing import Any

from twin.analysis.branch_changes import entry_in_words
from twin.scenario.file.diff import Difference
from twin.scenario.text.path import split

_CALLED: dict[tuple[str, ...], str] = {
    ("halls", "*", "rows"): "Row",
    ("halls",): "Hall",
    ("fabrics",): "Network",
    ("power",): "Power stage",
    ("power_caps",): "Power cap",
    ("cooling", "plants"): "Facility loop",
    ("cooling", "loops"): "Loop",
    ("storage",): "Store",
    ("tenants",): "Tenant",
    ("jobs",): "Job",
    ("streams",): "Job stream",
    ("traces",): "Job trace",
    ("partitions",): "Partition",
    ("reservations",): "Reservation",
    ("clouds",): "Cloud",
    ("failures", "causes"): "Cause of failures",
    ("groups",): "Group",
}
"""What the things under a key are called; * is the id of what holds them."""
_GENERATED = ("Generator", "Row", "Rack", "Node", "GPU")
"""What an override is about, by the slashes of its id."""
_TIMED = ("interventions", "edits")
_NOTHING = "\N{EM DASH}"
_FIGURE = re.compile(r"(-?\d+(?:\.\d+)?)(\D.*)?")
"""A number and its unit."""
_MOST, _MOST_MEANING, _LONG_FIGURE = 140, 72, 8


def name_of(one: Difference) -> str:
    """Return which thing it is about, and what of it: "Row gpu, racks count"."""
    thing, keys = _parts(one)
    what = " ".join(key.replace("_", " ") for key in keys)
    named = f"{thing}, {what}" if thing and what else thing or what
    return named[:1].upper() + named[1:]


def values_of(one: Difference) -> tuple[str, str]:
    """Return what it was and what it is, in a few words; "" where there was, or is, nothing."""
    if ".overrides[" in one.path and isinstance(one.new if one.new is not None else one.old, dict):
        return "", _short(_said_of_item(one))
    return tuple(_short(_words(value)) if value is not None else "" for value in (one.old, one.new))  # type: ignore[return-value]


def sentence(one: Difference) -> str:
    """Return it as one line for people."""
    name, (old, new) = name_of(one), values_of(one)
    if ".overrides[" in one.path and isinstance(one.new if one.new is not None else one.old, dict):
        return f"{name} {_said_of_item(one)}"
    if isinstance(one.new if one.new is not None else one.old, dict):
        return _whole(one, name, old, new)
    if isinstance(one.old, list) and isinstance(one.new, list) and (said := _gains(one.old, one.new)):
        return f"{name}: {said}"
    if one.kind == "added":
        return f"{name}: {new}, not given before"
    if one.kind == "removed":
        return f"{name}: no longer given, it was {old}"
    meaning = _meaning(one.means) if _FIGURE.fullmatch(new) else ""
    return f"{name}: {old} \N{RIGHTWARDS ARROW} {new}{meaning}"


def _whole(one: Difference, name: str, old: str, new: str) -> str:
    """Return what is said of a thing that came or went as a whole."""
    entry = one.new if one.new is not None else one.old
    if one.path.startswith(_TIMED):
        return f"{'No longer' if one.new is None else 'New'} at {entry['at']}: {entry_in_words(entry)}"
    came = one.new is not None
    about = new if came else old
    return f"{name} is {'new' if came else 'gone'}" + (f": {about}" if about else "")


def _said_of_item(one: Difference) -> str:
    """Return what is said of a generated row, rack or node that differs from its neighbours."""
    old, new = one.old or {}, one.new or {}
    if one.kind == "removed":
        return "is taken away"
    if one.kind == "added":
        return (
            f"is new: {new['part']} at unit {new['u']}" if "part" in new and "u" in new else "is there again"
        )
    if not new:
        return "is as its generator makes it again"
    said = []
    for key, value in new.items():
        if old.get(key) == value:
            continue
        match key:
            case "at":
                said.append(f"stands at {_words(value)}")
            case "facing":
                said.append(f"looks {value}")
            case "part":
                said.append(f"is {value}")
            case "rack":
                said.append(f"is in rack {value}")
            case "u":
                said.append(f"is at unit {value}")
            case "drained":
                said.append("is given no work at the start" if value else "is given work")
            case _:
                said.append(f"{key} is {_words(value)}")
    return ", ".join(said) or "is another"


def _parts(one: Difference) -> tuple[str, tuple[str, ...]]:
    """Return the thing a path is about, as people call it, and the keys below it."""
    steps = split(one.path)
    if len(steps) > 3 and steps[2] == "overrides":
        depth = min(steps[3].count("/"), len(_GENERATED) - 1)
        return f"{_GENERATED[depth]} {steps[3]}", steps[4:]
    for keys, called in _CALLED.items():
        if len(steps) > len(keys) and all(key in ("*", step) for key, step in zip(keys, steps, strict=False)):
            return f"{called} {steps[len(keys)]}", steps[len(keys) + 1 :]
    if steps[0] == "edits" and len(steps) > 1:
        return f"Edit {steps[1]}", steps[2:]
    if steps[0] == "exclusions" and len(steps) > 1:
        return f"Accepted finding {steps[1]}", steps[2:]
    return "", steps


def _gains(old: list[Any], new: list[Any]) -> str:
    """Return what a list of words gains and loses; "" of other lists."""
    if any(isinstance(one, dict | list) for one in (*old, *new)):
        return ""
    more = [str(one) for one in new if one not in old]
    less = [str(one) for one in old if one not in new]
    said = [f"gains {', '.join(more)}"] if more else []
    said += [f"loses {', '.join(less)}"] if less else []
    return _short(", ".join(said)) or "in another order"


def _words(value: Any) -> str:
    """Return a value without the marks of a file."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        shown = {key: one for key, one in value.items() if key != "id"}
        return ", ".join(f"{key.replace('_', ' ')} {_inner(one)}" for key, one in shown.items())
    if isinstance(value, list):
        if value and all(isinstance(one, dict) for one in value):
            return "; ".join(str(one.get("id") or _words(one)) for one in value)
        return ", ".join(_inner(one) for one in value) or "nothing"
    text = " ".join(str(value).split())
    figure = _FIGURE.fullmatch(text)
    return f"{float(figure[1]):.6g}{figure[2] or ''}" if figure and len(figure[1]) > _LONG_FIGURE else text


def _inner(value: Any) -> str:
    """Return a value inside another; a thing that has an id goes by that."""
    if value == {}:
        return "as usual"
    return f"({_words(value)})" if isinstance(value, dict | list) else _words(value)


def _meaning(means: str) -> str:
    """Return what a key is, as far as that is said in a few words."""
    first = means.partition(";")[0]
    return f" ({first})" if first and len(first) <= _MOST_MEANING else ""


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}\N{HORIZONTAL ELLIPSIS}"
