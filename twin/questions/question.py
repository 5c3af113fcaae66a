"""A question of the trade: its words, its inputs with units and defaults from the open scene, and who answers it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from twin import units
from twin.catalog import Catalog
from twin.plant.tables import Plant
from twin.questions.answer import TradeAnswer
from twin.scenario.schema.document import Scenario
from twin.units import UnitError

InputKind = Literal["quantity", "count", "choice"]


class QuestionError(ValueError):
    """A question that has no answer, in one sentence.

    Parameters
    ----------
    reason
        In words.
    key
        Of the input that it speaks of; "": of none.
    """

    def __init__(self, reason: str, key: str = "") -> None:
        super().__init__(reason)
        self.key = key


@dataclass(frozen=True)
class AskedScene:
    """The scene that a question is about."""

    scenario: Scenario
    plant: Plant


@dataclass(frozen=True)
class Setting:
    """What is known where a question is asked.

    Parameters
    ----------
    catalog
        Parts, prices, rates.
    scene
        That is open, or named; None: none.
    given
        Inputs that were given, as people write them.
    """

    catalog: Catalog
    scene: AskedScene | None = None
    given: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class QuestionInput:
    """One thing that a question must know.

    Parameters
    ----------
    key
        Of the option on the command line, and of the field.
    title, tip
        For people.
    default
        What stands there where nobody says it, as people write it; "": nothing may be said.
    kind, dimension
        Of value; a key of `units.DIMENSIONS`.
    low, high
        Bounds [SI].
    choices
        That there are, everywhere or in a setting.
    optional
        Whether nothing may stand there.
    """

    key: str
    title: str
    tip: str
    default: Callable[[Setting], str]
    kind: InputKind = "quantity"
    dimension: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] | Callable[[Setting], tuple[str, ...]] = ()
    optional: bool = False

    def known(self, setting: Setting) -> tuple[str, ...]:
        """Return what may be chosen."""
        return self.choices(setting) if callable(self.choices) else self.choices

    def value(self, text: str, setting: Setting) -> float | int | str | None:
        """Return what a text means [SI]; None: nothing was said.

        Raises
        ------
        QuestionError
            When it means nothing, or is out of bounds.
        """
        words = text.strip()
        if not words:
            if self.optional:
                return None
            raise QuestionError("a value is missing", self.key)
        if self.kind == "choice":
            known = self.known(setting)
            if words not in known:
                raise QuestionError(f"{words!r} is none of {', '.join(known)}", self.key)
            return words
        if self.kind == "count":
            try:
                number: float = int(words.replace(",", ""))
            except ValueError:
                raise QuestionError(f"{words!r} is no whole number", self.key) from None
        else:
            try:
                number = units.parse(words, self.dimension)
            except UnitError as wrong:
                raise QuestionError(str(wrong), self.key) from None
        if not math.isfinite(number) or not self._least <= number <= self._most:
            raise QuestionError(
                f"{words} is out of range; give {self._bound(self._least)} to {self._bound(self._most)}",
                self.key,
            )
        return number

    @property
    def _least(self) -> float:
        return -math.inf if self.low is None else self.low

    @property
    def _most(self) -> float:
        return math.inf if self.high is None else self.high

    def _bound(self, value: float) -> str:
        if not math.isfinite(value):
            return "any"
        return f"{value:,.0f}" if self.kind == "count" else units.render(value, self.dimension, 6)


@dataclass(frozen=True)
class Asked:
    """A question as it is asked: where, and with which values."""

    setting: Setting
    values: Mapping[str, float | int | str | None]

    @property
    def catalog(self) -> Catalog:
        """Return the parts."""
        return self.setting.catalog

    @property
    def scene(self) -> AskedScene:
        """Return the scene; raises `QuestionError` without one."""
        if self.setting.scene is None:
            raise QuestionError("this question is about a scene; name or open one")
        return self.setting.scene

    def number(self, key: str) -> float:
        """Return an input that is a number [SI]."""
        value = self.values[key]
        assert isinstance(value, float | int)
        return float(value)

    def count(self, key: str) -> int:
        """Return an input that is a whole number."""
        return round(self.number(key))

    def maybe(self, key: str) -> float | None:
        """Return an input that may be left out [SI]."""
        return None if self.values[key] is None else self.number(key)

    def word(self, key: str) -> str:
        """Return an input that is chosen."""
        value = self.values[key]
        assert isinstance(value, str)
        return value


@dataclass(frozen=True)
class TradeQuestion:
    """One question.

    Parameters
    ----------
    key
        By which commands name it.
    title
        As people ask it.
    words
        Other words, by which it is found.
    inputs
        What it must know; the default of each may depend on those before it.
    work
        What answers it.
    needs_scene
        Whether it is about a scene.
    """

    key: str
    title: str
    words: str
    inputs: tuple[QuestionInput, ...]
    work: Callable[[Asked], TradeAnswer]
    needs_scene: bool = False

    def defaults(self, setting: Setting) -> dict[str, str]:
        """Return all inputs as people write them: those that were given, and defaults for the others.

        Raises
        ------
        QuestionError
            When something is given that the question does not ask.
        """
        known = [entry.key for entry in self.inputs]
        for key in setting.given:
            if key not in known:
                raise QuestionError(f"it has no input {key!r}; known are {', '.join(known)}", key)
        found: dict[str, str] = {}
        for entry in self.inputs:
            so_far = Setting(setting.catalog, setting.scene, found)
            found[entry.key] = (
                setting.given[entry.key] if entry.key in setting.given else entry.default(so_far)
            )
        return found

    def asked(self, setting: Setting) -> Asked:
        """Return the question with the values of its inputs; raises `QuestionError` for those that mean nothing."""
        if self.needs_scene and setting.scene is None:
            raise QuestionError("this question is about a scene; name or open one")
        texts = self.defaults(setting)
        full = Setting(setting.catalog, setting.scene, texts)
        return Asked(full, {entry.key: entry.value(texts[entry.key], full) for entry in self.inputs})

    def answer(self, setting: Setting) -> TradeAnswer:
        """Return the answer; raises `QuestionError` where there is none."""
        return self.work(self.asked(setting))


def fixed(text: str) -> Callable[[Setting], str]:
    """Return a default that is the same everywhere."""
    return lambda _: text
