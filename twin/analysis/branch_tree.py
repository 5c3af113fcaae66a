"""The tree of branches in a folder: parent, cut, changes and result of each scene."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from twin import units
from twin.analysis.branch_changes import entry_in_words
from twin.language import tr
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario.reading.extend import SUFFIX, builtin, read
from twin.scenario.text.problem import ScenarioError

RUN_SUFFIX = ".twinrun"
MOST_SCENES = 500
_SAMPLES = 2000


@dataclass(frozen=True)
class BranchOutcome:
    """Result of a run.

    Parameters
    ----------
    path
        Its file.
    t_s
        Simulated time [s].
    over
        Whether it has reached its end.
    goodput
        Goodput so far [-]; None: unknown.
    energy_j
        Energy of the site so far [J]; None: unknown.
    """

    path: Path
    t_s: float
    over: bool
    goodput: float | None
    energy_j: float | None


@dataclass(frozen=True)
class SceneBranch:
    """A scene of the tree.

    Parameters
    ----------
    name
        Name of its file; of a scene elsewhere the name that its branches use.
    path
        Its file; None: it lies elsewhere.
    title
        Of the scene; where it cannot be read, why.
    extends
        Name of the scene it extends; "": none.
    at_s
        Time of the cut in a run of that scene [s]; None: it is a variant without a cut.
    cut_from
        Name of the file of that run, as it was then.
    changes
        Its changes after the cut, in words.
    outcome
        Of the run beside it; None: there is none that can be read.
    unread
        Why the run beside it cannot be read, in one sentence; "": it can, or there is none.
    branches
        Scenes that extend it, by the time of their cuts.
    """

    name: str
    path: Path | None
    title: str
    extends: str = ""
    at_s: float | None = None
    cut_from: str = ""
    changes: tuple[str, ...] = ()
    outcome: BranchOutcome | None = None
    unread: str = ""
    branches: tuple[SceneBranch, ...] = ()

    def all(self, depth: int = 0) -> Iterator[tuple[int, SceneBranch]]:
        """Yield the scene and all scenes below it, each with its depth."""
        yield depth, self
        for branch in self.branches:
            yield from branch.all(depth + 1)


def tree_of(folder: Path) -> list[SceneBranch]:
    """Return the scenes of a folder that extend no other scene there, each with its branches."""
    paths = sorted(folder.glob(f"*{SUFFIX}"))[:MOST_SCENES]
    found = {path.name: _scene(path) for path in paths}
    for scene in list(found.values()):
        if scene.extends and scene.extends not in found:
            found[scene.extends] = _elsewhere(scene.extends)
    runs = _runs(folder)
    stems = {name: name.removesuffix(SUFFIX) for name in found}
    by_title = {title: path for stem, (title, path) in runs.items() if title and stem not in stems.values()}
    cut_from = {
        scene.extends: scene.cut_from.removesuffix(RUN_SUFFIX) for scene in found.values() if scene.cut_from
    }
    for name, scene in found.items():
        run = runs.get(stems[name]) or runs.get(cut_from.get(name, ""))
        path = run[1] if run is not None else by_title.get(scene.title)
        if path is not None:
            outcome, unread = outcome_of(path)
            found[name] = replace(scene, outcome=outcome, unread=unread)
    below: dict[str, list[SceneBranch]] = {}
    for scene in found.values():
        below.setdefault(scene.extends, []).append(scene)
    return [_grown(scene, below, ()) for scene in below.get("", [])]


def outcome_of(path: Path) -> tuple[BranchOutcome | None, str]:
    """Return the result of a run; or None, and why its file cannot be read."""
    try:
        with Reader(path) as reader:
            summary, t_s = reader.summary, reader.t_end_s
            if summary is not None:
                goodput, energy = summary.get("goodput"), summary.get("energy", {}).get("facility_j")
                return BranchOutcome(path, t_s, True, goodput, energy), ""
            times = reader.sample_times()
            last = reader.series(0, "site.goodput", float(times[-1]) if len(times) else t_s, points=1)
            goodput = float(last.mean[-1]) / 100.0 if len(last.mean) else None
            power = reader.series(0, "site.facility_w", points=_SAMPLES)
            energy = float(np.trapezoid(power.mean, power.t_s)) if len(power.t_s) > 1 else None
            return BranchOutcome(path, t_s, False, goodput, energy), ""
    except RunFileError as error:
        return None, str(error)
    except (KeyError, IndexError):
        return None, tr("{path}: this run file has no site channels", path=path)


def _grown(scene: SceneBranch, below: dict[str, list[SceneBranch]], above: tuple[str, ...]) -> SceneBranch:
    if scene.name in above:  # scenes that extend each other: loading them tells
        return scene
    children = sorted(below.get(scene.name, ()), key=lambda child: (child.at_s or 0.0, child.name))
    return replace(scene, branches=tuple(_grown(child, below, (*above, scene.name)) for child in children))


def _scene(path: Path) -> SceneBranch:
    try:
        document = read(path, path.name).tree.plain()
    except ScenarioError as error:
        return SceneBranch(path.name, path, tr("cannot be read: {reason}", reason=error.problems[0].reason))
    if not isinstance(document, dict):
        return SceneBranch(path.name, path, tr("is not a scene"))
    cut = document.get("branch")
    at_s = _seconds(cut.get("at")) if isinstance(cut, dict) else None
    entries = [*_entries(document, "interventions"), *_entries(document, "edits")]
    if at_s is not None:  # what has no id stands in its parent too; what is earlier was done by hand there
        entries = [entry for entry in entries if "id" in entry and (_seconds(entry.get("at")) or 0.0) >= at_s]
    changes = tuple(entry_in_words(entry) for entry in entries)
    cut_from = str(cut.get("run") or "") if isinstance(cut, dict) else ""
    title, extends = str(document.get("title", "")), str(document.get("extends") or "")
    return SceneBranch(path.name, path, title, extends, at_s, cut_from, changes)


def _elsewhere(name: str) -> SceneBranch:
    """Return a scene that lies in another place: a shipped one, or in a folder below."""
    try:
        return SceneBranch(name, None, _scene(builtin(name)).title)
    except ScenarioError:
        return SceneBranch(name, None, name)


def _entries(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = document.get(key)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _seconds(text: object) -> float | None:
    try:
        return units.parse(str(text), "duration")
    except units.UnitError:
        return None


def _runs(folder: Path) -> dict[str, tuple[str, Path]]:
    """Return the run files of a folder by their names without ending, each with the title of its scene.

    "" stands for a title that cannot be read.
    """
    found: dict[str, tuple[str, Path]] = {}
    for path in sorted(folder.glob(f"*{RUN_SUFFIX}"))[:MOST_SCENES]:
        try:
            with Reader(path) as reader:
                title = str(json.loads(reader.header.scenario_text).get("title"))
        except (RunFileError, ValueError, AttributeError):
            title = ""
        found[path.name.removesuffix(RUN_SUFFIX)] = title, path
    return found
