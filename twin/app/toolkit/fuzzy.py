"""How well a few typed letters match a title."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_ALIKE = 0.7
"""Two words at least as alike as this may be the same, mistyped."""
_SMALL = frozenset(
    ("a", "an", "and", "can", "do", "does", "for", "how", "i", "in", "is", "my", "of", "per", "the", "to")
)
"""Words that say nothing of what is looked for."""


def meant(typed: str) -> str:
    """Return the words of what is typed that are worth a search; all where none but small ones are.

    Examples
    --------
    >>> meant("PUE per year"), meant("How do I drain a node"), meant("a")
    ('PUE year', 'drain node', 'a')
    """
    words = typed.split()
    return " ".join(word for word in words if word.lower() not in _SMALL) or typed


def score(typed: str, title: str) -> float | None:
    """Return how well `typed` matches `title`, higher is better; None when its letters do not occur in order.

    Letters at the start of words and letters that follow each other count more, long titles a little less.

    Examples
    --------
    >>> score("cbt", "Colour by: temperature") > score("cbt", "Scribble it")
    True
    >>> score("xyz", "Play") is None
    True
    """
    wanted, text = _spelt(typed).replace(" ", ""), _spelt(title)
    if not wanted:
        return 0.0
    best: float | None = None
    for start in (i for i, letter in enumerate(text) if letter == wanted[0]):
        for leap in (True, False):  # leaping to the start of the next word may miss letters on the way
            found = _from(wanted, text, start, leap)
            if found is not None and (best is None or found > best):
                best = found
    return None if best is None else best - 0.01 * len(title)


def likeness(typed: str, words: str) -> float:
    """Return how alike what is typed and the words are, of 1.0; 0.0 unless every typed word is like one of them.

    Examples
    --------
    >>> likeness("colur", "Colour by job") > 0.8, likeness("colur by mood", "Colour by job")
    (True, 0.0)
    """
    known = re.findall(r"\w+", words.lower())
    best = [
        max((SequenceMatcher(None, part, word).ratio() for word in known), default=0.0)
        for part in re.findall(r"\w+", typed.lower())
    ]
    return sum(best) / len(best) if best and min(best) >= _ALIKE else 0.0


def score_words(typed: str, words: str) -> float | None:
    """Return how well `typed` matches other words for a title; None unless each word begins one of them.

    Words in front are what a thing is called most: they count a little more, however many follow. A word that is typed
    whole counts more than letters that stand here and there in a title.

    Examples
    --------
    >>> score_words("man", "help manual") is not None, score_words("manx", "help manual") is None
    (True, True)
    >>> score_words("help", "help manual pages book") > score_words("help", "manual help")
    True
    """
    known = words.lower().split()
    found = [
        known.index(part)
        if part in known
        else next((at for at, word in enumerate(known) if word.startswith(part)), None)
        for part in typed.lower().split()
    ]
    places = [at for at in found if at is not None]
    if not places or len(places) < len(found):
        return None
    best = score(typed, " ".join(known[at] for at in places))
    whole = sum(known[at] == part for at, part in zip(places, typed.lower().split(), strict=True))
    return None if best is None else best + 2.0 * whole - 0.05 * min(max(places), 20)


def _spelt(text: str) -> str:
    """Return a text as it is typed: small letters, three dots for an ellipsis."""
    return text.lower().replace("\N{HORIZONTAL ELLIPSIS}", "...")


def _from(wanted: str, text: str, start: int, leap: bool) -> float | None:
    total, at, previous = 0.0, start, -2
    for letter in wanted:
        place = _next(letter, text, at) if leap else text.find(letter, at)
        if place < 0:
            return None
        total += 1.0 + (1.5 if place == previous + 1 else 0.0) + (2.0 if _starts_word(text, place) else 0.0)
        previous, at = place, place + 1
    return total


def _next(letter: str, text: str, at: int) -> int:
    """Return the next place of `letter`, one that starts a word when there is one within reach."""
    first = text.find(letter, at)
    if first == at or first < 0:
        return first
    place = first
    while place >= 0:
        if _starts_word(text, place):
            return place
        place = text.find(letter, place + 1)
    return first


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()
