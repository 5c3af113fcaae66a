"""What would become of the edits of a scene, tried on a run that has not begun: who is refused, what does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from twin.scenario.file.apply_edits import in_order
from twin.scenario.schema.edit import Edit
from twin.sim.edits.editing import PROBLEMS, EditStage, parts_of, said, stage_of
from twin.sim.engine.engine import Engine
from twin.sim.jobs.plan import misfit_of


@dataclass(frozen=True)
class EditTrial:
    """An edit, tried.

    Attributes
    ----------
    edit
        Which.
    refusal
        Why a run cannot follow it; "" when it can.
    misfits
        Id of each job that does not fit in memory behind it, and what to say of it.
    """

    edit: Edit
    refusal: str = ""
    misfits: tuple[tuple[str, str], ...] = ()


def trials(engine: Engine) -> Iterator[EditTrial]:
    """Try the edits of a run at its begin, in the order in which they act, each behind those that could.

    What jobs do until then is not known: that one has come by then, and cannot change any more, only the run tells.
    """
    stage = EditStage(engine.edits.scene, engine.plant)
    for edit in in_order(engine.scenario):
        try:
            after = stage_of(stage, edit, engine.catalog)
            made = parts_of(after, engine, edit.at_s)
        except PROBLEMS as error:
            yield EditTrial(edit, refusal=said(error))
            continue
        stage = after
        jobs = zip(made.jobs.rows, made.jobs.specs, strict=True)
        work = made.jobs.work
        unfit = ((job, work[row.index].misfit) for row, job in jobs if work[row.index].misfit)
        misfits = [(job.id, misfit_of(made.plant, made.catalog, job, misfit)) for job, misfit in unfit]
        yield EditTrial(edit, misfits=tuple(misfits))
