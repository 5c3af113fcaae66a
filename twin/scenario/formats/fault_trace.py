"""Import of faults seen elsewhere: InfiniteHBD's JSON of starts and ends, and CSV tables of one fault a row.

JSON: a list of ``{node_id, event_time [day], event_type: fault_start | fault_end, fault_type: {Class, Desc, ...}}``. An
end belongs to the oldest open fault of its node and type, else of its node; a fault without an end lasts for ever.
CSV: a head ``node,start_s,end_s,cause`` and a fault a row, in seconds; an empty end: it lasts for ever.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.scenario.formats import sibling_files
from twin.scenario.formats.sibling_files import FileLimit, Origin
from twin.scenario.formats.trace_rows import packed_text, unpacked_text
from twin.scenario.text.problem import Problem, ScenarioError, shown

LIMIT = FileLimit(50_000_000, "a trace of faults")
DAY_S = 86400.0
LONGEST_S = 1e10
MOST_WRONG = 20
_HEAD = ("node", "start_s", "end_s", "cause")
_TYPES = ("fault_start", "fault_end")


@dataclass(frozen=True)
class Faults:
    """Faults in the order of their starts.

    Parameters
    ----------
    node
        Number of the node of each, from 0 in the order of their first faults, shape (F,).
    start_s, end_s
        When it began and was over; infinity: it was not [s].
    cause
        Its class, in snake case.
    """

    node: NDArray[np.int64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    cause: tuple[str, ...]

    @property
    def nodes(self) -> int:
        """Return how many nodes had a fault."""
        return int(self.node.max(initial=-1)) + 1


def read(path: str, folder: FilePath | None, place: Problem) -> str:
    """Return the faults of the file that a scene names, packed as `FaultTrace.rows` keeps them.

    Raises
    ------
    ScenarioError
        When there is no such file, or it holds anything wrong.
    """
    return _packed(sibling_files.found(path, folder, place, LIMIT))


@lru_cache(maxsize=4)
def _packed(origin: Origin) -> str:
    return pack(faults_of(sibling_files.text_of(origin, LIMIT), origin.name))


def read_faults(path: FilePath) -> Faults:
    """Return the faults of a file; raises `ScenarioError` when it holds anything wrong."""
    place = Problem(path.name, 0, "", "", "")
    return faults_of(
        sibling_files.text_of(sibling_files.found(path.name, path.parent, place, LIMIT), LIMIT), path.name
    )


def faults_of(text: str, name: str) -> Faults:
    """Return the faults of a text, JSON or CSV; raises `ScenarioError` with file, line and key."""
    if text.lstrip()[:1] in ("[", "{"):
        found = _from_json(text, name)
    else:
        found = _from_csv(text, name)
    if not found:
        raise ScenarioError([Problem(name, 1, "", "", "has no faults")])
    found.sort(key=lambda fault: fault[1])
    numbers: dict[str, int] = {}
    node = [numbers.setdefault(fault[0], len(numbers)) for fault in found]
    return Faults(
        np.array(node, np.int64),
        np.array([fault[1] for fault in found]),
        np.array([fault[2] for fault in found]),
        tuple(fault[3] for fault in found),
    )


Found = list[tuple[str, float, float, str]]
"""Node, start and end [s], cause."""


def _from_json(text: str, name: str) -> Found:
    try:
        events = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as bad:
        line = getattr(bad, "lineno", 0)
        raise ScenarioError(
            [Problem(name, line, "", "", f"is not JSON: {getattr(bad, 'msg', bad)}")]
        ) from None
    if not isinstance(events, list):
        raise ScenarioError(
            [Problem(name, 1, "", "", "is not a list of events", "as the trace of InfiniteHBD is")]
        )
    wrong: list[Problem] = []
    seen: list[tuple[float, str, bool, str, str]] = []
    for number, event in enumerate(events):
        try:
            seen.append(_event(event))
        except ValueError as bad:
            wrong.append(Problem(name, 0, f"[{number}]", shown(str(event)[:60]), str(bad)))
    _raise(wrong)
    seen.sort(key=lambda event: event[0])
    found: Found = []
    waiting: dict[str, list[tuple[float, str, str]]] = {}
    for t_s, node, starts, cause, description in seen:
        open_faults = waiting.setdefault(node, [])
        if starts:
            open_faults.append((t_s, cause, description))
            continue
        if not open_faults:
            reason = f"ends a fault at {t_s / DAY_S:g} day that never started"
            raise ScenarioError([Problem(name, 0, "node_id", shown(node), reason)])
        begun = next((fault for fault in open_faults if fault[1:] == (cause, description)), open_faults[0])
        open_faults.remove(begun)
        found.append((node, begun[0], t_s, begun[1]))
    for node, open_faults in waiting.items():
        found += [(node, t_s, math.inf, cause) for t_s, cause, _ in open_faults]
    return found


def _event(event: Any) -> tuple[float, str, bool, str, str]:
    """Return time [s], node, whether it starts, cause and description of an event; raises `ValueError`."""
    if not isinstance(event, dict):
        raise ValueError("is not an event")
    node, t_day, type, fault = (event.get(k) for k in ("node_id", "event_time", "event_type", "fault_type"))
    if not isinstance(node, str) or not node:
        raise ValueError("needs a node_id")
    if isinstance(t_day, bool) or not isinstance(t_day, int | float) or not 0 <= t_day * DAY_S <= LONGEST_S:
        raise ValueError("needs an event_time in days, from 0 on")
    if type not in _TYPES:
        raise ValueError("needs an event_type: fault_start or fault_end")
    details = fault if isinstance(fault, dict) else {"Class": fault}
    cause = snake(str(details.get("Class") or "fault"))
    return float(t_day) * DAY_S, node, type == "fault_start", cause, str(details.get("Desc") or "")


def _from_csv(text: str, name: str) -> Found:
    rows = list(csv.reader(io.StringIO(text)))
    head = tuple(cell.strip().lower() for cell in rows[0]) if rows else ()
    if head != _HEAD:
        reason = "is neither the header of a fault table nor the start of a JSON list"
        raise ScenarioError(
            [Problem(name, 1, "", shown(",".join(head)[:60]), reason, f"expected {','.join(_HEAD)}")]
        )
    found: Found = []
    wrong: list[Problem] = []
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        cells = [cell.strip() for cell in row]
        if len(cells) != len(_HEAD) or not cells[0]:
            wrong.append(
                Problem(name, line, "", shown(",".join(row)[:60]), "needs four cells: a node, times, cause")
            )
            continue
        try:
            start_s, end_s = float(cells[1]), float(cells[2]) if cells[2] else math.inf
        except ValueError:
            start_s = end_s = math.nan
        if not (0 <= start_s <= LONGEST_S and end_s >= start_s):
            reason = "needs a start from 0 s on and an end not before it"
            wrong.append(Problem(name, line, "start_s", shown(f"{cells[1]},{cells[2]}"), reason))
            continue
        found.append((cells[0], start_s, end_s, snake(cells[3] or "fault")))
    _raise(wrong)
    return found


def _raise(wrong: list[Problem]) -> None:
    if wrong:
        raise ScenarioError(wrong[:MOST_WRONG])


def snake(words: str) -> str:
    """Return words as the name of a cause.

    >>> snake("Parameter Plane Cable")
    'parameter_plane_cable'
    """
    name = re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:60]
    return name if name[:1].isalpha() else f"fault_{name}"[:60].rstrip("_")


def pack(faults: Faults) -> str:
    """Return faults as one line of text; `unpack` gives them back."""
    rows = zip(
        faults.node.tolist(), faults.start_s.tolist(), faults.end_s.tolist(), faults.cause, strict=True
    )
    return packed_text("\n".join(f"{node}\t{start!r}\t{end!r}\t{cause}" for node, start, end, cause in rows))


@lru_cache(maxsize=4)
def unpack(text: str) -> Faults:
    """Return the faults of a text that `pack` made; raises `ValueError` when it is none."""
    node, start, end, cause = [], [], [], []
    try:
        for line in unpacked_text(text).split("\n"):
            cells = line.split("\t")
            node.append(int(cells[0]))
            start.append(float(cells[1]))
            end.append(float(cells[2]))
            cause.append(snake(cells[3]))
    except (ValueError, IndexError):
        raise ValueError("does not hold packed faults; remove it and name a file") from None
    made = Faults(np.array(node, np.int64), np.array(start), np.array(end), tuple(cause))
    if not ((made.node >= 0) & (made.start_s >= 0) & (made.end_s >= made.start_s)).all():
        raise ValueError("holds impossible faults; remove it and name a file")
    return made
