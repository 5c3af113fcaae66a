"""Problems of a scenario for people: place, value, reason and hint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a text.

    Attributes
    ----------
    file
        Name of the file as the person knows it.
    line
        From 1; 0 when no line is to blame (the file is missing, a ``--set`` on the command line).
    key
        Dotted path in the file, such as ``jobs[llama3].checkpoint.pause``; "" for the file as a whole.
    value
        What stands there, shortened; "" when nothing does.
    reason
        What is wrong with it.
    hint
        What would be right; "" when the reason says it.
    """

    file: str
    line: int
    key: str
    value: str
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        shown = f"{self.key} = {self.value}" if self.key and self.value else self.key or self.value
        parts = [part for part in (place, shown, self.reason) if part]
        return ": ".join(parts) + (f"; {self.hint}" if self.hint else "")


class ScenarioError(ValueError):
    """A scenario cannot be used as it stands.

    Parameters
    ----------
    problems
        At least one, in the order of the file.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class NewerVersion(ScenarioError):
    """The file needs a newer program; it can be read as text only."""

    def __init__(self, problems: Iterable[Problem], needed: int = 0) -> None:
        super().__init__(problems)
        self.needed = needed


def shown(value: object, limit: int = 60) -> str:
    """Return a value of a file as short text for a message."""
    if isinstance(value, dict):
        return "a group of keys"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= limit else text[: limit - 4] + "...'"
