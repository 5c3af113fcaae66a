"""What varies in a study: keys of the scene with lists or ranges of values, ``PATH=a,b,c`` or ``PATH=lo..hi``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite

from twin.scenario import Document
from twin.scenario.file.set_option import set_texts
from twin.scenario.reading.set_value import NoSuchPlace, assign
from twin.scenario.text.parse import Path, child
from twin.scenario.text.path import resolve, split
from twin.scenario.text.problem import Problem, ScenarioError, shown
from twin.studies.study_error import StudyError

MOST_VALUES = 1000
MOST_LETTERS = 2000
"""Of a value."""
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
"""Of a value that is a number, perhaps with a unit behind it."""
_RANGE = re.compile(rf"\s*({NUMBER})\s*([^\d\s.][^.]*?)?\s*\.\.\s*({NUMBER})\s*(\D.*?)?\s*")
FIXED = {
    "seed": ("cannot vary: every point runs with the same seeds", "--seeds N says with how many"),
    **dict.fromkeys(
        ("format", "version", "catalog", "extends", "branch", "title", "notes", "sources", "speed"),
        ("cannot vary: it changes no run", "vary a key of the hall or of its work"),
    ),
    **dict.fromkeys(
        ("groups", "exclusions", "chapters", "edits"),
        ("cannot vary: it is no property of the design", "vary a key of the hall or of its work"),
    ),
}
"""First keys of a scene that are no choice of a designer: why, and what to do instead."""


@dataclass(frozen=True)
class VariedKey:
    """A key with the values that it takes.

    Attributes
    ----------
    path
        Such as ``jobs[llama3].checkpoint.interval``.
    texts
        Values of a list, as in a file; empty: a range.
    low, high, unit
        Ends of a range, both in its unit.
    whole
        The range is of whole numbers: both ends are written as such and have no unit.
    """

    path: str
    texts: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    whole: bool = False

    def at(self, share: float) -> str:
        """Return the value at a share of the way, 0 <= share < 1; all values of a list are equally wide."""
        if self.texts:
            return self.texts[min(int(share * len(self.texts)), len(self.texts) - 1)]
        if self.whole:
            return str(min(int(self.low + share * (self.high - self.low + 1)), int(self.high)))
        return self._text(self.low + share * (self.high - self.low))

    def levels(self, number: int) -> tuple[str, ...]:
        """Return all values of a list, or `number` values of a range with equal steps, both ends among them."""
        if self.texts:
            return self.texts
        steps = [place / max(1, number - 1) for place in range(number)]
        values = [self.low + step * (self.high - self.low) for step in steps]
        return tuple(
            dict.fromkeys(str(round(value)) if self.whole else self._text(value) for value in values)
        )

    def _text(self, value: float) -> str:
        return f"{value:.6g} {self.unit}".rstrip()


def varied_keys(document: Document, texts: Sequence[str]) -> tuple[VariedKey, ...]:
    """Return the keys that vary, each value checked for itself against the schema.

    Parameters
    ----------
    document
        The scene.
    texts
        ``PATH=a,b,c`` or ``PATH=lo..hi``, one for each key.

    Raises
    ------
    StudyError
        When nothing varies.
    ScenarioError
        With file, line, key and reason of every key that cannot vary, and of every value that cannot stand there.
    """
    if not texts:
        raise StudyError("nothing varies; name a key with its values: --vary jobs[llama3].nodes=2,4,8")
    keys: list[VariedKey] = []
    wrong: list[Problem] = []
    for text in texts:
        try:
            key = varied_key(text)
            _must_fit(document, key, [before.path for before in keys])
            keys.append(key)
        except ScenarioError as error:
            wrong += error.problems
    if wrong:
        raise ScenarioError(wrong)
    return tuple(keys)


def varied_key(text: str, option: str = "--vary") -> VariedKey:
    """Return the key and its values of one text; nothing is known yet of the scene.

    >>> varied_key("jobs[a].nodes=2,4,8").texts
    ('2', '4', '8')
    >>> key = varied_key("jobs[a].checkpoint.interval=5..20 min")
    >>> key.levels(4), key.at(0.5)
    (('5 min', '10 min', '15 min', '20 min'), '12.5 min')

    Raises
    ------
    ScenarioError
        When it is neither a list nor a range.
    """
    path, equals, values_text = text.partition("=")
    path, values = path.strip(), _listed(values_text)
    if not equals or not path or not all(values):
        hint = "write it like jobs[llama3].nodes=2,4,8 or jobs[llama3].checkpoint.interval=5..20 min"
        raise ScenarioError(
            [Problem(option, 0, "", repr(text), "is not PATH=A,B,... or PATH=LOW..HIGH", hint)]
        )
    if len(values) > MOST_VALUES or len(max(values, key=len)) > MOST_LETTERS:
        reason = (
            f"has too many values, or one that is too long: at most {MOST_VALUES} of {MOST_LETTERS} letters"
        )
        raise ScenarioError([Problem(option, 0, path, "", reason)])
    if len(values) == 1 and ".." in values[0]:
        return _ranged(path, values[0], option)
    return VariedKey(path, tuple(dict.fromkeys(values)))


def _ranged(path: str, text: str, option: str) -> VariedKey:
    match = _RANGE.fullmatch(text)
    first, second = (match[2] or "", match[4] or "") if match is not None else ("", "")
    if match is None or (first and first != second):
        hint = "both ends in one unit, such as 5..20 min or 0.5 s..30 s"
        raise ScenarioError([Problem(option, 0, path, repr(text), "is no range of numbers", hint)])
    low, high = float(match[1]), float(match[3])
    if not isfinite(high - low):
        reason = "is too wide: its ends and their difference must be numbers below 1.8e308"
        raise ScenarioError([Problem(option, 0, path, shown(text), reason)])
    if not low < high:
        raise ScenarioError(
            [Problem(option, 0, path, repr(text), "must go from the lower to the higher end")]
        )
    whole = not second and all(end.lstrip("+-").isdigit() for end in (match[1], match[3]))
    return VariedKey(path, (), low, high, second, whole)


def _listed(text: str) -> list[str]:
    """Return the parts between commas that stand in no brackets and no quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[{(":
            depth += 1
        elif letter in "]})":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]


def _must_fit(document: Document, key: VariedKey, before: Sequence[str]) -> None:
    """Raise `ScenarioError` where a key cannot vary, or a value of it cannot stand there whatever the others are."""
    steps = split(key.path)
    place, _ = resolve(steps, document.tree)
    line = _line(document, place)
    if key.path in before:
        raise ScenarioError(
            [Problem(document.name, line, key.path, "", "varies twice", "give all values once")]
        )
    if steps[0] in FIXED:
        raise ScenarioError([Problem(document.name, line, key.path, "", *FIXED[steps[0]])])
    wrong = []
    for text in key.texts or (key.at(0.0), key.levels(2)[-1]):
        refused, is_nowhere = _refusal(partial(assign, document.scenario, key.path, text))
        if refused:
            wrong += _placed(document, line, refused)
        if is_nowhere:
            break
    if wrong:
        raise ScenarioError(wrong)


def _placed(document: Document, line: int, refused: Sequence[Problem]) -> list[Problem]:
    """Return the problems of a value as the text of the scene has them, or else at the nearest line."""
    path, value = refused[0].key, refused[0].value
    of_text, _ = _refusal(partial(set_texts, document, [f"{path}={value}"]))
    return [
        Problem(
            document.name,
            problem.line or line,
            problem.key,
            problem.value,
            problem.reason,
            problem.hint,
        )
        for problem in of_text or refused
    ]


def _refusal(act: Callable[[], object]) -> tuple[Sequence[Problem], bool]:
    """Return why something cannot be done, and whether its place is nowhere; no problems: it can be done.

    The error itself goes no further: its frames know whoever asked, a window too, and pydantic keeps a part of it where
    the garbage collector does not look.
    """
    try:
        act()
    except ScenarioError as error:
        return error.problems, isinstance(error, NoSuchPlace)
    return (), False


def _line(document: Document, place: Path) -> int:
    """Return the line of a place of the scene's own file; 0 where it is inherited, or at its default."""
    at = document.tree
    for step in place:
        at = child(at, step) or at
    return at.mark.line if place and at.mark.file == document.name else 0
