"""Predicted step times of training configurations, by part, beside the measured ones."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twin.api.arguments import path_of
from twin.api.errors import BadInput
from twin.planning.profile.profile_file import load_profile_file
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated, other_stacks, profile_names
from twin.planning.profile.standing import WORTH_OF_EXPERTS, worth
from twin.planning.software_text import stack_words
from twin.planning.table.case_file import CaseFile, CaseFileError, parse_cases, read_case_file
from twin.planning.table.case_output import json_rows
from twin.planning.table.estimate_cases import CaseEstimate, Errors, errors_of, judge_table

Cases = str | os.PathLike[str] | Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class EstimateReport:
    """What the model says of each row of a table.

    Attributes
    ----------
    rows
        Of each row: what came in as text, and what was added (``predicted_s``, its parts, ``mfu``, ``memory_gb``,
        ``fits``, ``error_pct``, ``reason``), as ``twin estimate --json`` prints them; what is unknown is None.
    judged
        The same as records: the case with nothing left open, `StepParts` [s], `MemoryParts` [B].
    errors
        How far predictions are off, over the rows with a measured step time; None where there is none.
    worth, stacks
        How far predictions can be trusted, and what the software does where a row does not say, by profile.
    """

    rows: tuple[Mapping[str, Any], ...]
    judged: tuple[CaseEstimate, ...]
    errors: Errors | None
    worth: Mapping[str, str]
    stacks: Mapping[str, str]


def estimate(cases: Cases, profile: str | None = None) -> EstimateReport:
    """Return predicted step times of training configurations.

    Parameters
    ----------
    cases
        A CSV file, or rows as mappings of column to value; ``twin estimate --help`` lists the columns.
    profile
        Calibration profile by name or file; None: by the column ``gpu``.

    Raises
    ------
    BadInput
        When the table as a whole cannot be read; it is a `ValueError`. A row that cannot be judged says why.
    ProfileError
        When there is no such profile.

    Examples
    --------
    >>> import twin
    >>> run = {"model": "llama3-8b", "gpu": "H100", "gpus": 16, "tp": 2, "global_batch": 128}
    >>> found = twin.estimate([run])
    >>> 5 < found.judged[0].predicted_s < 20
    True
    """
    try:
        if isinstance(cases, str | os.PathLike):
            table = read_case_file(path_of(cases, "cases"))
        else:
            table = _table(cases)
        judged = judge_table(table, None if profile is None else named_profile(profile))
    except CaseFileError as error:
        raise BadInput(str(error)) from None
    return EstimateReport(
        rows=tuple(json_rows(table, judged)),
        judged=tuple(judged),
        errors=errors_of([row.ratio for row in judged if row.ratio is not None]),
        worth=worth_of(judged),
        stacks=stacks_of(judged),
    )


def _table(rows: Sequence[Mapping[str, object]]) -> CaseFile:
    """Return rows as a table that was read; raises `BadInput` where one is no mapping."""
    for row in rows:
        if not isinstance(row, Mapping):
            raise BadInput(
                f"cases: {row!r} is no row; give mappings such as {{'model': 'llama3-8b', 'gpus': 16}}"
            )
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(dict.fromkeys(str(head) for row in rows for head in row)))
    writer.writeheader()
    writer.writerows({str(head): _cell(value) for head, value in row.items()} for row in rows)
    return parse_cases(text.getvalue(), "cases")


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return "" if value is None else str(value)


def named_profile(name: str) -> CalibratedProfile:
    """Return a shipped profile by its name, or one read from a file by its path; raises `ProfileError`."""
    if name not in profile_names() and (Path(name).is_file() or name.endswith((".yaml", ".yml"))):
        return load_profile_file(Path(name))
    return load_calibrated(name)


def worth_of(judged: Sequence[CaseEstimate]) -> dict[str, str]:
    """Return how far predictions can be trusted, by profile; and of experts, which no profile was fitted to."""
    cases = [judgement.case for judgement in judged if judgement.case is not None]
    worth_by_name = {case.calibrated.name: worth(case.calibrated) for case in cases}
    if any(case.model.experts for case in cases):
        worth_by_name["experts"] = WORTH_OF_EXPERTS
    return worth_by_name


def stacks_of(judged: Sequence[CaseEstimate]) -> dict[str, str]:
    """Return a description of the default software stack by profile, with the profiles of its other stacks."""
    stacks = {}
    for judgement in judged:
        if judgement.case is not None and judgement.case.calibrated.name not in stacks:
            profile = judgement.case.calibrated
            other_names = ", ".join(other_profile.name for other_profile in other_stacks(profile))
            words = f"stack: {stack_words(profile.stack)} ({profile.title})"
            stacks[profile.name] = f"{words}; other stacks: --profile {other_names}" if other_names else words
    return stacks
