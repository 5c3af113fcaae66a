"""Actions on the run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.actions.entry import entry
from twin.app.session import SPEEDS, Session
from twin.app.text import speed

if TYPE_CHECKING:
    from twin.app.actions.entry import Command
    from twin.app.main_window import MainWindow


def run_actions(window: MainWindow) -> list[Command]:
    """Return the actions of the Run menu."""
    session = window.session
    actions = [
        entry(
            "run.toggle",
            "Play or pause",
            window.toggle_play,
            menu="run",
            key="Space",
            icon="play",
            needs_scene=True,
        ),
        entry(
            "run.step", "To the next event", session.step, menu="run", key=".", icon="step", needs_scene=True
        ),
        entry(
            "run.restart",
            "Start again",
            session.restart,
            menu="run",
            key="Ctrl+Shift+R",
            icon="restart",
            needs_scene=True,
        ),
        entry(
            "run.next_seed",
            "Start again with the next seed",
            window.next_seed,
            menu="run",
            icon="seed",
            needs_scene=True,
        ),
        entry(
            "run.plan_job",
            "Plan a job\N{HORIZONTAL ELLIPSIS}",
            window.job_actions.plan_job,
            menu="run",
            key="Ctrl+J",
            icon="job",
            group="3",
        ),
        entry(
            "run.risk",
            "What if: reliability of the job\N{HORIZONTAL ELLIPSIS}",
            window.job_actions.ask_risk,
            menu="run",
            key="Shift+R",
            icon="target",
            group="3",
            needs_scene=True,
        ),
        entry(
            "run.faster",
            "Faster",
            partial(session.change_speed, 1),
            menu="run",
            key="]",
            icon="speed",
            group="2",
            needs_scene=True,
        ),
        entry(
            "run.slower",
            "Slower",
            partial(session.change_speed, -1),
            menu="run",
            key="[",
            group="2",
            needs_scene=True,
        ),
    ]
    for number, ratio in enumerate(SPEEDS):
        actions.append(
            entry(
                f"run.speed_{number}",
                f"Speed: {speed(ratio)}",
                partial(session.set_speed, ratio),
                menu="run/speed",
                needs_scene=True,
                is_on=partial(_has_speed, session, ratio),
            )
        )
    return actions


def _has_speed(session: Session, ratio: float) -> bool:
    return session.speed == ratio
