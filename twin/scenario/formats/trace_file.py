"""Job traces of other clusters: recognised by their contents, read, and sorted.

Nothing of a trace is ever executed; commands and paths in it are passed over.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path as FilePath

from twin.scenario.formats import sibling_files, trace_csv, trace_gavel, trace_philly, trace_sacct, trace_swf
from twin.scenario.formats.sibling_files import FileLimit, Origin
from twin.scenario.formats.trace_reader import TraceReader, lines_of
from twin.scenario.formats.trace_rows import MAX_JOBS, TraceTable, pack
from twin.scenario.schema.streams import JobTrace, TraceMap
from twin.scenario.text.problem import Problem, ScenarioError

LIMIT = FileLimit(200_000_000, "a trace of jobs")
_FORMATS = "swf, sacct, philly, helios, acme or gavel"
_COMMENTS = (";", "#")


def read(trace: JobTrace, folder: FilePath | None, place: Problem) -> str:
    """Return the rows of the file that a trace names, packed as `JobTrace.rows` keeps them.

    Parameters
    ----------
    trace
        With file, format and mapping.
    folder
        Of the scene that names it; None: its text lies nowhere yet.
    place
        File, line and key that name it.

    Raises
    ------
    ScenarioError
        When there is no such file, or it is no trace, with what is wrong in it.
    """
    return _packed(sibling_files.found(trace.file, folder, place, LIMIT), trace.format, trace.map)


@lru_cache(maxsize=4)
def _packed(origin: Origin, format: str | None, rules: TraceMap) -> str:
    return pack(table_of(sibling_files.text_of(origin, LIMIT), origin.name, format, rules))


def table_of(text: str, name: str, format: str | None = None, rules: TraceMap | None = None) -> TraceTable:
    """Return the jobs of a trace, those that `rules` takes, in order of submission.

    Raises
    ------
    ScenarioError
        With file, line, key and value of what is wrong.
    """
    rules = rules or TraceMap()
    kind = format or format_of(text, name)
    reader = TraceReader(name)
    if kind == "swf":
        trace_swf.read(text, reader)
    elif kind == "sacct":
        trace_sacct.read(text, reader)
    elif kind == "philly":
        trace_philly.read(text, reader)
    elif kind == "gavel":
        trace_gavel.read(text, reader, rules.throughput)
    else:
        trace_csv.read(text, reader)
    reader.finish()
    if not reader.rows:
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(reader.left_out.items()))
        reason = f"has no job that ran, read as {kind}" + (f": {why}" if why else "")
        raise ScenarioError([Problem(name, 0, "", "", reason)])
    reader.rows.sort(key=lambda row: row.submit_s)
    jobs = len(reader.rows)
    last = jobs if rules.first is None else rules.skip + rules.first
    taken = reader.rows[rules.skip : last]
    if not taken:
        reason, hint = f"has {jobs:,} jobs, and map.skip skips all", f"skip less than {jobs}"
        raise ScenarioError([Problem(name, 0, "map.skip", str(rules.skip), reason, hint)])
    if len(taken) > MAX_JOBS:
        reason = f"has {len(taken):,} jobs; at most {MAX_JOBS:,} can run in one scene"
        raise ScenarioError([Problem(name, 0, "", "", reason, "select some by map.first and map.skip")])
    rows = tuple(replace(row, number=rules.skip + n) for n, row in enumerate(taken))
    return TraceTable(kind, rows, dict(sorted(reader.left_out.items())), jobs)


def format_of(text: str, name: str) -> str:
    """Return the format of a trace, told by its first line that is neither empty nor a comment.

    Raises
    ------
    ScenarioError
        When it is none of those known.
    """
    commented = False
    for line, row in lines_of(text):
        row = row.lstrip("\ufeff")
        if not row.strip():
            continue
        if row.lstrip().startswith(_COMMENTS):
            commented = commented or row.lstrip().startswith(";")
            continue
        if trace_philly.looks_like(row):
            return "philly"
        if trace_sacct.looks_like(row):
            return "sacct"
        of_csv = trace_csv.format_of(row)
        if of_csv is not None:
            return of_csv
        if trace_gavel.looks_like(row):
            return "gavel"
        if commented or trace_swf.looks_like(row):
            return "swf"
        reason, hint = (
            "unknown trace format",
            f"supported: {_FORMATS}; if it is one of them, set its format",
        )
        raise ScenarioError([Problem(name, line, "", repr(row[:50]), reason, hint)])
    raise ScenarioError([Problem(name, 1, "", "", "is empty", f"supported: {_FORMATS}")])
