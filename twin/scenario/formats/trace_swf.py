"""Standard Workload Format: 18 numbers a line, -1 where nothing is known, comments after ``;``.

Source: Feitelson, "The Standard Workload Format", Parallel Workloads Archive, version 2.2.
"""

from __future__ import annotations

from twin.scenario.formats.trace_reader import TraceReader, lines_of
from twin.scenario.formats.trace_rows import TraceRow

FIELDS = (
    "job", "submit", "wait", "run", "processors", "cpu_time", "memory", "requested_processors", "requested_time",
    "requested_memory", "status", "user", "group", "executable", "queue", "partition", "preceding", "think_time",
)  # fmt: skip
_NEEDED = 5
_PARTS = (2, 3, 4)  # status of pieces of jobs that were checkpointed or swapped; the whole job has a line too
_CANCELLED = 5


def looks_like(line: str) -> bool:
    """Return whether the first line that says anything may be of this format."""
    cells = line.split()
    if line.lstrip().startswith(";"):
        return True
    try:
        [float(cell) for cell in cells]
    except ValueError:
        return False
    return _NEEDED <= len(cells) <= len(FIELDS)


def read(text: str, reader: TraceReader) -> None:
    """Read the jobs of a text; `reader` collects the problems."""
    for line, row in lines_of(text):
        cells = row.split()
        if not cells or cells[0].startswith((";", "#")):
            continue
        if not _NEEDED <= len(cells) <= len(FIELDS):
            reason = f"has {len(cells)} fields; a job has {len(FIELDS)}, at least {_NEEDED} are needed"
            reader.wrong(line, "", "", reason)
            continue
        before = len(reader.problems)
        values = [reader.number(line, key, cell) for key, cell in zip(FIELDS, cells, strict=False)]
        if len(reader.problems) == before:
            _job(reader, line, values + [None] * (len(FIELDS) - len(cells)))


def _job(reader: TraceReader, line: int, values: list[float | None]) -> None:
    job, submit_s, _, run_s, processors, _, _, asked, limit_s, _, status, user, group, _, queue, part, *_ = (
        -1.0 if value is None else value for value in values
    )
    used = processors if processors > 0 else asked
    if status in _PARTS:
        reader.leave_out("parts of jobs that have a line of their own")
    elif submit_s < 0:
        reader.leave_out("without a time of submission")
    elif run_s <= 0:
        cancelled = status == _CANCELLED
        reader.leave_out("cancelled before they started" if cancelled else "without a running time")
    elif used <= 0:
        reader.leave_out("without processors")
    else:
        row = TraceRow(
            number=0,
            name=f"{job:.0f}",
            title="",
            submit_s=submit_s,
            run_s=run_s,
            gpus=None,
            processors=used,
            limit_s=limit_s if limit_s > 0 else None,
            user=_id("user", user),
            group=_id("group", group),
            partition=_id("queue", queue) or _id("partition", part),
        )
        reader.add(row, line)


def _id(prefix: str, number: float) -> str:
    return f"{prefix}-{number:.0f}" if number >= 0 else ""
