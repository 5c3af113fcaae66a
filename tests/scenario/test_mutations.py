"""A hundred ways to spoil a shipped scene: each is an error that leads to the spoilt place."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from twin.scenario import Document, Problem, ScenarioError, load, loads
from twin.scenario.reading.extend import builtin_names
from twin.scenario.schema import fields
from twin.scenario.schema.fields import FieldSpot
from twin.scenario.text.parse import Path, Tree, TreeEntry, decode

# A scene that extends another one is short of most keys, and what it spoils may stand in the other.
SCENES = [one for name in builtin_names() if not (one := load(f"builtin:{name}")).scenario.extends]
COUNT = 100


@dataclass(frozen=True)
class Place:
    """One key of a scene."""

    path: Path
    entry: TreeEntry
    spot: FieldSpot
    above: Tree

    @property
    def key(self) -> str:
        return str(self.path[-1])


@dataclass(frozen=True)
class Mutation:
    """A spoilt scene: what was done, to which key, and in which lines a person would look for it."""

    kind: str
    scene: str
    data: bytes
    key: str
    lines: tuple[int, ...]


def places(tree: Tree, spot: FieldSpot = fields.ROOT, path: Path = ()) -> Iterator[Place]:
    if isinstance(tree.value, dict):
        kind = tree.value["kind"].tree.value if "kind" in tree.value else None
        for key, entry in tree.value.items():
            below = fields.below(spot, key, kind)
            yield Place((*path, key), entry, below, tree)
            yield from places(entry.tree, below, (*path, key))
    elif isinstance(tree.value, list):
        for index, item in enumerate(tree.value):
            yield from places(item, fields.below(spot, index), (*path, index))


def spliced(document: Document, start: int, end: int, text: str) -> bytes:
    return (document.text[:start] + text + document.text[end:]).encode()


def changed(kind: str, document: Document, place: Place, value: str) -> Mutation:
    tree = place.entry.tree
    data = spliced(document, tree.start, tree.end, value)
    return Mutation(kind, document.name, data, place.key, (place.entry.mark.line,))


def wrong_key(document: Document, draw: random.Random) -> Mutation:
    place = draw.choice([p for p in places(document.tree) if len(p.key) > 2])
    at = draw.randrange(1, len(place.key))
    word = place.key[:at] + draw.choice("qxz") + place.key[at:]
    data = spliced(document, place.entry.start, place.entry.stop, word)
    return Mutation("wrong key", document.name, data, word, (place.entry.mark.line,))


def wrong_type(document: Document, draw: random.Random) -> Mutation:
    place = draw.choice([p for p in places(document.tree) if p.entry.tree.flow and "/" not in p.key])
    scalar = not isinstance(place.entry.tree.value, list | dict)
    return changed("wrong type", document, place, draw.choice(["[1, 2]", "{a: 1}"]) if scalar else "7")


def wrong_unit(document: Document, draw: random.Random) -> Mutation:
    given = [p for p in places(document.tree) if p.spot.quantity and p.key != "interval"]
    # A share may come without a unit: 5 is five times the whole.
    place = draw.choice([p for p in given if p.spot.quantity and p.spot.quantity.dimension != "fraction"])
    return changed(
        "wrong unit", document, place, draw.choice(["5", "5 bananas", "5 V", "five", '"5"', "true"])
    )


def wrong_sign(document: Document, draw: random.Random) -> Mutation:
    signed = {"x", "y", "dry_bulb", "wet_bulb", "seed", "supply", "version"}
    numbers = [
        p
        for p in places(document.tree)
        if p.key not in signed and (p.spot.quantity or type(p.entry.tree.value) is int)
    ]
    place = draw.choice([p for p in numbers if str(p.entry.tree.value)[:1].isdigit()])
    return changed("wrong sign", document, place, f"-{place.entry.tree.value}")


REFERENCES = ("tenant", "storage", "plant", "from", "racks", "part", "target", "cause", "cable")
REFERENCE_LISTS = ("rows", "feeds", "serves")


def wrong_reference(document: Document, draw: random.Random) -> Mutation:
    found = []
    for place in places(document.tree):
        value = place.entry.tree.value
        if "rule" in place.above.value:
            continue  # an exclusion: twin check says that it matches nothing
        if place.key in REFERENCES and isinstance(value, str):
            found.append((place, place.entry.tree))
        elif place.key in REFERENCE_LISTS and isinstance(value, list) and isinstance(value[0].value, str):
            found.append((place, draw.choice(value)))
    place, tree = draw.choice(found)
    data = spliced(document, tree.start, tree.end, "nowhere")
    return Mutation("wrong reference", document.name, data, place.key, (place.entry.mark.line,))


def indentation(document: Document, draw: random.Random) -> Mutation:
    """Indent a line by one more blank than the key before it at the same level."""
    found = []
    for place in places(document.tree):
        siblings = list(place.above.value.values())
        index = siblings.index(place.entry)
        if not place.above.flow and index:
            found.append(place)
    place = draw.choice(found)
    start = place.entry.start
    data = spliced(document, start, start, " ")
    # The eye needs both lines to see that they do not line up.
    siblings = list(place.above.value.values())
    before = siblings[siblings.index(place.entry) - 1].mark.line
    return Mutation("indentation", document.name, data, place.key, (place.entry.mark.line, before))


def duplicate_id(document: Document, draw: random.Random) -> Mutation:
    things = ("halls", "fabrics", "power", "cooling", "storage")
    space = draw.choice([things, ("failures",), things, ("jobs", "tenants")])
    found = [p for p in places(document.tree) if p.key == "id" and p.path[0] in space]
    if space == ("failures",):  # causes and health checks have names of their own
        found = [p for p in found if p.path[1] == "causes"]
    if space == ("jobs", "tenants") or len(found) < 2:
        found = [p for p in places(document.tree) if p.key == "id" and p.path[0] in things]
    first, second = draw.sample(found, 2)
    mutation = changed("duplicate id", document, second, str(first.entry.tree.value))
    return Mutation(*mutation_head(mutation), (second.entry.mark.line, first.entry.mark.line))


def mutation_head(mutation: Mutation) -> tuple[str, str, bytes, str]:
    return mutation.kind, mutation.scene, mutation.data, mutation.key


def duplicate_key(document: Document, draw: random.Random) -> Mutation:
    place = draw.choice([p for p in places(document.tree) if not p.above.flow and p.entry.tree.flow])
    lines = document.text.splitlines(keepends=True)
    number = place.entry.mark.line
    indent = " " * (place.entry.mark.column - 1)
    value = document.text[place.entry.start : place.entry.tree.end]
    lines.insert(place.entry.tree.mark.line + value.count("\n"), f"{indent}{value}\n")
    data = "".join(lines).encode()
    return Mutation("duplicate key", document.name, data, place.key, (number, number + 1 + value.count("\n")))


def alias_bomb(document: Document, draw: random.Random) -> Mutation:
    place = draw.choice([p for p in places(document.tree) if p.entry.tree.flow])
    levels = [f"&a0 [{', '.join(['x'] * 9)}]"]
    levels += [f"&a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    return changed("alias bomb", document, place, f"[{', '.join(levels)}]")


def truncated(document: Document, draw: random.Random) -> Mutation:
    """End the file inside brackets that are closed on the same line."""
    found = list(places(document.tree))
    flows = [p for p in found if p.above.flow and "\n" not in document.text[p.above.start : p.above.end]]
    place = draw.choice(flows)
    end = draw.randrange(place.entry.start + 1, place.above.end)
    last = max((p for p in found if p.entry.start < end), key=lambda p: p.entry.start)
    key = document.text[last.entry.start : min(end, last.entry.stop)]
    data = document.text[:end].encode()
    return Mutation("truncated", document.name, data, key, (place.entry.mark.line,))


def binary(document: Document, draw: random.Random) -> Mutation:
    place = draw.choice(list(places(document.tree)))
    at = len(document.text[: place.entry.start].encode())
    data = document.text.encode()
    junk = draw.choice([b"\x00", b"\xff\xfe", b"\x1b[0m", b"\x80\x81", b"\x7fELF"])
    return Mutation(
        "binary", document.name, data[:at] + junk + data[at:], place.key, (place.entry.mark.line,)
    )


def misfit(document: Document, draw: random.Random) -> Mutation:
    """Say what is well formed but cannot be: too much for the rack, the hall, the GPUs; a name of nothing."""
    values = {
        "model": ["gpt-9", "llama3-404b", "nothing"],
        "profile": ["h1000", "abacus"],
        "tensor": ["3", "5", "7", "11", "13"],
        "nodes": ["50000", "99999"],
        "count": ["9", "30", "64"],
        "first_u": ["45", "60"],
        "global_batch": ["7", "1009"],
        "timezone": ["Mars/X", "Europe/Berlim"],
        "catalog": ['"1999"', '"2026.13"', "next"],
    }
    found = [p for p in places(document.tree) if p.key in values and p.entry.tree.flow]
    # The names of vision models and of simulations are for people.
    free = {"eight-camera transformer", "regional weather model", "path-dependent options"}
    found = [
        p
        for p in found
        if (p.key != "count" or p.path[-3] == "nodes")
        and isinstance(p.entry.tree.value, int | str)
        and p.entry.tree.value not in free
    ]
    place = draw.choice(found)
    if place.key == "model" and draw.random() < 0.5:  # no shipped scene names a profile: put one beside it
        at = place.entry.start
        blank = "" if place.above.flow else "\n" + " " * (place.entry.mark.column - 1)
        word = f"profile: {draw.choice(values['profile'])}{', ' if place.above.flow else blank}"
        data = spliced(document, at, at, word)
        return Mutation("misfit", document.name, data, "profile", (place.entry.mark.line,))
    return changed("misfit", document, place, draw.choice(values[place.key]))


KINDS: tuple[Callable[[Document, random.Random], Mutation], ...] = (
    wrong_key,
    wrong_type,
    wrong_unit,
    wrong_sign,
    wrong_reference,
    indentation,
    duplicate_id,
    duplicate_key,
    alias_bomb,
    truncated,
    binary,
    misfit,
    misfit,
)


def mutations() -> list[Mutation]:
    draw = random.Random(20261121)
    return [KINDS[number % len(KINDS)](draw.choice(SCENES), draw) for number in range(COUNT)]


def problems_of(mutation: Mutation) -> tuple[Problem, ...]:
    """Return what the loader says; nothing but its own error is caught here."""
    try:
        loads(decode(mutation.data, mutation.scene), mutation.scene)
    except ScenarioError as error:
        return error.problems
    return ()


def points_at(problem: Problem, mutation: Mutation) -> bool:
    return problem.line in mutation.lines and mutation.key in problem.key


@pytest.fixture(scope="module")
def outcomes() -> list[tuple[Mutation, tuple[Problem, ...]]]:
    return [(mutation, problems_of(mutation)) for mutation in mutations()]


def test_every_mutation_is_refused(outcomes: list[tuple[Mutation, tuple[Problem, ...]]]) -> None:
    assert len(outcomes) == COUNT
    accepted = [mutation.kind + " " + mutation.key for mutation, problems in outcomes if not problems]
    assert accepted == []


def test_every_problem_names_file_line_key_and_reason(
    outcomes: list[tuple[Mutation, tuple[Problem, ...]]],
) -> None:
    for mutation, problems in outcomes:
        for problem in problems:
            said = (mutation.kind, mutation.key, str(problem))
            assert problem.file == mutation.scene, said
            assert problem.line >= 1, said
            assert problem.key, said
            assert problem.reason, said
            assert "\n" not in str(problem), said


def test_nearly_all_point_at_the_spoilt_key(outcomes: list[tuple[Mutation, tuple[Problem, ...]]]) -> None:
    missed = [
        f"{mutation.kind}: {mutation.scene}:{mutation.lines} {mutation.key}: {problems[0] if problems else None}"
        for mutation, problems in outcomes
        if not any(points_at(problem, mutation) for problem in problems)
    ]
    assert len(missed) <= 0.05 * COUNT, "\n".join(missed)
