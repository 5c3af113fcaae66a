"""One value put into a scenario by its path, checked for its type and range, not for what it refers to."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from twin.scenario import fields
from twin.scenario.document import Scenario
from twin.scenario.path import split
from twin.scenario.problem import Problem, ScenarioError
from twin.scenario.quantity import FROM_FILE
from twin.scenario.text_edit import value_of
from twin.scenario.validate import nearest, value_problem

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


class _Setting:
    """One value on its way to its place."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.value: Any = None

    def within(self, part: P, steps: tuple[str, ...]) -> P:
        """Return a copy of `part` with the value at `steps`."""
        known = fields.fields_of(type(part))
        if steps[0] not in known:
            near = nearest(steps[0], known)
            hint = f"did you mean {near!r}?" if near else f"known here: {', '.join(known)}"
            raise self._nowhere(f"leads nowhere: there is no key {steps[0]!r} at this place", hint)
        name = known[steps[0]][0]
        if len(steps) == 1:
            spot = fields.below(fields.Spot(models=(type(part),)), steps[0])
            self.value = value_of(self.text, spot, "--set")[0].plain()
            return part.model_copy(update={name: self._checked(type(part), steps[0])})
        spot = fields.below(fields.Spot(models=(type(part),)), steps[0])
        return part.model_copy(update={name: self._below(getattr(part, name), steps[1:], spot)})

    def _below(self, value: Any, steps: tuple[str, ...], spot: fields.Spot) -> Any:
        if isinstance(value, BaseModel):
            return self.within(value, steps)
        step, rest = steps[0], steps[1:]
        if isinstance(value, tuple) and rest:
            names = [getattr(one, "id", None) or str(place) for place, one in enumerate(value)]
            if step not in names:
                near = nearest(step, names)
                hint = f"did you mean {near!r}?" if near else f"there are {', '.join(names)}"
                raise self._nowhere(f"names nothing that exists: {step!r}", hint)
            place = names.index(step)
            return (*value[:place], self._below(value[place], rest, spot), *value[place + 1 :])
        if isinstance(value, dict) and rest:
            return {
                **value,
                step: self.within(value.get(step) or fields.spot_of(spot.item).models[0](), rest),
            }
        raise self._nowhere(f"leads nowhere at {step!r}", "set a key of something that exists")

    def _checked(self, model: type[BaseModel], key: str) -> Any:
        try:
            return _adapter(model, key).validate_json(json.dumps(self.value), strict=True, context=FROM_FILE)
        except ValidationError as bad:
            error = bad.errors(include_url=False, include_input=False)[0]
            spot = fields.Spot(models=(model,))
            error["loc"] = (key, *error["loc"])
            _, _, reason, hint = value_problem(error, {key: self.value}, spot)
            raise self._refused(reason, hint) from None

    def _refused(self, reason: str, hint: str) -> ScenarioError:
        return ScenarioError([Problem("--set", 0, self.path, self.text, reason, hint)])

    def _nowhere(self, reason: str, hint: str) -> NoSuchPlace:
        return NoSuchPlace([Problem("--set", 0, self.path, self.text, reason, hint)])


@lru_cache(maxsize=64)
def _adapter(model: type[BaseModel], key: str) -> TypeAdapter[Any]:
    info = fields.fields_of(model)[key][1]
    # The first mark says nothing; without one there is no Annotated.
    wanted: Any = Annotated[info.annotation, key, *info.metadata]
    return TypeAdapter(wanted)
