"""Actions on the time that is looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.language import tr
from twin.record.events import Severity

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command

_DOTS = "\N{HORIZONTAL ELLIPSIS}"


def timeline_actions(window: WindowApi) -> list[Command]:
    """Return the actions of Run > Timeline."""
    line = window.timeline
    entries: tuple[tuple[str, str, Callable[[], object], str, str, str, str], ...] = (
        (
            "live",
            tr("Back to live"),
            line.back_to_live,
            tr("End"),
            "clock",
            "1",
            tr("Shows the latest simulated time"),
        ),
        (
            "goto",
            tr("Go to a time{dots}", dots=_DOTS),
            line.ask_time,
            "G",
            "clock",
            "1",
            tr("Shows a time of day or of the run"),
        ),
        (
            "before",
            tr("Previous event"),
            partial(line.step, -1),
            ",",
            "step_back",
            "2",
            tr("Shows the previous event"),
        ),
        (
            "after",
            tr("Next event"),
            partial(line.step, 1),
            "",
            "step",
            "2",
            tr("Shows the next recorded event"),
        ),
        (
            "trouble_before",
            tr("Previous warning or alarm"),
            partial(line.step, -1, Severity.WARNING),
            "Ctrl+,",
            "step_back",
            "2",
            tr("Shows the previous warning or alarm"),
        ),
        (
            "trouble_after",
            tr("Next warning or alarm"),
            partial(line.step, 1, Severity.WARNING),
            "Ctrl+.",
            "step",
            "2",
            tr("Shows the next recorded warning or alarm"),
        ),
        (
            "backwards",
            tr("Play backwards"),
            line.play_backwards,
            "Shift+Space",
            "back",
            "2",
            tr("Plays the recording backwards, or pauses"),
        ),
        (
            "loop_from",
            tr("Start loop here"),
            line.loop_from,
            "I",
            "repeat",
            "3",
            tr("Starts the loop at the time on screen"),
        ),
        (
            "loop_to",
            tr("End loop here"),
            line.loop_to,
            "O",
            "repeat",
            "3",
            tr("Ends the loop at the time on screen"),
        ),
        (
            "loop",
            tr("Loop on or off"),
            line.toggle_loop,
            "Shift+L",
            "repeat",
            "3",
            tr("Repeats the range of the timeline"),
        ),
        (
            "bookmark",
            tr("Bookmark this time{dots}", dots=_DOTS),
            lambda: line.bookmark(),
            "Ctrl+M",
            "bookmark",
            "4",
            tr("Saves the time with a note"),
        ),
        (
            "bookmarks",
            tr("Bookmarked times{dots}", dots=_DOTS),
            line.show_bookmarks,
            "Ctrl+Shift+M",
            "bookmark",
            "4",
            tr("Go to, edit or delete bookmarked times"),
        ),
        (
            "whole",
            tr("Show the whole run"),
            line.show_whole,
            "Shift+W",
            "whole",
            "5",
            tr("Shows the run on the timeline from start to end"),
        ),
        (
            "nearer",
            tr("Show less time"),
            partial(line.zoom, 0.5),
            "Ctrl+]",
            "search",
            "5",
            tr("Zooms in on the timeline"),
        ),
        (
            "wider",
            tr("Show more time"),
            partial(line.zoom, 2.0),
            "Ctrl+[",
            "search",
            "5",
            tr("Zooms out on the timeline"),
        ),
        (
            "go_on",
            tr("Continue this run"),
            line.go_on,
            "",
            "play",
            "6",
            tr("Continues from the end of the recording, in a copy of its file"),
        ),
        (
            "anew",
            tr("Simulate this scene from its start"),
            line.simulate_anew,
            "",
            "restart",
            "6",
            tr("Closes the recording and runs its scene with this version"),
        ),
    )
    return [
        entry(
            f"timeline.{name}",
            title,
            do,
            menu="run/timeline",
            key=key,
            icon=icon,
            group=group,
            needs_scene=True,
            tip=tip,
        )
        for name, title, do, key, icon, group, tip in entries
    ]
