"""Random mutations of shipped scenes, from the text to the findings of the rules: refused in a sentence, or checked."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from twin.catalog import load_catalog
from twin.cli.bench.facility import peak_mb
from twin.cli.check import report_of
from twin.scenario import Document, ScenarioError, loads
from twin.scenario.checks import sizes
from twin.scenario.reading.extend import builtin, builtin_names
from twin.scenario.text.parse import parse
from twin.scenario.text.source_tree import Tree

SEED = 20261123
COUNT, SHORT = 4000, 40
MOST_GPUS = 20_000
"""Larger scenes are refused or left out: how long they take is no question of what is invalid with them."""
HANG_S, MEMORY_MB = 20.0, 2000.0

STRANGE = (
    *("null", "true", "''", "[]", "{}", "0", "-1", "1", "2", "7", "1e-300", "1e300", "nan", ".inf", "-0.0"),
    *("999999", "1e9", "123456789012345678901234567890", "0 s", "1 ms", "1e9 day", "-5 K", "1 W", "1e30 W"),
    *("0 m", "10 km", "100 %", "101 %", "0 %", "gpu", "all", "x", "'\\u202e'", '"\\e[31m"', "'=1'", "../x"),
    *(
        "builtin:lab-16",
        "llama3-8b",
        "DGX-H100",
        "QM9700",
        "*a",
        "&a x",
        "!!python/none x",
        "2026-01-05",
        "1:30",
    ),
)


def scalars(tree: Tree) -> list[Tree]:
    """Return the values of a text that are no groups."""
    if isinstance(tree.value, dict):
        return [found for entry in tree.value.values() for found in scalars(entry.tree)]
    if isinstance(tree.value, list):
        return [found for item in tree.value for found in scalars(item)]
    return [tree]


def groups(tree: Tree) -> list[Tree]:
    """Return the groups of a text, and the lists."""
    if isinstance(tree.value, dict):
        return [tree, *(found for entry in tree.value.values() for found in groups(entry.tree))]
    return [tree, *(f for item in tree.value for f in groups(item))] if isinstance(tree.value, list) else []


def mutated(text: str, draw: random.Random, others: list[str]) -> str:
    """Return a scene with one to four things changed in it."""
    for _ in range(draw.choice((1, 1, 1, 2, 2, 4))):
        text = _changed(text, draw, others)
    return text


def _changed(text: str, draw: random.Random, others: list[str]) -> str:
    way = draw.choice((0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 8))  # most change a number
    if way == 0:
        at = draw.randrange(len(text))
        return (
            text[:at]
            + draw.choice(("\t", " ", "\n", ":", "-", "{", "]", "'", "#", "\x00", "\u0085", "é"))
            + text[at:]
        )
    if way == 1:
        return text[: draw.randrange(len(text))]
    lines = text.splitlines(keepends=True)
    if way == 2:
        del lines[draw.randrange(len(lines))]
        return "".join(lines)
    if way == 3:
        place = draw.randrange(len(lines))
        return "".join([*lines[:place], *lines[place : place + draw.randrange(1, 6)], *lines[place:]])
    if way == 4:
        other = draw.choice(others).splitlines(keepends=True)
        place, begin = draw.randrange(len(lines)), draw.randrange(len(other))
        return "".join([*lines[:place], *other[begin : begin + draw.randrange(1, 12)], *lines[place:]])
    try:
        tree = parse(text, "scene")
    except ScenarioError:
        return text
    spots = scalars(tree) if way < 8 else groups(tree)[1:]
    if not spots:
        return text
    spot = draw.choice(spots)
    said = text[spot.start : spot.end]
    number = re.match(r"-?[0-9]+(\.[0-9]+)?", said)
    if way in (5, 6) and number:
        factor = draw.choice((0, -1, 1e-9, 1e-3, 0.5, 2, 10, 1e3, 1e6))
        new = f"{float(number[0]) * factor:g}{said[number.end() :]}"
    elif way == 7:
        new = text[(other := draw.choice(spots)).start : other.end]
    else:
        new = draw.choice(STRANGE)
    return text[: spot.start] + new + text[spot.end :]


def checked(text: str, folder: Path) -> str:
    """Take a scene through all that `twin check` does; return what came of it. Nothing but its errors is caught."""
    try:
        document = loads(text, "scene", folder)
    except ScenarioError:
        return "refused"
    if gpus_of(document) > MOST_GPUS:
        return "large"
    report_of(document)
    return "checked"


def gpus_of(document: Document) -> int:
    stages = (document.scenario, *document.stages.made)
    return max(sizes.gpus_of(stage, load_catalog()) for stage in stages)


def texts() -> list[str]:
    return [builtin(f"builtin:{name}").read_text() for name in builtin_names()]


def take(count: int, first: int, folder: Path) -> dict[str, int]:
    """Take `count` mutated scenes from number `first` on; each has a seed of its own."""
    outcomes = {"refused": 0, "large": 0, "checked": 0}
    all_texts = texts()
    small = [text for text in all_texts if gpus_of(loads(text, "scene")) <= MOST_GPUS]
    for number in range(first, first + count):
        draw = random.Random(SEED * 100_000 + number)
        outcomes[checked(mutated(draw.choice(small), draw, all_texts), folder)] += 1
    return outcomes


def test_mutated_scenes_are_refused_or_checked(tmp_path: Path) -> None:
    outcomes = take(SHORT, 0, tmp_path)
    assert sum(outcomes.values()) == SHORT
    assert outcomes["refused"] >= SHORT // 4


@pytest.mark.slow
def test_many_mutated_scenes_are_refused_or_checked(tmp_path: Path) -> None:
    """Every scene in its time and memory: a process of its own takes some hundred, and is watched."""
    each = 250
    for first in range(0, COUNT, each):
        command = [sys.executable, str(Path(__file__)), str(first), str(each), str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def main(first: int, count: int, folder: Path) -> None:
    """Take scenes one by one; a scene that takes too long or too much is named."""
    import faulthandler
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (int(MEMORY_MB * 1e6) + 2 * 10**9, resource.RLIM_INFINITY))
    all_texts = texts()
    small = [text for text in all_texts if gpus_of(loads(text, "scene")) <= MOST_GPUS]
    outcomes: dict[str, int] = {}
    for number in range(first, first + count):
        draw = random.Random(SEED * 100_000 + number)
        text = mutated(draw.choice(small), draw, all_texts)
        print(number, flush=True)
        faulthandler.dump_traceback_later(60 * HANG_S, exit=True)
        before = resource.getrusage(resource.RUSAGE_SELF)
        outcome = checked(text, folder)
        after = resource.getrusage(resource.RUSAGE_SELF)
        took_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        assert took_s < HANG_S, f"scene {number} took {took_s:.1f} s"
        took_mb = peak_mb() or 0.0  # `ru_maxrss` has the memory of whoever started this process
        assert took_mb < MEMORY_MB, f"scene {number} took {took_mb:.0f} MB"
    print(outcomes)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
