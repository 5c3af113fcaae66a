"""The JSON Schema is the one generated from the models, describes every key, and accepts every scene."""

import json
from typing import Any

import jsonschema
import pytest
from usual_cases import but_largest

from twin import resources
from twin.scenario import load, loads
from twin.scenario.file.effective_text import show
from twin.scenario.reading.extend import builtin_names
from twin.scenario.schema.schema import FILE_NAME, json_schema


def test_the_committed_schema_is_the_generated_one() -> None:
    committed = (resources.folder("assets") / "schema" / FILE_NAME).read_text(encoding="utf-8")
    assert committed == json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n", (
        "write it again: python -m twin.scenario.schema.schema"
    )


def test_it_is_draft_07() -> None:
    jsonschema.Draft7Validator.check_schema(json_schema())


def _properties(schema: Any, place: str = "") -> list[tuple[str, dict[str, Any]]]:
    found = []
    for name, part in [("Scenario", schema), *schema["definitions"].items()]:
        found += [(f"{name}.{key}", said) for key, said in part["properties"].items()]
    return found


def test_every_key_has_a_description_and_every_quantity_an_example_with_unit() -> None:
    for place, said in _properties(json_schema()):
        assert said.get("description"), place
    described = dict(_properties(json_schema()))
    assert "such as 10 min" in described["Checkpointing.pause"]["description"]
    assert "such as 132 kW" in described["PowerStage.capacity"]["description"]
    assert described["Recovery.watchdog"]["default"] == "10 min"


@pytest.mark.parametrize("name", but_largest(builtin_names()))
def test_scenes_and_their_effective_form_are_valid(name: str) -> None:
    validator = jsonschema.Draft7Validator(json_schema())
    document = load(f"builtin:{name}")
    validator.validate(document.tree.plain())
    validator.validate(loads(show(document)).tree.plain())


def test_it_refuses_what_the_loader_refuses() -> None:
    validator = jsonschema.Draft7Validator(json_schema())
    plain = load("builtin:lab-16").tree.plain()
    for broken in ({"pauze": "1 s"}, {"duration": 5}, {"seed": "1"}, {"halls": []}, {"version": 1}):
        assert list(validator.iter_errors({**plain, **broken})), broken
