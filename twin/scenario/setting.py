"""One value set by its path: ``--set PATH=VALUE`` and interventions of kind ``set``."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any, TypeVar, overload

from pydantic import BaseModel, TypeAdapter, ValidationError

from twin.scenario import check, fields, splice
from twin.scenario.document import Scenario
from twin.scenario.load import Document
from twin.scenario.patch import Change, Patch
from twin.scenario.path import split
from twin.scenario.problem import Problem, ScenarioError
from twin.scenario.quantity import FROM_FILE
from twin.scenario.text_edit import value_of
from twin.scenario.tree import Mark, Tree
from twin.scenario.validate import nearest, value_problem

P = TypeVar("P", bound=BaseModel)
_NOWHERE = Tree({}, Mark("--set", 0, 0), 0, 0)


@overload
def set_value(target: Document, path: str, value: str) -> Document: ...
@overload
def set_value(target: Scenario, path: str, value: str) -> Scenario: ...
def set_value(target: Document | Scenario, path: str, value: str) -> Document | Scenario:
    """Return the document or scenario with one value changed.

    A document keeps its text in step; use a scenario where there is no text, as in a worker.

    Parameters
    ----------
    target
        What to change; it stays as it is.
    path
        Such as ``jobs[llama3].checkpoint.interval``.
    value
        As in a file: "10 min", "true", "[a, b]", "{tensor: 8}".

    Raises
    ------
    ScenarioError
        When the path leads nowhere or the value does not fit there.

    Examples
    --------
    >>> from twin.scenario import load
    >>> lab = load("builtin:lab-16").scenario
    >>> set_value(lab, "jobs[llama3].checkpoint.pause", "1 min").jobs[0].checkpoint.pause_s
    60.0
    """
    if isinstance(target, Document):
        return splice.apply(target, Patch((Change(path, value),), f"set {path} to {value}"))
    setting = _Setting(path, value)
    changed = setting.within(target, split(path))
    check.check(changed, _NOWHERE)
    return changed


def set_text(target: Document, text: str) -> Document:
    """Return the document after ``PATH=VALUE``; raises as `set_value`."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        reason, hint = "is not PATH=VALUE", "write it like jobs[llama3].checkpoint.pause='20 s'"
        raise ScenarioError([Problem("--set", 0, "", repr(text), reason, hint)])
    return set_value(target, path.strip(), value.strip())


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
            raise self._refused(f"leads nowhere: there is no key {steps[0]!r} at this place", hint)
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
                raise self._refused(f"names nothing that exists: {step!r}", hint)
            place = names.index(step)
            return (*value[:place], self._below(value[place], rest, spot), *value[place + 1 :])
        if isinstance(value, dict) and rest:
            return {
                **value,
                step: self.within(value.get(step) or fields.spot_of(spot.item).models[0](), rest),
            }
        raise self._refused(f"leads nowhere at {step!r}", "set a key of something that exists")

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


@lru_cache(maxsize=64)
def _adapter(model: type[BaseModel], key: str) -> TypeAdapter[Any]:
    info = fields.fields_of(model)[key][1]
    # The first mark says nothing; without one there is no Annotated.
    wanted: Any = Annotated[info.annotation, key, *info.metadata]
    return TypeAdapter(wanted)
