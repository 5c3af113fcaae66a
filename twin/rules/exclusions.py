"""Exclusions of the file applied to findings, and those that cover nothing any more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from twin.rules.finding import Finding, Found
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.exclusion import EVERYTHING, Exclusion


def excluded(
    findings: Iterable[Finding], exclusions: tuple[Exclusion, ...]
) -> tuple[list[Finding], set[int]]:
    """Return the findings with the comments of what covers them, and which exclusions cover something.

    A target is a thing, the key, what the file calls the thing that holds the key, or ``*``. A finding at several
    things is covered once all of them are; until then it is told of the others.
    """
    used: set[int] = set()
    return [_told(one, exclusions, used) for one in findings], used


def _told(finding: Finding, exclusions: tuple[Exclusion, ...], used: set[int]) -> Finding:
    left, comments = finding.ids, []
    for place, one in enumerate(exclusions):
        if one.rule != finding.rule:
            continue
        if one.target in (EVERYTHING, finding.key, finding.subject):
            used.add(place)
            return replace(finding, comment=one.comment)
        if one.target in finding.ids:
            used.add(place)
            comments.append(one.comment)
            left = tuple(id for id in left if id != one.target)
    if comments and not left:
        return replace(finding, comment="; ".join(dict.fromkeys(comments)))
    return replace(finding, ids=left)


def unmatched(exclusions: tuple[Exclusion, ...], used: set[int], rules: Iterable[str]) -> Iterable[Found]:
    """Yield exclusions that cover nothing; `rules` are the ids there are."""
    known = set(rules)
    for place, one in enumerate(exclusions):
        if place in used:
            continue
        if one.rule not in known:
            near = nearest(one.rule, known)
            reason = f"excludes from a rule that does not exist: {one.rule!r}"
            hint = f"did you mean {near!r}?" if near else "twin check --rules lists them"
        else:
            reason = f"excludes nothing: {one.rule} finds nothing at {one.target}"
            hint = "take it away, so that it hides nothing later"
        yield Found(at=("exclusions", place), reason=reason, fix=hint, ids=(one.target,))
