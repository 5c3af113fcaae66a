"""`twin explain`: why a run was not all productive, in a range of its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Run

if TYPE_CHECKING:
    from twin.analysis.explain import Explanation, LossCause
    from twin.analysis.wall_clock import Moments
    from twin.record.reader import Reader

EXAMPLE = (
    "Example: twin explain pump.twinrun --from '5 min' --to '20 min'"
    "    (made by: twin run pump-trip --out pump.twinrun)"
)
FORMAT = JsonFormat("explanation")


def explain_run(
    run: Run,
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", help="Start of the range (default: the start of the run)."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="TIME", help="End of the range (default: the end of the run)."),
    ] = None,
    hindsight: Annotated[
        bool,
        typer.Option(
            "--hindsight",
            help="Count work as lost that was lost after the range, so that the parts of a run add up to the whole "
            "(default: as known at the end of the range).",
        ),
    ] = False,
    list_: Annotated[
        bool,
        typer.Option(
            "--list", help="List the incidents until --to instead, the dearest first, and their causes."
        ),
    ] = False,
    incident: Annotated[
        str | None,
        typer.Option(
            "--incident",
            metavar="ID",
            help="Tell of one incident of that list: what failed, whom it stopped, what that cost, its repair.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Explain where GPU time went, account by account, with causes and events.

    The accounts are those of the ledger, ranked; together with productive time they are all GPU-seconds installed.
    Only what happened up to the end of the range counts: a run and a branch of it agree on the past they share.
    Work that no checkpoint holds by then is marked as provisional.
    """
    from twin.analysis.explain import explain
    from twin.analysis.wall_clock import moments
    from twin.cli.errors import reporting_errors
    from twin.cli.incident_text import tell_incidents
    from twin.cli.older import tell_if_older
    from twin.cli.output import print_json
    from twin.cli.scene import must_be_run
    from twin.record.reader import Reader

    with reporting_errors(run):
        must_be_run(run)
        with Reader(run) as reader:
            tell_if_older(reader)
            t0_s, t1_s = range_of(reader, from_, to)
            if list_ or incident is not None:
                _must_be_alone(list_, incident, from_, hindsight)
                tell_incidents(run, reader, t1_s, incident, json=json)
                return
            found = explain(reader, t0_s, t1_s, hindsight=hindsight)
            if json:
                print_json(FORMAT, _as_json(run, found))
            else:
                _print(found, moments(reader.header.scenario))


def range_of(reader: Reader, from_: str | None, to: str | None) -> tuple[float, float]:
    """Return the range of the options --from and --to within a run [s]; raises `BadInput`."""
    from twin.cli.errors import BadInput
    from twin.cli.scene import time_of
    from twin.units import spoken

    scenario, end_s = reader.header.scenario, reader.t_end_s
    t0_s = 0.0 if from_ is None else time_of(from_, "--from", scenario, end_s)
    t1_s = end_s if to is None else time_of(to, "--to", scenario, end_s)
    if t0_s >= end_s:
        raise BadInput(
            f"--from: {from_!r} lies after the end of the run, {spoken(end_s)}; give a time before it"
        )
    if t1_s > end_s:
        raise BadInput(f"--to: {to!r} lies after the end of the run, {spoken(end_s)}; give a time before it")
    if t1_s <= t0_s:
        raise BadInput(f"--to: {to!r} is not after --from {from_!r}; give a later time")
    return t0_s, t1_s


def _must_be_alone(list_: bool, incident: str | None, from_: str | None, hindsight: bool) -> None:
    from twin.cli.errors import BadInput

    name = "--list" if list_ else "--incident"
    if list_ and incident is not None:
        raise BadInput("--list: leave it out, or --incident")
    if from_ is not None or hindsight:
        other = "--hindsight" if hindsight else "--from"
        raise BadInput(f"{other}: does not go with {name}, which tells of the run as known at --to")


def _as_json(run: str, found: Explanation) -> dict[str, Any]:
    return {
        "run": run,
        "from_s": found.t0_s,
        "to_s": found.t1_s,
        "installed_gpu_s": found.installed_gpu_s,
        "productive_gpu_s": found.productive_gpu_s,
        "reading": "in hindsight" if found.hindsight else "as known",
        "provisional_gpu_s": found.provisional_gpu_s,
        "lost_before_gpu_s": found.lost_before_gpu_s,
        "accounts": [
            {
                "account": loss.account,
                "gpu_s": loss.gpu_s,
                "share": loss.share,
                "text": loss.text,
                "causes": [_cause(cause) for cause in loss.causes],
                "more_causes": loss.more,
            }
            for loss in found.lost
        ],
    }


def _cause(cause: LossCause) -> dict[str, Any]:
    return {
        "subject": cause.subject,
        "text": cause.text,
        "gpu_s": cause.gpu_s,
        "from_s": cause.from_s,
        "to_s": cause.to_s,
        "objects": list(cause.objects),
        "events": [
            {
                "row": event.row,
                "t_s": event.t_s,
                "kind": event.kind,
                "subject": event.subject,
                "text": event.text,
            }
            for event in cause.events
        ],
    }


def _print(found: Explanation, says: Moments) -> None:
    from rich.text import Text

    from twin.cli.tables import console
    from twin.units import spoken

    to = console()
    to.print(
        Text(
            f"{spoken(found.t1_s - found.t0_s)} from {says(found.t0_s)}: {100 * found.productive_share:.1f} % of "
            f"{found.installed_gpu_s / 3600:,.1f} GPU-hours were productive"
        ),
        soft_wrap=True,
    )
    for words in found.remarks:
        to.print(Text(words, style="dim"), soft_wrap=True)
    for loss in found.lost:
        to.print()
        line = Text(f"{100 * loss.share:6.2f} %  ", style="bold")
        line.append(loss.title, style="bold")
        line.append(f"  {loss.gpu_s / 3600:,.2f} GPU-hours", style="dim")
        to.print(line, soft_wrap=True)
        to.print(Text(f"          {loss.text}"), soft_wrap=True)
        if len(loss.causes) > 1:
            for cause in loss.causes:
                to.print(
                    Text(f"          {cause.gpu_s / 3600:12,.2f}  {cause.text}", style="dim"), soft_wrap=True
                )
        if loss.more:
            to.print(Text(f"                        and {loss.more:,} more", style="dim"), soft_wrap=True)
