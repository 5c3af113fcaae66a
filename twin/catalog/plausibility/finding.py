"""One error, or likely error, of a part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from twin.units import render

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class CatalogFinding:
    """A finding of a check.

    Attributes
    ----------
    severity
        error: it cannot be so. warning: unusual, worth a look.
    part, key
        Whose number: "QM9700", "ports".
    message
        What is wrong, with the numbers, and what would be right.
    """

    severity: Severity
    part: str
    key: str
    message: str


Findings = Iterator[CatalogFinding]


def shown(value: float, dimension: str) -> str:
    """Return a value for a message, with three digits."""
    return render(value, dimension, digits=3)
