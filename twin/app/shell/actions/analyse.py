"""Actions that look at what a design comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def analyse_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Analyse menu."""
    return [
        entry(
            "analyse.ask",
            tr("Ask a question\N{HORIZONTAL ELLIPSIS}"),
            lambda: window.questions.open(),
            menu="analyse",
            icon="info",
            tip=tr("How many GPUs fit, what runs out, what a nine costs, how often to save, own or rent"),
            words=tr("question how many when what does it cost rule of thumb sizing calculator"),
        )
    ]
