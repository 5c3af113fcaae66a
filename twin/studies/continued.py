"""A study as its file tells it: what was asked, so that it goes on, and what follows from its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

from twin.analysis.figures import ComparedFigure
from twin.arrays import Ints64
from twin.record.inputs import inputs_hash
from twin.scenario import Document
from twin.scenario.file.set_option import set_texts
from twin.studies.adaptive import front_in, indices_of, saltelli_design
from twin.studies.aim import Aim, FigureLimit, aims_of, limits_of
from twin.studies.design import MOST_POINTS
from twin.studies.sensitivity import SobolIndex
from twin.studies.study import SweepPlan, SweepRequest, planned
from twin.studies.study_error import StudyError
from twin.studies.sweep_records import KeyRecord, SweepContents, SweepHeader, header_of
from twin.studies.varied_key import VariedKey

_MOST_LEVELS = 1000
"""Of ranges of few whole numbers: more levels come to no more points."""
OPTIMISED, INDICES = "nsga2", "saltelli"
"""Designs beyond those of `twin.studies.design`."""


def vary_text(key: KeyRecord | VariedKey) -> str:
    """Return ``PATH=A,B,...`` or ``PATH=LOW..HIGH`` of a key.

    >>> vary_text(VariedKey("jobs[a].nodes", (), 2, 8, "", True))
    'jobs[a].nodes=2..8'
    """
    return f"{key.path}={values_text(key)}"


def values_text(key: KeyRecord | VariedKey) -> str:
    """Return the values of a key as they are typed: ``A,B,...`` or ``LOW..HIGH UNIT``."""
    if key.texts:
        return ", ".join(key.texts)
    ends = [str(int(end)) if key.whole else repr(end).removesuffix(".0") for end in (key.low, key.high)]
    unit = f" {key.unit}" if key.unit else ""
    if not key.whole and not unit and all(end.lstrip("+-").isdigit() for end in ends):
        ends[0] += ".0"  # else it would be a range of whole numbers
    return f"{'..'.join(ends)}{unit}"


def goals_of(header: SweepHeader) -> tuple[tuple[Aim, ...], tuple[FigureLimit, ...]]:
    """Return aims and limits of an optimisation; raises `StudyError` where the header has others than this program."""
    words = header.design.split()[1:] if header.design.startswith(OPTIMISED) else []
    limits = [word for word in words if "<=" in word or ">=" in word]
    return aims_of([word for word in words if word not in limits]), limits_of(limits, si=True)


def same_scene(document: Document, header: SweepHeader) -> Document | None:
    """Return a scene with the settings of a sweep where that is the scene of it; None: it is another one.

    Raises
    ------
    ScenarioError
        When the settings do not fit.
    """
    with_settings = set_texts(document, header.settings)
    return with_settings if inputs_hash(with_settings.scenario) == header.inputs else None


def plan_of(
    document: Document, header: SweepHeader, figures: Sequence[ComparedFigure], out: Path | None
) -> SweepPlan:
    """Return the plan by which a study goes on.

    Parameters
    ----------
    document
        Its scene, as of `same_scene`.
    header, out
        Of its file, and the file.
    figures
        What is asked for.

    Raises
    ------
    ScenarioError
        When a key cannot vary any more.
    StudyError
        When the file holds what this program would not come to.
    """
    aims, limits = goals_of(header)
    asked = SweepRequest(
        header.scene,
        [vary_text(key) for key in header.keys],
        "grid",
        None,
        len(header.seeds),
        header.seeds[0],
        header.until_s,
        header.settings,
        out,
        indices=header.design == INDICES,
        optimise=[str(aim) for aim in aims],
        limits=limits,
    )
    for request in _requests(asked, header):
        plan = planned(document, request, figures)
        same = header_of(document, plan.design, plan.seeds, header.until_s, header.scene, header.settings)
        if same.model_copy(update={"program": header.program}) == header:
            return plan
    raise StudyError("this program comes to other points than the file has, so it cannot go on with it")


def _requests(asked: SweepRequest, header: SweepHeader) -> list[SweepRequest]:
    """Return what may have been asked: of a grid, the file does not tell how many values a range has."""
    if header.design != "grid":
        if header.design in ("lhs", "sobol"):
            asked = replace(asked, design=header.design)  # type: ignore[arg-type]
        # the scene as it stands may be one of the points that the file counts
        numbers = (
            [header.points, header.points - 1] if not (asked.indices or asked.optimise) else [header.points]
        )
        return [replace(asked, points=number) for number in numbers if number > 0]
    keys = [VariedKey(**key.model_dump()) for key in header.keys]
    if all(key.texts for key in keys):
        return [asked]
    found = []
    for level in range(1, MOST_POINTS):
        number = prod(len(key.levels(level)) for key in keys)
        if number in (header.points, header.points - 1):
            found.append(replace(asked, points=level))
        elif number > header.points or (level > header.points and level > _MOST_LEVELS):
            break
    return found


def front_of_study(contents: SweepContents) -> list[int]:
    """Return the best points so far of an optimisation, by number; raises as `goals_of`."""
    aims, limits = goals_of(contents.header)
    return front_in(contents, sorted(contents.points), aims, limits) if aims else []


def samples_of(header: SweepHeader, seed: int) -> Ints64:
    """Return which point each base sample of a study of indices is, drawn from the seed of its scene."""
    keys = [VariedKey(**key.model_dump()) for key in header.keys]
    return saltelli_design(keys, header.points, seed)[1]


def indices_so_far(
    contents: SweepContents, figure: ComparedFigure, seed: int
) -> tuple[tuple[SobolIndex, ...] | None, int]:
    """Return the indices of a figure from the runs so far, and of how many base samples they are."""
    return indices_of(contents, figure, samples_of(contents.header, seed))
