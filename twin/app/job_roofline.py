"""Where jobs stand under the roof of their GPU: arithmetic for each byte of memory traffic. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

from twin.app.fact_rows import World
from twin.app.job_draft import Draft, draft_of_job, judge
from twin.app.job_hardware import Hardware
from twin.planning.job import JobEstimate
from twin.planning.profiles import load_calibrated


@dataclass(frozen=True)
class Roof:
    """What a GPU can do at most.

    Attributes
    ----------
    title
        Of the GPU.
    peaks
        Precision for people, and its dense peak [FLOP/s].
    memory_bytes_s
        Memory bandwidth [B/s].
    """

    title: str
    peaks: tuple[tuple[str, float], ...]
    memory_bytes_s: float

    def ridge(self, peak_flops_s: float) -> float:
        """Return the intensity from which arithmetic is the limit [FLOP/B]."""
        return peak_flops_s / self.memory_bytes_s


@dataclass(frozen=True)
class Dot:
    """A job under the roof.

    Attributes
    ----------
    title
        For people.
    intensity
        Model FLOP for each byte of memory traffic [FLOP/B].
    flops_s
        Reached by one GPU over the whole step [FLOP/s].
    busy_flops_s
        The same over the time it computes: what communication, bubble and waiting take away lies between [FLOP/s];
        none where a step has parts of quite different intensity.
    is_draft
        Whether it is the one in the dialog.
    """

    title: str
    intensity: float
    flops_s: float
    busy_flops_s: float | None
    is_draft: bool


def roof(draft: Draft) -> Roof:
    """Return the roof of a draft's GPU."""
    calibrated = load_calibrated(draft.profile)
    profile = calibrated.profile
    peaks = [("BF16", profile.peak_flops_s)]
    if profile.peak8_flops_s > profile.peak_flops_s:
        peaks.append(("FP8", profile.peak8_flops_s))
    return Roof(draft.hardware.gpu_part or calibrated.title, tuple(peaks), profile.hbm_bytes_s)


def dots(
    draft: Draft, estimate: JobEstimate | None, world: World | None, hardware: list[Hardware]
) -> list[Dot]:
    """Return a dot for each job of the scene that runs on the draft's GPU, and one for the draft."""
    made = []
    for job in world.scenario.jobs if world is not None else ():
        theirs = draft_of_job(world, job, hardware) if world is not None else None
        if theirs is None or theirs.profile != draft.profile:
            continue
        judged = judge(theirs)
        if judged.estimate is not None:
            made.append(_dot(job.title or job.id, judged.estimate, False))
    if estimate is not None:
        made.append(_dot("this draft", estimate, True))
    return [dot for dot in made if dot.intensity > 0.0 and dot.flops_s > 0.0]


def _dot(title: str, estimate: JobEstimate, is_draft: bool) -> Dot:
    flop = estimate.parts.model_flop / estimate.gpus
    uniform = estimate.kind in ("llm", "vision", "hpc") and estimate.parts.productive_s > 0.0
    busy_flops_s = flop / estimate.parts.productive_s if uniform else None
    return Dot(title, estimate.intensity_flop_byte, flop / estimate.step_s, busy_flops_s, is_draft)
