"""A number with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Status = Literal["published", "derived", "recalled", "estimated", "unverified"]
STATUSES: tuple[str, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Figure:
    """One catalogue number.

    Attributes
    ----------
    part, key
        Whose it is: "H100-SXM", "tdp_w".
    value
        In `unit`, the SI unit (temperatures in [degC]); for an efficiency curve the efficiency at full load.
    unit
        "W"; empty for a pure number.
    text
        As the file writes it, "700 W".
    source, citation
        Key(s) of the table of sources, and what the table says of them.
    status
        published: read at the source. derived: arithmetic on a published figure. recalled: from memory, to be
        checked before it is quoted. estimated: an engineering estimate of the model. unverified:
        of own parts, as a file of others has it.
    note
        Why this value, or what else is in use.
    low, high
        The range the source gives, in `unit`; None without one.
    date
        Year and month it holds for, of a price; "": it does not change.
    """

    part: str
    key: str
    value: float
    unit: str
    text: str
    source: str
    citation: str
    status: Status
    note: str = ""
    low: float | None = None
    high: float | None = None
    date: str = ""
