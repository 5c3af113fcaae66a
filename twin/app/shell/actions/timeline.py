"""Actions on the time that is looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.record.events import Severity

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command

_DOTS = "\N{HORIZONTAL ELLIPSIS}"


def timeline_actions(window: WindowApi) -> list[Command]:
    """Return the actions of Run > Timeline."""
    line = window.timeline
    told: tuple[tuple[str, str, Callable[[], object], str, str, str, str], ...] = (
        (
            "live",
            "Back to live",
            line.back_to_live,
            "End",
            "clock",
            "1",
            "Shows the present of the run again",
        ),
        (
            "goto",
            f"Go to a time{_DOTS}",
            line.ask_time,
            "G",
            "clock",
            "1",
            "Looks at a time of day or of the run",
        ),
        (
            "before",
            "The event before",
            partial(line.step, -1),
            ",",
            "step_back",
            "2",
            "Looks at the event before",
        ),
        (
            "after",
            "The event after",
            partial(line.step, 1),
            "",
            "step",
            "2",
            "Looks at the next event in the record",
        ),
        (
            "trouble_before",
            "The warning or alarm before",
            partial(line.step, -1, Severity.WARNING),
            "Ctrl+,",
            "step_back",
            "2",
            "Looks at the last warning or alarm before the time on screen",
        ),
        (
            "trouble_after",
            "The warning or alarm after",
            partial(line.step, 1, Severity.WARNING),
            "Ctrl+.",
            "step",
            "2",
            "Looks at the next warning or alarm in the record",
        ),
        (
            "backwards",
            "Play backwards",
            line.play_backwards,
            "Shift+Space",
            "back",
            "2",
            "Goes back in time at the speed of the run, or stands still",
        ),
        (
            "loop_from",
            "Loop from here",
            line.loop_from,
            "I",
            "repeat",
            "3",
            "Begins the loop at the time on screen",
        ),
        (
            "loop_to",
            "Loop up to here",
            line.loop_to,
            "O",
            "repeat",
            "3",
            "Ends the loop at the time on screen",
        ),
        (
            "loop",
            "Loop what is shown, or no more",
            line.toggle_loop,
            "Shift+L",
            "repeat",
            "3",
            "Goes over and over through what the timeline shows",
        ),
        (
            "bookmark",
            f"Bookmark this time{_DOTS}",
            lambda: line.bookmark(),
            "Ctrl+M",
            "bookmark",
            "4",
            "Keeps the time with a note",
        ),
        (
            "bookmarks",
            f"Bookmarked times{_DOTS}",
            line.show_bookmarks,
            "Ctrl+Shift+M",
            "bookmark",
            "4",
            "Lists them: go to one, change its note, delete it",
        ),
        (
            "whole",
            "Show the whole run",
            line.show_whole,
            "Shift+W",
            "whole",
            "5",
            "On the timeline, from end to end",
        ),
        (
            "nearer",
            "Show less time",
            partial(line.zoom, 0.5),
            "Ctrl+]",
            "search",
            "5",
            "Zooms in on the timeline",
        ),
        (
            "wider",
            "Show more time",
            partial(line.zoom, 2.0),
            "Ctrl+[",
            "search",
            "5",
            "Zooms out on the timeline",
        ),
        (
            "go_on",
            "Continue this run",
            line.go_on,
            "",
            "play",
            "6",
            "Simulates on from where a recording ends, in a copy of its file",
        ),
        (
            "anew",
            "Simulate this scene from its start",
            line.simulate_anew,
            "",
            "restart",
            "6",
            "Leaves the recording, and runs its scene with this program",
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
        for name, title, do, key, icon, group, tip in told
    ]
