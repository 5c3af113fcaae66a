"""How sure a step time is, and what follows from it: in a word with a mark, and in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from twin.language import tr
from twin.planning.profile.profiles import CalibratedProfile
from twin.planning.profile.uncertainty import Interval


@dataclass(frozen=True, slots=True)
class Standing:
    """How sure step times are.

    Attributes
    ----------
    word
        In English, as files and the command line write it.
    mark
        A disc, the fuller the surer: tells standings apart without colours.
    doubt
        0: runs like these stand behind it, 1: runs of other hardware, software or precision, 2: none.
    shown, meaning
        The word and a sentence on it, in the language of the user.
    """

    word: str
    mark: str
    doubt: int
    shown: str
    meaning: str

    @property
    def marked(self) -> str:
        """Mark and word, as files and the command line write them."""
        return f"{self.mark} {self.word}"


_FULL, _HALF, _EMPTY = "\N{BLACK CIRCLE}", "\N{CIRCLE WITH LEFT HALF BLACK}", "\N{WHITE CIRCLE}"
STANDINGS: Mapping[str, Standing] = {
    standing.word: standing
    for standing in (
        Standing("own runs", _FULL, 0, tr("own runs"), tr("Calibrated on your own runs.")),
        Standing("calibrated", _FULL, 0, tr("calibrated"), tr("Calibrated on published runs of this GPU.")),
        Standing(
            *("derived", _HALF, 1, tr("derived")),
            tr("Calibrated on published runs of another GPU, software or precision."),
        ),
        Standing(
            *("not calibrated", _EMPTY, 2, tr("not calibrated")),
            tr("Fitted to no published runs: the step time may be wrong."),
        ),
    )
}
"""By word, the surest first."""


def standing_of(kind: str, confidence: str, interval: Interval | None) -> Standing | None:
    """Return how sure a step time is; None of a load, whose time is given.

    Parameters
    ----------
    kind
        Of the workload.
    confidence
        Of the profile, or of what there is in its place.
    interval
        Where nine in ten measured step times are expected: a profile that has no runs of a precision is derived there.
    """
    if kind == "load":
        return None
    if confidence == "calibrated" and interval is not None and not interval.sure:
        return STANDINGS["derived"]
    return standing_named(confidence)


def standing_of_job(job: object) -> Standing | None:
    """Return how sure the steps of a job of a summary are; run files of before name the confidence alone.

    None where the summary of a damaged file has something else there.
    """
    return standing_named(job.get("standing") or job.get("confidence")) if isinstance(job, Mapping) else None


def standing_named(word: object) -> Standing | None:
    """Return the standing of this word, or of a profile's confidence; None of another."""
    return (
        STANDINGS.get("not calibrated" if word == "uncalibrated" else word) if isinstance(word, str) else None
    )


def least_sure(found: Iterable[Standing | None]) -> Standing | None:
    """Return the most doubtful of several; None where there is none."""
    return max((standing for standing in found if standing), key=lambda one: one.doubt, default=None)


def standing_in(summary: Mapping[str, Any]) -> Standing | None:
    """Return the most doubtful standing among the jobs of a summary; None where nothing says."""
    jobs = summary.get("jobs")
    return least_sure(map(standing_of_job, jobs)) if isinstance(jobs, list) else None


def tip_of(standing: Standing, interval: Interval | None, doubts: Iterable[str] = ()) -> str:
    """Return what a standing means, the error that is expected, and what else is doubtful: a sentence a line."""
    lines = [standing.meaning, *doubts]
    if interval is not None:
        lines.append(
            tr(
                "Nine in ten measured step times within {pct:.0f} %: {rests_on}.",
                pct=interval.pct,
                rests_on=interval.rests_on,
            )
        )
    return "\n".join(lines)


WORTH_OF_EXPERTS = tr(
    "Mixtures of experts are modelled with few fitted figures: 8 % mean error on 22 published H100 runs (worst 24 %), "
    "26 % on 9 GB200 runs (worst 50 %, where the CPU holds the GPUs up)"
)
"""What step times of mixtures of experts are worth, as `twin validate experts-h100 experts-gb200` finds it."""


def worth(profile: CalibratedProfile) -> str:
    """Return a sentence on the accuracy of step times by this profile."""
    match profile.confidence:
        case "own runs":
            own = profile.own_error
            if own is None:
                return tr("calibrated on your own runs")
            runs = (
                tr("{rows} of your own runs", rows=own.rows) if own.rows > 1 else tr("one of your own runs")
            )
            return tr(
                "calibrated on {runs}: expect {mean_pct:.0f} % mean error on others like them",
                runs=runs,
                mean_pct=own.mean_pct,
            )
        case "calibrated":
            return tr(
                "calibrated on published runs of this GPU: expect 5-10 % on your own system, "
                "1-8 % once calibrated on runs of it"
            )
        case "derived" if profile.variant:
            return tr(
                "derived: the GPU of {extends} with software fitted on another, no published run of "
                "the two together: expect 5-10 % or more, 1-8 % once calibrated on runs of your own",
                extends=profile.extends,
            )
        case "derived":
            return tr(
                "derived from the fit of {extends}, no published run of this GPU: expect 5-10 % or "
                "more, 1-8 % once calibrated on runs of your own",
                extends=profile.extends,
            )
        case "uncalibrated" if profile.borrowed:
            return tr(
                "uncalibrated, expect more than 5-10 %. {borrowed}", borrowed=profile.borrowed.rstrip(".")
            )
        case "uncalibrated":
            return tr(
                "uncalibrated, no published run backs it: expect more than 5-10 %, "
                "1-8 % once calibrated on runs of your own"
            )
