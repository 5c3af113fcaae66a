"""Slurm accounting as ``sacct -P`` (or ``-p``) prints it: a first line of fields, cells parted by ``|``.

Used are JobID, JobName, User, Account, Partition, Submit, Start, End, State, ElapsedRaw or Elapsed, TimelimitRaw
[min] or Timelimit, AllocTRES, ReqTRES, AllocGRES or ReqGRES (a node), NNodes, NCPUS or AllocCPUS or ReqCPUS; only
JobID, Submit, and what tells how long and how large are needed. Source: Slurm documentation, sacct(1).
"""

from __future__ import annotations

import re
from dataclasses import replace

from twin.scenario.formats.trace_reader import TraceReader, lines_of, short
from twin.scenario.formats.trace_rows import TraceRow
from twin.scenario.text.problem import Problem, ScenarioError

_GPU = re.compile(r"gres/gpu(:[^=,]+)?=([0-9]+)")
_CPU = re.compile(r"(?:^|,)cpu=([0-9]+)")
_PER_NODE = re.compile(r"(?:gres[:/])?gpu(?::[A-Za-z][\w.-]*)?[:=]([0-9]+)")
_TRES, _GRES = ("alloctres", "reqtres"), ("allocgres", "reqgres")
_CPUS = ("ncpus", "alloccpus", "reqcpus")
_OPEN = ("PENDING", "RUNNING", "SUSPENDED", "REQUEUED", "RESIZING", "COMPLETING", "CONFIGURING")


def looks_like(line: str) -> bool:
    """Return whether the first line that says anything may be of this format."""
    return "|" in line and "jobid" in line.lower().split("|")[:80]


def read(text: str, reader: TraceReader) -> None:
    """Read the jobs of a text; `reader` collects the problems."""
    head: list[str] | None = None
    for line, row_text in lines_of(text):
        if not row_text.strip():
            continue
        cells = row_text.split("|")
        if head is None:
            head = _head(reader, line, cells)
            continue
        cells_by_field = _cells(reader, line, head, cells)
        if cells_by_field is not None:
            _job(reader, line, cells_by_field)
    if any(row.gpus for row in reader.rows):  # a cluster with GPUs: jobs without any ran on processors
        for row in reader.rows:
            if not row.gpus:
                reader.leave_out("without GPUs")
        reader.rows = [row for row in reader.rows if row.gpus]
    else:
        reader.rows = [replace(row, gpus=None) for row in reader.rows]


def _head(reader: TraceReader, line: int, cells: list[str]) -> list[str]:
    head = [cell.strip().lower() for cell in cells]
    if head and not head[-1]:
        head.pop()
    long = {"elapsedraw", "elapsed"} & set(head) or {"start", "end"} <= set(head)
    large = set(head) & {*_TRES, *_GRES, *_CPUS}
    missing = [
        field
        for field, known in (
            ("JobID", "jobid" in head),
            ("Submit", "submit" in head),
            ("Elapsed, ElapsedRaw, or Start and End", bool(long)),
            ("AllocTRES, ReqTRES, AllocGRES or NCPUS", bool(large)),
        )
        if not known
    ]
    if missing:
        reason, hint = f"has no field {missing[0]}", "add it to sacct -P --format=..."
        raise ScenarioError([Problem(reader.name, line, "", "", reason, hint)])
    return head


def _cells(reader: TraceReader, line: int, head: list[str], cells: list[str]) -> dict[str, str] | None:
    """Return the cells of a row by field; a job's name may have the separator in it."""
    if len(cells) == len(head) + 1 and not cells[-1].strip():
        cells = cells[:-1]  # sacct -p ends each line with a separator
    more = len(cells) - len(head)
    if more > 0 and "jobname" in head:
        at = head.index("jobname")
        cells = [*cells[:at], "|".join(cells[at : at + more + 1]), *cells[at + more + 1 :]]
    if len(cells) != len(head):
        reader.wrong(line, "", "", f"has {len(cells)} cells, the first line has {len(head)}")
        return None
    return dict(zip(head, cells, strict=True))


def _job(reader: TraceReader, line: int, row: dict[str, str]) -> None:
    name, state = row["jobid"].strip(), row.get("state", "").strip().upper()
    if "." in name:
        return  # a step of a job
    if not name:
        reader.wrong(line, "JobID", "", "has no data")
        return
    if state.split(" ")[0] in _OPEN:
        reader.leave_out("still waiting or running")
        return
    submit_s = reader.time_s(line, "Submit", row["submit"])
    run_s = _run_s(reader, line, row)
    gpus, processors = _gpus(reader, line, row), _processors(reader, line, row)
    if submit_s is None:
        reader.leave_out("without a time of submission")
    elif run_s is None or run_s <= 0:
        reader.leave_out("cancelled before they started" if "CANCEL" in state else "without a running time")
    elif not gpus and not processors:
        reader.leave_out("without GPUs or processors")
    else:
        made = TraceRow(
            number=0,
            name=short(name),
            title=short(row.get("jobname", "")),
            submit_s=submit_s,
            run_s=run_s,
            gpus=gpus or 0.0,
            processors=processors or 0.0,
            limit_s=_limit_s(reader, line, row),
            user=short(row.get("user", "")),
            group=short(row.get("account", "")),
            partition=short(row.get("partition", "").partition(",")[0]),
        )
        reader.add(made, line)


def _run_s(reader: TraceReader, line: int, row: dict[str, str]) -> float | None:
    raw = row.get("elapsedraw", "").strip()
    if raw:
        return reader.number(line, "ElapsedRaw", raw)
    if row.get("elapsed", "").strip():
        return reader.elapsed_s(line, "Elapsed", row["elapsed"])
    start_s = reader.time_s(line, "Start", row.get("start", ""))
    end_s = reader.time_s(line, "End", row.get("end", ""))
    return None if start_s is None or end_s is None else end_s - start_s


def _limit_s(reader: TraceReader, line: int, row: dict[str, str]) -> float | None:
    raw = row.get("timelimitraw", "").strip()
    if raw and raw.lower() not in ("unlimited", "partition_limit"):
        minutes = reader.number(line, "TimelimitRaw", raw)
        return minutes * 60.0 if minutes else None
    return reader.elapsed_s(line, "Timelimit", row.get("timelimit", "")) or None


def _gpus(reader: TraceReader, line: int, row: dict[str, str]) -> float:
    """Return the GPUs of a job: of all its nodes in TRES, of each in GRES."""
    for field in _TRES:
        found = _GPU.findall(row.get(field, ""))
        if found:  # "gres/gpu=8,gres/gpu:h100=8" counts the same ones twice
            whole = [float(count) for kind, count in found if not kind]
            return whole[0] if whole else sum(float(count) for _, count in found)
    for field in _GRES:
        each = sum(float(count) for count in _PER_NODE.findall(row.get(field, "")))
        if each:
            return each * (reader.number(line, "NNodes", row.get("nnodes", "1")) or 1.0)
    return 0.0


def _processors(reader: TraceReader, line: int, row: dict[str, str]) -> float:
    for field in _CPUS:
        if row.get(field, "").strip():
            return reader.number(line, field.upper(), row[field]) or 0.0
    found = [match for field in _TRES if (match := _CPU.search(row.get(field, "")))]
    return float(found[0][1]) if found else 0.0
