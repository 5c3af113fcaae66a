"""Shipped YAML files that are parsed key by key say what a parser of the whole file says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml.error import YAMLError

from twin import resources
from twin.lessons.runbook import load_runbook
from twin.planning.profile.uncertainty import step_errors
from twin.resources import ResourceError, YamlParts, folder, mapping_in, parse_yaml, yaml_texts
from twin.scenario.formats import climates

FILES = sorted(path for path in Path(str(folder("assets"))).rglob("*.yaml") if path.parent.name != "catalog")


def whole(value: Any) -> Any:
    return {key: whole(below) for key, below in value.items()} if isinstance(value, Mapping) else value


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_key_by_key_a_shipped_file_says_the_same(path):
    text = path.read_text(encoding="utf-8")
    texts = yaml_texts(text)
    assert texts is not None
    assert whole(YamlParts(texts)) == parse_yaml(text)


def test_only_what_is_asked_for_is_parsed():
    asked = []

    def parse(text):
        asked.append(text)
        return parse_yaml(text)

    text = "# head\na: 1\nmodels:\n  one:\n    size: 2  # GB\n\n  # next\n  two:\n    size: [3,\n      4]\n"
    parts = YamlParts(yaml_texts(text + "b: >-\n  x\n  y\n"), parse)
    assert list(parts) == ["a", "models", "b"]
    assert list(parts["models"]) == ["one", "two"]
    assert asked == []
    assert parts["models"]["two"] == {"size": [3, 4]}
    assert len(asked) == 1
    assert [parts["b"], parts.get("b")] == ["x y", "x y"]
    assert len(asked) == 2
    assert "c" not in parts


@pytest.mark.parametrize(
    "text", ["- 1\n- 2\n", "a: 1\na: 2\n", "---\na: 1\n", "a: {b: 1,\nc: 2}\n", "'a': 1\n", ""]
)
def test_what_is_no_plain_group_is_left_to_the_parser(text):
    assert yaml_texts(text) is None


def test_an_error_names_its_line():
    parts = YamlParts(yaml_texts("a: 1\n\nb: 2\nc: 1: 2\nd: 3\n"))
    assert parts["a"] == 1
    with pytest.raises(YAMLError) as caught:
        parts["c"]
    assert caught.value.problem_mark.line == 3


def _places():
    return dict(resources.shipped_mapping(climates.FILE, climates.PlaceError))


def test_an_error_in_a_group_of_groups_names_its_line_and_file(tmp_path, monkeypatch):
    (tmp_path / "models.yaml").write_text(
        "# head\n\nmodels:\n\n  one:\n    a: 1\n  two:\n    b: 2\n    c: 1: 2\n"
    )
    monkeypatch.setattr(resources, "folder", lambda _: tmp_path)
    models = resources.shipped_mapping("assets/models.yaml")["models"]
    assert models["one"] == {"a": 1}
    with pytest.raises(ResourceError, match=r"^assets/models\.yaml:9: not readable as YAML: mapping values"):
        models["two"]


@pytest.mark.parametrize(
    ("file", "text", "read", "reason"),
    [
        (
            "runbook.yaml",
            "format: twin/runbook\nversion: 1\nsources: [a]\nentries: [\n",
            load_runbook.__wrapped__,
            ":5: not reada",
        ),
        (
            "runbook.yaml",
            "format: twin/runbook\nversion: 1\nsources: [a]\nentries: []\n",
            load_runbook.__wrapped__,
            ": entries: ",
        ),
        ("runbook.yaml", "- 1\n", load_runbook.__wrapped__, ": must be a mapping"),
        ("step_errors.json", '{"groups":\n {,}}', step_errors.__wrapped__, ":2: not readable as JSON: "),
        ("step_errors.json", "[]", step_errors.__wrapped__, ": must be a mapping"),
        ("step_errors.json", "{}", step_errors.__wrapped__, ": groups: missing"),
        (
            "step_errors.json",
            '{"groups": {"h100 fp8": {"rows": 1}}}',
            step_errors.__wrapped__,
            ": groups.h100 fp8: must be a map",
        ),
        (
            "weather/places.yaml",
            "schema: twin/places\nplaces: {a: {}, 1: {}}\n",
            _places,
            ": places.1: the key",
        ),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(tmp_path, monkeypatch, file, text, read, reason):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.setattr(resources, "folder", lambda _: tmp_path)
    with pytest.raises(ResourceError) as caught:
        read()
    assert str(caught.value).startswith(f"assets/{file}{reason}")


def test_figures_of_step_errors_are_numbers(tmp_path, monkeypatch):
    text = (Path(str(folder("assets"))) / "step_errors.json").read_text(encoding="utf-8")
    monkeypatch.setattr(resources, "folder", lambda _: tmp_path)
    for old, new, reason in (
        ('"rows": 18', '"rows": "many"', "groups.a100 bf16.rows: 'many' is not a number"),
        ('"p90": 0.07312', '"p90": 0', "groups.a100 bf16.p90: must be above 0"),
    ):
        (tmp_path / "step_errors.json").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(ResourceError, match=reason):
            step_errors.__wrapped__()


def test_a_key_that_is_no_text_is_refused_wherever_it_is():
    with pytest.raises(ResourceError, match=r"^x\.yaml: a\.b\.12: the key must be a text; put it in quotes$"):
        mapping_in("a: {b: {12: 1}}", "x.yaml")
