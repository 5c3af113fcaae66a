"""The incidents of a run as text and as JSON: `twin explain RUN --list` and `--incident ID`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from twin.cli.json_formats import JsonFormat

if TYPE_CHECKING:
    from twin.analysis.incident import Incident
    from twin.analysis.incidents import RunIncidents
    from twin.record.reader import Reader

LIST_FORMAT = JsonFormat("incident-list")
INCIDENT_FORMAT = JsonFormat("incident")
MOST_LISTED = 40
"""Incidents that a terminal lists; ``--json`` has all."""


def tell_incidents(run: str, reader: Reader, t_s: float, id: str | None, *, json: bool) -> None:
    """Tell of one incident, or of all; raises `BadInput` where there is none of the id.

    Parameters
    ----------
    run
        As it was named.
    t_s
        What happened later is not told [s].
    id
        Of the incident; None: list all.
    """
    from twin.analysis.incident_card import incident_card, spares_after
    from twin.analysis.incidents import incidents_of
    from twin.cli.errors import BadInput
    from twin.cli.output import print_json
    from twin.cli.tables import console

    found = incidents_of(reader, t_s)
    if id is None:
        if json:
            print_json(LIST_FORMAT, _listed(run, found))
        else:
            _print_list(found)
        return
    incident = found.get(id)
    if incident is None:
        known = ", ".join(incident.id for incident in found.worst_first[:5])
        hint = f"the dearest are {known}" if known else "this run has none by then"
        raise BadInput(f"--incident: no incident {id!r}; {hint}; see --list")
    spares = spares_after(reader, found, incident)
    if json:
        print_json(INCIDENT_FORMAT, {"run": run, "known_s": t_s, **_whole(found, incident, spares)})
        return
    for line in incident_card(found, incident, spares).lines:
        console().print(line, soft_wrap=True)


def _print_list(found: RunIncidents) -> None:
    from rich.text import Text

    from twin.analysis.incident_card import found_words, list_rows
    from twin.cli.tables import console, print_table

    to = console()
    if not found.all:
        to.print(Text("No incidents by then"))
        return
    to.print(Text(found_words(found)), soft_wrap=True)
    to.print()
    print_table(
        ("ID", "cause", "where", "when", "stopped", "GPU-hours"),
        [
            (
                incident.id,
                incident.title,
                incident.subject,
                when,
                stopped,
                f"{incident.cost_gpu_s / 3600:,.2f}",
            )
            for incident, when, stopped in list_rows(found, MOST_LISTED)
        ],
        right=1,
    )
    more = len(found.all) - MOST_LISTED
    if more > 0:
        to.print(Text(f"and {more:,} more, which cost less; --json has all", style="dim"))
    to.print()
    print_table(
        ("cause", "struck", "job stops", "GPU-hours"),
        [
            (total.title, f"{total.count:,}", f"{total.stops:,}", f"{total.gpu_s / 3600:,.2f}")
            for total in found.by_cause
        ],
        right=3,
    )


def _listed(run: str, found: RunIncidents) -> dict[str, Any]:
    return {
        "run": run,
        "known_s": found.t_s,
        "installed_gpu_s": found.installed_gpu_s,
        "gpu_s": found.gpu_s,
        "other_gpu_s": found.other_gpu_s,
        "incidents": [_figures(incident) for incident in found.worst_first],
        "by_cause": [
            {
                "cause": total.cause,
                "title": total.title,
                "count": total.count,
                "stops": total.stops,
                "gpu_s": total.gpu_s,
            }
            for total in found.by_cause
        ],
    }


def _figures(incident: Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "t_s": incident.t_s,
        "cause": incident.cause,
        "title": incident.title,
        "subject": incident.subject,
        "planned": incident.planned,
        "jobs": list(incident.jobs),
        "cost_gpu_s": incident.cost_gpu_s,
        "gpu_s": _accounts(incident.gpu_s),
    }


def _whole(found: RunIncidents, incident: Incident, spares: float) -> dict[str, Any]:
    repair, cause = found.repair(incident), found.cause_of(incident)
    rank, total = found.total_of(incident.cause)
    nodes, node_s = found.out_of_use(incident)
    return {
        **_figures(incident),
        "share": incident.cost_gpu_s / found.installed_gpu_s if found.installed_gpu_s else 0.0,
        "stops": [
            {
                "job": stop.job,
                "t_s": stop.event.t_s,
                "gpus": stop.gpus,
                "lost_s": stop.lost_s,
                "gpu_s": _accounts(stop.gpu_s),
                "phases": [
                    {"phase": phase.kind, "begin_s": phase.begin_s, "end_s": phase.end_s}
                    for phase in found.phases(stop)
                ],
                "running_s": None if (runs := found.running_again(stop)) is None else runs.t_s,
                "step": None if runs is None else runs.integer("step"),
                "spares_taken": [event.subject for event in found.spares_taken(stop)],
            }
            for stop in incident.stops
        ],
        "spares_left": None if spares != spares else spares,
        "nodes_out": nodes,
        "node_hours_out": node_s / 3600.0,
        "repair": {
            "class": repair.repair_class,
            "median_s": repair.median_s,
            "p90_s": repair.p90_s,
            "expected_s": repair.expected_s,
            "returned_s": repair.returned_s,
            "waits": repair.waits,
            "restart": repair.restart,
        },
        "same_cause": {"count": total.count, "stops": total.stops, "gpu_s": total.gpu_s, "rank": rank},
        "rate": None
        if cause is None
        else {"per_second": cause.per_node_s, "of": cause.on, "source": cause.source},
        "followed": [
            {
                "row": event.row,
                "t_s": event.t_s,
                "kind": event.kind,
                "subject": event.subject,
                "text": event.text,
            }
            for event in incident.followed
        ],
    }


def _accounts(gpu_s: Mapping[str, float]) -> dict[str, float]:
    return {account: spent for account, spent in gpu_s.items() if spent > 0.0}
