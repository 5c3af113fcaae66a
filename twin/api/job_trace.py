"""Jobs of another cluster in a run: a trace instead of, or beside, the jobs of a scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from twin.api.errors import BadInput, Warn

if TYPE_CHECKING:
    from twin.scenario import Scenario
    from twin.scenario.formats.trace_rows import TraceTable
    from twin.scenario.schema.streams import JobTrace, TraceMap
    from twin.scenario.schema.work import Job

_SLACK = 3.0
"""How much longer than perfectly packed a queue may take before a run is cut off: gangs leave gaps."""
_LAST_S = 3600.0


def rules_of(texts: Sequence[str]) -> TraceMap:
    """Return the mapping of ``--map KEY=VALUE``.

    Raises
    ------
    BadInput
        When one of them is not understood.
    """
    from pydantic import ValidationError

    from twin.scenario.reading.validate import nearest, value_problem
    from twin.scenario.schema.fields import FieldSpot
    from twin.scenario.schema.quantity import FROM_FILE
    from twin.scenario.schema.streams import TraceMap
    from twin.scenario.text.parse import parse
    from twin.scenario.text.problem import ScenarioError

    rules: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals:
            raise BadInput(f"--map {text!r} is not KEY=VALUE; write it like size=0.5")
        if key not in TraceMap.model_fields:
            near = nearest(key, TraceMap.model_fields) or ", ".join(TraceMap.model_fields)
            raise BadInput(f"--map {text!r}: there is no {key!r}; did you mean {near}?")
        try:
            rules[key] = parse(f"it: {value}\n", "--map").plain()["it"]
        except ScenarioError as error:
            raise BadInput(f"--map {text!r}: {error.problems[0].reason}") from None
    try:
        return TraceMap.model_validate(rules, context=FROM_FILE)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key, value, reason, hint = value_problem(first, rules, FieldSpot(models=(TraceMap,)))
        raise BadInput(f"--map {key} = {value}: {reason}{f'; {hint}' if hint else ''}") from None


def read_table(path: Path, format: str | None, rules: TraceMap) -> TraceTable:
    """Return the jobs of a file.

    Raises
    ------
    ScenarioError
        When there is no such file, or it is no trace.
    """
    from twin.scenario.formats import sibling_files, trace_file
    from twin.scenario.schema.streams import TraceFormat
    from twin.scenario.text.problem import Problem

    formats = get_args(TraceFormat)
    if format is not None and format not in formats:
        raise BadInput(f"--format {format!r} is not known; there are {', '.join(formats)}")
    if not path.exists():
        raise BadInput(f"{path}: no such file{_near(path)}")
    folder, place = path.absolute().parent, Problem(str(path), 0, "", "", "")
    origin = sibling_files.found(path.name, folder, place, trace_file.LIMIT)
    return trace_file.table_of(sibling_files.text_of(origin, trace_file.LIMIT), path.name, format, rules)


def _near(path: Path) -> str:
    """Return which file of the folder may be meant, if any."""
    from twin.scenario.reading.validate import nearest

    folder = path.parent
    near = nearest(
        path.name, [file.name for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []
    )
    return f"; did you mean {folder / near}?" if near else ""


def trace_of(path: Path, format: str | None, rules: TraceMap, id: str = "trace") -> JobTrace:
    """Return a file as a trace of a scene, its rows inside; raises as `read_table`."""
    from twin.scenario.formats.trace_rows import pack
    from twin.scenario.schema.streams import JobTrace

    table = read_table(path, format, rules)
    return JobTrace.model_validate(
        {"id": id, "file": path.name, "format": table.format, "map": rules, "rows": pack(table)}
    )


def work_of(
    path: Path,
    format: str | None,
    maps: Sequence[str],
    keep: bool,
    settings: Sequence[str],
    until_s: float | None,
    warn: Warn,
) -> Callable[[Scenario], Scenario]:
    """Return a function that gives a scene the jobs of a trace; it lasts until the last of them unless a time is named.

    Parameters
    ----------
    path, format, maps
        The file, its format (None: told from the file), and how its rows become jobs.
    keep
        Whether the scene's own jobs stay.
    settings
        Of the scene: a duration among them ends the run.
    until_s
        Where the run ends [s]; None: nobody says.
    """
    timed = until_s is not None or any(text.partition("=")[0].strip() == "duration" for text in settings)
    read = trace_of(path, format, rules_of(maps))

    def work(scenario: Scenario) -> Scenario:
        if until_s is not None:
            scenario = scenario.model_copy(update={"duration_s": until_s})
        return with_trace(scenario, read, keep, lasts=not timed, warn=warn)

    return work


def with_trace(scenario: Scenario, trace: JobTrace, keep: bool, *, lasts: bool, warn: Warn) -> Scenario:
    """Return a scene that runs a trace.

    Parameters
    ----------
    scenario
        The scene.
    trace
        With its rows.
    keep
        Whether the scene's own jobs, streams and traces stay.
    lasts
        Whether the run continues until its last job has ended, however long the scene is.
    warn
        Takes what is left out of the scene and of the trace.
    """
    from twin.scenario.generators.all_jobs import jobs_of

    if keep:
        taken = [*(load.id for load in scenario.streams), *(load.id for load in scenario.traces)]
        if trace.id in taken:
            trace = trace.model_copy(update={"id": f"{trace.id}-given"})
        scenario = scenario.model_copy(update={"traces": (*scenario.traces, trace)})
    else:
        scenario = _without_jobs(scenario, trace, warn)
    jobs = [job for job in jobs_of(scenario) if job.run_s is not None]
    _tell_left_out(trace, scenario, warn)
    if not lasts or not jobs:
        return scenario
    return scenario.model_copy(update={"duration_s": _longest_s(jobs, scenario), "ends": "jobs"})


def _without_jobs(scenario: Scenario, trace: JobTrace, warn: Warn) -> Scenario:
    """Return a scene with a trace instead of its own jobs, and without interventions on those."""
    from twin.scenario.checks.targets import is_named
    from twin.scenario.generators.all_jobs import jobs_of

    gone = {job.id for job in jobs_of(scenario)}
    bare = scenario.model_copy(update={"jobs": (), "streams": (), "traces": (trace,)})
    kept = []
    for act in scenario.interventions:
        job = act.target.removeprefix("jobs[").partition("]")[0]
        if job in gone and not is_named(bare, "job", job):
            warn(f"left out: {act.kind} of {act.target}, a job of the scene; keep them with --keep-jobs")
        else:
            kept.append(act)
    aside = [
        reservation.model_copy(update={"jobs": tuple(name for name in reservation.jobs if name not in gone)})
        for reservation in scenario.reservations
    ]
    return bare.model_copy(update={"interventions": tuple(kept), "reservations": tuple(aside)})


def _tell_left_out(trace: JobTrace, scenario: Scenario, warn: Warn) -> None:
    from twin.scenario.generators.job_traces import mapped

    made = mapped(trace, scenario)
    for why, count in sorted(made.left_out.items()):
        warn(f"{trace.file}: {count:,} left out: {why}")
    if not made.jobs:
        raise BadInput(
            f"{trace.file}: none of its jobs fits into the scene; make them smaller, such as --map size=0.1"
        )


def _longest_s(jobs: Sequence[Job], scenario: Scenario) -> float:
    """Return a time after which even a bad queue has run all jobs [s]."""
    from twin.scenario.generators.allowed_rows import node_kinds, rows_of
    from twin.scenario.schema.scene_catalog import catalog_of

    catalog, room = catalog_of(scenario), {}
    work_s: dict[tuple[str, ...], float] = {}  # node-seconds by where they may run
    for job in jobs:
        rows = rows_of(scenario, job)
        if rows not in room:
            room[rows] = max(1, sum(node_kinds(scenario, catalog, rows).values()))
        work_s[rows] = work_s.get(rows, 0.0) + job.nodes * (job.run_s or 0.0) / room[rows]
    last_s = max(job.submit_s for job in jobs)
    longest_s = max(job.run_s or 0.0 for job in jobs)
    return last_s + _SLACK * (sum(work_s.values()) + longest_s) + _LAST_S
