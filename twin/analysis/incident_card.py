"""An incident in words and figures as known at a time: the same in window, command line and report."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from twin.analysis.account_words import account_title
from twin.analysis.incident import COST_ACCOUNTS, PLANNED_LOSS, Incident, JobStop, Phase, Repair
from twin.analysis.incidents import RunIncidents
from twin.analysis.wall_clock import Moments, moments
from twin.language import counted, tr
from twin.record.event_kinds import kind_of
from twin.record.events import Event
from twin.record.reader import Reader
from twin.shown_text import capitalised, spelled
from twin.units import spoken

HOUR_S = 3600.0
_ORDINALS = (
    "",
    "",
    "second ",
    "third ",
    "fourth ",
    "fifth ",
    "sixth ",
    "seventh ",
    "eighth ",
    "ninth ",
    "tenth ",
)
_CLASSES = {
    "gpu": tr("GPU repair"),
    "cable": tr("Cable repair"),
    "nic": tr("NIC repair"),
    "fan": tr("Fan repair"),
    "power_supply": tr("Power supply repair"),
    "motherboard": tr("Motherboard repair"),
    "cpu": tr("CPU repair"),
    "restart": tr("Restart"),
    "maintenance": tr("Maintenance"),
}
"""Repair classes of causes, as people call them."""
_MOST_SPARES = 3


@dataclass(frozen=True)
class StopLine:
    """A job of an incident.

    Parameters
    ----------
    stop, phases
        The stop and its phases.
    gpu_s
        Its cost [GPU s].
    state
        Whether it runs again, in words.
    """

    stop: JobStop
    phases: tuple[Phase, ...]
    gpu_s: float
    state: str


@dataclass(frozen=True)
class IncidentCard:
    """What a card says.

    Parameters
    ----------
    known_s
        Everything is as known at this time [s].
    title, place, when
        What failed, where, and when.
    interrupted
        The jobs it stopped, with their GPUs.
    known
        Up to when the card knows.
    stops
        Its jobs, the dearest first.
    cost, share, costs, remark
        Cost in GPU-hours, its share of the run so far, (account, GPU s) of its parts, and what the model leaves out.
    spare, spares_left
        The nodes that joined, and how many are left.
    back, repair
        When what failed is back, and its repair.
    kind, rate
        How often this cause has struck and what that cost; its rate with its source.
    followed
        Events that it brought about.
    """

    incident: Incident
    known_s: float
    title: str
    place: str
    when: str
    interrupted: str
    known: str
    stops: tuple[StopLine, ...]
    cost: str
    share: str
    costs: tuple[tuple[str, float], ...]
    remark: str
    spare: str
    spares_left: str
    back: str
    repair: str
    kind: str
    rate: str
    followed: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """Return the card as plain lines."""
        found = [f"{self.title}: {self.place}", f"{self.when}, {self.interrupted}; {self.known}"]
        for line in self.stops:
            found.append(f"{line.stop.job}: {line.state}, {hours(line.gpu_s)}")
            found += [
                f"  {phase.title:<16} {spoken(phase.lasts_s(self.known_s))}"
                + ", goes on" * (phase.end_s is None)
                for phase in line.phases
            ]
        found.append(tr("Cost: {cost}", cost=self.cost) + (f" ({self.share})" if self.share else ""))
        found += [f"  {account_title(account):<22} {hours(gpu_s)}" for account, gpu_s in self.costs]
        found += [self.remark] if self.remark else []
        found.append(
            tr("Spare node: {spare}", spare=self.spare)
            + (f"; {self.spares_left}" if self.spares_left else "")
        )
        found.append(tr("Repair: {value}", value="; ".join((self.back, *self.repair.splitlines()))))
        found += [words for words in (self.kind, self.rate) if words]
        if self.followed:
            found += [tr("What followed:"), *(f"  {words}" for words in self.followed)]
        return found


def hours(gpu_s: float) -> str:
    """Return GPU time as GPU-hours.

    >>> hours(3.6e6), hours(1800.0)
    ('1,000 GPU-hours', '0.5 GPU-hours')
    """
    value = gpu_s / HOUR_S
    return (
        tr("{value:,.0f} GPU-hours", value=value)
        if value >= 100.0
        else tr("{value:.3g} GPU-hours", value=value)
    )


def incident_card(found: RunIncidents, incident: Incident, spares_left: float = math.nan) -> IncidentCard:
    """Return the card of an incident.

    Parameters
    ----------
    spares_left
        Spare nodes left after the last one was taken [-]; NaN: unknown.
    """
    says = moments(found.scenario, exact=True)
    stops = tuple(
        StopLine(stop, found.phases(stop), sum(stop.gpu_s.values()), _state(found, stop, says))
        for stop in sorted(incident.stops, key=lambda stop: -sum(stop.gpu_s.values()))
    )
    repair = found.repair(incident)
    back, detail = _back(found, repair, says)
    return IncidentCard(
        incident,
        found.t_s,
        incident.title,
        _place(incident),
        says(incident.t_s),
        _interrupted(incident),
        tr("known up to {time}", time=says(found.t_s)),
        stops,
        _cost(found, incident),
        _share(found, incident),
        tuple((account, incident.gpu_s[account]) for account in COST_ACCOUNTS if account in incident.gpu_s),
        PLANNED_LOSS if incident.planned and any(stop.lost_s > 0.0 for stop in incident.stops) else "",
        _spare(found, incident),
        "" if math.isnan(spares_left) else tr("{spares} left", spares=counted(int(spares_left), "spare")),
        back,
        "\n".join(words for words in (detail, _away(found, incident), _repair(repair)) if words),
        _kind(found, incident),
        _rate(found, incident),
        tuple(_followed(incident, says)),
    )


def spares_after(reader: Reader, found: RunIncidents, incident: Incident) -> float:
    """Return the spare nodes left after an incident took some; NaN: it took none, or that is not recorded."""
    taken = [event.t_s for stop in incident.stops for event in found.spares_taken(stop)]
    if not taken:
        return math.nan
    times, columns = reader.samples(("site.spares",), max(taken) - 1e-6, 2, reader.header.layout)
    known = times <= found.t_s
    return float(columns["site.spares"][0][known][0]) if known.any() else math.nan


def _place(incident: Incident) -> str:
    node, _, gpu = incident.subject.rpartition("/")
    return (
        tr("{node}, GPU {gpu}", node=node, gpu=gpu) if incident.subject.count("/") == 4 else incident.subject
    )


def _interrupted(incident: Incident) -> str:
    if not incident.stops:
        return tr("no job stopped")
    by_job = {stop.job: stop.gpus for stop in incident.stops}
    some = [tr("{job} ({gpus:,.0f} GPUs)", job=job, gpus=gpus) for job, gpus in list(by_job.items())[:2]]
    more = len(by_job) - len(some)
    return tr("stopped {some}", some=" and ".join(some)) + (
        tr(" and {more:,} more jobs", more=more) if more else ""
    )


def _cost(found: RunIncidents, incident: Incident) -> str:
    if not found.priced:
        return tr("not recorded")
    return hours(incident.cost_gpu_s) if incident.stops else tr("no job time")


def _share(found: RunIncidents, incident: Incident) -> str:
    if not found.installed_gpu_s or not incident.cost_gpu_s:
        return ""
    return tr(
        "{cost_gpu_s:.2g} % of the run so far", cost_gpu_s=100 * incident.cost_gpu_s / found.installed_gpu_s
    )


def _state(found: RunIncidents, stop: JobStop, says: Moments) -> str:
    runs, ended = found.running_again(stop), found.ended(stop)
    if runs is not None:
        return tr(
            "running again at {time}, step {integer:,}", time=says(runs.t_s), integer=runs.integer("step")
        )
    if ended is not None:
        return tr("{job_title} at {time}", job_title=kind_of(ended.kind).job_title, time=says(ended.t_s))
    following = [event for event in found.events_of_job(stop.job) if event.row > stop.event.row]
    if following:
        return tr("stopped again at {time}", time=says(following[0].t_s))
    return tr("stopped for {time} so far", time=spoken(round(found.t_s - stop.event.t_s)))


def _spare(found: RunIncidents, incident: Incident) -> str:
    taken = list(dict.fromkeys(e.subject for stop in incident.stops for e in found.spares_taken(stop)))
    if not taken:
        waits = any(
            found.running_again(stop) is None and found.ended(stop) is None for stop in incident.stops
        )
        return tr("none yet") if waits else tr("none taken")
    more = len(taken) - _MOST_SPARES
    return ", ".join(taken[:_MOST_SPARES]) + (tr(" and {more:,} more", more=more) if more > 0 else "")


def _back(found: RunIncidents, repair: Repair, says: Moments) -> tuple[str, str]:
    """Return when what failed is back, and what more there is to say of that."""
    if repair.returned_s is not None:
        return tr("Back in use"), tr("since {returned_time}", returned_time=says(repair.returned_s))
    if repair.restart:
        return tr("Not needed"), tr("a restart is enough")
    if repair.expected_s is None:
        return tr("Unknown"), ""
    left_s, at = repair.expected_s - found.t_s, says(repair.expected_s)
    waits = f"; {repair.waits}" if repair.waits else ""
    if left_s <= 0.0:
        return tr("Overdue"), tr("expected {at}{waits}", at=at, waits=waits)
    return tr("Back in {left_time}", left_time=spoken(round(left_s))), tr(
        "expected {at}{waits}", at=at, waits=waits
    )


def _followed(incident: Incident, says: Moments) -> Iterator[str]:
    """Yield what an incident brought about: of several alike the first, and how many more."""
    alike: dict[str, list[Event]] = defaultdict(list)
    for event in incident.followed:
        alike[event.kind].append(event)
    for kind, same in alike.items():
        more = len({event.subject for event in same}) - 1
        words = f"{says(same[0].t_s)}  {capitalised(spelled(kind_of(kind).title))}: {same[0].subject}"
        yield words + (tr(" and {more:,} more", more=more) if more else "")


def _away(found: RunIncidents, incident: Incident) -> str:
    nodes, node_s = found.out_of_use(incident)
    if not nodes:
        return ""
    value = node_s / HOUR_S
    in_all = f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}"
    return tr("{nodes} out of use, {in_all} node-hours so far", nodes=counted(nodes, "node"), in_all=in_all)


def _repair(repair: Repair) -> str:
    if repair.restart:
        return ""
    words = _CLASSES.get(repair.repair_class, "")
    if repair.median_s and repair.p90_s and repair.p90_s > repair.median_s:
        words += tr(
            "; typically {median_time}, one in ten above {p90_time}",
            median_time=spoken(repair.median_s),
            p90_time=spoken(repair.p90_s),
        )
    return words


def _kind(found: RunIncidents, incident: Incident) -> str:
    rank, total = found.total_of(incident.cause)
    times = tr("only once") if total.count == 1 else tr("{count:,} times", count=total.count)
    words = tr("This cause has struck {times} since the start", times=times)
    if not total.gpu_s:
        return tr("{words}, and cost no job time.", words=words)
    if len(found.by_cause) == 1:
        return f"{words}: {hours(total.gpu_s)}."
    place = _ORDINALS[rank] if rank < len(_ORDINALS) else f"{rank}th "
    return tr(
        "{words}: {hours}, the {place}largest of {by_cause_count} causes.",
        words=words,
        hours=hours(total.gpu_s),
        place=place,
        by_cause_count=len(found.by_cause),
    )


def _rate(found: RunIncidents, incident: Incident) -> str:
    cause = found.cause_of(incident)
    if cause is None:
        return ""
    rate = cause.per_node_s * 86_400_000.0
    words = tr("Rate in this scene: {rate:.3g} per 1,000 {on}-days", rate=rate, on=cause.on)
    return (
        tr("{words}. Source: {source}", words=words, source=cause.source)
        if cause.source
        else tr("{words}; the scene names no source", words=words)
    )


def list_rows(found: RunIncidents, most: int = 0) -> list[tuple[Incident, str, str]]:
    """Return incidents, the dearest first, with when they struck and the jobs they stopped; `most`: 0 is all."""
    says = moments(found.scenario)
    chosen = found.worst_first[:most] if most else found.worst_first
    return [(incident, says(incident.t_s), short_jobs(incident)) for incident in chosen]


def short_jobs(incident: Incident) -> str:
    """Return the jobs that an incident stopped: "llama3", "large and 2 more", "none"."""
    more = len(incident.jobs) - 1
    return (
        (incident.jobs[0] + (tr(" and {more:,} more", more=more) if more > 0 else ""))
        if incident.jobs
        else "none"
    )


def found_words(found: RunIncidents) -> str:
    """Return how many incidents there were, how many stops of jobs, and what they cost, in a line."""
    count, stops = len(found.all), sum(len(incident.stops) for incident in found.all)
    words = tr("{incidents}, ", incidents=counted(count, "incident"))
    if not stops:
        return words + tr("no job stopped")
    words += counted(stops, "job stop")
    planned = sum(len(incident.stops) for incident in found.all if incident.planned)
    if planned:  # the tile Unexpected stops and the summary count the others
        words = tr("{words} ({planned:,} planned)", words=words, planned=planned)
    return (
        f"{words}: {hours(sum(found.gpu_s.values()))}"
        if found.priced
        else tr("{words}; costs were not recorded", words=words)
    )
