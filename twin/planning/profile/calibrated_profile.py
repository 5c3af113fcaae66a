"""A calibration profile with its standing: what step times are estimated with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from twin.physics.training_inputs import Profile, SoftwareStack
from twin.planning.profile.figures import ProfileFigure

Confidence = Literal["own runs", "calibrated", "derived", "uncalibrated"]
CONFIDENCES: tuple[Confidence, ...] = ("own runs", "calibrated", "derived", "uncalibrated")


@dataclass(frozen=True, slots=True)
class OwnError:
    """What own runs show of a profile fitted to them.

    Attributes
    ----------
    rows, most_gpus
        How many runs, the largest on how many GPUs.
    mean_pct
        Mean error expected on runs like them [%].
    p90
        90 % of |log(predicted / measured)| expected.
    """

    rows: int
    most_gpus: int
    mean_pct: float
    p90: float


@dataclass(frozen=True, slots=True)
class CalibratedProfile:
    """A profile with its confidence, its GPUs and its software stack.

    Attributes
    ----------
    name, title
        File name without ending, and the name for people.
    profile
        The numbers.
    stack
        What the software does where a job does not say.
    confidence
        "own runs": fitted to measured runs of its user; "calibrated": held against published runs of this
        generation; "derived": another generation's fit on this one's hardware; "uncalibrated": nothing published
        to hold it against.
    gpus, also
        Catalogue names it serves, and what else people call them.
    extends
        Profile that the rest is taken from; empty when there is none.
    variant
        Another software stack on the GPUs of the profile it extends: never chosen unless asked for by name or by its
        software.
    software
        What people call its software stack, where a table names one; empty: only its own name chooses a variant.
    own_error
        What own runs show of it; none but for a profile fitted to them.
    figures
        Each number with unit, source and status, by field of `Profile`.
    notes
        What it was held against, for people.
    borrowed
        Of hardware that it was not made for: a sentence on where it comes from; else empty.
    """

    name: str
    title: str
    profile: Profile
    stack: SoftwareStack
    confidence: Confidence
    gpus: tuple[str, ...]
    also: tuple[str, ...]
    extends: str
    variant: bool
    figures: Mapping[str, ProfileFigure]
    notes: str
    software: tuple[str, ...] = ()
    own_error: OwnError | None = None
    borrowed: str = ""
