"""The one-line form of interventions, ``T KIND TARGET [k=v]``, as ``--inject`` takes it."""

from __future__ import annotations

from datetime import datetime

from pydantic import ValidationError

from twin import units
from twin.scenario.reading import time_of_day
from twin.scenario.reading.validate import nearest, value_problem
from twin.scenario.schema import fields
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.quantity import FROM_FILE
from twin.scenario.text.problem import Problem, ScenarioError

_OPTIONS = ("for", "count", "cause", "value", "id")
_MOST_WORDS = 8
"""Of a time: "1 d 2 h 3 min 4 s"."""
_EXAMPLE = "write it like '10 h pump_stop cdu/0 for=20s'"
_UNIX = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def parse_injection(text: str, start: datetime | None = None) -> Intervention:
    """Return the intervention of one line.

    Parameters
    ----------
    text
        ``T KIND TARGET [k=v ...]``: "10 h pump_stop cdu/0 for=20s", "90 min fail gpu/0/3/1 cause=nic".
    start
        Of the scene, so that T may be a time of day, such as 10:00; none: it may not.

    Raises
    ------
    ScenarioError
        When it is no intervention, with what would be right.
    """
    at, rest = injection_time(text, start)
    words = rest.split()
    if len(words) < 2:
        raise _error(text, "", "needs a time, a kind and a target", _EXAMPLE)
    kind, target = words[:2]
    if kind not in KINDS:
        near = nearest(kind, KINDS)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(KINDS)}"
        raise _error(text, "kind", f"unknown fault kind {kind!r}", hint)
    entry: dict[str, object] = {"at": at, "kind": kind, "target": target}
    for word in _joined(words[2:]):
        key, equals, value = word.partition("=")
        if not equals or key not in _OPTIONS:
            near = nearest(key, _OPTIONS)
            hint = f"did you mean {near}=...?" if near else f"known: {', '.join(_OPTIONS)}"
            raise _error(text, key, "is not an option", hint)
        if key in entry:
            raise _error(text, key, "is repeated")
        value = _unquoted(value)
        entry[key] = int(value) if key == "count" and value.isascii() and value.isdigit() else value
    try:
        return Intervention.model_validate(entry, by_alias=True, by_name=False, context=FROM_FILE)
    except ValidationError as bad:
        spot = fields.FieldSpot(models=(Intervention,))
        raise ScenarioError(
            Problem("--inject", 0, *value_problem(error, entry, spot))
            for error in bad.errors(include_url=False, include_input=False)
        ) from None


def injection_time(text: str, start: datetime | None = None) -> tuple[str, str]:
    """Return the time with which a line begins, after the start, and what follows it.

    Raises
    ------
    ScenarioError
        When it begins with no time.
    """
    words = text.split()
    taken, at = _time(words, start)
    if not taken:
        raise _error(text, "at", "must begin with a time and its unit", _EXAMPLE)
    rest = text.split(None, taken)[taken:]  # as it stands: blanks of a value are its own
    return at, rest[0].rstrip() if rest else ""


def _time(words: list[str], start: datetime | None) -> tuple[int, str]:
    """Return how many words the time takes, and the time after the start; 0 words when there is none."""
    if words and time_of_day.after_start_s(words[0], start or _UNIX) is not None:
        if start is None:
            raise _error(words[0], "at", "is a time of day, but the start of the scene is unknown", _EXAMPLE)
        return 1, f"{time_of_day.after_start_s(words[0], start)!r} s"
    longest = range(min(len(words), _MOST_WORDS), 0, -1)  # of "1 h 10 min" all, not the first of it
    taken = next((n for n in longest if _is_duration(" ".join(words[:n]))), 0)
    return taken, " ".join(words[:taken])


def _is_duration(text: str) -> bool:
    try:
        units.parse(text, "duration")
    except units.UnitError:
        return False
    return True


def _joined(words: list[str]) -> list[str]:
    """Join words so that each holds one equals sign: "for=20", "s" belong together."""
    options: list[str] = []
    for word in words:
        if "=" in word or not options:
            options.append(word)
        else:
            options[-1] += " " + word
    return options


def _unquoted(value: str) -> str:
    """Return a value without the quotes round it, which a shell leaves there where the whole line is quoted."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _error(text: str, key: str, reason: str, hint: str = "") -> ScenarioError:
    return ScenarioError([Problem("--inject", 0, key or "intervention", repr(text), reason, hint)])
