"""Design rules of a shared cluster: each control of the checklist of `twin check --security` is one."""

from __future__ import annotations

from collections.abc import Iterator

from twin.language import tr
from twin.plant.tenancy_rules import TITLES, Severity
from twin.rules import finding
from twin.rules.finding import Found
from twin.rules.rule import Finds, Rule
from twin.rules.rule_context import RuleContext

_WEIGHT: dict[Severity, finding.Severity] = {"high": "error", "medium": "warning", "low": "notice"}


def _of(control: str) -> Finds:
    def find(case: RuleContext) -> Iterator[Found]:
        for leak in case.controls[control].leaks if case.scenario.tenants else ():
            ids = (leak.subject,)
            severity = _WEIGHT[leak.severity]
            yield Found(at=leak.at, reason=leak.reason, fix=leak.hint, ids=ids, severity=severity)

    return find


RULES = tuple(
    Rule(
        id,
        title,
        "tenancy",
        "warning",
        tr("Places where one tenant can reach another; the control sets the severity."),
        tr("the scene itself; see twin check --security"),
        _of(id),
    )
    for id, title in TITLES.items()
)
