"""Sets or removes one value of a scenario by its path; checks type and range, not references."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from twin.scenario.reading.key_edit import value_of
from twin.scenario.reading.validate import nearest, value_problem
from twin.scenario.schema import fields
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.quantity import FROM_FILE
from twin.scenario.text.path import split
from twin.scenario.text.problem import Problem, ScenarioError

P = TypeVar("P", bound=BaseModel)


class NoSuchPlace(ScenarioError):
    """The path leads nowhere in this scenario, whatever the value."""


def assign(scenario: Scenario, path: str, value: str) -> Scenario:
    """Return a copy of the scenario with one value changed; needs no text behind it.

    Parameters
    ----------
    scenario
        What to change; it stays as it is.
    path
        Such as ``jobs[llama3].checkpoint.interval``.
    value
        As in a file.

    Raises
    ------
    NoSuchPlace
        When the path leads nowhere.
    ScenarioError
        When the value does not fit there.
    """
    return _Setting(path, value).within(scenario, split(path))


def take_away(scenario: Scenario, path: str) -> Scenario:
    """Return a copy without an item of a list or table, or with a key back at its default.

    Raises
    ------
    NoSuchPlace
        When nothing stands there.
    """
    return _Setting(path, None).within(scenario, split(path))


class _Setting:
    """One value to be set at its place; no text: the present value is removed."""

    def __init__(self, path: str, text: str | None) -> None:
        self.path = path
        self.text = text
        self.value: Any = None

    def within(self, part: P, steps: tuple[str, ...]) -> P:
        """Return a copy of `part` with the value at `steps`."""
        known = fields.fields_of(type(part))
        if steps[0] not in known:
            near = nearest(steps[0], known)
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
            raise self._nowhere(f"unknown key {steps[0]!r}", hint)
        name = known[steps[0]][0]
        if len(steps) == 1:
            return part.model_copy(update={name: self._new(type(part), steps[0])})
        spot = fields.below(fields.FieldSpot(models=(type(part),)), steps[0])
        value = getattr(part, name)
        if isinstance(value, tuple | dict) and len(steps) == 2:
            return part.model_copy(update={name: self._item(part, value, steps[0], steps[1], spot)})
        return part.model_copy(update={name: self._below(value, steps[1:], spot)})

    def _new(self, model: type[BaseModel], key: str) -> Any:
        if self.text is None:
            info = fields.fields_of(model)[key][1]
            if info.is_required():
                raise self._refused("is required and cannot be removed", "set another value")
            return info.get_default(call_default_factory=True)
        spot = fields.below(fields.FieldSpot(models=(model,)), key)
        return self._checked(model, key, value_of(self.text, spot, "--set")[0].plain())

    def _item(self, part: BaseModel, items: Any, key: str, step: str, spot: fields.FieldSpot) -> Any:
        """Return a list or table with one item set, added or taken away."""
        if isinstance(items, dict):
            if self.text is None:
                if step not in items:
                    raise self._nowhere(f"unknown id: {step!r}", "")
                return {name: item for name, item in items.items() if name != step}
            value = value_of(self.text, fields.spot_of(spot.item), "--set")[0].plain()
            return {**items, **self._checked(type(part), key, {step: value})}
        names = _names(items)
        if self.text is None:
            if step not in names:
                raise self._nowhere(f"unknown id: {step!r}", f"known: {', '.join(names)}")
            place = names.index(step)
            return (*items[:place], *items[place + 1 :])
        value = value_of(self.text, fields.spot_of(spot.item), "--set")[0].plain()
        new = step not in names
        if new or getattr(items[names.index(step)], "id", None) is not None:
            if not isinstance(value, dict) or value.get("id", step) != step:
                raise self._refused(f"needs a group of keys with id: {step}", "")
            value = {"id": step, **value}
        (item,) = self._checked(type(part), key, [value])
        place = len(items) if new else names.index(step)
        return (*items[:place], item, *items[place + 1 :])

    def _below(self, value: Any, steps: tuple[str, ...], spot: fields.FieldSpot) -> Any:
        if isinstance(value, BaseModel):
            return self.within(value, steps)
        step, rest = steps[0], steps[1:]
        if isinstance(value, tuple) and rest:
            names = _names(value)
            if step not in names:
                near = nearest(step, names)
                hint = f"did you mean {near!r}?" if near else f"known: {', '.join(names)}"
                raise self._nowhere(f"unknown id: {step!r}", hint)
            place = names.index(step)
            return (*value[:place], self._below(value[place], rest, spot), *value[place + 1 :])
        if isinstance(value, dict) and rest:
            if self.text is None and step not in value:
                raise self._nowhere(f"unknown id: {step!r}", "")
            return {
                **value,
                step: self.within(value.get(step) or fields.spot_of(spot.item).models[0](), rest),
            }
        if value is None and len(spot.models) == 1 and self.text is not None:
            return self._begun(spot.models[0], steps)
        raise self._nowhere(f"unknown key {step!r}", "set a key of something that exists")

    def _begun(self, model: type[BaseModel], steps: tuple[str, ...]) -> Any:
        """Return a group of keys that was not there, with its first value."""
        try:
            return self.within(model(), steps)
        except ValidationError:
            raise self._nowhere(f"has no key {steps[0]!r}", "set the whole group of keys above it") from None

    def _checked(self, model: type[BaseModel], key: str, value: Any) -> Any:
        self.value = value
        try:
            return _adapter(model, key).validate_json(json.dumps(value), strict=True, context=FROM_FILE)
        except ValidationError as bad:
            error = bad.errors(include_url=False, include_input=False)[0]
            spot = fields.FieldSpot(models=(model,))
            error["loc"] = (key, *error["loc"])
            _, _, reason, hint = value_problem(error, {key: self.value}, spot)
            raise self._refused(reason, hint) from None

    def _refused(self, reason: str, hint: str) -> ScenarioError:
        return ScenarioError([Problem("--set", 0, self.path, self.text or "", reason, hint)])

    def _nowhere(self, reason: str, hint: str) -> NoSuchPlace:
        return NoSuchPlace([Problem("--set", 0, self.path, self.text or "", reason, hint)])


def _names(items: tuple[Any, ...]) -> list[str]:
    return [getattr(item, "id", None) or str(place) for place, item in enumerate(items)]


@lru_cache(maxsize=64)
def _adapter(model: type[BaseModel], key: str) -> TypeAdapter[Any]:
    info = fields.fields_of(model)[key][1]
    # The first mark says nothing; without one there is no Annotated.
    wanted: Any = Annotated[info.annotation, key, *info.metadata]
    return TypeAdapter(wanted)
