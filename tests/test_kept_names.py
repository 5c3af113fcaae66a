"""What people, scenes, scripts and run files name is still there: the lists of `kept_names.yaml`, but for the window's.

A name is only taken away with a line in CHANGELOG.md, and then from that file too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
import typer
from kept_names import KEPT, gone

from twin.cli.app import app
from twin.record.accounts import ACCOUNTS
from twin.record.channels import BY_ID as CHANNELS
from twin.record.event_kinds import KINDS as EVENTS
from twin.rules import BY_ID as RULES
from twin.scenario.schema.fault_kinds import KINDS as FAULTS
from twin.scenario.schema.schema import json_schema


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("channels", CHANNELS),
        ("rules", RULES),
        ("events", EVENTS),
        ("faults", FAULTS),
        ("accounts", ACCOUNTS),
    ],
)
def test_ids_are_kept(kind: str, names: Iterable[str]) -> None:
    assert gone(kind, names) == []


def options(command: Any, path: str = "") -> Iterator[tuple[str, set[str]]]:
    """Yield each command below a group with its options."""
    for name, below in getattr(command, "commands", {}).items():
        whole = f"{path} {name}".strip()
        yield whole, {option for param in below.params for option in (*param.opts, *param.secondary_opts)}
        yield from options(below, whole)


def test_commands_and_their_options_are_kept() -> None:
    now = dict(options(typer.main.get_command(app)))
    assert KEPT["commands"].keys() <= now.keys()
    missing = {name: set((kept or "").split()) - now[name] for name, kept in KEPT["commands"].items()}
    assert {name: options for name, options in missing.items() if options} == {}


def scene_keys(schema: Mapping[str, Any]) -> dict[str, set[str]]:
    """Return the keys of each table of a scene by its path: [] each item of a list, {} each of a map."""
    found: dict[str, set[str]] = {}

    def walk(part: Mapping[str, Any], path: str, within: frozenset[str]) -> None:
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            if name not in within:
                walk(schema["definitions"][name], path, within | {name})
            return
        for choice in (choice for kind in ("anyOf", "oneOf", "allOf") for choice in part.get(kind, ())):
            walk(choice, path, within)
        for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
            if isinstance(part.get(key), dict):
                walk(part[key], path + mark, within)
        for key, below in part.get("properties", {}).items():
            found.setdefault(path, set()).add(key)
            walk(below, f"{path}.{key}".lstrip("."), within)

    walk(schema, "", frozenset())
    return found


def test_keys_of_scenes_are_kept() -> None:
    now = scene_keys(json_schema())
    missing = {path: set(kept.split()) - now.get(path, set()) for path, kept in KEPT["scene keys"].items()}
    assert {path: keys for path, keys in missing.items() if keys} == {}
