"""How far step times may be off: from published runs that a profile was held against, by stack and precision."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from twin.planning.profile.adapted import short_name
from twin.planning.profile.figures import ProfileError, section
from twin.planning.profile.profiles import CalibratedProfile, OwnError
from twin.resources import shipped_text

FILE = "assets/step_errors.json"
EXPERTS = "experts"
"""Kind of the runs of mixtures of experts, whatever their precision."""

UNSEEN_P90: Mapping[str, float] = {
    "calibrated": 0.30,
    "derived": 0.30,
    "uncalibrated": 0.40,
    "own runs": 0.15,
}
"""90 % of |log(predicted / measured)| where no published run stands behind a profile and precision. Estimated from
what profiles were off on tables before anything was fitted to them: FSDP -35 to -22 %, GB300 +26 %, MI325X unknown."""

EXPERTS_P90 = 0.45
"""The same of mixtures of experts on a profile that none was held against (experts on GB200: 0.5)."""

PER_DOUBLING = 0.01
"""Added with each doubling of GPUs beyond the largest run behind a profile. Estimated: one sigma of the jitter that
published runs leave open, 0.5 % a doubling, and as much again."""

BEYOND_A_MODEL = 1.1
"""Widens what runs of known models show, for a model that none of them had: with it intervals that know nothing of a
model cover nine in ten of its runs."""

NORMAL_P90 = 1.645
"""Sigmas that nine in ten of normal errors stay below."""

POOL_WEIGHT = 4
"""Runs that the mean of all groups counts for where a group has few of its own."""


@dataclass(frozen=True, slots=True)
class StepErrors:
    """What published runs of one kind show of a profile.

    Attributes
    ----------
    rows, models, most_gpus
        How many runs, of how many models, the largest on how many GPUs.
    mean_pct, bias_pct
        Mean absolute and mean error of a run that its fit has not seen [%].
    p90
        90 % of |log(predicted / measured)| of such runs, not yet drawn towards other groups.
    largest
        Largest |log(predicted / measured)| of them.
    """

    rows: int
    models: int
    most_gpus: int
    mean_pct: float
    bias_pct: float
    p90: float
    largest: float


@dataclass(frozen=True, slots=True)
class Interval:
    """Where nine in ten measured step times are expected.

    Attributes
    ----------
    width
        w: measured lies between predicted x exp(-w) and predicted x exp(w).
    rests_on
        What that rests on, for people.
    sure
        Whether published or own runs of this GPU, stack and precision stand behind it.
    beyond
        Whether the job is larger than the largest of those runs.
    """

    width: float
    rests_on: str
    sure: bool
    beyond: bool = False

    def around(self, step_s: float) -> tuple[float, float]:
        """Return lower and upper end around a predicted time [s]."""
        return step_s * math.exp(-self.width), step_s * math.exp(self.width)

    @property
    def pct(self) -> float:
        """Width upwards [%]."""
        return 100 * math.expm1(self.width)

    @property
    def words(self) -> str:
        """The width and what it rests on, for people."""
        return f"90 % within {self.pct:.0f} %: {self.rests_on}"


@cache
def step_errors() -> Mapping[tuple[str, str], StepErrors]:
    """Return what published runs show, by profile and kind of run; `packaging/step_errors.py` writes the file.

    Raises `ProfileError` when the file is missing or wrong.
    """
    try:
        document = json.loads(shipped_text(FILE, ProfileError))
    except (json.JSONDecodeError, RecursionError) as fault:
        line = getattr(fault, "lineno", 0)
        raise ProfileError(FILE, "", f"not readable as JSON: {getattr(fault, 'msg', fault)}", line) from fault
    if not isinstance(document, dict):
        raise ProfileError(FILE, "", "must be a mapping of keys to values")
    found = {}
    for key, entry in section(document, FILE, "groups").items():
        profile, _, kind = str(key).partition(" ")
        found[profile, kind] = _errors(entry, f"groups.{key}")
    return found


def _errors(entry: Any, key: str) -> StepErrors:
    names = StepErrors.__slots__
    if not isinstance(entry, dict) or set(entry) != set(names):
        raise ProfileError(FILE, key, f"must be a mapping with {', '.join(names)}")
    for name, value in entry.items():
        if type(value) not in (int, float) or not math.isfinite(value):
            raise ProfileError(FILE, f"{key}.{name}", f"{value!r} is not a number")
    if not entry["p90"] > 0:
        raise ProfileError(FILE, f"{key}.p90", "must be above 0")
    return StepErrors(**entry)


def kind_of(precision: str, experts: bool) -> str:
    """Return which runs a step time is compared with: those of its precision, or those of experts."""
    return EXPERTS if experts else precision


def shrunk_p90(groups: Mapping[tuple[str, str], StepErrors], key: tuple[str, str]) -> float:
    """Return the 90 % width of a group: of its own runs, drawn towards the mean of the others where it has few."""
    own = groups[key]
    others = [
        math.log(errors.p90)
        for other, errors in groups.items()
        if other != key and errors.rows and (other[1] == EXPERTS) == (key[1] == EXPERTS)
    ]
    pool = sum(others) / len(others) if others else math.log(UNSEEN_P90["calibrated"])
    rows = own.rows
    log = (rows * math.log(own.p90) if rows else 0.0) + POOL_WEIGHT * pool
    return BEYOND_A_MODEL * math.exp(log / (rows + POOL_WEIGHT))


@cache
def _shrunk(profile: str, kind: str) -> float:
    return shrunk_p90(step_errors(), (profile, kind))


def interval_of(calibrated: CalibratedProfile, precision: str, experts: bool, gpus: int) -> Interval:
    """Return where step times by a profile are expected.

    Parameters
    ----------
    calibrated
        The profile; one fitted to own runs says itself what they show.
    precision
        Of the linear layers.
    experts
        Whether the model has experts.
    gpus
        Of the job: beyond the largest run behind a profile the interval widens.
    """
    kind = kind_of(precision, experts)
    own = None if experts else calibrated.own_error
    return _interval(short_name(calibrated.name), calibrated.confidence, own, kind, gpus)


@lru_cache(maxsize=256)  # every estimate asks for one of a few
def _interval(name: str, confidence: str, own: OwnError | None, kind: str, gpus: int) -> Interval:
    runs = "mixtures of experts" if kind == EXPERTS else kind
    if own is not None:
        beyond = _beyond(gpus, own.most_gpus)
        many = f"{own.rows} own run{'s' if own.rows > 1 else ''}"
        words = f"{many} of {name}{_beyond_words(gpus, own.most_gpus)}"
        return Interval(own.p90 + beyond, words, True, beyond > 0)
    errors = step_errors().get((name, kind))
    if errors is None:
        width = EXPERTS_P90 if kind == EXPERTS else UNSEEN_P90[confidence]
        return Interval(width, f"estimated, no published run of {runs} on profile {name}", False)
    beyond = _beyond(gpus, errors.most_gpus)
    many = f"{errors.rows} published run{'s' if errors.rows > 1 else ''}"
    words = f"{many} of {runs} on profile {name}{_beyond_words(gpus, errors.most_gpus)}"
    return Interval(_shrunk(name, kind) + beyond, words, kind != EXPERTS, beyond > 0)


def _beyond(gpus: int, most_gpus: int) -> float:
    return PER_DOUBLING * max(0.0, math.log2(max(1, gpus) / max(1, most_gpus)))


def _beyond_words(gpus: int, most_gpus: int) -> str:
    if _beyond(gpus, most_gpus) <= 0.0:
        return ""
    return f" of up to {most_gpus:,} GPUs; this job is {gpus / max(1, most_gpus):.2g} times larger"


def largest_of(calibrated: CalibratedProfile, kind: str) -> float:
    """Return how far off the worst published run of a profile is, as |log(predicted / measured)|; 0 without runs."""
    errors = step_errors().get((calibrated.name, kind))
    return 0.0 if errors is None else errors.largest


def spread_of(calibrated: CalibratedProfile, kind: str) -> float:
    """Return one sigma of log(predicted / measured) of the runs of one user that a profile is right for.

    Where no published run stands behind a profile it may be off as a whole: then the scatter of single runs is taken
    to be that of the profiles that were held against some.
    """
    groups = step_errors()
    if (calibrated.name, kind) in groups:
        return _shrunk(calibrated.name, kind) / NORMAL_P90
    return usual_spread(kind == EXPERTS)


@cache
def usual_spread(experts: bool) -> float:
    """Return one sigma of log(predicted / measured) over the profiles that were held against runs: their mean."""
    groups = step_errors()
    logs = [math.log(errors.p90) for (_, kind), errors in groups.items() if (kind == EXPERTS) == experts]
    return (math.exp(sum(logs) / len(logs)) if logs else UNSEEN_P90["own runs"]) / NORMAL_P90
