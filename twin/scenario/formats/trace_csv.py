"""Job logs in CSV of the Helios and Acme clusters: one line a job, GPUs of the whole job, times and durations.

Helios has ``vc`` (a virtual cluster, here the group) and ``jobname``, Acme has ``type`` of work; both give the time in
the queue as ``queue``. Sources: Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale
GPU Datacenters", SC 2021; Hu et al., "Characterization of Large Language Model Development in the Datacenter",
NSDI 2024, and the traces published with them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from twin.scenario.formats.trace_reader import TraceReader, lines_of, short
from twin.scenario.formats.trace_rows import TraceRow
from twin.scenario.text.problem import Problem, ScenarioError

_NEEDED = ("gpu_num", "submit_time")


def format_of(line: str) -> str | None:
    """Return which of the two formats the first line that says anything is of; None for neither."""
    head = _head(line.split(","))
    if not {"job_id", *_NEEDED} <= set(head):
        return None
    return "helios" if {"vc", "jobname"} & set(head) else "acme"


def read(text: str, reader: TraceReader) -> None:
    """Read the jobs of a text; `reader` collects the problems."""
    cells = csv.reader(line for _, line in lines_of(text))
    head: list[str] | None = None
    for line, row in _numbered(cells, reader):
        if not any(cell.strip() for cell in row):
            continue
        if head is None:
            head = _head(row)
            _check_head(reader, line, head)
        elif len(row) != len(head):
            reader.wrong(line, "", "", f"has {len(row)} cells, the first line has {len(head)}")
        else:
            _job(reader, line, dict(zip(head, row, strict=True)))


def _numbered(cells: Iterator[list[str]], reader: TraceReader) -> Iterator[tuple[int, list[str]]]:
    line = 1
    while True:
        try:
            row = next(cells)
        except StopIteration:
            return
        except csv.Error as bad:
            raise ScenarioError([Problem(reader.name, line, "", "", f"is not CSV: {bad}")]) from None
        yield line, row
        line = int(getattr(cells, "line_num", line)) + 1


def _head(cells: list[str]) -> list[str]:
    return [cell.strip().strip('"').lower() for cell in cells]


def _check_head(reader: TraceReader, line: int, head: list[str]) -> None:
    missing = [name for name in ("job_id", *_NEEDED) if name not in head]
    if "duration" not in head and not {"start_time", "end_time"} <= set(head):
        missing.append("duration")
    if missing:
        hint = "the first line names job_id, user, gpu_num, submit_time, start_time, end_time, duration, ..."
        raise ScenarioError([Problem(reader.name, line, "", "", f"has no column {missing[0]!r}", hint)])


def _job(reader: TraceReader, line: int, row: dict[str, str]) -> None:
    gpus = reader.number(line, "gpu_num", row["gpu_num"])
    if not gpus or gpus < 0:
        reader.leave_out("without GPUs")
        return
    submit_s = reader.time_s(line, "submit_time", row["submit_time"])
    run_s = reader.number(line, "duration", row.get("duration", ""))
    if run_s is None:
        start_s = reader.time_s(line, "start_time", row.get("start_time", ""))
        end_s = reader.time_s(line, "end_time", row.get("end_time", ""))
        run_s = None if start_s is None or end_s is None else end_s - start_s
    if submit_s is None:
        reader.leave_out("without a time of submission")
    elif run_s is None or run_s <= 0:
        cancelled = "CANCEL" in row.get("state", "").upper()
        reader.leave_out("cancelled before they started" if cancelled else "without a running time")
    else:
        title = row.get("jobname") or row.get("type") or ""
        name, user, group = (short(row.get(key, "")) for key in ("job_id", "user", "vc"))
        reader.add(TraceRow(0, name, short(title), submit_s, run_s, gpus, 0.0, None, user, group), line)
