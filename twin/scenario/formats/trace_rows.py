"""Contents of a trace of jobs, independent of its format: one row for each job, and the number left out.

A scenario carries the rows of its traces with it as text, as it does with the hours of its weather file: worker
processes and run files need no file then.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_JOBS = 200_000
"""Jobs of a trace that a scene can run; longer traces are run in parts."""
MAX_CHARACTERS = 40_000_000
_MAX_TEXT = 120_000_000
MOST_ASKED = 1e9
"""GPUs or processors of one job."""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One job of a trace.

    Attributes
    ----------
    number
        Its place in the order of submission, from 0.
    name, title
        Its number or name in the trace, and what its people called it, "" if nothing.
    submit_s
        When it was submitted, by the clock of the trace [s].
    run_s
        How long it ran [s]; of a Gavel trace its steps.
    gpus
        It used; None where the trace counts processors.
    processors
        It used; 0 where the trace counts GPUs.
    limit_s
        Wall time asked for [s]; None: the trace does not say.
    user, group, partition
        As the trace writes them, "" if not.
    """

    number: int
    name: str
    title: str
    submit_s: float
    run_s: float
    gpus: float | None
    processors: float
    limit_s: float | None
    user: str = ""
    group: str = ""
    partition: str = ""


@dataclass(frozen=True)
class TraceTable:
    """The jobs of a trace in order of submission, and how many rows were no jobs, by reason."""

    format: str
    rows: tuple[TraceRow, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    jobs: int = 0  # in the file; `rows` may be those of map.skip and map.first only


def pack(table: TraceTable) -> str:
    """Return a table as one line of text; `unpack` gives it back."""
    head = {"format": table.format, "left_out": dict(table.left_out), "jobs": table.jobs}
    lines = [json.dumps(head)]
    for row in table.rows:
        cells = (
            str(row.number),
            row.name,
            row.title,
            f"{row.submit_s!r}",
            f"{row.run_s!r}",
            "" if row.gpus is None else f"{row.gpus!r}",
            f"{row.processors!r}",
            "" if row.limit_s is None else f"{row.limit_s!r}",
            row.user,
            row.group,
            row.partition,
        )
        lines.append("\t".join(cells))
    return packed_text("\n".join(lines))


def unpack(text: str) -> TraceTable:
    """Return the table of a text that `pack` made.

    Raises
    ------
    ValueError
        When it is no such text.
    """
    first, *lines = unpacked_text(text).split("\n")
    wrong = ValueError("does not hold packed jobs; remove it and name a file")
    try:
        head = json.loads(first)
        left_out = {str(reason): int(count) for reason, count in head["left_out"].items()}
        rows = tuple(_row(line) for line in lines)
        table = TraceTable(str(head["format"]), rows, left_out, int(head["jobs"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise wrong from None
    good = all(
        math.isfinite(row.submit_s)
        and 0 < row.run_s < math.inf
        and 0 <= (row.gpus or row.processors) < MOST_ASKED
        for row in rows
    )
    if not good or len(rows) > MAX_JOBS:
        raise wrong
    return table


def packed_text(text: str) -> str:
    """Return a text of many lines as one short one."""
    return base64.b64encode(zlib.compress(text.encode(), 6)).decode("ascii")


def unpacked_text(packed: str) -> str:
    """Return the text that `packed_text` packed; raises `ValueError` for any other, or one that would be huge."""
    try:
        if len(packed) > MAX_CHARACTERS:
            raise ValueError
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(packed, validate=True), _MAX_TEXT)
        if not reader.eof or not packed:
            raise ValueError
        return data.decode()
    except (ValueError, binascii.Error, zlib.error):
        reason = "is not packed text; remove it and name a file"
        raise ValueError(reason) from None


def _row(line: str) -> TraceRow:
    number, name, title, submit, run, gpus, processors, limit, user, group, partition = line.split("\t")
    return TraceRow(
        int(number),
        name,
        title,
        float(submit),
        float(run),
        float(gpus) if gpus else None,
        float(processors),
        float(limit) if limit else None,
        user,
        group,
        partition,
    )
