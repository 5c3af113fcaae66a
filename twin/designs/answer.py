"""The answer to a need: its best designs, or which limit stands in the way and the nearest need that can be met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context

from twin.catalog import Catalog
from twin.designs.design import Design, Limit
from twin.designs.front import MOST, front, nearest, relaxed_alone
from twin.designs.need_file import NeedFile
from twin.designs.screening import screened


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

    @property
    def binding(self) -> Limit | None:
        """Return the limit that stands in the way most; None where designs were found."""
        return self.near.binding if self.near is not None else None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return why there is no design, and what would have to give way; () where there is one."""
        if self.designs:
            return ()
        if self.failed:
            which = "1 design keeps" if self.failed == 1 else f"{self.failed:,} designs keep"
            them = "it" if self.failed == 1 else "them"
            return (f"{which} all limits, but no scene of {them} passes its checks",)
        if self.near is None or self.binding is None:
            return ("no candidate can be made for this need", *self.reasons)
        choice = self.near.choice
        said = [
            f"none of the {self.screened:,} screened (of {self.possible:,}) keeps all limits; "
            f"what stands in the way is the {self.binding.title}"
        ]
        said += [f"it would do with {_allowed(limit)}, all else as it is" for limit in self.alone]
        over = " and ".join(_allowed(limit) for limit in self.near.limits if limit.ratio > 1.0)
        said.append(
            f"the nearest need that can be met has {over}: {choice.gpus:,} GPUs of {choice.part.part}"
        )
        return tuple(said)


def _allowed(limit: Limit) -> str:
    unit = f"{limit.unit}s" if limit.unit in ("day", "week") else limit.unit
    return f"{enough(limit.value)} {unit} of {limit.title} in place of {limit.most:,.4g}"


def enough(value: float) -> str:
    """Return a figure with four digits that is not below it: as a limit, it is kept.

    Examples
    --------
    >>> enough(61.8201), enough(61.8), enough(12345.6), enough(0.00412345)
    ('61.83', '61.8', '12,350', '0.004124')
    """
    digits = Context(prec=4, rounding=ROUND_CEILING).create_decimal(repr(value))
    return f"{digits.normalize():,f}"


def answer(file: NeedFile, catalog: Catalog, candidates: int, most: int = MOST) -> Designs:
    """Return the designs for a need.

    Parameters
    ----------
    file, catalog
        The need, and the parts there are.
    candidates
        How many are screened.
    most
        Designs, at most.
    """
    found = screened(file, catalog, candidates)
    best: Sequence[Design] = front(found.designs, most)
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
    )
