"""A finding of a design rule: place, severity, measured value, limit and fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from twin import units
from twin.language import tr
from twin.scenario.schema.quantity import rendered
from twin.scenario.text.parse import Path

Severity = Literal["error", "warning", "notice"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Highest first. Only errors and warnings make `twin check` fail."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its unit, and as people read it.

    Attributes
    ----------
    value
        In `unit`: the SI unit of a quantity, else what is counted.
    unit
        "W", "m", "nodes"; empty for a pure ratio.
    text
        "1.2 MW".
    """

    value: float
    unit: str
    text: str


def quantity(value: float, dimension: str) -> Measure:
    """Return a measure of a dimension of `twin.units`, to three digits."""
    rounded = float(f"{float(value):.3g}")
    text = rendered(rounded, dimension).replace("degC", "°C")
    return Measure(float(value), units.DIMENSIONS[dimension].si_unit, text)


def line_rate(bytes_s: float) -> Measure:
    """Return the speed of a port or cable, which people give in bits."""
    return Measure(bytes_s, "B/s", tr("{bytes_s:,.4g} Gb/s", bytes_s=8e-09 * bytes_s))


def number(value: float, unit: str = "") -> Measure:
    """Return a measure of a count, such as 3 nodes, or of a weight in kg."""
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"
    return Measure(float(value), unit, f"{text} {unit}".rstrip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Result of the check of a rule; `twin.rules.check` makes a `Finding` of it.

    Attributes
    ----------
    at
        Key of the file to blame.
    reason
        Clause that follows the name of that key: "is too low: duct/0 carries 64 kW, capacity 50 kW".
    fix
        What would fix it; "" when the reason says it.
    ids
        Components to select; none: those of the key.
    severity
        None: that of the rule.
    """

    at: Path
    reason: str
    fix: str = ""
    ids: tuple[str, ...] = ()
    value: Measure | None = None
    limit: Measure | None = None
    severity: Severity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding of a rule.

    Attributes
    ----------
    rule
        Id of the rule.
    ids
        Components to select, worst first; jobs or tenants where no component is concerned.
    at, key
        Key of the file to blame, as steps and as people write it.
    subject
        Id of the innermost entry of the file that holds the key, "" where none does.
    value, limit
        What was measured, and what is allowed; None where the rule measures nothing.
    sentence
        What is wrong.
    fix
        What would fix it; "" when the sentence says it.
    comment
        Comment of the exclusion that covers it; "" without one.
    """

    rule: str
    severity: Severity
    ids: tuple[str, ...]
    at: Path
    key: str
    subject: str
    value: Measure | None
    limit: Measure | None
    reason: str
    sentence: str
    fix: str
    comment: str = ""

    @property
    def excluded(self) -> bool:
        """Return whether an exclusion of the file covers it."""
        return bool(self.comment)

    @property
    def counts(self) -> bool:
        """Return whether it makes `twin check` fail: an error or warning without an exclusion."""
        return not self.excluded and self.severity != "notice"

    @property
    def target(self) -> str:
        """Return the target for an exclusion of this finding alone: its only component, else the key."""
        return self.ids[0] if len(self.ids) == 1 else self.key or "*"

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {**asdict(self), "at": list(self.at), "ids": list(self.ids), "excluded": self.excluded}

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> Finding:
        """Return the finding that `plain` wrote."""
        fields = {key: plain[key] for key in cls.__dataclass_fields__}
        for key in ("value", "limit"):
            fields[key] = Measure(**fields[key]) if fields[key] is not None else None
        return cls(**{**fields, "at": tuple(fields["at"]), "ids": tuple(fields["ids"])})
