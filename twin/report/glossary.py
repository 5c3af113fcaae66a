"""The terms of a report and what they mean, from the glossary of the help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from twin.report.markup import Child, Markup, joined, table, tag
from twin.report.pages import ReportPart
from twin.resources import folder

_ROW = re.compile(r"^\| (?P<term>[^|]+) \| (?P<meaning>[^|]+) \|$", re.MULTILINE)
_TAGS = re.compile(r"<(style|title)>.*?</\1>|<[^>]*>", re.DOTALL)
_MARKS = re.compile(r"[*`]")


def terms() -> dict[str, str]:
    """Return the meaning of each term of the glossary, in its order."""
    text = (folder("assets") / "help" / "glossary.md").read_text(encoding="utf-8")
    rows = ((row["term"].strip(), row["meaning"].strip()) for row in _ROW.finditer(text))
    return {term: _MARKS.sub("", meaning) for term, meaning in rows if term != "term" and "---" not in term}


def terms_in(html: str) -> dict[str, str]:
    """Return the terms that a report uses, with their meanings."""
    said = _TAGS.sub(" ", html).lower()

    def used(term: str) -> bool:
        names = re.sub(r"\(([^)]*)\)", r", \1", term).split(",")
        return any(
            re.search(rf"\b{re.escape(name.strip().lower())}s?\b", said) for name in names if name.strip()
        )

    return {term: meaning for term, meaning in terms().items() if used(term)}


def glossary(html: str) -> Markup:
    """Return the terms that a report uses as a table."""
    rows: list[tuple[Child, ...]] = list(terms_in(html).items())
    if not rows:
        return tag("p", "No term needs one.")
    return table(("term", "meaning"), rows)


def with_glossary(parts: Sequence[ReportPart]) -> list[ReportPart]:
    """Return the parts of a report, the last of them with the terms that all use."""
    said = joined(
        joined([*(answer for _, answer in part.questions), *(content for _, _, content in part.sections)])
        for part in parts
    )
    terms = ("glossary", "Glossary", glossary(said))
    return [*parts[:-1], replace(parts[-1], sections=(*parts[-1].sections, terms))]
