"""Where jobs stand under the roof of their GPU: arithmetic for each byte of memory traffic. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.app.planner.draft import JobDraft, draft_of_job, judge
from twin.app.planner.hardware import PlannerHardware
from twin.app.world.rows import World
from twin.planning.job.job import JobEstimate
from twin.planning.profile.profiles import load_calibrated


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
        Model FLOP for each byte of memory traffic [FLOP/B]; infinite without such traffic.
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


def roof(draft: JobDraft) -> Roof:
    """Return the roof of a draft's GPU."""
    calibrated = load_calibrated(draft.profile)
    profile = calibrated.profile
    peaks = [("BF16", profile.peak_flops_s)]
    if profile.peak8_flops_s > profile.peak_flops_s:
        peaks.append(("FP8", profile.peak8_flops_s))
    return Roof(draft.hardware.gpu_part or calibrated.title, tuple(peaks), profile.hbm_bytes_s)


@dataclass(frozen=True)
class JobPoints:
    """Where jobs stand, and why others have no dot: title and reason of each."""

    dots: tuple[Dot, ...]
    absent: tuple[tuple[str, str], ...]


def standing(
    draft: JobDraft, estimate: JobEstimate | None, world: World | None, hardware: list[PlannerHardware]
) -> JobPoints:
    """Return a dot for each job of the scene that runs on the draft's GPU, and one for the draft."""
    made: list[Dot] = []
    absent: list[tuple[str, str]] = []
    for job in world.scenario.jobs if world is not None else ():
        title = job.title or job.id
        theirs = draft_of_job(world, job, hardware) if world is not None else None
        found = judge(theirs).estimate if theirs is not None and theirs.profile == draft.profile else None
        if theirs is None or theirs.profile != draft.profile:
            absent.append((title, "on other GPUs"))
        elif found is None:
            absent.append((title, "cannot run"))
        else:
            _stand(title, found, False, made, absent)
    if estimate is not None:
        _stand("this draft", estimate, True, made, absent)
    return JobPoints(tuple(made), tuple(absent))


def _stand(
    title: str, estimate: JobEstimate, is_draft: bool, dots: list[Dot], absent: list[tuple[str, str]]
) -> None:
    dot = _dot(title, estimate, is_draft)
    if dot.flops_s <= 0.0:
        absent.append((title, "no arithmetic"))
    elif dot.intensity <= 0.0:
        absent.append((title, "memory traffic not known"))
    else:
        dots.append(dot)


def _dot(title: str, estimate: JobEstimate, is_draft: bool) -> Dot:
    flop = estimate.parts.model_flop / estimate.gpus
    uniform = estimate.kind in ("llm", "vision", "hpc") and estimate.parts.productive_s > 0.0
    busy_flops_s = flop / estimate.parts.productive_s if uniform else None
    # A simulation says what it moves, and 0 is nothing; elsewhere 0 is not said.
    quiet = estimate.kind == "hpc" and estimate.intensity_flop_byte == 0.0
    intensity = math.inf if quiet else estimate.intensity_flop_byte
    return Dot(title, intensity, flop / estimate.step_s, busy_flops_s, is_draft)
