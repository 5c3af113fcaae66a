"""What the queue's chart says of the thing under the pointer. No widgets."""

from __future__ import annotations

from html import escape

import numpy as np

from twin.app.queue.gantt_lanes import ReservedTime
from twin.app.queue.growing_columns import End
from twin.app.queue.history import JobHistory
from twin.app.queue.plan import Planned, expected_s
from twin.app.toolkit import text
from twin.app.toolkit.clock import Clock

_ENDED = {
    End.DONE: "completed",
    End.KILLED: "ended early",
    End.REQUEUED: "lost its GPUs, requeued",
    End.PREEMPTED: "preempted, requeued",
    End.CHANGED: "runs in the cloud",
}


class Words:
    """Sentences on boxes of one run."""

    def __init__(self, history: JobHistory, clock: Clock) -> None:
        self._history, self._clock = history, clock

    def box(self, job: int, box: int, now_s: float) -> str:
        """Return the tooltip of a box: job, tenant, size, times, end."""
        spans = self._history.spans
        begin_s, end_s = float(spans.begin_s[box]), float(spans.end_s[box])
        gpus = float(spans.high[box] - spans.low[box])
        lines = [self._head(job), f"{text.significant(gpus)} GPUs here"]
        if np.isfinite(end_s):
            lines.append(f"{self._clock.says(begin_s)} to {self._clock.says(end_s)}")
            lines.append(f"{text.duration(end_s - begin_s)}, {_ENDED.get(End(int(spans.how[box])), '')}")
        else:
            lines.append(f"since {self._clock.says(begin_s)}, {text.duration(now_s - begin_s)}")
            left_s = self._history.started_s.get(job, begin_s) + expected_s(self._history, job) - now_s
            if left_s > 0:
                lines.append(f"expected to end in {text.duration(left_s)}")
        return "<br>".join(lines)

    def planned(self, one: Planned) -> str:
        """Return the tooltip of a queued job with a planned start."""
        since_s = self._history.waiting.get(one.job)
        lines = [
            self._head(one.job),
            f"needs {self._history.gpus_of(one.job):,} GPUs",
            f"planned to start at {self._clock.says(one.begin_s)}",
        ]
        if since_s is not None:
            lines.append(f"in the queue since {self._clock.says(since_s)}")
        return "<br>".join(lines)

    def window(self, window: ReservedTime) -> str:
        """Return the tooltip of a reservation."""
        reservation = window.reservation
        whose = ", ".join((*reservation.tenants, *reservation.jobs))
        lines = [
            f"<b>{escape(reservation.id)}</b>",
            reservation.kind + (f" for {escape(whose)}" if whose else ""),
        ]
        lines.append(f"{self._clock.says(window.begin_s)} to {self._clock.says(window.end_s)}")
        return "<br>".join(lines)

    def level(self, t_s: float) -> str:
        """Return the GPUs held by tenant at a time [s]."""
        history, at = self._history, np.array([t_s])
        held = [
            (float(a.held.at(at)[0]), tenant)
            for tenant, a in zip(history.tenants, history.accounts, strict=True)
        ]
        lines = [f"<b>{self._clock.says(t_s)}</b>"]
        lines += [
            f"{escape(tenant) or 'no tenant'}: {text.significant(gpus)} GPUs"
            for gpus, tenant in sorted(held, reverse=True)[:12]
            if gpus > 0
        ]
        lines.append(f"queued: {float(history.waiting_gpus.at(at)[0]):,.0f} GPUs")
        return "<br>".join(lines)

    def _head(self, job: int) -> str:
        spec = self._history.jobs[job]
        tenant = f" \N{MIDDLE DOT} {escape(spec.tenant)}" if spec.tenant else ""
        return f"<b>{escape(spec.id)}</b>{tenant}"
