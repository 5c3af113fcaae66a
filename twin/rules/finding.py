"""What a design rule found: where, how bad, what was measured against what limit, and what would mend it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from twin import units
from twin.scenario.schema.quantity import rendered
from twin.scenario.text.parse import Path

Severity = Literal["error", "warning", "notice"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The worst first. Only errors and warnings make `twin check` fail."""


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
    return Measure(float(value), units.DIMENSIONS[dimension].si_unit, rendered(rounded, dimension))


def line_rate(bytes_s: float) -> Measure:
    """Return the speed of a port or cable, which people give in bits."""
    return Measure(bytes_s, "B/s", f"{8e-9 * bytes_s:,.4g} Gb/s")


def number(value: float, unit: str = "") -> Measure:
    """Return a measure of what is counted, such as 3 nodes, or of a weight in kg."""
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"
    return Measure(float(value), unit, f"{text} {unit}".rstrip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the code of a rule says; `twin.rules.check` makes a `Finding` of it.

    Attributes
    ----------
    at
        Key of the file to blame.
    reason
        Clause that goes on from the name of that key: "leaves 64 kW on duct/0, which has 50 kW".
    fix
        What would mend it; "" when the reason says it.
    ids
        Things to select; none: those that the key is about.
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
    """One thing that a rule found.

    Attributes
    ----------
    rule
        Id of the rule.
    ids
        Things to select, the worst first; jobs, tenants and the like where nothing in the hall is concerned.
    at, key
        Key of the file to blame, as steps and as people write it.
    subject
        Id of the innermost thing of the file that holds the key, "" where none does.
    value, limit
        What was measured, and what is allowed; None where the rule measures nothing.
    sentence
        What is wrong.
    fix
        What would mend it; "" when the sentence says it.
    comment
        Why it is accepted: of the exclusion that covers it; "" while none does.
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
        """Return whether it makes the scene one with findings: an error or warning that nobody accepted."""
        return not self.excluded and self.severity != "notice"

    @property
    def target(self) -> str:
        """Return what an exclusion of just this one names: the only thing concerned, else the key."""
        return self.ids[0] if len(self.ids) == 1 else self.key or "*"

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {**asdict(self), "at": list(self.at), "ids": list(self.ids), "excluded": self.excluded}

    @classmethod
    def of_plain(cls, said: Mapping[str, Any]) -> Finding:
        """Return what `plain` made JSON of."""
        own = {key: said[key] for key in cls.__dataclass_fields__}
        for key in ("value", "limit"):
            own[key] = Measure(**own[key]) if own[key] is not None else None
        return cls(**{**own, "at": tuple(own["at"]), "ids": tuple(own["ids"])})
