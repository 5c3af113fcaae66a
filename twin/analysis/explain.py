"""Why is it slow: the accounts of the ledger in a range of time, ranked, each with its components and events.

The ledger is read as known at the end of the range, or in hindsight (`twin.record.ledger_reading`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.account_words import MEANINGS, account_title
from twin.analysis.event_spans import Span
from twin.analysis.explain_causes import Roots, has_stretches, stopped_before, why
from twin.analysis.incident import PLANNED, PLANNED_LOSS
from twin.analysis.loss_parts import LossPart, LossParts
from twin.analysis.wall_clock import Moments, moments
from twin.language import counted, tr
from twin.record.accounts import ACCOUNTS, RESTING
from twin.record.event_kinds import kind_of
from twin.record.events import Event
from twin.record.ledger_reading import LedgerRange
from twin.record.reader import Reader

MOST = 5
"""Causes of an account that are listed."""
_RESTING = {
    "idle_spare": "mean {:,.4g} GPUs",
    "idle_fragmented": "mean {:,.4g} GPUs",
    "idle_no_job": "mean {:,.4g} GPUs",
}
"""Accounts that no event begins, and the text for each."""
_MANY = {
    "lost_work": "stops",
    "detection": "stops",
    "idle_in_repair": "repairs",
    "restart_and_load": "starts",
}
"""What the parts of an account are; the first start of a job is among the starts, and some stops undo no work."""


@dataclass(frozen=True)
class LossCause:
    """One cause of the time in an account.

    Parameters
    ----------
    subject
        Id of the component or job to select; "" for none.
    text
        One sentence.
    gpu_s
        Its part of the account [GPU s], as booked; of an older run file without bookings in proportion to its
        duration, or to the time that each job recorded.
    from_s, to_s
        Begin and end within the range [s].
    events
        Events behind it, the most important first.
    objects
        Ids of all components and jobs concerned.
    """

    subject: str
    text: str
    gpu_s: float
    from_s: float
    to_s: float
    events: tuple[Event, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lost:
    """One account within a range.

    Parameters
    ----------
    account
        Id of the account.
    gpu_s
        GPU time booked to it within the range [GPU s]. Below zero only in old files without bookings.
    share
        Of the GPU-seconds installed in the range [-].
    text
        One sentence.
    causes
        The largest, at most `MOST`.
    more
        Number of causes not listed.
    headline
        The sentence above a list of the causes.
    """

    account: str
    gpu_s: float
    share: float
    text: str
    causes: tuple[LossCause, ...]
    more: int = 0
    headline: str = ""

    @property
    def title(self) -> str:
        """Return its title."""
        return account_title(self.account)


@dataclass(frozen=True)
class Explanation:
    """Where the GPU-seconds of a range went: `productive_gpu_s` and all of `lost` add up to `installed_gpu_s`.

    Parameters
    ----------
    provisional_gpu_s
        Step time that no checkpoint holds yet [GPU s]; None: unknown.
    lost_before_gpu_s
        Work before the range that a failure in it lost; in none of its accounts [GPU s].
    hindsight
        Whether work lost after the range counts as lost; else the state known at its end counts.
    """

    t0_s: float
    t1_s: float
    installed_gpu_s: float
    productive_gpu_s: float
    lost: tuple[Lost, ...]
    provisional_gpu_s: float | None = None
    lost_before_gpu_s: float = 0.0
    hindsight: bool = False

    @property
    def productive_share(self) -> float:
        """Return the share of productive time [-]."""
        return self.productive_gpu_s / self.installed_gpu_s if self.installed_gpu_s else 0.0

    @property
    def remarks(self) -> list[str]:
        """Return the limits of these figures, in sentences."""
        found = []
        if self.hindsight:
            found.append(tr("In hindsight: work lost after this range counts as lost."))
        if self.provisional_gpu_s:
            hours = self.provisional_gpu_s / 3600
            found.append(
                tr("{hours:,.1f} GPU-hours are provisional: no checkpoint holds them yet.", hours=hours)
            )
        if self.lost_before_gpu_s:
            hours = self.lost_before_gpu_s / 3600
            found.append(
                tr(
                    "Failures in this range also lost {hours:,.1f} GPU-hours of work done before it.",
                    hours=hours,
                )
            )
        return found

    def of(self, account: str) -> Lost | None:
        """Return one account; None: it has no GPU time."""
        return next((lost for lost in self.lost if lost.account == account), None)


def explain(
    reader: Reader,
    t0_s: float,
    t1_s: float,
    events: Sequence[Event] | None = None,
    *,
    hindsight: bool = False,
) -> Explanation:
    """Return the accounts of GPU time in a range of a run [s], with causes.

    Parameters
    ----------
    reader
        Of its file.
    events
        All its events until `t1_s`, in hindsight until its end; None: read them.
    hindsight
        Whether work of the range lost after it counts as lost work; else the state known at `t1_s` counts.

    Raises
    ------
    ValueError
        When the range is empty.
    RunFileError
        When the file is damaged.
    """
    t1_s = min(t1_s, reader.t_end_s)
    t0_s = max(t0_s, 0.0)
    if not t0_s < t1_s:
        raise ValueError(f"the range from {t0_s:g} s to {t1_s:g} s is empty")
    found = reader.ledger_range(t0_s, t1_s, hindsight=hindsight)
    ledger, end_s = found.gpu_s, reader.t_end_s
    seen_s = end_s if hindsight else t1_s
    known = list(events) if events is not None else events_until(reader, seen_s)
    # Events at the end of a range belong to the next one.
    known = [event for event in known if event.t_s < seen_s or event.t_s == seen_s == end_s]
    finder = _Finder(reader, known, found)
    installed = math.fsum(ledger.values())
    lost = [
        finder.lost(account, ledger[account], installed)
        for account in ACCOUNTS
        if account != "productive" and ledger.get(account, 0.0) != 0.0
    ]
    lost.sort(key=lambda account: -account.gpu_s)
    productive = ledger.get("productive", 0.0)
    return Explanation(
        t0_s,
        t1_s,
        installed,
        productive,
        tuple(lost),
        found.provisional_gpu_s,
        found.lost_before_gpu_s,
        hindsight,
    )


def events_until(reader: Reader, t_s: float) -> list[Event]:
    """Return the events of a run up to a time [s]."""
    found: list[Event] = []
    while True:
        chunk = reader.events(found[-1].row + 1 if found else 0)
        found += [event for event in chunk if event.t_s <= t_s]
        if not chunk or chunk[-1].t_s > t_s:
            return found


class _Finder:
    """Finds the causes behind the accounts of one range, and tells of them."""

    def __init__(self, reader: Reader, events: list[Event], ledger: LedgerRange) -> None:
        self._reader = reader
        self._t0_s, self._t1_s = ledger.t0_s, ledger.t1_s
        self._says: Moments = moments(reader.header.scenario)
        self._parts, self._roots = LossParts(reader, events, ledger), Roots(events)
        self._stopped_before = stopped_before(events)
        self._saved = Counter(e.subject for e in events if kind_of(e.kind).saves and e.t_s >= ledger.t0_s)

    def lost(self, account: str, gpu_s: float, installed: float) -> Lost:
        """Return an account with its causes."""
        share = gpu_s / installed if installed else 0.0
        if gpu_s < 0.0:
            text = tr("work done before this range, lost in it and now booked as lost work")
            return Lost(account, gpu_s, share, text, (), headline=text)
        parts = self._parts.of(account, gpu_s)
        alone = sum(part.span is not None for part in parts) == 1
        causes = tuple(self._cause(account, part, part.gpu_s / gpu_s, alone) for part in parts[:MOST])
        headline, largest = self._headline(account, gpu_s, causes, parts)
        return Lost(account, gpu_s, share, headline + largest, causes, len(parts) - len(causes), headline)

    def _cause(self, account: str, part: LossPart, share: float, alone: bool) -> LossCause:
        if part.span is not None:
            return self._stretch(account, part.span, part.gpu_s, alone)
        if part.stop is not None:
            return self._interruption(part.stop, part)
        return self._apart(account, part, share)

    def _headline(
        self, account: str, gpu_s: float, causes: Sequence[LossCause], parts: Sequence[LossPart]
    ) -> tuple[str, str]:
        """Return the text of an account, and that of its largest cause where there are several."""
        if account in _RESTING:
            text = _RESTING[account].format(gpu_s / (self._t1_s - self._t0_s))
            if account == "idle_no_job" and (waiting := self._waiting()) > 0.0:
                text += tr("; {waiting:,.3g} queued jobs could not use them", waiting=waiting)
            return f"{MEANINGS[account]}: {text}", ""
        if not causes:
            return MEANINGS[account], ""
        count, told = len(parts), sum(part.told for part in parts)
        noun = _MANY.get(account, "stretches") if told == count else "causes" if told else "jobs"
        if not parts[0].told:
            most = "" if count == 1 else tr("{count:,} {noun}; largest: ", count=count, noun=noun)
            return f"{MEANINGS[account]}: {most}{causes[0].text}", ""
        if count == 1:
            return causes[0].text, ""
        alike = sum(round(part.gpu_s, 3) == round(parts[0].gpu_s, 3) for part in parts) - 1
        if alike:
            like = tr(
                "; largest, with {alike:,} like it: {first_cause}", alike=alike, first_cause=causes[0].text
            )
            return f"{count:,} {noun}", like
        return f"{count:,} {noun}", tr("; largest: {first_cause}", first_cause=causes[0].text)

    def _waiting(self) -> float:
        """Return the mean number of queued jobs."""
        queue = self._reader.series(0, "site.queue", self._t0_s, self._t1_s)
        if len(queue.t_s) < 2:
            return 0.0
        return float(np.trapezoid(queue.mean, queue.t_s) / (queue.t_s[-1] - queue.t_s[0]))

    def _interruption(self, event: Event, part: LossPart) -> LossCause:
        chain = self._roots.chain(event)
        subject = chain[-1].subject if chain else event.subject
        since = tr(
            "{subject} lost {lost_s:,.0f} s since its last checkpoint",
            subject=event.subject,
            lost_s=part.lost_s,
        )
        text = tr(
            "{why} at {time} ({since}){fault}",
            why=why(event),
            time=self._says(event.t_s),
            since=since,
            fault=self._fault(chain),
        )
        return LossCause(
            subject,
            f"{text}. {PLANNED_LOSS}" if chain and chain[-1].kind in PLANNED else text,
            part.gpu_s,
            event.t_s,
            event.t_s,
            (*chain[-1:], event),
            tuple(dict.fromkeys((subject, event.subject))),
        )

    def _fault(self, chain: Sequence[Event]) -> str:
        """Return the fault behind an interruption, where its reason does not name it: ", after crah/0: ..."."""
        if len(chain) < 2:
            return ""
        return tr(
            ", after {subject}: {last_chain} (at {time})",
            subject=chain[-1].subject,
            last_chain=chain[-1].text,
            time=self._says(chain[-1].t_s),
        )

    def _stretch(self, account: str, span: Span, gpu_s: float, alone: bool) -> LossCause:
        kind, says = kind_of(span.begin.kind), self._says
        stop = self._stopped_before.get(span.begin.row)
        chain = self._roots.chain(stop or span.begin)
        root = chain[0] if chain else None
        behind = chain if len(chain) < 2 else [chain[0], chain[-1]]  # and the fault that brought that about
        begin_s, end_s = span.begin.t_s, span.end.t_s if span.end is not None else None
        until = tr("to {end}", end=says(end_s)) if end_s is not None and end_s <= self._t1_s else "on"
        subject_words = span.subject
        if account == "thermal_throttle":
            subject_words += self._how_many("site.throttled", begin_s, end_s) if alone else ""
        elif span.nodes > 1:
            subject_words += tr(" ({nodes:,} nodes)", nodes=span.nodes)
        text = tr(
            "{subject_words} {verb} from {begin_time} {until}",
            subject_words=subject_words,
            verb=kind.verb,
            begin_time=says(begin_s),
            until=until,
        )
        subject = span.subject
        if stop is not None:
            text += f": {why(stop)}{self._fault(chain)}"
            subject = chain[-1].subject if chain else subject
        elif root is not None:
            for cause in behind:
                place = "" if cause.subject == span.subject else f"{cause.subject}: "
                text += tr(
                    ", after {place}{cause} (at {time})", place=place, cause=cause.text, time=says(cause.t_s)
                )
        elif not kind.caused_by:
            text += f": {span.begin.text}"
        events = [span.begin, *behind, *([span.end] if span.end else [])]
        return LossCause(
            subject,
            text,
            gpu_s,
            max(begin_s, self._t0_s),
            min(end_s if end_s is not None else self._t1_s, self._t1_s),
            tuple(events),
            tuple(dict.fromkeys((subject, span.subject, *(cause.subject for cause in behind)))),
        )

    def _how_many(self, channel: str, t0_s: float, t1_s: float | None) -> str:
        """Return the peak number of GPUs of a site channel between two times, in words."""
        values = self._reader.series(0, channel, t0_s, self._t1_s if t1_s is None else t1_s).high
        most = int(np.max(values)) if len(values) else 0
        return tr(", up to {most:,} GPUs,", most=most) if most else ""

    def _apart(self, account: str, part: LossPart, share: float) -> LossCause:
        """Return what a job spent, or GPUs at rest, where no event tells of it."""
        job, saved = part.job, self._saved.get(part.job, 0)
        text = (job or tr("all jobs")) + ("" if share > 0.9999 else f" ({100.0 * share:.1f} %)")
        if account == "checkpoint_stall":
            text += tr(", {checkpoints}", checkpoints=counted(saved, "checkpoint"))
        elif account == "straggler":
            text += tr(": jitter and chip spread of all nodes, in every step")
        elif account in RESTING:
            text = tr("nodes of which no event tells")
        elif has_stretches(account):
            text += tr(", of which no event tells")
        return LossCause(job, text, part.gpu_s, self._t0_s, self._t1_s, (), (job,) if job else ())
