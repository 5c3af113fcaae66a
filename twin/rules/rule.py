"""A named check: its subject, the severity of its findings, and the source of its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from twin.catalog import Catalog
from twin.rules.finding import Found, Severity
from twin.rules.rule_context import RuleContext
from twin.scenario.schema.document import Scenario
from twin.scenario.text.parse import Path

Family = Literal["space", "power", "cooling", "fabric", "redundancy", "tenancy", "work", "data", "run"]
Finds = Callable[[RuleContext], Iterable[Found]]
Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason and hint, as the checks of `twin.scenario` yield them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One design rule.

    Attributes
    ----------
    id
        Name for exclusions; it never changes.
    title
        A few words.
    severity
        error: it does not work or does harm; warning: it works with a defect; notice: for information.
    checks
        What it checks, in one sentence.
    source
        Source of its limit.
    find
        The check; None: it needs a run, so `twin check` asks the engine.
    """

    id: str
    title: str
    family: Family
    severity: Severity
    checks: str
    source: str
    find: Finds | None = None


def written(topic: Callable[[Scenario, Catalog], Iterable[Wrong]], *, keys: tuple[str, ...] = ()) -> Finds:
    """Return a check of `twin.scenario` as the check of a rule; with `keys` only its findings at one of these keys."""

    def find(case: RuleContext) -> Iterator[Found]:
        for at, reason, hint in topic(case.scenario, case.catalog):
            if not keys or at[-1] in keys:
                yield Found(at=at, reason=reason, fix=hint)

    return find
