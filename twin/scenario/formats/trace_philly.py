"""The job log of Microsoft's Philly clusters: a JSON list of jobs with their attempts and the GPUs of each.

A job runs here once, for as long as its attempts together, on the GPUs of its largest attempt. Source: Jeon et al.,
"Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads", ATC 2019, and its published traces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from twin.scenario.formats.trace_reader import TraceReader, short
from twin.scenario.formats.trace_rows import TraceRow
from twin.scenario.text.problem import Problem, ScenarioError

_BETWEEN = re.compile(r"[\s,\[]*")


def looks_like(line: str) -> bool:
    """Return whether the first line that says anything may be of this format."""
    return line.lstrip()[:1] in ("[", "{")


def read(text: str, reader: TraceReader) -> None:
    """Read the jobs of a text; `reader` collects the problems."""
    for at, job in _objects(text, reader):
        if not isinstance(job, dict):
            reader.wrong(
                _line(text, at), "", str(job)[:60], "is not a job", "each is an object with its attempts"
            )
            continue
        attempts = job.get("attempts")
        if "submitted_time" not in job or not isinstance(attempts, list):
            missing = "attempts" if "submitted_time" in job else "submitted_time"
            reader.wrong(_line(text, at), missing, "", "is missing in this job")
            continue
        _job(reader, text, at, job, attempts)


def _objects(text: str, reader: TraceReader) -> Iterator[tuple[int, Any]]:
    """Yield the items of a JSON list, or JSON values one after the other, with their places.

    One at a time: a large file needs no more memory than its text.
    """
    decoder = json.JSONDecoder()
    at = _skip(text, 0)
    while at < len(text):
        if text[at] == "]":
            if text[at + 1 :].strip():
                reader.wrong(_line(text, at), "", "", "ends the list, but more text follows")
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as bad:
            place = getattr(bad, "pos", at)
            reason = f"is not JSON: {getattr(bad, 'msg', 'it is nested too deep')}"
            raise ScenarioError([Problem(reader.name, _line(text, place), "", "", reason)]) from None
        yield at, value
        at = _skip(text, end)


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _job(reader: TraceReader, text: str, at: int, job: dict[str, Any], attempts: list[Any]) -> None:
    def time_s(value: object, key: str) -> float | None:
        if value is None:
            return None
        if not isinstance(value, str) or len(value) > 60:
            reader.wrong(
                _line(text, at), key, str(value)[:60], "is not a time", "write it like 2017-10-03 11:00:00"
            )
            return None
        before = len(reader.problems)
        made = reader.time_s(0, key, value)
        if len(reader.problems) > before:
            last = reader.problems.pop()
            reader.wrong(_line(text, at), key, value, last.reason, last.hint)
        return made

    submit_s = time_s(job["submitted_time"], "submitted_time")
    run_s, gpus = 0.0, 0
    for attempt in attempts:
        if not isinstance(attempt, dict):
            continue
        detail = attempt.get("detail")
        places = [place for place in detail if isinstance(place, dict)] if isinstance(detail, list) else []
        lists = [place.get("gpus") for place in places]
        gpus = max(gpus, sum(len(gpu_list) for gpu_list in lists if isinstance(gpu_list, list)))
        start_s = time_s(attempt.get("start_time"), "start_time")
        end_s = time_s(attempt.get("end_time"), "end_time")
        if start_s is not None and end_s is not None:
            run_s += max(0.0, end_s - start_s)
    if submit_s is None:
        reader.leave_out("without a time of submission")
    elif not attempts:
        reader.leave_out("cancelled before they started")
    elif gpus == 0:
        reader.leave_out("without GPUs")
    elif run_s <= 0:
        reader.leave_out("without a running time")
    else:
        name, user, group = (short(str(job.get(key) or "")) for key in ("jobid", "user", "vc"))
        row = TraceRow(0, name, "", submit_s, run_s, float(gpus), 0.0, None, user, group)
        reader.add(row, 0)
