"""Status in a few lines: active alarms in the order they came, and their effect on GPUs and jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from twin.app.hall.trace_layer import Told
from twin.app.toolkit import text
from twin.app.toolkit.clock import Clock
from twin.app.world.rows import World
from twin.language import counted, tr
from twin.record.alarms import Alarm, Alarms
from twin.record.channels import JobState
from twin.record.event_kinds import kind_of
from twin.record.frame import Frame
from twin.scenario.generators.all_jobs import jobs_of
from twin.shown_text import spelled

MOST_LINES = 4
"""Kinds of alarm, and jobs that feel them, that are told one by one."""
SLOWER = 1.02
"""A step this much longer than usual is worth a word."""
REASONS: tuple[tuple[int, str], ...] = (
    (0x40 | 0x20, tr("in thermal throttling")),
    (0x80, tr("under HW power brake")),
)
"""Bits of the throttle reason (NVML) that a fault brings, and what they mean to a person."""
_STANDS = {
    JobState.DETECTING: tr("is down: failure not yet detected"),
    JobState.RESTARTING: tr("is down: restarting from its checkpoint"),
    JobState.WAITING: tr("is down: waiting for replacement node"),
}


class Story:
    """Remembers how long steps take while all is well, to tell how much slower they are now."""

    def __init__(self) -> None:
        self._usual_s: dict[int, float] = {}

    def forget(self) -> None:
        """Another run begins."""
        self._usual_s.clear()

    def tell(self, world: World, alarms: Alarms) -> Told | None:
        """Return the status; None without alarms."""
        frame = world.frame
        if not alarms.active_count:
            if frame is not None:
                self._learn(frame)
            return None
        lines, rows = _causes(alarms.active(), Clock.of(world.scenario), _starved(world, frame))
        if frame is not None:
            felt = _gpu_lines(frame)
            lines += [*felt, *self._job_lines(world, frame, held=bool(felt))]
        return Told(tr("Status"), tuple(lines), rows=rows)

    def _learn(self, frame: Frame) -> None:
        running = np.flatnonzero(frame.values["job.state"] == JobState.RUNNING)
        for job, step_s in zip(running.tolist(), frame.values["job.step_s"][running].tolist(), strict=True):
            if step_s > 0:
                self._usual_s[job] = step_s

    def _job_lines(self, world: World, frame: Frame, *, held: bool) -> list[str]:
        lines = []
        listed = np.isin(frame.values["job.state"], [*_STANDS, JobState.RUNNING])
        jobs = jobs_of(world.scenario)
        for job in np.flatnonzero(listed).tolist():
            spec, state = jobs[job], JobState(int(frame.values["job.state"][job]))
            step_s, usual_s = float(frame.values["job.step_s"][job]), self._usual_s.get(job, 0.0)
            if state in _STANDS:
                lines.append(f"{spec.id} {_STANDS[state]}")
            elif state == JobState.RUNNING and 0 < usual_s * SLOWER < step_s < np.inf:
                pace = tr(
                    "{step_time} a step instead of {usual_time}",
                    step_time=text.quantity(step_s, "s"),
                    usual_time=text.quantity(usual_s, "s"),
                )
                why = tr("waits for its slowest GPU") if held else tr("is slower")
                lines.append(f"{spec.id} {why}: {pace}")
        if len(lines) > MOST_LINES:
            lines = [
                *lines[: MOST_LINES - 1],
                tr("and {lines:,} more jobs affected", lines=len(lines) - MOST_LINES + 1),
            ]
        return lines


def _starved(world: World, frame: Frame | None) -> dict[str, str]:
    """Return how long each job that waits for its input does so in a step now, by its id."""
    if frame is None:
        return {}
    waits, steps = frame.values["job.input_wait_s"], frame.values["job.step_s"]
    jobs = jobs_of(world.scenario)
    return {
        jobs[job].id: tr(
            "{id} is input-bound: {waits:.3g} s of each {steps:.3g} s step",
            id=jobs[job].id,
            waits=waits[job],
            steps=steps[job],
        )
        for job in np.flatnonzero((waits > 0.0) & np.isfinite(steps)).tolist()
    }


def _causes(
    active: list[Alarm], clock: Clock, starved: Mapping[str, str]
) -> tuple[list[str], tuple[int, ...]]:
    """Return a line for each kind of alarm that lasts, the oldest first, and the rows of their events.

    Many of one kind are one line. `starved` says of jobs what their alarm would say now: a wait for input is another
    one in each epoch.
    """
    kinds = Counter(alarm.kind for alarm in active)
    first: dict[str, Alarm] = {}
    for alarm in sorted(active, key=lambda a: a.last_s):
        first.setdefault(alarm.kind, alarm)
    lines = []
    for kind, alarm in first.items():
        more = tr("  (and {kinds:,} more)", kinds=kinds[kind] - 1) if kinds[kind] > 1 else ""
        words = spelled(starved.get(alarm.subject, alarm.text) if kind == "input_bound" else alarm.text)
        where = "" if kind_of(kind).names_subject else f"{alarm.subject}: "
        lines.append(f"{clock.says(alarm.last_s)}   {where}{words}{more}")
    if len(lines) > MOST_LINES:
        lines = [
            *lines[: MOST_LINES - 1],
            tr("and {lines} more kinds of alarm", lines=len(lines) - MOST_LINES + 1),
        ]
    return lines, tuple(alarm.row for alarm in first.values())


def _gpu_lines(frame: Frame) -> list[str]:
    throttle = np.asarray(frame.values["gpu.throttle"])
    lines = []
    for bits, words in REASONS:
        hit = (throttle & bits) != 0
        count = int(np.count_nonzero(hit))
        if count:
            clock = float(np.mean(frame.values["gpu.clock_mhz"][hit]))
            hottest = float(np.max(frame.values["gpu.temp_c"][hit]))
            lines.append(
                tr(
                    "{gpus} {words}: mean clock {clock}, hottest {hottest}",
                    gpus=counted(count, "GPU"),
                    words=words,
                    clock=text.quantity(clock, "MHz"),
                    hottest=text.quantity(hottest, "°C"),
                )
            )
    return lines
