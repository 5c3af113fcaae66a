"""A small hall whose machines fail often: two feeds, engines, a transfer switch, air handlers and chillers to spare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.sim.sim_scenes import tiny
from twin.catalog import catalog
from twin.catalog.catalog import Catalog
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

Span = tuple[float, float]

OFTEN: dict[str, tuple[float, float]] = {
    "utility": (4, 12),
    "utility_both": (1, 4),
    "utility_dip": (1, 0.03),
    "generator_run": (9, 30),
    "ups_module": (2, 20),
    "static_switch": (0.5, 10),
    "ats": (0.5, 12),
    "breaker": (0.5, 6),
    "transformer": (1, 60),
    "pdu": (1.5, 30),
    "chiller": (3, 40),
    "pump": (3, 30),
    "crah": (3, 24),
}
"""Failures a year and hours of repair of each machine, far more than real ones."""
STARTS = (0.25, 30.0)
"""Share of starts that fail, and hours of repair."""


def often(faster: float = 1.0) -> Catalog:
    """Return the catalogue with these rates; `faster` of them pass in the time of one, failures and repairs alike."""
    texts = dict(catalog.shipped_texts())
    text = texts["failures.yaml"]
    text = text[: text.index("machines:\n")] + "machines:\n"
    figure = "{{value: {}, source: est, status: estimated}}".format
    rates = {name: ("rate", f"{often * faster:g} per year", hours) for name, (often, hours) in OFTEN.items()}
    rates |= {"generator_start": ("fails_to_start", f"{STARTS[0]:g}", STARTS[1])}
    rates |= {"cdu": ("rate", "1 per year", 1.0)}
    for name, (key, value, hours) in rates.items():
        text += f"  {name}:\n    title: {name}\n    {key}: {figure(value)}\n"
        text += f"    repair: {figure(f'{hours / faster:g} hour')}\n"
    return catalog.catalog_from_texts(texts | {"failures.yaml": text})


def hall(duration: str, **more: Any) -> Scenario:
    """Return the hall: no job, no cause of failure of a node; machines fail by themselves."""
    power: list[dict[str, Any]] = []
    for side in "ab":
        power += [
            {"id": f"grid-{side}", "kind": "utility"},
            {"id": f"trafo-{side}", "kind": "transformer", "from": f"grid-{side}", "capacity": "200 kW"},
            {"id": f"gen-{side}", "kind": "generator", "at": f"trafo-{side}", "capacity": "200 kW"},
        ]
    power += [
        {"id": "ups-a", "kind": "ups", "from": "trafo-a", "capacity": "100 kW", "battery": "10 h"},
        {"id": "bus-b", "kind": "switchgear", "from": "trafo-b", "or_from": "ups-a", "transfer": "0.5 s"},
    ]
    for name, source in (("pdu-a", "ups-a"), ("pdu-b", "bus-b")):
        fed = {"capacity": "100 kW", "feeds": ["gpu", "crah", "water"], "breaker": {"rating": "400 %"}}
        power.append({"id": name, "kind": "pdu", "from": source, **fed})
    cooling = {
        "plants": [{"id": "water", "kind": "chiller", "units": 3, "needed": 2, "pumps": 2}],
        "loops": [
            {
                "id": "crah",
                "kind": "air",
                "part": "CRAH-chilled",
                "units": 3,
                "pumps": 3,
                "plant": "water",
                "serves": ["gpu"],
            }
        ],
    }
    failures = {"causes": [], "machines": "catalog"}
    return tiny(2, jobs=(), power=power, cooling=cooling, failures=failures, duration=duration, **more)


def lost_s(engine: Engine, ride_s: tuple[float, float]) -> tuple[list[Span], list[Span]]:
    """Run to the end; return when racks had no power, and when they had no cooling, as (begin, end) [s].

    Parameters
    ----------
    ride_s
        How long the loop lasts without its plant, and the plant without its chillers [s].
    """
    power, cooling = engine.power, engine.cooling
    spare = int(engine.plant.plants.units[0] - engine.plant.plants.needed[0])
    loop_s, water_s = ride_s
    acting = engine.incidents.facility.acting  # each trip is of one chiller
    watched: list[tuple[Callable[[], bool], float]] = [
        (lambda: bool(power.supplies.rack_dark.any()), 0.0),
        (lambda: not power.loop_live[0] or not cooling.pumps.running()[0], loop_s),
        (lambda: not power.plant_live[0] or not cooling.water.running()[0], loop_s),
        (lambda: sum(fault.kind == "chiller_trip" for fault in acting) > spare, loop_s + water_s),
    ]
    since: list[float | None] = [None] * len(watched)
    spans: list[list[Span]] = [[] for _ in watched]
    now_s = 0.0
    while now_s < engine.end_s:
        now_s = engine.step_event()
        for place, (is_lost, bridged_s) in enumerate(watched):
            began_s, lost = since[place], is_lost() and now_s < engine.end_s
            if lost and began_s is None:
                since[place] = now_s
            elif not lost and began_s is not None:
                since[place] = None
                if now_s > began_s + bridged_s:
                    spans[place].append((began_s + bridged_s, now_s))
    return joined(spans[0]), joined([*spans[1], *spans[2], *spans[3]])


def joined(spans: list[Span]) -> list[Span]:
    """Return spans that overlap as one."""
    result: list[Span] = []
    for begin_s, end_s in sorted(spans):
        if result and begin_s <= result[-1][1]:
            result[-1] = (result[-1][0], max(end_s, result[-1][1]))
        else:
            result.append((begin_s, end_s))
    return result
