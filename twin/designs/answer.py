"""The answer to a need: its best designs, or which limit stands in the way and the nearest need that can be met."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from functools import partial
from typing import NamedTuple

from twin.catalog import Catalog
from twin.designs.design import Design, Limit, unit_words
from twin.designs.front import MOST, front, nearest, relaxed_alone
from twin.designs.need_file import NeedFile
from twin.designs.screening import Progress, Screening, unwatched
from twin.economics.price_draws import SAMPLES, SEED
from twin.economics.prices import drawn_prices
from twin.language import tr


class ScreenedPoint(NamedTuple):
    """One candidate in a picture of cost over time: cost of a year [USD], time [s], whether it keeps all limits."""

    yearly_usd: float
    time_s: float
    feasible: bool


@dataclass(frozen=True)
class Designs:
    """What screening found.

    Attributes
    ----------
    file
        The need.
    designs
        At most 20 that keep all limits and that none other beats, the cheapest first.
    screened, possible, feasible
        Candidates whose figures were worked out, candidates there are, and those that keep all limits.
    near
        Where none does: the one that exceeds them least.
    alone
        Where none does: what each limit would have to be, were it the only one to give way.
    reasons
        What no candidate could be made of, and why.
    failed
        Where no design is left for its scenes did not pass their checks: how many that was.
    points
        Cost and time of all that were screened.
    """

    file: NeedFile
    designs: tuple[Design, ...]
    screened: int
    possible: int
    feasible: int
    near: Design | None
    alone: tuple[Limit, ...]
    reasons: tuple[str, ...]
    failed: int = 0
    points: tuple[ScreenedPoint, ...] = ()

    @property
    def binding(self) -> Limit | None:
        """Return the limit that stands in the way most; None where designs were found."""
        return self.near.binding if self.near is not None else None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return why there is no design, and what would have to give way; () where there is one."""
        if self.designs:
            return ()
        if self.failed == 1:
            return (tr("1 design keeps all limits, but no scene of it passes its checks"),)
        if self.failed:
            return (
                tr(
                    "{count:,} designs keep all limits, but no scene of them passes its checks",
                    count=self.failed,
                ),
            )
        if self.near is None or self.binding is None:
            return (tr("no candidate can be made for this need"), *self.reasons)
        choice = self.near.choice
        said = [
            tr(
                "none of the {screened:,} screened (of {possible:,}) keeps all limits; "
                "what stands in the way is the {limit}",
                screened=self.screened,
                possible=self.possible,
                limit=self.binding.title,
            )
        ]
        said += [
            tr("it would do with {allowed}, all else as it is", allowed=_allowed(limit))
            for limit in self.alone
        ]
        over = tr(" and ").join(_allowed(limit) for limit in self.near.limits if limit.ratio > 1.0)
        said.append(
            tr(
                "the nearest need that can be met has {over}: {gpus:,} GPUs of {part}",
                over=over,
                gpus=choice.gpus,
                part=choice.part.part,
            )
        )
        return tuple(said)


def _allowed(limit: Limit) -> str:
    return tr(
        "{value} {unit} of {limit} in place of {most:,.4g}",
        value=enough(limit.value),
        unit=unit_words(limit.unit),
        limit=limit.title,
        most=limit.most,
    )


def enough(value: float) -> str:
    """Return a figure with four digits that is not below it: as a limit, it is kept.

    Examples
    --------
    >>> enough(61.8201), enough(61.8), enough(12345.6), enough(0.00412345)
    ('61.83', '61.8', '12,350', '0.004124')
    """
    digits = Context(prec=4, rounding=ROUND_CEILING).create_decimal(repr(value))
    return f"{digits.normalize():,f}"


def answer(
    file: NeedFile, catalog: Catalog, candidates: int, most: int = MOST, progress: Progress = unwatched
) -> Designs:
    """Return the designs for a need.

    Parameters
    ----------
    file, catalog
        The need, and the parts there are.
    candidates
        How many are screened.
    most
        Designs, at most.
    progress
        Hears how many are screened, of how many.
    """
    screening = Screening(file, catalog)
    found = screening.screen(candidates, progress)
    draw = partial(drawn_prices, samples=SAMPLES, seed=SEED)
    best = [screening.with_ranges(design, draw) for design in front(found.designs, most)]
    near = None if best else nearest(found.designs)
    return Designs(
        file,
        tuple(best),
        len(found.designs),
        found.possible,
        sum(design.feasible for design in found.designs),
        near,
        () if best else tuple(relaxed_alone(found.designs)),
        found.reasons,
        points=tuple(
            ScreenedPoint(design.yearly_usd, design.time_s, design.feasible) for design in found.designs
        ),
    )
