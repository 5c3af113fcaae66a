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
        ),
        entry(
            "analyse.seeds",
            tr("Run seeds in the background\N{HORIZONTAL ELLIPSIS}"),
            lambda: window.seed_runs.ask(),
            menu="analyse",
            icon="seed",
            group="2",
            needs_scene=True,
            tip=tr("Runs the scene with other random draws, and shows P5, P50 and P95 on tiles and plots"),
            words=tr("seeds bands uncertainty P5 P50 P95 confidence Monte Carlo spread random draws"),
        ),
        entry(
            "analyse.seed_figures",
            tr("Figures over seeds"),
            lambda: window.seed_runs.show_figures(),
            menu="analyse",
            icon="list",
            group="2",
            needs_scene=True,
            tip=tr("Lists P5, P50 and P95 of all figures over the seeds that were run"),
            words=tr("summary bands quantiles P5 P50 P95 uncertainty"),
        ),
    ]
