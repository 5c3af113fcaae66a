"""Validation of the tree of a file, with the errors of pydantic as sentences for people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from twin import units
from twin.scenario.reading import time_of_day
from twin.scenario.reading.parse_cache import ParsedFile, ReadBefore
from twin.scenario.schema import fields
from twin.scenario.schema.document import FORMAT, VERSION, Scenario
from twin.scenario.schema.quantity import FROM_FILE, rendered
from twin.scenario.text.parse import Path, Tree, child, locate, written
from twin.scenario.text.problem import Problem, ScenarioError, shown


def scenario_of(tree: Tree, name: str, before: ReadBefore | None = None) -> tuple[Scenario, ReadBefore]:
    """Return the scenario a tree describes, and the parts that need not be read again.

    Parameters
    ----------
    tree
        Of the file with all it extends.
    name
        Of the file, for messages.
    before
        What was read of the file before it was changed.

    Raises
    ------
    ScenarioError
        With every key that is wrong, in the order of the file.
    """
    if not isinstance(tree.value, dict):
        reason = "is not a scenario: it has no keys"
        raise ScenarioError(
            [Problem(name, tree.mark.line, "", shown(tree.plain()), reason, f"begin with format: {FORMAT}")]
        )
    _check_version(tree)
    plain = time_of_day.resolved(tree.plain())
    reading = ParsedFile(plain, before or ReadBefore())
    try:
        return reading.whole(_read(reading.left))
    except ValidationError:
        return ParsedFile(plain, ReadBefore()).whole(_whole(tree, plain))  # which knows the places


def piece_problems(tree: Tree) -> list[Problem]:
    """Return the problems of a part of a scenario; keys that only a whole one needs may be missing."""
    try:
        _read(tree.plain())
    except ValidationError as wrong:
        errors = wrong.errors(include_url=False, include_input=False)
        return problems_of(tree, [error for error in errors if not _of_the_whole(error)])
    return []


def _of_the_whole(error: Any) -> bool:
    """Return whether an error is a missing key of a whole scenario or hall."""
    at = error["loc"]
    above = len(at) == 1 or (at[0] == "halls" and len(at) == 3)
    return above and error["type"] in ("missing", "too_short")


def known_keys() -> tuple[str, ...]:
    """Return the top-level keys of a scenario."""
    return tuple(fields.keys(fields.ROOT))


def _whole(tree: Tree, plain: Any) -> Scenario:
    try:
        return _read(plain)
    except ValidationError as wrong:
        raise ScenarioError(problems_of(tree, wrong.errors(include_url=False, include_input=False))) from None


def _read(plain: Any) -> Scenario:
    text = json.dumps(plain)
    return Scenario.model_validate_json(text, strict=True, by_alias=True, by_name=False, context=FROM_FILE)


def _check_version(tree: Tree) -> None:
    for key, wanted in (("format", FORMAT), ("version", VERSION)):
        entry = tree.value.get(key)
        if entry is None:
            misspelt = _misspelt(tree, key, fields.ROOT)
            if misspelt is not None:
                raise ScenarioError([misspelt])
            reason = f"needs the key {key!r}"
            raise ScenarioError([Problem(tree.mark.file, 1, key, "", reason, f"begin with {key}: {wanted}")])
        given = entry.tree.value
        if given == wanted and type(given) is type(wanted):
            continue
        problem = Problem(
            entry.mark.file, entry.mark.line, key, shown(entry.tree.plain()), f"must be {wanted}"
        )
        raise ScenarioError([problem])


def _misspelt(
    at: Tree, key: str, spot: fields.FieldSpot, path: Path = (), root: Tree | None = None
) -> Problem | None:
    """Return the problem of the unknown key that was meant to be `key`, if there is one."""
    unknown = [name for name in at.value if name not in fields.keys(spot)]
    near = nearest(key, unknown)
    if not near:
        return None
    mark = at.value[near].mark
    name = written((*path, near), root or at)
    return Problem(mark.file, mark.line, name, "", "unknown key", f"did you mean {key!r}?")


def problems_of(tree: Tree, errors: Iterable[Any], root: fields.FieldSpot = fields.ROOT) -> list[Problem]:
    """Return the errors of pydantic about a tree as problems, each at its place, in the order of the file.

    Parameters
    ----------
    tree
        Of the file.
    errors
        As `ValidationError.errors` gives them.
    root
        What the whole file may be.
    """
    found: dict[tuple[Path, str], Problem] = {}
    unknown: set[tuple[Path, str]] = set()
    # Of several alternatives of one value the one that fits but for its range knows best.
    ordered = sorted(errors, key=lambda error: error["type"] not in _BOUNDS)
    for error in ordered:
        path = _in_tree(tree, error["loc"])
        if error["type"] == "too_short" and any(
            len(other["loc"]) > len(error["loc"]) and other["loc"][: len(error["loc"])] == error["loc"]
            for other in ordered
        ):
            continue  # pydantic counts items that are wrong as missing; what is wrong with them is told
        group = "key" if error["type"] in ("missing", "extra_forbidden") else "value"
        where = (path, group + str(error["loc"][-1]) if group == "key" else group)
        problem, meant = _problem(tree, path, error, root)
        if meant:
            unknown.add((path[:-1], meant))
        # Two alternatives of one value (a rule, or a duration) give two errors: say it once.
        found.setdefault(where, problem)
    kept = [
        problem
        for (path, group), problem in found.items()
        # A misspelt key is both unknown and missing; the misspelling is the one to correct.
        if not (group.startswith("key") and (path, group[3:]) in unknown)
    ]
    return sorted(kept, key=lambda problem: problem.line)


def _in_tree(tree: Tree, loc: tuple[str | int, ...]) -> Path:
    """Return the steps of a pydantic location that exist in the file; it also names union members."""
    path: list[str | int] = []
    at = tree
    for step in loc:
        below = child(at, step)
        if below is not None:
            path.append(step)
            at = below
    return tuple(path)


def _problem(tree: Tree, path: Path, error: Any, root: fields.FieldSpot) -> tuple[Problem, str]:
    """Return the problem of one pydantic error, and for an unknown key the known key that was meant."""
    kind: str = error["type"]
    spot, at = _spot(tree, path, root)
    meant = ""
    if kind == "missing":
        reason, hint, value = f"needs the key {str(error['loc'][-1])!r}", _missing_hint(spot, at, error), ""
    elif kind == "extra_forbidden":
        above, group = _spot(tree, path[:-1], root)
        known = fields.keys(above, _kind(group))
        taken = set(group.value)
        reason, value = "unknown key", ""
        meant = nearest(str(path[-1]), [key for key in known if key not in taken])
        hint = f"did you mean {meant!r}?" if meant else f"known: {', '.join(known)}"
    elif kind in ("union_tag_invalid", "union_tag_not_found"):
        misspelt = _misspelt(at, "kind", spot, path, tree) if isinstance(at.value, dict) else None
        if misspelt is not None and "kind" not in at.value:
            return misspelt, ""
        choices = _choices(spot, "kind")
        entry = at.value.get("kind") if isinstance(at.value, dict) else None
        if entry is not None:
            path, at = (*path, "kind"), entry.tree
        value = shown(at.plain()) if entry is not None else ""
        reason = f"must be {_one_of(choices)}" if entry is not None else "needs the key 'kind'"
        hint = _did_you_mean(at.value, choices) if entry is not None else f"one of {', '.join(choices)}"
    else:
        value = shown(at.plain())
        reason, hint = _value_reason(kind, error.get("ctx", {}), at.value, spot)
    mark = locate(tree, path)
    return Problem(mark.file, mark.line, written(path, tree), value, reason, hint), meant


def _spot(tree: Tree, path: Path, root: fields.FieldSpot) -> tuple[fields.FieldSpot, Tree]:
    spot, at = root, tree
    for step in path:
        spot = fields.below(spot, step, _kind(at))
        at = child(at, step) or at
    return spot, at


def _kind(tree: Tree) -> object:
    entry = tree.value.get("kind") if isinstance(tree.value, dict) else None
    return entry.tree.value if entry is not None else None


def _missing_hint(spot: fields.FieldSpot, at: Tree, error: Any) -> str:
    known = fields.keys(spot, _kind(at)).get(str(error["loc"][-1]))
    return known[1].description or "" if known else ""


def _choices(spot: fields.FieldSpot, key: str) -> tuple[str, ...]:
    return tuple(
        choice
        for model in spot.models
        if key in fields.fields_of(model)
        for choice in fields.spot_of(fields.fields_of(model)[key][1].annotation).choices
    )


def _value_reason(
    kind: str, context: dict[str, Any], value: object, spot: fields.FieldSpot
) -> tuple[str, str]:
    if spot.choices and kind not in _BOUNDS and value not in spot.choices:
        wanted = _one_of(spot.choices)
        if spot.quantity is not None:
            try:
                spot.quantity.parse(value)
            except units.UnitError as bad:
                reason = str(bad) if isinstance(value, str) and value[:1].isdigit() else ""
                return reason or f"must be {wanted}, or a duration such as '10 min'", _did_you_mean(
                    value, spot.choices
                )
        else:
            return f"must be {wanted}", _did_you_mean(value, spot.choices)
    if kind == "value_error":
        return str(context.get("error", "is invalid")), ""
    if kind in _BOUNDS:
        word, key = _BOUNDS[kind]
        bound = context[key]
        if spot.quantity is not None:
            return f"must be {word} {rendered(float(bound), spot.quantity.dimension)}", ""
        return f"must be {word} {bound}", ""
    if kind in _LENGTHS:
        word, key = _LENGTHS[kind]
        noun = "item" if context.get("field_type") else "character"
        return f"must have {word} {context[key]} {noun}{'' if context[key] == 1 else 's'}", ""
    if kind == "string_pattern_mismatch":
        return _PATTERN_REASON.get(str(context.get("pattern", "")), "has the wrong format"), ""
    return _TYPES.get(kind, (kind.replace("_", " "), ""))


def value_problem(error: Any, values: dict[str, object], spot: fields.FieldSpot) -> tuple[str, str, str, str]:
    """Return key, value, reason and hint of one pydantic error about keys that stand in no file."""
    key = str(error["loc"][0]) if error["loc"] else ""
    if error["type"] == "missing":
        return key, "", f"needs the key {key!r}", ""
    value = values.get(key)
    return (
        key,
        shown(value),
        *_value_reason(error["type"], error.get("ctx", {}), value, fields.below(spot, key)),
    )


_BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}
_LENGTHS = {
    "too_short": ("at least", "min_length"),
    "too_long": ("at most", "max_length"),
    "string_too_short": ("at least", "min_length"),
    "string_too_long": ("at most", "max_length"),
}
_PATTERN_REASON = {
    r"^20[0-9]{2}\.(0[1-9]|1[0-2])$": "is not an edition of the catalogue: year and month, such as 2026.11",
    r"^[a-z][a-z0-9-]{0,39}$": (
        "is not an id: lower-case letters, digits and hyphens, a letter first, at most 40 characters"
    ),
    r"^[a-z][a-z0-9-]{0,39}(/[0-9]{1,6}){0,4}$": "is not the id of an item, such as gpu/3/12/1",
    r"^[a-z][a-z0-9_]{0,59}$": "is not a cause id: lower-case letters, digits and underscores, a letter first",
}
_DATE = ("is not a date and time with UTC offset", "write it like 2026-01-05T00:00+01:00")
_GROUP = ("must be a group of keys", "")
_TYPES = {
    "string_type": ("must be text", "put it in quotes"),
    "int_type": ("must be a whole number", ""),
    "int_from_float": ("must be a whole number", ""),
    "int_parsing": ("must be a whole number", ""),
    "float_type": ("must be a number", ""),
    "float_parsing": ("must be a number", ""),
    "finite_number": ("must be a finite number", ""),
    "bool_type": ("must be true or false", ""),
    "tuple_type": ("must be a list", "write [a, b], or one item a line after a hyphen"),
    "list_type": ("must be a list", "write [a, b], or one item a line after a hyphen"),
    "dict_type": _GROUP,
    "model_type": _GROUP,
    "model_attributes_type": _GROUP,
    "dataclass_type": _GROUP,
    "datetime_type": _DATE,
    "datetime_parsing": _DATE,
    "datetime_from_date_parsing": _DATE,
    "datetime_object_invalid": _DATE,
    "timezone_aware": _DATE,
}


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word most like `word`, or ""."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), list(folded), 1, 0.55)
    return folded[near[0]] if near else ""


def _one_of(choices: Iterable[str]) -> str:
    *most, last = choices
    return f"{', '.join(most)} or {last}" if most else last


def _did_you_mean(value: object, choices: Iterable[str]) -> str:
    near = nearest(value, choices) if isinstance(value, str) else ""
    return f"did you mean {near!r}?" if near else ""
