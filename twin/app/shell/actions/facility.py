"""Actions on power, cooling and alarms."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.faults.random_incidents import LEVELS, SPANS
from twin.app.shell.actions.entry import entry
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def facility_actions(window: WindowApi) -> list[Command]:
    """Return what lights paths, breaks things and answers alarms."""
    trace = window.hall.trace
    at_random = [
        entry(
            f"faults.{level}_{span}",
            tr("Random incidents: {level}, {words}", level=level, words=words),
            partial(window.faults.strike_at_random, level, span),
            menu="faults/random",
            icon="alarm",
            group=f"{number}",
            needs_scene=True,
            tip=tr("Injects random faults: {level}, {words}", level=level, words=words),
        )
        for number, level in enumerate(LEVELS)
        for span, words, _ in SPANS
    ]
    return [
        *at_random,
        entry(
            "run.break",
            tr("Break\N{HORIZONTAL ELLIPSIS}"),
            window.break_selection,
            menu="faults",
            key="B",
            icon="alarm",
            needs_scene=True,
            tip=tr("Injects a fault into the selection"),
            words=tr("fail fault outage inject kill incident"),
        ),
        entry(
            "run.failure_rates",
            tr("Failure rates"),
            window.jobs_asked.show_failure_rates,
            menu="faults",
            needs_scene=True,
            tip=tr("What fails in the scene: each cause with rate, repair and failures a year, on or off"),
            words=tr(
                "mtbf mttf reliability failures per year annual failure rate causes catalogue random interruptions"
            ),
        ),
        entry(
            "view.trace",
            tr("Trace power and heat"),
            trace.show_trace,
            menu="view",
            key="T",
            icon="bolt",
            group="2",
            needs_scene=True,
            tip=tr("Highlights the power path to the utility and the heat path outdoors"),
        ),
        entry(
            "view.blast",
            tr("Blast radius"),
            trace.show_blast,
            menu="view",
            key="Shift+T",
            icon="alarm",
            group="2",
            needs_scene=True,
            tip=tr("Highlights what goes down if the selection fails"),
            words=tr("impact single point of failure SPOF redundancy"),
        ),
        entry(
            "view.year",
            tr("Typical year\N{HORIZONTAL ELLIPSIS}"),
            window.docks.inspector.open_year,
            menu="view",
            icon="clock",
            group="2",
            needs_scene=True,
            tip=tr("PUE, WUE, peak power and carbon over a typical year, here and in other places"),
            words=tr(
                "PUE over the year, design day, climate, place, water, WUE, annual, seasons, weather, hours"
            ),
        ),
        entry(
            "run.acknowledge",
            tr("Acknowledge all alarms"),
            window.docks.alarms.acknowledge_all,
            menu="run",
            key="Ctrl+Shift+A",
            icon="check",
            group="4",
            needs_scene=True,
            tip=tr("Marks all alarms as seen"),
        ),
    ]
