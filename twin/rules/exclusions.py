"""Exclusions of the file applied to findings, and those that match none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from twin.language import tr
from twin.rules.finding import Finding, Found
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.exclusion import EVERYTHING, Exclusion


def excluded(
    findings: Iterable[Finding], exclusions: tuple[Exclusion, ...]
) -> tuple[list[Finding], set[int]]:
    """Return the findings with the comments of their exclusions, and which exclusions match a finding.

    A target is the id of a component, the key, the id of the entry that holds the key, or ``*``. A finding at several
    components is excluded once all of them are; until then it names the others.
    """
    used: set[int] = set()
    return [_excluded(finding, exclusions, used) for finding in findings], used


def _excluded(finding: Finding, exclusions: tuple[Exclusion, ...], used: set[int]) -> Finding:
    left, comments = finding.ids, []
    for place, exclusion in enumerate(exclusions):
        if exclusion.rule != finding.rule:
            continue
        if exclusion.target in (EVERYTHING, finding.key, finding.subject):
            used.add(place)
            return replace(finding, comment=exclusion.comment)
        if exclusion.target in finding.ids:
            used.add(place)
            comments.append(exclusion.comment)
            left = tuple(id for id in left if id != exclusion.target)
    if comments and not left:
        return replace(finding, comment="; ".join(dict.fromkeys(comments)))
    return replace(finding, ids=left)


def unmatched(exclusions: tuple[Exclusion, ...], used: set[int], rules: Iterable[str]) -> Iterable[Found]:
    """Yield exclusions that match no finding; `rules` are the ids of all rules."""
    known = set(rules)
    for place, exclusion in enumerate(exclusions):
        if place in used:
            continue
        if exclusion.rule not in known:
            near = nearest(exclusion.rule, known)
            reason = tr("names an unknown rule: {rule!r}", rule=exclusion.rule)
            hint = tr("did you mean {near!r}?", near=near) if near else tr("twin check --rules lists them")
        else:
            reason = tr(
                "excludes nothing: {rule} finds nothing at {target}",
                rule=exclusion.rule,
                target=exclusion.target,
            )
            hint = tr("remove it, so that it hides no later finding")
        yield Found(at=("exclusions", place), reason=reason, fix=hint, ids=(exclusion.target,))
