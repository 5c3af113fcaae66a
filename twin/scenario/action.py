"""Interventions: what each kind acts on, and the one-line form ``T KIND TARGET [k=v]`` of ``--inject``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from pydantic import ValidationError

from twin import units
from twin.scenario import fields
from twin.scenario.assign import NoSuchPlace, assign
from twin.scenario.document import Scenario
from twin.scenario.faults import Intervention
from twin.scenario.problem import Problem, ScenarioError
from twin.scenario.quantity import FROM_FILE
from twin.scenario.validate import nearest, value_problem

_OPTIONS = ("for", "count", "cause", "value", "id")
_USED = {
    "fail": {"cause", "for"},
    "flap": {"for", "value"},
    "drain": {"for"},
    "undrain": set(),
    "pump_stop": {"for", "count"},
    "heat_rejection_loss": {"for"},
    "power_cap": {"for", "value"},
    "set": {"value"},
}
"""Options each kind takes, besides id, at, kind and target."""

LIVE = re.compile(r"jobs\[[^\]]+\]\.(checkpoint|recovery)(\.|$)")
"""Paths that `set` may change in a running hall; anything else would be another hall or other work."""

_CARD = re.compile(r"[0-9]+(\.[01])?(@[a-z][a-z0-9-]*)?")
_LINK = "links are node~card or end~end, such as gpu/0/1/2~3 or ib/0/3~ib/1/0"
_EXAMPLE = "write it like '10 h pump_stop cdu/0 for=20s'"
Wrong = tuple[str, str, str]
"""Key, reason, hint."""


def wrong(scenario: Scenario, one: Intervention, item: Callable[[str], str]) -> Iterator[Wrong]:
    """Yield what is wrong with an intervention in this scenario.

    Parameters
    ----------
    scenario
        What it acts on.
    one
        The intervention.
    item
        Returns why an id names no row, rack, node or GPU; "" when it does. What a fabric is made of is known only
        once it is built: the run refuses a switch or link that is not there.
    """
    given = {"for": one.duration_s, "count": one.count, "cause": one.cause, "value": one.value}
    for key, value in given.items():
        if value is not None and key not in _USED[one.kind]:
            known = ", ".join(sorted(_USED[one.kind])) or "nothing"
            yield key, f"means nothing for {one.kind}", f"it takes {known}"
    yield from _target(scenario, one, item)
    causes = [cause.id for cause in scenario.failures.causes]
    if one.cause is not None and causes and one.cause not in causes:
        yield "cause", "names no cause of failures.causes", _near(one.cause, causes)


def _target(scenario: Scenario, one: Intervention, item: Callable[[str], str]) -> Iterator[Wrong]:
    if one.kind in ("fail", "flap", "drain", "undrain"):
        yield from _place(scenario, one, item)
        if one.kind == "flap":
            yield from _share(one.value)
    elif one.kind == "pump_stop":
        loops = {f"{loop.id}/{i}": loop for loop in scenario.cooling.loops for i in range(loop.count)}
        loop = loops.get(one.target)
        if loop is None:
            yield "target", "names no coolant or air loop", _near(one.target, loops)
        elif one.count is not None and one.count > loop.pumps:
            yield "count", f"is more than the {loop.pumps} pumps of {one.target}", ""
    elif one.kind == "heat_rejection_loss":
        plants = [plant.id for plant in scenario.cooling.plants]
        if one.target not in plants:
            yield "target", "names no facility loop of cooling.plants", _near(one.target, plants)
    elif one.kind == "power_cap":
        jobs = ["all", *(job.id for job in scenario.jobs)]
        if one.target not in jobs:
            yield "target", "names no job, nor all", _near(one.target, jobs)
        yield from _power(one.value)
    else:
        yield from _setting(scenario, one)


def _place(scenario: Scenario, one: Intervention, item: Callable[[str], str]) -> Iterator[Wrong]:
    """Yield what is wrong with the id of a node or what it is in, of a switch or of a link."""
    fabrics = [fabric.id for fabric in scenario.fabrics]
    first, tilde, second = one.target.partition("~")
    if one.kind == "flap" and not tilde:
        yield "target", "is no link: flap takes one", _LINK
        return
    if not tilde and first.partition("/")[0] not in fabrics:
        reason = item(first)
        if reason:
            hint = ""
            if fabrics and "no row generator" in reason and "did you mean" not in reason:
                rest = first.partition("/")[2]
                near = nearest(first, [f"{fabric}/{rest}" for fabric in fabrics])
                hint = f"did you mean {near!r}?" if near else f"fabrics are {', '.join(fabrics)}"
            yield "target", reason, hint
        return
    if one.kind in ("drain", "undrain"):
        yield "target", f"is part of a fabric; {one.kind} takes a GPU, node, rack or row", ""
        return
    for end in (first, second) if tilde else (first,):
        reason = _end(scenario, end, item, card=end is second)
        if reason:
            yield "target", reason, _LINK if tilde else "switches are fabric/tier/number, such as ib/0/3"
            return


def _end(scenario: Scenario, end: str, item: Callable[[str], str], *, card: bool) -> str:
    """Return why an end of a link names no switch, node or card; "" when it may."""
    if card and _CARD.fullmatch(end):
        return ""
    name, *numbers = end.split("/")
    if name not in {fabric.id for fabric in scenario.fabrics}:
        return item(end)
    if len(numbers) != 2 or not all(n.isdecimal() for n in numbers):
        return f"{end!r} is no switch"
    return (
        "" if int(numbers[0]) <= 2 else f"{end!r} does not exist: tiers are 0 (leaf), 1 (spine) and 2 (core)"
    )


def _share(value: str | None) -> Iterator[Wrong]:
    if value is None:
        yield "", "needs the key 'value'", "share of time the link is down, such as 10 %"
        return
    try:
        if not 0 < units.parse(value, "fraction") < 1:
            yield "value", "must be more than 0 and less than 100 %", "a link that is always down has failed"
    except units.UnitError as bad:
        yield "value", str(bad), ""


def _power(value: str | None) -> Iterator[Wrong]:
    if value is None:
        yield "", "needs the key 'value'", "power of one GPU, such as 600 W"
        return
    try:
        if units.parse(value, "power") <= 0:
            yield "value", "must be more than 0 W", "power of one GPU, such as 600 W"
    except units.UnitError as bad:
        yield "value", str(bad), ""


def _setting(scenario: Scenario, one: Intervention) -> Iterator[Wrong]:
    if one.value is None:
        yield "", "needs the key 'value'", "what the target is set to"
        return
    try:
        assign(scenario, one.target, one.value)
    except NoSuchPlace as bad:
        yield "target", bad.problems[0].reason, bad.problems[0].hint
        return
    except ScenarioError as bad:
        yield (
            "target" if bad.problems[0].file == "path" else "value",
            bad.problems[0].reason,
            bad.problems[0].hint,
        )
        return
    if not LIVE.match(one.target):
        reason = "cannot be set while the hall runs; checkpoint and recovery of a job can"
        yield "target", reason, "such as jobs[llama3].checkpoint.interval; others: in the file, or with --set"


def parse_injection(text: str) -> Intervention:
    """Return the intervention of one line, as ``--inject`` takes it.

    Parameters
    ----------
    text
        ``T KIND TARGET [k=v ...]``: "10 h pump_stop cdu/0 for=20s", "90 min fail gpu/0/3/1 cause=nic".

    Raises
    ------
    ScenarioError
        When it is no intervention, with what would be right.
    """
    words = text.split()
    kinds = fields.spot_of(Intervention.model_fields["kind"].annotation).choices
    taken = next((n for n in (1, 2) if _is_duration(" ".join(words[:n]))), 0)
    if not taken:
        raise _error(text, "at", "does not begin with a time and its unit", _EXAMPLE)
    if len(words) < taken + 2:
        raise _error(text, "", "needs a time, a kind and a target", _EXAMPLE)
    kind, target = words[taken : taken + 2]
    if kind not in kinds:
        near = nearest(kind, kinds)
        hint = f"did you mean {near!r}?" if near else f"kinds are {', '.join(kinds)}"
        raise _error(text, "kind", f"{kind!r} is no kind of intervention", hint)
    said: dict[str, object] = {"at": " ".join(words[:taken]), "kind": kind, "target": target}
    for word in _options(words[taken + 2 :]):
        key, equals, value = word.partition("=")
        if not equals or key not in _OPTIONS:
            near = nearest(key, _OPTIONS)
            hint = f"did you mean {near}=...?" if near else f"known: {', '.join(_OPTIONS)}"
            raise _error(text, key, "is no option k=v", hint)
        if key in said:
            raise _error(text, key, "is given twice")
        value = _unquoted(value)
        said[key] = int(value) if key == "count" and value.isascii() and value.isdigit() else value
    try:
        return Intervention.model_validate(said, by_alias=True, by_name=False, context=FROM_FILE)
    except ValidationError as bad:
        spot = fields.Spot(models=(Intervention,))
        raise ScenarioError(
            Problem("--inject", 0, *value_problem(error, said, spot))
            for error in bad.errors(include_url=False, include_input=False)
        ) from None


def _is_duration(text: str) -> bool:
    try:
        units.parse(text, "duration")
    except units.UnitError:
        return False
    return True


def _options(words: list[str]) -> list[str]:
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


def _near(word: str, known: Iterable[str]) -> str:
    names = list(known)
    near = nearest(word, names)
    return (
        f"did you mean {near!r}?"
        if near
        else f"there are {', '.join(names[:8])}"
        if names
        else "there are none"
    )


def _error(text: str, key: str, reason: str, hint: str = "") -> ScenarioError:
    return ScenarioError([Problem("--inject", 0, key or "intervention", repr(text), reason, hint)])
