"""All findings of the rules in a scene, worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from twin.rules.finding import SEVERITIES, Finding, Severity


@dataclass(frozen=True, slots=True)
class Report:
    """Findings in order of severity, then of the table of rules, excluded ones included."""

    findings: tuple[Finding, ...]

    @property
    def open(self) -> tuple[Finding, ...]:
        """Return the findings without an exclusion."""
        return tuple(finding for finding in self.findings if not finding.excluded)

    @property
    def failed(self) -> bool:
        """Return whether an error or a warning is open; notices alone do not fail a scene."""
        return any(finding.counts for finding in self.findings)

    def counts(self) -> dict[Severity, int]:
        """Return the number of open findings of each severity."""
        found = Counter(finding.severity for finding in self.open)
        return {severity: found[severity] for severity in SEVERITIES}

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        excluded = len(self.findings) - len(self.open)
        return {
            "failed": self.failed,
            "counts": {**self.counts(), "excluded": excluded},
            "findings": [finding.plain() for finding in self.findings],
        }

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> Report:
        """Return the report that `plain` wrote."""
        return cls(tuple(Finding.of_plain(finding) for finding in plain["findings"]))
