"""A named check: what it looks at, how bad what it finds is, and where its limit comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from twin.catalog import Catalog
from twin.rules.finding import Found, Severity
from twin.rules.rule_context import RuleContext
from twin.scenario.schema.document import Scenario
from twin.scenario.text.parse import Path

Family = Literal["space", "power", "cooling", "fabric", "tenancy", "work", "data", "run"]
Finds = Callable[[RuleContext], Iterable[Found]]
Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint: what the checks of `twin.scenario` say."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One design rule.

    Attributes
    ----------
    id
        By which exclusions name it, for ever.
    title
        A few words.
    severity
        error: it will not work or does harm; warning: it works, but not as one would want it; notice: to be known.
    checks
        What it looks at, in one sentence.
    source
        Where its limit comes from.
    find
        What does the check; None: only a run can tell, so `twin check` asks the engine.
    """

    id: str
    title: str
    family: Family
    severity: Severity
    checks: str
    source: str
    find: Finds | None = None


def written(topic: Callable[[Scenario, Catalog], Iterable[Wrong]], *, keys: tuple[str, ...] = ()) -> Finds:
    """Return a check of `twin.scenario` as one of a rule; with `keys` only of what it blames on one of these."""

    def find(case: RuleContext) -> Iterator[Found]:
        for at, reason, hint in topic(case.scenario, case.catalog):
            if not keys or at[-1] in keys:
                yield Found(at=at, reason=reason, fix=hint)

    return find
