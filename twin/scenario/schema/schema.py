"""The JSON Schema of scenario files (draft-07), for editors that check and complete while one types."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import Any

from pydantic import BaseModel

from twin import resources, units
from twin.scenario.schema import fields
from twin.scenario.schema.document import VERSION, Scenario
from twin.scenario.schema.fields import FieldSpot
from twin.scenario.schema.quantity import rendered

FILE_NAME = f"twin-scenario-{VERSION}.schema.json"
"""In assets/schema."""


def json_schema() -> dict[str, Any]:
    """Return the schema of one whole scenario file.

    A file with ``extends`` may leave out what it inherits; the schema then asks for its own head only.
    """
    made = schema_of(
        Scenario, "gpu-twin scenario", "What exists in a GPU data centre and what happens in it."
    )
    definitions = made.pop("definitions")
    required = made.pop("required")
    head = [key for key in ("format", "version", "catalog") if key in required]
    rest = [key for key in required if key not in head]
    return {
        **made,
        "required": head,
        "if": {"required": ["extends"]},
        "else": {"required": rest},
        "definitions": definitions,
    }


def schema_of(document: type[BaseModel], title: str, description: str) -> dict[str, Any]:
    """Return the schema of a kind of file, each key with its unit and its default as the file holds them."""
    made = document.model_json_schema(by_alias=True, ref_template="#/definitions/{model}")
    definitions = made.pop("$defs")
    for model in _models(document):
        _describe(made if model is document else definitions[model.__name__], model)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": title,
        "description": description,
        **{key: value for key, value in made.items() if key not in ("title", "description")},
        "definitions": {name: definitions[name] for name in sorted(definitions)},
    }


def _models(model: type[BaseModel]) -> list[type[BaseModel]]:
    """Return a group and all groups below it, each once."""
    found: dict[type[BaseModel], None] = {}
    waiting = [model]
    while waiting:
        group = waiting.pop()
        if group in found:
            continue
        found[group] = None
        for key in fields.fields_of(group):
            spot = fields.below(FieldSpot(models=(group,)), key)
            while spot.item is not None:
                spot = fields.spot_of(spot.item)
            waiting.extend(spot.models)
    return list(found)


def _describe(part: dict[str, Any], model: type[BaseModel]) -> None:
    """Say the unit with each quantity, and give defaults as a file would hold them."""
    part["description"] = " ".join((model.__doc__ or "").replace("``", "").split())
    part.pop("title", None)
    for key, (_, info) in fields.fields_of(model).items():
        shown = part["properties"][key]
        shown.pop("title", None)
        shown.pop("discriminator", None)
        spot = fields.below(FieldSpot(models=(model,)), key)
        description = info.description or ""
        if spot.quantity is not None:
            dimension = units.DIMENSIONS[spot.quantity.dimension]
            description += f" ({dimension.title}, such as {dimension.example})"
            if isinstance(shown.get("default"), float):
                shown["default"] = rendered(shown["default"], spot.quantity.dimension)
        shown["description"] = description
        if shown.get("default", 0) is None or isinstance(shown.get("default"), dict):
            del shown["default"]  # what a group does by default stands with its keys
        for variant in [shown, *shown.get("anyOf", ())]:
            variant.pop("title", None)
            if variant.get("type") == "string" and spot.quantity is not None and "enum" not in variant:
                for bound in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
                    variant.pop(bound, None)


def main() -> None:
    """Write the schema where it is committed: ``python -m twin.scenario.schema.schema``."""
    path = FilePath(str(resources.folder("assets"))) / "schema" / FILE_NAME
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
