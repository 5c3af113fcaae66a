"""What is done to jobs: they are cancelled, requeued, moved, capped, or continue by other settings."""

from __future__ import annotations

from twin import units
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.scenario.schema.faults import Intervention
from twin.sim.incidents.actuators import Actuators
from twin.sim.incidents.fault_handler import Handler
from twin.sim.jobs.job_row import JobRow
from twin.sim.thermal.clocks import EVERY_JOB


class Cancel(Handler):
    """A job ends before its work is done."""

    timed = False

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return that there is no such job."""
        return _no_job(on, i)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """End it."""
        row = _job(on, i)
        if row.state == JobState.REMOTE:
            on.clouds.stop(row, "cancelled manually")
        elif not on.recovery.kill(row, "cancelled", "cancelled manually"):
            on.say("refused", i.target, f"{row.id} has already ended", Severity.NOTICE)


class Requeue(Handler):
    """A job gives its GPUs back and waits for its turn."""

    timed = False

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return that there is no such job."""
        return _no_job(on, i)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Put it back into the queue."""
        if not on.recovery.requeue(_job(on, i), "manual request"):
            on.say("refused", i.target, f"{i.target} is not running here", Severity.NOTICE)


class MoveJob(Handler):
    """A job that waits goes to another partition."""

    timed = alters = False

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Move it."""
        on.moves.move(i.target, i.value or "")


class JobCap(Handler):
    """Each GPU of a job, or of all, has a lower power limit: of several the latest."""

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return why the GPUs cannot have that limit."""
        if i.target != "all" and on.job(i.target) is None:
            return f"no job is called {i.target!r}; name a job, or all"
        try:
            cap_w = units.parse(i.value or "", "power")
        except units.UnitError as error:
            return f"power_cap needs value=, a power per GPU: {error}"
        low_w, high_w = on.clocks.cap_range_w()
        if low_w <= cap_w <= high_w:
            return None
        return f"power_cap takes {low_w:.0f} W to {high_w:.0f} W for the GPUs of this hall, not {i.value}"

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Put the limit in force."""
        on.capped.append(i)
        self._follow(on, i)
        lasts = "" if lasts_s is None else f" for {units.spoken(lasts_s)}"
        limit_w = units.parse(i.value or "", "power")
        on.say(
            "power_cap", i.target, f"power limit {i.value} per GPU{lasts}", limit_w=limit_w, lasts_s=lasts_s
        )

    def end(self, on: Actuators, i: Intervention) -> None:
        """Lift it; an earlier one that lasts still holds again."""
        on.capped.remove(i)
        left = self._follow(on, i)
        text = f"power limit {left[-1].value} per GPU restored" if left else "default power limit restored"
        on.say("power_cap_off", i.target, text)

    def _follow(self, on: Actuators, i: Intervention) -> list[Intervention]:
        """Let the latest cap on the target that is in force hold, or none; return all of them."""
        job = EVERY_JOB if i.target == "all" else _job(on, i).index
        on.clocks.cap_w.pop(job, None)
        standing = [cap for cap in on.capped if cap.target == i.target]
        for cap in standing:
            on.clocks.cap_w[job] = units.parse(cap.value or "", "power")
        return standing


class Set(Handler):
    """A setting has another value from now on."""

    timed = False

    def refusal(self, on: Actuators, i: Intervention) -> str | None:
        """Return why it cannot be set."""
        return on.settings.refusal(i.target, i.value)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        """Set it."""
        on.settings.apply(i.target, i.value or "")
        on.say("set", i.target, f"set to {i.value}", value=i.value)
        if i.target.startswith("scheduler"):
            on.recovery.node_usable()  # who waits may start by the new rules


def _no_job(on: Actuators, i: Intervention) -> str | None:
    return None if on.job(i.target) is not None else f"no job is called {i.target!r}; name a job of the scene"


def _job(on: Actuators, i: Intervention) -> JobRow:
    row = on.job(i.target)
    assert row is not None  # or it was refused
    return row
