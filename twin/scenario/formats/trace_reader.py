"""Common base of the readers of all trace formats: lines, numbers, times, problems, and rows that are no job."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache

from twin.scenario.formats.trace_rows import MOST_ASKED, TraceRow
from twin.scenario.text.problem import Problem, ScenarioError, shown

MAX_PROBLEMS = 12
MAX_READ = 2_000_000
"""Jobs of one file: more would not fit into the memory of a small machine."""
LONGEST_TEXT = 60
_LARGEST = 1e15
UNKNOWN = frozenset({"", "unknown", "none", "null", "nan", "n/a", "invalid"})
_SPACE = re.compile(r"\s+")
_ZONE = re.compile(r" (PST|PDT|UTC|GMT|CST)$")
_SECONDS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")
_ELAPSED = re.compile(r"(?:([0-9]{1,6})-)?(?:([0-9]{1,6}):)?([0-9]{1,4}):([0-9]{1,2})(?:\.[0-9]+)?")


class TraceReader:
    """Collects the jobs of one file, and the problems in it.

    Parameters
    ----------
    name
        Of the file, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[TraceRow] = []
        self.left_out: Counter[str] = Counter()
        self.problems: list[Problem] = []

    def add(self, row: TraceRow, line: int) -> None:
        """Take a job that asks for no more than there can be; raises `ScenarioError` when there are too many."""
        if not (asked := row.gpus or row.processors) < MOST_ASKED:
            self.wrong(line, "", f"{asked:g}", "has an implausible number of GPUs or processors")
            return
        if len(self.rows) >= MAX_READ:
            reason = f"is the {MAX_READ:,}th job and not the last: too many for one file"
            raise ScenarioError([Problem(self.name, line, "", "", reason, "split the file")])
        self.rows.append(row)

    def leave_out(self, why: str) -> None:
        """Count a row that is no job to run."""
        self.left_out[why] += 1

    def wrong(self, line: int, key: str, value: str, reason: str, hint: str = "") -> None:
        """Record a problem; raises `ScenarioError` when there are too many to continue."""
        shown_value = shown(value) if value else ""
        self.problems.append(Problem(self.name, line, key, shown_value, reason, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            self.problems.append(Problem(self.name, line, "", "", "later lines may be wrong too"))
            self.finish()

    def finish(self) -> None:
        """Raise `ScenarioError` when anything was wrong."""
        if self.problems:
            raise ScenarioError(self.problems)

    def number(self, line: int, key: str, text: str) -> float | None:
        """Return a number; None where the trace does not know it, or it is wrong."""
        plain = text.strip()
        if plain.lower() in UNKNOWN:
            return None
        try:
            value = float(plain)
        except ValueError:
            value = math.nan
        if math.isnan(value) or "_" in plain:
            self.wrong(line, key, plain, "is not a number", "write it like 3600")
            return None
        if abs(value) > _LARGEST:
            self.wrong(line, key, plain, "is implausibly large", f"at most {_LARGEST:.0e}")
            return None
        return value

    def time_s(self, line: int, key: str, text: str) -> float | None:
        """Return a date and time, or seconds, as seconds since 1970 [s]; None where it is not known."""
        plain = text.strip()
        made = _time_s(plain) if plain else None
        if made is None and plain.lower() not in UNKNOWN:
            self.wrong(line, key, plain, "is not a time", "write it like 2026-01-05 10:00:00")
        return made

    def elapsed_s(self, line: int, key: str, text: str) -> float | None:
        """Return a time span such as ``1-02:03:04`` [s]; None where it is not known or without limit."""
        plain = text.strip()
        if plain.lower() in UNKNOWN or plain.lower() in ("unlimited", "partition_limit"):
            return None
        match = _ELAPSED.fullmatch(plain)
        if match is None:
            self.wrong(line, key, plain, "is not a time span", "write it like 1-02:03:04")
            return None
        days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number, line) of a text without a copy of the whole; ends of lines may be those of DOS."""
    number, at, size = 1, 0, len(text)
    while at < size:
        end = text.find("\n", at)
        end = size if end < 0 else end
        yield number, text[at : end - 1] if end > at and text[end - 1] == "\r" else text[at:end]
        number, at = number + 1, end + 1


@lru_cache(maxsize=65536)
def short(text: str) -> str:
    r"""Return a name of a trace on one line, cut where it is long.

    >>> short("train\tllama  70b")
    'train llama 70b'
    """
    return _SPACE.sub(" ", text).strip()[:LONGEST_TEXT]


@lru_cache(maxsize=4096)
def _time_s(text: str) -> float | None:
    """Return a date and time as seconds since 1970; without an offset it counts as UTC, as only gaps matter."""
    try:
        if "-" not in text:
            return float(text) if _SECONDS.fullmatch(text) else None
        then = datetime.fromisoformat(text if text[-1].isdigit() else _ZONE.sub("", text))
        return (then if then.tzinfo is not None else then.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
