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
    entries: tuple[tuple[str, str, Callable[[], object], str, str, str, str], ...] = (
        (
            "live",
            "Back to live",
            line.back_to_live,
            "End",
            "clock",
            "1",
            "Shows the latest simulated time",
        ),
        (
            "goto",
            f"Go to a time{_DOTS}",
            line.ask_time,
            "G",
            "clock",
            "1",
            "Shows a time of day or of the run",
        ),
        (
            "before",
            "Previous event",
            partial(line.step, -1),
            ",",
            "step_back",
            "2",
            "Shows the previous event",
        ),
        (
            "after",
            "Next event",
            partial(line.step, 1),
            "",
            "step",
            "2",
            "Shows the next recorded event",
        ),
        (
            "trouble_before",
            "Previous warning or alarm",
            partial(line.step, -1, Severity.WARNING),
            "Ctrl+,",
            "step_back",
            "2",
            "Shows the previous warning or alarm",
        ),
        (
            "trouble_after",
            "Next warning or alarm",
            partial(line.step, 1, Severity.WARNING),
            "Ctrl+.",
            "step",
            "2",
            "Shows the next recorded warning or alarm",
        ),
        (
            "backwards",
            "Play backwards",
            line.play_backwards,
            "Shift+Space",
            "back",
            "2",
            "Plays the recording backwards, or pauses",
        ),
        (
            "loop_from",
            "Start loop here",
            line.loop_from,
            "I",
            "repeat",
            "3",
            "Starts the loop at the time on screen",
        ),
        (
            "loop_to",
            "End loop here",
            line.loop_to,
            "O",
            "repeat",
            "3",
            "Ends the loop at the time on screen",
        ),
        (
            "loop",
            "Loop on or off",
            line.toggle_loop,
            "Shift+L",
            "repeat",
            "3",
            "Repeats the range of the timeline",
        ),
        (
            "bookmark",
            f"Bookmark this time{_DOTS}",
            lambda: line.bookmark(),
            "Ctrl+M",
            "bookmark",
            "4",
            "Saves the time with a note",
        ),
        (
            "bookmarks",
            f"Bookmarked times{_DOTS}",
            line.show_bookmarks,
            "Ctrl+Shift+M",
            "bookmark",
            "4",
            "Go to, edit or delete bookmarked times",
        ),
        (
            "whole",
            "Show the whole run",
            line.show_whole,
            "Shift+W",
            "whole",
            "5",
            "Shows the run on the timeline from start to end",
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
            "Continues from the end of the recording, in a copy of its file",
        ),
        (
            "anew",
            "Simulate this scene from its start",
            line.simulate_anew,
            "",
            "restart",
            "6",
            "Closes the recording and runs its scene with this version",
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
