"""Where the time of a job went since it was submitted: from wall time, cause by cause, down to what was productive.

No widgets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twin.app.toolkit.account_colours import AccountShare, share_of
from twin.language import tr
from twin.record.account_titles import JOB_TIME_TITLES
from twin.record.accounts import JOB_SECONDS

LEAST_SHARE = 2e-4
"""A cause that took less of the whole is left out, and counted with what is left over."""
_COLOURED_AS = {"job.exposed_s": "exposed_data"}
QUEUE, REST, PRODUCTIVE = "queue", "not_held", "productive"
_CAUSES = (
    "job.restart_s",
    "job.spare_wait_s",
    "job.detect_s",
    "job.lost_s",
    "job.checkpoint_s",
    "job.exposed_s",
    "job.bubble_s",
    "job.input_s",
    "job.throttle_s",
    "job.straggler_s",
    "job.no_load_s",
)
"""Channels of job time in the order they are taken away."""


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
        hint = tr("Useful work of the job, at its current clocks")
        title = tr("Productive here") if self.away else tr("Productive")
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
    found = [AccountShare(QUEUE, tr("Queue"), queue_s, tr("Submitted and queued"))]
    found += [_loss(cause, spent_s[cause]) for cause in _CAUSES if cause in spent_s]
    kept = [piece for piece in found if piece.value > LEAST_SHARE * whole_s and piece.value > 0.0]
    rest_s = whole_s - productive_s - sum(piece.value for piece in kept)
    if rest_s > LEAST_SHARE * whole_s * len(_CAUSES):
        title, hint = (
            (tr("In a cloud"), tr("Ran outside the hall"))
            if away
            else (
                tr("Missing nodes"),
                tr("Ran or waited with fewer nodes than requested: their share of the time"),
            )
        )
        kept.append(AccountShare(REST, title, rest_s, hint))
        rest_s = 0.0
    return Waterfall(whole_s, tuple(kept), max(productive_s + rest_s, 0.0), away)


def _loss(channel: str, spent_s: float) -> AccountShare:
    """Return a loss with the title and the meaning of its channel in the table of accounts."""
    account = _COLOURED_AS.get(channel, JOB_SECONDS[channel][0])
    return share_of(account, JOB_TIME_TITLES[channel], spent_s)
