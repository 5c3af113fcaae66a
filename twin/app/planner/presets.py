"""Models to choose from in the job dialog: published shapes, and the jobs of the open scene. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from twin.app.planner.draft import JobDraft, default_training, vision_training
from twin.catalog import load_catalog
from twin.language import tr
from twin.planning.profile.models import presets_of, vision_presets
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.schema.work import LlmTraining, Load, Workload


@dataclass(frozen=True)
class Preset:
    """One entry of the list.

    Attributes
    ----------
    title
        For people.
    workload
        What it starts from.
    is_model
        Whether it changes only the model of a training that is already there.
    """

    title: str
    workload: Workload
    is_model: bool

    def is_of(self, workload: Workload) -> bool:
        """Return whether a workload is of this entry."""
        if workload.kind != self.workload.kind or self.is_model != isinstance(workload, LlmTraining):
            return False
        if isinstance(workload, Load) or isinstance(self.workload, Load):
            return workload == self.workload  # nothing else tells one load from another
        return workload.model == self.workload.model

    def apply(self, draft: JobDraft) -> JobDraft:
        """Return the draft with this model; the cut of a transformer stays, the rest is the model's."""
        if (
            isinstance(self.workload, LlmTraining)
            and self.is_model
            and isinstance(draft.workload, LlmTraining)
        ):
            its_own = dict.fromkeys(("sequence", "predicted", "expert_nodes"))
            changed = draft.workload.model_copy(update={"model": self.workload.model, **its_own})
            return replace(draft, workload=changed)
        return replace(draft, workload=self.workload)


def work_name(workload: Workload) -> str:
    """Return what a job works on, for people: its model, or how hard it drives the hardware."""
    return tr("load of {gpu:.3g} %", gpu=100 * workload.gpu) if isinstance(workload, Load) else workload.model


def presets(scenario: Scenario | None) -> list[Preset]:
    """Return language models, own ones first, then vision and video models, then other jobs of the scene."""
    catalog = load_catalog() if scenario is None else catalog_of(scenario)
    made = [
        Preset(
            tr("{title} (own model)", title=preset.title) if name in catalog.own_models else preset.title,
            default_training(name),
            True,
        )
        for name, preset in presets_of(catalog).items()
    ]
    made.extend(Preset(preset.title, vision_training(preset), False) for preset in vision_presets().values())
    jobs = scenario.jobs if scenario is not None else ()
    made.extend(
        Preset(tr("{title} (scene)", title=job.title or job.id), job.workload, False)
        for job in jobs
        if not isinstance(job.workload, LlmTraining)
    )
    return made
