"""Actions on the run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.session.session import SPEEDS, Session
from twin.app.shell.actions.entry import entry
from twin.app.toolkit.text import speed
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def run_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Run menu."""
    session = window.session
    actions = [
        entry(
            "run.toggle",
            tr("Play or pause"),
            window.toggle_play,
            menu="run",
            key="Space",
            icon="play",
            needs_scene=True,
            tip=tr("Starts or pauses simulated time, or presses the button in focus"),
            words=tr("start stop simulate continue"),
        ),
        entry(
            "run.step",
            tr("To the next event"),
            session.step,
            menu="run",
            key=".",
            icon="step",
            needs_scene=True,
            tip=tr("Runs to the next event, then pauses"),
        ),
        entry(
            "run.restart",
            tr("Start again"),
            window.transport.restart,
            menu="run",
            key="Ctrl+Shift+R",
            icon="restart",
            needs_scene=True,
            tip=tr("The same run from its start, with the same seed"),
            words=tr("reset rewind beginning"),
        ),
        entry(
            "run.next_seed",
            tr("Restart with the next seed"),
            window.next_seed,
            menu="run",
            icon="seed",
            needs_scene=True,
            tip=tr("A new run of the same scene with other random draws"),
        ),
        entry(
            "run.plan_job",
            tr("Plan a job\N{HORIZONTAL ELLIPSIS}"),
            window.jobs_asked.plan_job,
            menu="run",
            key="Ctrl+J",
            icon="job",
            group="3",
            tip=tr("Estimates step time and memory of a job and finds its best plan"),
            words=tr("sweep parallelism tokens days energy kWh training GPUs memory batch"),
        ),
        entry(
            "run.branch",
            tr("What if from here\N{HORIZONTAL ELLIPSIS}"),
            lambda: window.branching.ask(),
            menu="run",
            key="Shift+B",
            icon="branch",
            group="3",
            needs_scene=True,
            tip=tr("Branches from the time on screen: same past, another future"),
            words=tr("fork sweep future alternative"),
        ),
        entry(
            "run.compare",
            tr("Compare runs\N{HORIZONTAL ELLIPSIS}"),
            window.run_comparing.ask,
            menu="run",
            group="3",
            needs_scene=True,
            tip=tr("Compares this run with a recorded one: both halls, figures, GPU time by account"),
            words=tr("difference A/B recorded"),
        ),
        entry(
            "run.compare_designs",
            tr("Compare designs\N{HORIZONTAL ELLIPSIS}"),
            lambda: window.run_comparing.ask_designs(),
            menu="run",
            group="3",
            tip=tr("Simulates two scenes with the same random draws, then shows them side by side"),
            words=tr("sweep difference A/B variants seeds bill cost carbon"),
        ),
        entry(
            "run.risk",
            tr("What if: reliability of the job\N{HORIZONTAL ELLIPSIS}"),
            window.jobs_asked.ask_risk,
            menu="run",
            key="Shift+R",
            icon="target",
            group="3",
            needs_scene=True,
            tip=tr("ETTR of the job with other nodes, spares, checkpoints and failures"),
            words=tr("MTBF MTTR failure rate availability spares checkpoint interval sweep"),
        ),
        entry(
            "run.incident",
            tr("Incident: what failed, and what did this failure cost"),
            lambda: window.incidents_asked.open(),
            menu="run",
            key="Shift+I",
            icon="interrupted",
            group="4",
            needs_scene=True,
            tip=tr("Cause, cost and repair of the last failure of the selection, or of the run"),
            words=tr("why did it stop failure fault outage cost lost root cause repair down broken"),
        ),
        entry(
            "run.incidents",
            tr("All incidents by cause"),
            lambda: window.incidents_asked.open_list(),
            menu="run",
            icon="list",
            group="4",
            needs_scene=True,
            tip=tr("Everything that failed so far, the dearest first, and what each cause cost"),
            words=tr("failures interruptions list causes worst"),
        ),
        entry(
            "run.faster",
            tr("Faster"),
            partial(session.change_speed, 1),
            menu="run",
            key="]",
            icon="speed",
            group="2",
            needs_scene=True,
            tip=tr("More simulated time per real second"),
        ),
        entry(
            "run.slower",
            tr("Slower"),
            partial(session.change_speed, -1),
            menu="run",
            key="[",
            group="2",
            needs_scene=True,
            tip=tr("Less simulated time per real second"),
        ),
    ]
    for number, ratio in enumerate(SPEEDS):
        actions.append(
            entry(
                f"run.speed_{number}",
                tr("Speed: {speed}", speed=speed(ratio)),
                partial(session.set_speed, ratio),
                menu="run/speed",
                needs_scene=True,
                is_on=partial(_has_speed, session, ratio),
                tip=tr("Simulated time per real second: {speed}", speed=speed(ratio)),
            )
        )
    return actions


def _has_speed(session: Session, ratio: float) -> bool:
    return session.speed == ratio
