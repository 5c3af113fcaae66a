"""Design rule of the chapters: what they show or try of things that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from twin.language import tr
from twin.plant.find import find
from twin.rules.finding import Found
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext
from twin.scenario.checks import chapters


def _stale(case: RuleContext) -> Iterator[Found]:
    """Yield the keys of chapters that name what the hall does not have, such as a rack that was taken out."""

    def item(id: str) -> str:
        return "" if find(case.plant, id) is not None else f"{id!r} does not exist"

    for at, reason, fix in chapters.stale(case.scenario, item, case.catalog):
        yield Found(at=at, reason=reason, fix=fix)


RULES = (
    Rule(
        "chapter-stale",
        tr("Chapter of something else"),
        "data",
        "warning",
        tr("Things that chapters look at, select, break or change: those that the scene does not have."),
        tr("the scene itself"),
        _stale,
    ),
)
