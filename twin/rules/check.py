"""Check a scene and its plant by all design rules."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable

from twin.catalog import Catalog
from twin.piecewise import all_at_once
from twin.plant.tables import Plant
from twin.rules import data
from twin.rules.exclusions import excluded, unmatched
from twin.rules.finding import SEVERITIES, Finding, Found
from twin.rules.places import component_ids, named
from twin.rules.report import Report
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext
from twin.rules.table import BY_ID, RULES
from twin.scenario.schema.document import Scenario


def check(
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    from_run: Iterable[tuple[str, Found]] = (),
    rules: Collection[Rule] = RULES,
    whole: Scenario | None = None,
) -> Report:
    """Return all findings of the design rules in a scene; about 20 ms at 16,384 GPUs, 120 ms at 100,000.

    Parameters
    ----------
    scenario
        The effective scene, with its exclusions.
    plant
        As built from it.
    catalog
        Its parts.
    from_run
        Rule and finding of those that need a run, see `twin.rules.table.RUN`.
    rules
        Those of the table, and others after them.
    whole
        The scene of the file, where `scenario` is how it stands at a time of the run.
    """
    return all_at_once(check_steps(scenario, plant, catalog, from_run, rules, whole))


def check_steps(
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    from_run: Iterable[tuple[str, Found]] = (),
    rules: Collection[Rule] = RULES,
    whole: Scenario | None = None,
) -> Generator[None, None, Report]:
    """Do the same one rule at a time."""
    by_id = {rule.id: rule for rule in rules}
    case = RuleContext(scenario, plant, catalog, whole)
    found: list[tuple[str, Found]] = []
    for rule in rules:
        if rule.find is not None:
            found += [(rule.id, finding) for finding in rule.find(case)]
            yield
    made = [_finding(scenario, plant, by_id[rule], finding) for rule, finding in (*found, *from_run)]
    covered, used = excluded(made, scenario.exclusions)
    idle = unmatched(scenario.exclusions, used, by_id)
    covered += [_finding(scenario, plant, by_id[data.UNMATCHED], exclusion) for exclusion in idle]
    order = {rule.id: place for place, rule in enumerate(rules)}
    covered.sort(key=lambda finding: (SEVERITIES.index(finding.severity), order[finding.rule]))
    return Report(tuple(covered))


def unbuilt(scenario: Scenario, reason: str) -> Report:
    """Return the report on a scene whose plant cannot be built: one finding with the reason."""
    rule = BY_ID["run-impossible"]
    found = Finding(
        rule=rule.id,
        severity=rule.severity,
        ids=(),
        at=(),
        key="",
        subject="",
        value=None,
        limit=None,
        reason=reason,
        sentence=reason,
        fix="",
    )
    return Report(tuple(excluded([found], scenario.exclusions)[0]))


def _finding(scenario: Scenario, plant: Plant, rule: Rule, found: Found) -> Finding:
    key, subject, begins = named(scenario, found.at)
    return Finding(
        rule=rule.id,
        severity=found.severity or rule.severity,
        ids=found.ids or component_ids(scenario, plant, found.at),
        at=found.at,
        key=key,
        subject=subject,
        value=found.value,
        limit=found.limit,
        reason=found.reason,
        sentence=f"{begins} {found.reason}".strip(),
        fix=found.fix,
    )
