"""Reports as pages: parts for different readers, each of which opens with the questions of its reader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from twin.report.markup import Child, Markup, joined, page, tag
from twin.report.style import STYLE

ReportSection: TypeAlias = tuple[str, str, Child]
"""Id, title and content."""
_UNITS = (
    r"%|pp|°C|K|W|kW|MW|GW|kWh|MWh|GWh|TWh|J|s|ms|min|h|d|days?|hours?|years?|L|m³|t|kt|kg|g|kg/kWh|L/kWh|L/min|"
    r"MB|GB|TB|PB|GFLOP|Gb/s|GB/s|TB/s|USD|thousand|million|billion|trillion|GPUs?|GPU-hours?|GPU-h|nodes?|racks?|seeds?|kPa|bar|"
    r"TFLOPS|PFLOPS|GHz|MHz|V|kV|A|kVA|MVA|mm|m|km|m²|kg/m²"
)
_BEFORE_UNIT = re.compile(rf"(?<=\d) (?=(?:{_UNITS})(?![\w³²-]))")
_AFTER_SCALE = re.compile(r"(?<=\d\N{NO-BREAK SPACE})(thousand|million|billion|trillion) (?=USD|GPU|tokens)")
_TEXT = re.compile(r">([^<]+)<")


@dataclass(frozen=True)
class ReportPart:
    """A part of a report for one reader.

    Attributes
    ----------
    key, title
        For links and for people.
    reader
        Whom it is for, in a few words.
    questions
        What this reader asks, each with its answer in a sentence or two, or a tuple of short paragraphs: they stand at
        its head.
    sections
        What follows.
    flows
        On paper it begins below the part before, not on a page of its own.
    """

    key: str
    title: str
    reader: str
    questions: tuple[tuple[str, Child], ...]
    sections: tuple[ReportSection, ...]
    flows: bool = False


def document(
    title: str, lead: str, sections: Sequence[ReportSection], version: str, warnings: Sequence[str] = ()
) -> str:
    """Return a page of sections, with its table of contents.

    `warnings` are sentences about the whole report, shown in its head.
    """
    return _whole(title, lead, _contents(sections), map(_section, sections), version, warnings)


def report(
    title: str, lead: str, parts: Sequence[ReportPart], version: str, warnings: Sequence[str] = ()
) -> str:
    """Return a page of parts, each with its questions and sections; its contents name both. Warnings as above."""
    listed = [
        tag(
            "li",
            tag("a", part.title, href=f"#{part.key}"),
            _contents(part.sections) if part.sections else None,
        )
        for part in parts
    ]
    return _whole(title, lead, tag("ol", listed, class_="parts"), map(_part, parts), version, warnings)


def unbroken(html: str) -> str:
    """Return a page in which no number is parted from its unit at the end of a line.

    >>> "15.7 MW" in unbroken("<p>15.7 MW</p>")
    False
    """

    def bound(text: re.Match[str]) -> str:
        joined_up = _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text.group(1))
        return f">{_AFTER_SCALE.sub(lambda scale: scale.group(1) + chr(0xA0), joined_up)}<"

    return _TEXT.sub(bound, html)


def _whole(
    title: str,
    lead: str,
    contents: Child,
    body: Child,
    version: str,
    warnings: Sequence[str],
) -> str:
    whole = [
        tag(
            "header",
            tag("span", "SIMULATED", class_="badge"),
            tag("h1", title),
            tag("p", lead, class_="lead"),
            [tag("p", tag("b", sentence), class_="lead", role="note") for sentence in warnings],
            tag("nav", contents, aria_label="Contents"),
        ),
        tag("main", body),
        tag("footer", f"Written by gpu-twin {version}. This file needs no network and runs no script."),
    ]
    return unbroken(page(title, STYLE, whole))


def _contents(sections: Sequence[ReportSection]) -> Markup:
    return tag("ul", [tag("li", tag("a", name, href=f"#{key}")) for key, name, _ in sections])


def _section(section: ReportSection) -> Markup:
    key, name, content = section
    return tag("section", tag("h2", name), content, id=key)


def _paragraphs(answer: Child) -> tuple[Child, ...]:
    """Return the paragraphs of an answer: of most there is one."""
    return answer if isinstance(answer, tuple) else (answer,)


def _part(part: ReportPart) -> Markup:
    asked = [
        tag("div", tag("dt", question), [tag("dd", paragraph) for paragraph in _paragraphs(answer)])
        for question, answer in part.questions
    ]
    head = tag(
        "section",
        tag(
            "h2",
            part.title,
            tag("span", f" {part.reader}", class_="reader"),
            class_="part flows" if part.flows else "part",
        ),
        tag("dl", asked, class_="questions") if asked else None,
        id=part.key,
        class_="part",
    )
    return joined([head, *map(_section, part.sections)])
