"""Where the time of a job went since it was submitted: from wall time, cause by cause, down to what was productive.

No widgets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twin.app.toolkit.account_colours import AccountShare

LEAST_SHARE = 2e-4
"""A cause that took less of the whole is left out, and counted with what is left over."""
QUEUE, REST, PRODUCTIVE = "queue", "not_held", "productive"
_CAUSES: tuple[tuple[str, str, str, str], ...] = (
    ("job.restart_s", "restart_and_load", "Start, restart", "Containers, initialisation, load, warm-up"),
    ("job.spare_wait_s", "idle_reserved", "Waited for nodes", "It held the others and could not step"),
    ("job.detect_s", "detection", "Not noticed yet", "Something had failed, and nobody knew"),
    ("job.lost_s", "lost_work", "Lost work", "Done since the last checkpoint, and done again"),
    ("job.checkpoint_s", "checkpoint_stall", "Checkpoints", "It stood while its state was written"),
    ("job.exposed_s", "exposed_data", "Communication", "Between GPUs, hidden by nothing"),
    ("job.bubble_s", "pipeline_bubble", "Pipeline bubble", "Stages that wait to fill and drain"),
    ("job.input_s", "input_wait", "Input", "Steps that waited for their data"),
    ("job.throttle_s", "thermal_throttle", "Throttle, caps", "Clocks lowered by heat or a power cap"),
    ("job.straggler_s", "straggler", "Stragglers", "The slowest of many, and links shared with others"),
    ("job.no_load_s", "idle_no_load", "No load", "GPUs of a service that nobody asked anything"),
)


@dataclass(frozen=True)
class Waterfall:
    """Losses in the order they are taken away, and what is left.

    Parameters
    ----------
    whole_s
        From submission to now, or to its end [s].
    losses
        Each with its seconds; all that took any time worth a line.
    productive_s
        What all of them leave [s].
    away
        Whether it was in a cloud, where nobody tells productive time from the rest.
    """

    whole_s: float
    losses: tuple[AccountShare, ...]
    productive_s: float
    away: bool = False

    @property
    def pieces(self) -> tuple[AccountShare, ...]:
        """Return the losses and what is left; they sum to the whole."""
        hint = "Matrix products and all else that brings the job on, at the clock it has"
        title = "Productive here" if self.away else "Productive"
        return (*self.losses, AccountShare(PRODUCTIVE, title, self.productive_s, hint))

    def share(self, seconds: float) -> float:
        """Return a time as a share of the whole [-]."""
        return seconds / self.whole_s if self.whole_s > 0 else 0.0


def waterfall(whole_s: float, queue_s: float, spent_s: Mapping[str, float], *, away: bool) -> Waterfall:
    """Return where the time of a job went.

    Parameters
    ----------
    whole_s
        From submission to now, or to its end [s].
    queue_s
        In the queue, all stays together [s].
    spent_s
        Seconds of the whole job by channel of `twin.record.accounts.JOB_SECONDS`.
    away
        Whether it was in a cloud: what is booked nowhere here went there.
    """
    productive_s = spent_s.get("job.productive_s", 0.0)
    found = [AccountShare(QUEUE, "Queue", queue_s, "Submitted, and waiting for its turn")]
    found += [
        AccountShare(account, title, spent_s.get(channel, 0.0), hint)
        for channel, account, title, hint in _CAUSES
    ]
    kept = [piece for piece in found if piece.value > LEAST_SHARE * whole_s and piece.value > 0.0]
    rest_s = whole_s - productive_s - sum(piece.value for piece in kept)
    if rest_s > LEAST_SHARE * whole_s * len(_CAUSES):
        title, hint = (
            ("In a cloud", "It ran elsewhere")
            if away
            else (
                "Nodes it lacked",
                "It went on, or waited, with fewer nodes than it asks for: their share of the time",
            )
        )
        kept.append(AccountShare(REST, title, rest_s, hint))
        rest_s = 0.0
    return Waterfall(whole_s, tuple(kept), max(productive_s + rest_s, 0.0), away)
