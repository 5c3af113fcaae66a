"""Search in the pages of the help: all words of the question, by sections."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from twin.app.help.pages import HelpPage, plain

_MOST = 100
_CONTEXT = 110
"""Letters of a line that are shown, at most."""
_BEFORE = 16
"""Letters before the first word that was found."""
_OF_QUESTIONS = frozenset(
    ("a", "an", "are", "can", "do", "does", "how", "i", "in", "is", "of", "the", "to", "what", "where")
)
"""Words that questions have and answers need not."""


@dataclass(frozen=True)
class HelpFind:
    """A section of a page that has all words, and its line that has most of them."""

    page: HelpPage
    heading: str
    anchor: str
    line: str


def word_patterns(question: str) -> list[re.Pattern[str]]:
    """Return what finds each word of a question, at the beginning of words, in capitals or not.

    >>> [pattern.findall("Nodes are drained") for pattern in word_patterns("How do I drain a node?")]
    [['drain'], ['Node']]
    """
    words = [word for word in (each.strip(",?!") for each in question.split()) if word]
    asked = [word for word in words if word.lower() not in _OF_QUESTIONS] or words
    return [re.compile(rf"(?<![^\W_]){re.escape(word)}", re.IGNORECASE) for word in asked]


def find_in(pages: Iterable[HelpPage], question: str) -> list[HelpFind]:
    """Return the sections that have all words of a question, those that name them in their heading first."""
    patterns = word_patterns(question)
    if not patterns:
        return []
    found: list[tuple[int, int, HelpFind]] = []
    for page in pages:
        for heading, anchor, lines in page.sections():
            rank = _rank(page, heading, lines, patterns)
            if rank is not None:
                line = _shown(lines, patterns)
                found.append((rank, len(found), HelpFind(page, heading, anchor, line)))
    return [find for *_, find in sorted(found, key=lambda each: each[:2])[:_MOST]]


def _rank(page: HelpPage, heading: str, lines: list[str], patterns: list[re.Pattern[str]]) -> int | None:
    """Return 0 where the heading has all words, 1 where it has one, 2 where the text has them; None for none."""
    in_heading = [pattern.search(heading) is not None for pattern in patterns]
    if all(in_heading):
        return 0
    text = "\n".join((page.title, heading, *lines))
    if not all(pattern.search(text) for pattern in patterns):
        return None
    if all(pattern.search(page.title) for pattern in patterns):
        return None  # its first section, with the title, is there
    return 1 if any(in_heading) else 2


def _shown(lines: list[str], patterns: list[re.Pattern[str]]) -> str:
    """Return the line with most of the words, cut around the first of them."""
    read = [plain(line) for line in lines if line.strip() and not line.startswith(("```", "|--"))]
    if not read:
        return ""
    best = max(read, key=lambda line: sum(pattern.search(line) is not None for pattern in patterns))
    first = min((found.start() for pattern in patterns if (found := pattern.search(best))), default=0)
    begin = best.rfind(" ", 0, max(first - _BEFORE, 0)) + 1 if first > 2 * _BEFORE else 0
    cut = best[begin : begin + _CONTEXT]
    more = "\N{HORIZONTAL ELLIPSIS}"
    return (more if begin else "") + cut + (more if len(best) > begin + _CONTEXT else "")
