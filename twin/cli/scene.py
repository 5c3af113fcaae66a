"""What a person names on the command line: a scene file, a shipped scene, a run file, a time, a change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from twin.cli.errors import BadInput, warn

if TYPE_CHECKING:
    from twin.scenario import Document, Scenario

SCENE_SUFFIX = ".twin.yaml"
RUN_SUFFIX = ".twinrun"
_SQLITE = b"SQLite format 3\x00"
_MOST = 3
"""Files of a folder that are named."""


def is_run(name: str) -> bool:
    """Return whether `name` means a run file: by its ending, or because the file begins like one."""
    if name.endswith(RUN_SUFFIX):
        return True
    path = Path(name)
    if name.startswith("builtin:") or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def must_be_run(name: str) -> None:
    """Refuse what can be no recorded run, with what it is and what to give; whether it can be read shows when it is.

    Raises
    ------
    BadInput
        When it is a folder, or a scene.
    """
    from twin.scenario.reading.extend import builtin_names

    path = Path(name)
    if path.is_dir():
        raise BadInput(f"{name}: {_a_folder(path, RUN_SUFFIX)}")
    shipped = not path.exists() and name.removeprefix("builtin:") in builtin_names()
    scene = path if path.exists() else Path(name + SCENE_SUFFIX)
    if shipped or (scene.is_file() and scene.name.endswith(SCENE_SUFFIX)):
        kind = "a shipped scene" if shipped else "a scene"
        stem = path.name.removeprefix("builtin:").removesuffix(SCENE_SUFFIX)
        raise BadInput(
            f"{name}: this is {kind}, and a recorded run is needed; make one with: "
            f"twin run {name} --out {stem}{RUN_SUFFIX}"
        )


def _a_folder(path: Path, *endings: str) -> str:
    """Return that a path is a folder, and which files in it may be meant."""
    found = [str(one) for ending in endings for one in sorted(path.glob(f"*{ending}"))]
    some = ", ".join(found[:_MOST]) + (f" and {len(found) - _MOST} more" if len(found) > _MOST else "")
    wanted = " or ".join(f"*{ending}" for ending in endings)
    return (
        f"this is a folder; give a file in it: {some}" if found else f"this is a folder; give a {wanted} file"
    )


def load_scene(name: str) -> Document:
    """Return the scene called `name`: a file, the same without its ending, or a shipped one.

    Raises
    ------
    ScenarioError
        When there is none, or it is wrong anywhere.
    """
    from twin.scenario import Problem, ScenarioError, load
    from twin.scenario.reading.extend import builtin_names

    path = Path(name)
    if name.startswith("builtin:"):
        return load(name)
    if path.exists() and is_run(name):
        reason = "this is a recorded run, and a scene is needed"
        hint = f"give a {SCENE_SUFFIX} file or a shipped scene, as the one that the run was made of"
        raise ScenarioError([Problem(name, 0, "", "", reason, hint)])
    if path.is_file():
        return load(path)
    if name in builtin_names():
        return load(f"builtin:{name}")
    if Path(name + SCENE_SUFFIX).is_file():
        return load(Path(name + SCENE_SUFFIX))
    if path.is_dir():
        scenes = any(path.glob(f"*{SCENE_SUFFIX}"))  # a few commands take runs as well
        reason, _, hint = _a_folder(path, SCENE_SUFFIX, *([] if scenes else [RUN_SUFFIX])).partition("; ")
        raise ScenarioError([Problem(name, 0, "", "", reason, hint)])
    if path.exists():
        return load(path)
    hint = f"give a {SCENE_SUFFIX} file or a shipped scene: {', '.join(builtin_names())}"
    raise ScenarioError([Problem(name, 0, "", "", "there is no such file or shipped scene", hint)])


def scene_path(name: str) -> Path:
    """Return the file of a scene that exists; raises as `load_scene`."""
    path = load_scene(name).path
    if path is None:
        raise BadInput(f"{name}: this scene lies in no file")
    return path


def run_path(name: str) -> Path:
    """Return the file of a run that can be read; raises RunFileError."""
    from twin.record.reader import Reader

    with Reader(name) as reader:
        _ = reader.header
    return Path(name)


def with_changes(
    document: Document,
    settings: Sequence[str],
    injections: Sequence[str],
    work: Callable[[Scenario], Scenario] | None = None,
    end_s: float = math.inf,
) -> Scenario:
    """Return the scenario after all ``PATH=VALUE`` and with each ``T KIND TARGET [k=v]`` among its interventions.

    The settings are one change: they are checked together, in whatever order they are given. `work` gives it other
    jobs after them, and before the injections. An injection after `end_s` [s], or after the end of the scene, is
    warned of.

    Raises
    ------
    ScenarioError
        When one of them is not understood or does not fit the scene.
    """
    from twin.scenario import parse_injection
    from twin.scenario.checks import check
    from twin.scenario.file.set_option import set_texts
    from twin.scenario.text.problem import ScenarioError

    document = set_texts(document, settings)
    scenario = document.scenario
    if work is not None:
        scenario = work(scenario)
        check.check(scenario, document.tree)
    before = scenario
    for injection in injections:
        one = parse_injection(injection, scenario.start)
        scenario = scenario.model_copy(update={"interventions": (*scenario.interventions, one)})
        try:
            check.check(scenario, document.tree)
        except ScenarioError as error:
            raise ScenarioError(
                replace(problem, file=f"--inject {injection!r}", line=0, key=problem.key.rpartition(".")[2])
                for problem in error.problems
            ) from None
        warn_if_late(injection, one.at_s, min(end_s, scenario.duration_s))
    if injections:
        _must_be_accepted(scenario, before)
    return scenario


def warn_if_late(injection: str, at_s: float, end_s: float) -> None:
    """Warn of an injection at a time that a run to `end_s` never reaches [s]."""
    from twin.scenario.checks.horizon import too_late

    if at_s > end_s:
        warn(f"--inject {injection!r}: {too_late(at_s, end_s)}")


def refusals(scenario: Scenario) -> list[tuple[str, str]]:
    """Return what interventions of a scene the engine refuses to do, as (target, reason)."""
    from twin.runtime.loading import engine_type
    from twin.runtime.protocol import ENGINE

    events = engine_type(ENGINE)(scenario).events(0)
    return [(event.subject, event.text) for event in events if event.kind == "refused"]


def _must_be_accepted(scenario: Scenario, before: Scenario) -> None:
    """Raise `BadInput` when the engine refuses an added intervention, such as a failure by a cause that is off."""
    refused = refusals(scenario)
    if refused and len(refused) > len(refusals(before)):
        raise BadInput(f"--inject: {': '.join(refused[-1])}")


def time_of(text: str, option: str, scenario: Scenario | None = None, end_s: float = math.inf) -> float:
    """Return the simulated time of an option [s]; raises `BadInput`.

    Parameters
    ----------
    text
        Such as "22 day 16 h".
    option
        Its name, for the complaint.
    scenario
        What it is a time of: dates, times of day and "end" are understood too; None: only lengths of time are.
    end_s
        What "end" stands for [s].
    """
    from twin.scenario.reading.run_times import NoTime, Times, length_s

    try:
        seconds = length_s(text) if scenario is None else Times(scenario.start, 0.0, end_s).meant(text)
    except NoTime as error:
        raise BadInput(f"{option}: {error}") from None
    if seconds < 0:
        raise BadInput(f"{option}: {text!r} lies before the start; give a time after it")
    return seconds
