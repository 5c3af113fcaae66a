"""Reading the section that changed alone gives the same tree as reading it all."""

import random
from collections.abc import Callable

import pytest
from usual_cases import usually

from twin.scenario import Problem, ScenarioError
from twin.scenario.reading.extend import builtin, builtin_names
from twin.scenario.text import incremental_parse
from twin.scenario.text.incremental_parse import reparse
from twin.scenario.text.parse import Tree, parse

TEXTS = {name: builtin(f"builtin:{name}").read_text(encoding="utf-8") for name in builtin_names()}
PIECES = (
    "\n",
    " ",
    "x",
    ": ",
    "- ",
    "{a: 1}",
    "#",
    "[",
    '"',
    "0",
    "\nnew: {b: 2}\n",
    "  - {id: q}\n",
    "&a",
    "*a",
    "|\n",
    "'",
)


def outcome(read: Callable[[], Tree]) -> Tree | tuple[Problem, ...]:
    try:
        return read()
    except ScenarioError as error:
        return error.problems


USUAL = ("lab-16", "nvl72-row")


@pytest.mark.parametrize("name", usually(sorted(TEXTS), USUAL))
def test_any_edit_gives_the_tree_or_the_error_of_the_whole(name: str) -> None:
    draw = random.Random(name)
    old = TEXTS[name]
    before = parse(old, name)
    for _ in range(25):
        start = draw.randrange(len(old))
        end = min(len(old), start + draw.choice((0, 0, 1, 7, 40)))
        new = old[:start] + draw.choice(PIECES) * draw.randrange(1, 3) + old[end:]
        wanted = outcome(lambda new=new: parse(new, name))
        assert outcome(lambda new=new: reparse(before, old, new, name)) == wanted
    assert before == parse(old, name)


@pytest.mark.parametrize("name", usually(sorted(TEXTS), USUAL))
def test_whole_lines_put_in_and_taken_out_read_alike(name: str) -> None:
    draw = random.Random(f"{name} by lines")
    old = TEXTS[name]
    before = parse(old, name)
    lines = old.splitlines(keepends=True)
    for _ in range(8):
        at, many, to = draw.randrange(len(lines)), draw.choice((1, 1, 2, 5)), draw.randrange(len(lines))
        taken = lines[at : at + many]
        rest = lines[:at] + lines[at + many :]
        put = [line.replace("id: ", "id: other-") for line in taken]
        new = "".join(draw.choice((rest, lines[:to] + put + lines[to:], lines[:at] + put + lines[at:])))
        wanted = outcome(lambda new=new: parse(new, name))
        assert outcome(lambda new=new: reparse(before, old, new, name)) == wanted
    assert before == parse(old, name)


STARRED = """\
format: twin/scenario
notes: |
  Research & development: *all* of it, and **more**.
first: [1, 2]
second: {a: 3}
"""
ALIASED = """\
format: twin/scenario
first: &x [1, 2]
second: {a: 3}
third: {a: *x}
"""


def test_stars_and_ampersands_in_prose_do_not_make_an_edit_read_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = {"starred": STARRED} | TEXTS
    read: list[str] = []
    for name, old in texts.items():
        before = parse(old, name)
        new = (
            old.replace("{a: 3}", "{a: 4}") if name == "starred" else old.replace("\ntitle: ", "\ntitle: A ")
        )
        assert new != old
        with monkeypatch.context() as watched:
            watched.setattr(
                incremental_parse, "parse", lambda text, name: read.append(text) or parse(text, name)
            )
            after = reparse(before, old, new, name)
        assert after == parse(new, name)
    assert max(map(len, read)) < min(map(len, texts.values()))


@pytest.mark.parametrize(
    ("old", "taken", "put"),
    [
        (ALIASED, "1, 2", "1, 3"),  # the alias shows it too
        (ALIASED, "*x", "4"),
        (ALIASED, "&x ", ""),
        (STARRED, "{a: 3}", "{a: &y 3}"),
        (STARRED, "{a: 3}", "{a: *y}"),
        (STARRED, "[1, 2]", "&y [1, 2]"),
        (STARRED, " |\n", "\n"),
        (STARRED, "*all*", "*any*"),
        (STARRED.replace("{a: 3}", '{a: "*y"}'), '"*y"', "*y"),
        (STARRED.replace("{a: 3}", '"*y"').replace("[1, 2]", "&y [1, 2]"), '"*y"', "*y"),
    ],
)
def test_anchors_and_aliases_read_as_in_the_whole(old: str, taken: str, put: str) -> None:
    before = parse(old, "x")
    new = old.replace(taken, put)
    assert new != old
    assert outcome(lambda: reparse(before, old, new, "x")) == outcome(lambda: parse(new, "x"))
    assert before == parse(old, "x")


def test_an_alias_is_found_in_a_tree_that_was_moved() -> None:
    assert parse(ALIASED, "x").moved(2, 10).has_aliases
    assert not parse(STARRED, "x").moved(2, 10).has_aliases
