"""Text in brackets that is read at once is what a parser of all of YAML makes of it, character by character."""

import random

import pytest
from usual_cases import but_largest

from twin.scenario import ScenarioError
from twin.scenario.reading.extend import builtin, builtin_names
from twin.scenario.text import fast_yaml
from twin.scenario.text.parse import Tree, parse

WORDS = (
    "a",
    "gpu/0/3",
    "DGX-H100",
    "-0.6 m",
    "12.50 kW",
    "true",
    "null",
    "No",
    "7",
    "-7",
    "0x1F",
    "0o17",
    "1e3",
    "1.",
    "a b  c",
)
WORDS += (
    "9" * 21,
    "-a",
    "a-",
    "x.y",
    "+1",
    "1e999",
    "a:b",
    "a#b",
    "a #b",
    "- a",
    "'a'",
    "&a",
    "*a",
    "~",
    "",
    "a,b",
    "-",
    "2026-01-05",
)
KEYS = ("id", "at", "x", "gpu/0/3", "1", "null", "k" * 200, "k" * 201, "a b", "-k", "x")


def text_of(draw: random.Random, depth: int = 0) -> str:
    """Return a value; now and then the spaces are not where they usually are."""
    comma = draw.choice((", ",) * 30 + (",", " , ", ",  ", ",\n"))
    kind = draw.random()
    if kind < 0.45 or depth > 3:
        return draw.choice(WORDS[:10] if draw.random() < 0.9 else WORDS)
    if kind < 0.7:
        items = [text_of(draw, depth + 1) for _ in range(draw.randrange(4))]
        return f"[{comma.join(items)}]"
    colon = draw.choice((": ",) * 30 + (":", " : ", ":  "))
    keys = draw.sample(KEYS[:6] if draw.random() < 0.9 else KEYS, draw.randrange(4))
    return f"{{{comma.join(f'{key}{colon}{text_of(draw, depth + 1)}' for key in keys)}}}"


def lines_of(draw: random.Random, indent: int, depth: int = 0) -> str:
    """Return a list or group on lines of its own."""
    pad, made = " " * indent, ""
    keys = draw.sample(KEYS[:6] if draw.random() < 0.9 else KEYS, draw.randrange(1, 4))
    for key in keys if draw.random() < 0.7 else [""] * draw.randrange(1, 4):
        head = f"{key}:" if key else "-"
        gap = draw.choice((" ",) * 30 + ("  ", "", " # so "))
        if depth < 3 and draw.random() < 0.35:
            deeper = indent + draw.choice((2, 2, 2, 4, 0, 1))
            below = lines_of(draw, deeper, depth + 1)
            first = below.lstrip(" ") if not key and draw.random() < 0.8 else f"\n{below}"
            made += f"{pad}{head}{' ' if not first.startswith(chr(10)) else ''}{first}"
        else:
            made += f"{pad}{head}{gap}{text_of(draw, 2)}{draw.choice((chr(10),) * 30 + (' ' + chr(10), chr(10) * 2))}"
    return made


def by_the_parser_of_yaml(text: str, monkeypatch: pytest.MonkeyPatch) -> Tree | None:
    with monkeypatch.context() as patch:
        patch.setattr(fast_yaml, "read", lambda text, name: None)
        try:
            return parse(text, "n")
        except ScenarioError:
            return None


def test_what_is_read_at_once_is_what_yaml_says(monkeypatch: pytest.MonkeyPatch) -> None:
    draw, read = random.Random(5), 0
    for _ in range(1500):
        text = text_of(draw) if draw.random() < 0.5 else lines_of(draw, draw.choice((0, 2)))
        text = (
            draw.choice(("", "", "- ", "    - ", "gpu/0/1: ", "  at: "))
            + text
            + draw.choice(("", "", "\n", " "))
        )
        found = fast_yaml.read(text, "n")
        if found is not None:
            read += 1
            assert found == by_the_parser_of_yaml(text, monkeypatch), text
    assert read > 400


@pytest.mark.parametrize("name", but_largest(builtin_names()))
def test_lines_of_the_shipped_scenes_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in builtin(f"builtin:{name}").read_text(encoding="utf-8").splitlines(keepends=True):
        for text in (line, line.strip(), line.strip().removeprefix("- "), line.rpartition(": ")[2].strip()):
            found = fast_yaml.read(text, "n")
            assert found is None or found == by_the_parser_of_yaml(text, monkeypatch), text


@pytest.mark.parametrize(
    "text",
    [
        "{a: 1, a: 2}",
        "[" * 21 + "]" * 21,
        f"[{'9' * 21}]",
        "[.inf]",
        "{a: b: c}",
        "[a: 1]",
        "a:",
        "a:\n  b",
        "a: 1\n  b: 2\n",
    ],
)
def test_what_is_wrong_or_deep_is_left_to_the_parser(text: str) -> None:
    assert fast_yaml.read(text, "n") is None
