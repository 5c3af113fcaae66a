"""All that the rules found in a scene, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from twin.rules.finding import SEVERITIES, Finding, Severity


@dataclass(frozen=True, slots=True)
class Report:
    """Findings in order of severity, then of the table of rules; excluded ones are among them."""

    findings: tuple[Finding, ...]

    @property
    def open(self) -> tuple[Finding, ...]:
        """Return what no exclusion covers."""
        return tuple(one for one in self.findings if not one.excluded)

    @property
    def failed(self) -> bool:
        """Return whether an error or a warning is open; notices alone do not fail a scene."""
        return any(one.counts for one in self.findings)

    def counts(self) -> dict[Severity, int]:
        """Return how many findings are open of each severity."""
        found = Counter(one.severity for one in self.open)
        return {severity: found[severity] for severity in SEVERITIES}

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        excluded = len(self.findings) - len(self.open)
        return {
            "failed": self.failed,
            "counts": {**self.counts(), "excluded": excluded},
            "findings": [one.plain() for one in self.findings],
        }

    @classmethod
    def of_plain(cls, said: Mapping[str, Any]) -> Report:
        """Return what `plain` made JSON of."""
        return cls(tuple(Finding.of_plain(one) for one in said["findings"]))
