"""Shipped YAML files that are parsed key by key say what a parser of the whole file says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml.error import YAMLError

from twin.resources import YamlParts, folder, parse_yaml, yaml_texts

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
