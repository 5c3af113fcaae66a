"""`twin verify`: a run simulated again from its file alone, and the first difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Run

if TYPE_CHECKING:
    from twin.analysis.verify import Divergence, Verdict
    from twin.record.events import Event

EXAMPLE = "Example: twin verify lab.twinrun    (made by: twin run lab-16 --out lab.twinrun)"
FORMAT = JsonFormat("verification")


def verify_run(run: Run, json: Json = False) -> None:
    """Simulate a run again from its file, and report the first divergence.

    First the whole file is read: a block or state that is damaged is named, with its channel and time. Scene, seed and
    whatever people did while it ran are in the file. Events are compared one by one (kind, subject, integer outcomes,
    time to 1 ms), their hash and the whole state at every snapshot, and the summary at the end. A run that was cut off
    is compared as far as it goes.

    Exit code 0: the same. 1: a divergence. 2: the file cannot be read. 3: the simulation breaks.
    """
    from twin.analysis.verify import verify
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.progress import progress
    from twin.cli.scene import must_be_run

    with reporting_errors(run):
        must_be_run(run)
        with progress(f"verify {run}") as show:
            verdict = _whole(lambda: verify(run, show))
        if json:
            print_json(FORMAT, _as_json(run, verdict))
        else:
            _print(run, verdict)
        raise typer.Exit(ExitCode.DONE if verdict.clean else ExitCode.FINDINGS)


def _whole(work: Any) -> Verdict:
    """Return what `work` does; a simulation that breaks is no divergence, and not the reader's fault."""
    from twin.cli.errors import Failure, input_errors

    try:
        verdict: Verdict = work()
    except Exception as error:
        if isinstance(error, (*input_errors(), OSError)):
            raise
        raise Failure(f"the simulation of this run breaks here: {type(error).__name__}: {error}") from error
    return verdict


def _as_json(run: str, verdict: Verdict) -> dict[str, Any]:
    divergence = verdict.divergence
    return {
        "run": run,
        "clean": verdict.clean,
        "simulated_s": verdict.t_s,
        "over": verdict.over,
        "events": verdict.events,
        "hashes": verdict.hashes,
        "states": verdict.states,
        "divergence": None if divergence is None else _divergence(divergence),
        "causes": list(verdict.causes),
    }


def _divergence(divergence: Divergence) -> dict[str, Any]:
    return {
        "what": divergence.what,
        "t_s": divergence.t_s,
        "row": divergence.row,
        "differs": list(divergence.differs),
        "expected": _event(divergence.expected),
        "found": _event(divergence.found),
        "text": divergence.text,
    }


def _event(event: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return {
        "row": event.row,
        "t_s": event.t_s,
        "kind": event.kind,
        "subject": event.subject,
        "data": event.data,
        "text": event.text,
    }


def _print(run: str, verdict: Verdict) -> None:
    from twin.cli.tables import console
    from twin.units import spoken

    def say(text: str) -> None:
        to.print(text, markup=False, soft_wrap=True)

    to = console()
    divergence = verdict.divergence
    compared = f"{verdict.events:,} events, {verdict.hashes:,} hashes and {verdict.states:,} states"
    if divergence is None:
        over = "" if verdict.over else ", where the file ends: the run was not over"
        say(f"{run}: the same, up to {spoken(verdict.t_s) if verdict.t_s else 'its start'}{over}")
        say(f"compared: {compared}")
        for text in verdict.causes:
            say(f"note: {text}; it had no effect")
        return
    row = "" if divergence.row is None else f", row {divergence.row:,}"
    say(
        f"{run}: first divergence at {spoken(divergence.t_s) if divergence.t_s else '0 s'} "
        f"({divergence.t_s:.3f} s){row}"
    )
    say(divergence.text)
    if divergence.what == "event":
        say(f"  in the file:   {_words(divergence.expected)}")
        say(f"  simulated now: {_words(divergence.found)}")
    say(f"the same until then: {compared}")
    for text in verdict.causes:
        say(f"cause: {text}")
    if not verdict.causes:
        say(
            "cause: program, numpy, CPU and inputs are those of the run; the file was altered, or the code of the "
            "program was, without a new version number"
        )


def _words(event: Event | None) -> str:
    if event is None:
        return "nothing"
    data = "".join(f" {key}={value}" for key, value in sorted(event.data.items()))
    return f"{event.t_s:.3f} s {event.kind} {event.subject}{data}: {event.text}"
