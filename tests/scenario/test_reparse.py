"""Reading the section that changed alone gives the same tree as reading it all."""

import random
from collections.abc import Callable

import pytest
from usual_cases import usually

from twin.scenario import Problem, ScenarioError
from twin.scenario.reading.extend import builtin, builtin_names
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


USUAL = ("blackout", "lab-16", "nvl72-row", "recovery-policies")


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
