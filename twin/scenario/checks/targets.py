"""Kinds of targets of interventions and caps: jobs, power items, loops, racks, ..."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from twin.catalog import UnknownPart
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.cooling import Loop
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import PowerStage
from twin.scenario.schema.fault_kinds.kind import PLACES, TargetKind

TITLES: dict[TargetKind, str] = {
    "gpu": "GPU",
    "node": "node",
    "rack": "rack",
    "row": "row",
    "hall": "hall",
    "switch": "switch",
    "link": "link",
    "power": "power item",
    "loop": "coolant or air loop",
    "plant": "facility loop",
    "job": "job",
    "all": "all",
    "site": "site",
    "path": "path",
}
"""Kinds of target as people call them."""

LINK_HINT = "links are node~NIC or end~end, such as gpu/0/1/2~3 or ib/0/3~ib/1/0"
_CARD = re.compile(r"[0-9]+(\.[01])?(@[a-z][a-z0-9-]*)?")
_DEPTHS: tuple[TargetKind, ...] = ("row", "rack", "node", "gpu")
_ENDS = ("switch", "link")


def names(scenario: Scenario, kind: TargetKind) -> list[str]:
    """Return the ids of all targets of a kind that a scene names or numbers itself; none for places and cables."""
    if kind == "power":
        return [f"{stage.id}/{i}" for stage in scenario.power for i in range(stage.count)]
    if kind == "loop":
        return [f"{loop.id}/{i}" for loop in scenario.cooling.loops for i in range(loop.count)]
    if kind == "job":
        return _jobs(scenario)
    known: dict[TargetKind, list[str]] = {
        "hall": [hall.id for hall in scenario.halls],
        "plant": [plant.id for plant in scenario.cooling.plants],
        "all": ["all"],
        "site": ["site"],
    }
    return known.get(kind, [])


def _jobs(scenario: Scenario) -> list[str]:
    """Return the ids of all jobs; of written ones only when streams or traces fail, which `check` reports."""
    try:
        return [job.id for job in jobs_of(scenario)]
    except (UnknownPart, ValueError):
        return [job.id for job in scenario.jobs]


def is_named(scenario: Scenario, kind: TargetKind, target: str) -> bool:
    """Return whether `target` is one of `names`, without writing down all items of a large site."""
    if kind not in ("power", "loop"):
        return target in names(scenario, kind)
    name, slash, number = target.partition("/")
    if not slash or not number.isdecimal() or str(int(number)) != number:
        return False
    generators: Sequence[PowerStage | Loop] = scenario.power if kind == "power" else scenario.cooling.loops
    return any(generator.id == name and int(number) < generator.count for generator in generators)


def kind_of(
    scenario: Scenario, target: str, wanted: Sequence[TargetKind], item: Callable[[str], str]
) -> tuple[TargetKind | None, str, str]:
    """Return which of the wanted kinds a target is, else None with the reason and a hint.

    Parameters
    ----------
    scenario
        What the target is part of.
    target
        Its id.
    wanted
        Kinds that will do.
    item
        Returns why an id names no row, rack, node or GPU; "" when it does. What a fabric is made of is known only
        once it is built: the run refuses a switch or link that is not there.
    """
    for kind in wanted:
        if is_named(scenario, kind, target):
            return kind, "", ""
    first = target.partition("~")[0]
    if "~" in target or first.partition("/")[0] in {fabric.id for fabric in scenario.fabrics}:
        return _cable(scenario, target, wanted, item)
    titles = _titles(wanted)
    other_kinds: list[TargetKind] = ["power", "loop", "plant", "hall", "job", "site", "all"]
    strange = next(
        (kind for kind in other_kinds if kind not in wanted and is_named(scenario, kind, target)), None
    )
    if strange is not None:
        return None, f"is a {TITLES[strange]}, not a {titles}", ""
    wrong = item(target)
    if not wrong:
        place = _DEPTHS[target.count("/") - 1]
        return (place, "", "") if place in wanted else (None, f"is a {TITLES[place]}, not a {titles}", "")
    generators = [rows.id for hall in scenario.halls for rows in hall.rows]
    numbered = _out_of_range(scenario, target, wanted)
    if numbered:
        return None, numbered, ""
    if "hall" in wanted and nearest(target, names(scenario, "hall")):
        return None, wrong, near(target, names(scenario, "hall"))
    if target.partition("/")[0] in generators or set(wanted) <= {*PLACES, "hall", *_ENDS}:
        return None, wrong, _near_switch(scenario, target, generators) if set(wanted) & set(_ENDS) else ""
    known = [name for kind in wanted for name in names(scenario, kind)]
    if nearest(target, known):
        return None, f"unknown {titles}", near(target, known)
    switch = _near_switch(scenario, target, generators) if set(wanted) & set(_ENDS) else ""
    return None, f"unknown {titles}", switch or near(target, known)


def near(word: str, known: Iterable[str]) -> str:
    """Return the nearest known name as a hint, else some of them."""
    names_there = list(known)
    found = nearest(word, names_there)
    if found:
        return f"did you mean {found!r}?"
    return f"known: {', '.join(names_there[:8])}" if names_there else "none exist"


def _titles(wanted: Sequence[TargetKind]) -> str:
    """Return the names of the wanted kinds for people, the word "all" last."""
    titles = [TITLES[kind] for kind in sorted(wanted, key=lambda kind: kind == "all")]
    return " or ".join(filter(None, [", ".join(titles[:-1]), titles[-1]]))


def _out_of_range(scenario: Scenario, target: str, wanted: Sequence[TargetKind]) -> str:
    """Return why an id of a wanted stage or loop generator has no such item; "" when it is of neither."""
    name, _, number = target.partition("/")
    counts = {stage.id: (stage.count, "items") for stage in scenario.power if "power" in wanted}
    counts |= {loop.id: (loop.count, "loops") for loop in scenario.cooling.loops if "loop" in wanted}
    if name not in counts:
        return ""
    count, noun = counts[name]
    if not number:
        return f"covers all of {name!r}: name one of them, such as {name}/0"
    return f"{target!r} does not exist: {name!r} has {count} {noun}, counted from 0"


def _near_switch(scenario: Scenario, target: str, generators: Sequence[str]) -> str:
    """Return the nearest switch as a hint for an id of no row generator, and of none that is spelt alike."""
    fabrics = [fabric.id for fabric in scenario.fabrics]
    name, _, rest = target.partition("/")
    if not fabrics or name in generators or nearest(name, generators):
        return ""
    found = nearest(target, [f"{fabric}/{rest}" for fabric in fabrics])
    return f"did you mean {found!r}?" if found else f"fabrics are {', '.join(fabrics)}"


def _cable(
    scenario: Scenario, target: str, wanted: Sequence[TargetKind], item: Callable[[str], str]
) -> tuple[TargetKind | None, str, str]:
    first, tilde, second = target.partition("~")
    kind: TargetKind = "link" if tilde else "switch"
    if kind not in wanted:
        if "link" in wanted:
            return None, "is not a link, which flap needs", LINK_HINT
        return None, f"is part of a fabric; the fault needs a {_titles(wanted)}", ""
    for end in (first, second) if tilde else (first,):
        reason = _end(scenario, end, item, card=end is second)
        if reason:
            return None, reason, LINK_HINT if tilde else "switches are fabric/tier/number, such as ib/0/3"
    return kind, "", ""


def _end(scenario: Scenario, end: str, item: Callable[[str], str], *, card: bool) -> str:
    """Return why an end of a link names no switch, node or card; "" when it may."""
    if card and _CARD.fullmatch(end):
        return ""
    name, *numbers = end.split("/")
    if name not in {fabric.id for fabric in scenario.fabrics}:
        return item(end)
    if len(numbers) != 2 or not all(n.isdecimal() for n in numbers):
        return f"{end!r} is not a switch"
    return (
        "" if int(numbers[0]) <= 2 else f"{end!r} does not exist: tiers are 0 (leaf), 1 (spine) and 2 (core)"
    )
