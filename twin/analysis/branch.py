"""Branches of a run: the scene of a branch, and the run file that it continues.

A branch is a scene that `extends` the one of its parent. It holds what people did in the parent's run up to the cut,
and what is added from then on; so a run of it from the start is the branch, whoever runs it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count, zip_longest
from pathlib import Path
from typing import TypeVar

from twin import units
from twin.analysis.rerun import asked_of, settled
from twin.commands.edit.draft_steps import edit_text
from twin.language import tr
from twin.record.branching import branch_copy, events_before
from twin.record.events import Event
from twin.record.hash import EventHash
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario import Document, Problem, ScenarioError, load, loads
from twin.scenario.file.effective_text import plain, show
from twin.scenario.reading.extend import SUFFIX, builtin_names
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import BranchPoint, Edit
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.own_files import OwnFile, own_digest
from twin.scenario.schema.quantity import rendered
from twin.scenario.text.emit import block, flow, scalar
from twin.units import spoken
from twin.whole_file import write_whole

Addition = Intervention | Edit
_OTHERWISE = {
    "extends": None,
    "branch": None,
    "notes": "",
    "sources": (),
    "seed": 0,
    "speed": None,
    "chapters": (),
}
"""What may differ between two scenes of the same title of which the same run is made, its seed given."""
T = TypeVar("T", Intervention, Edit)


@dataclass(frozen=True)
class Started:
    """A branch that is ready to run.

    Parameters
    ----------
    document
        Its scene, as it lies in its file.
    run_file
        The run file that it continues.
    from_s
        Time of the snapshot that it continues from [s].
    """

    document: Document
    run_file: Path
    from_s: float


def parent_scene(
    reader: Reader, folder: Path, known: Path | str | None = None, at_s: float = math.inf
) -> str:
    """Return the key `extends` of a branch in `folder`, cut at `at_s` [s]: a path below it, or ``builtin:NAME``.

    The scene of the run is `known`, or lies in the folder, or is a shipped one: whichever means what was run. Where
    there is none, as of a run file that was moved, of a scene that has been changed since, or of one out of which
    something was taken before the cut, the scene is written into the folder from what the run file holds.

    Raises
    ------
    ScenarioError
        When it cannot be written.
    """
    header = reader.header
    scenario = settled(reader, at_s).scene(header.scenario)
    candidates: list[Path | str] = [] if known is None else [known]
    candidates += sorted(folder.glob(f"*{SUFFIX}"))
    candidates += [f"builtin:{name}" for name in builtin_names()]
    for candidate in candidates:
        name = _name_in(candidate, folder)
        if name is not None and _means(candidate, scenario):
            return name
    text = show(scenario, exact=True)
    path = _free(folder, reader.path.name.removesuffix(".twinrun") or "parent")
    try:
        write_whole(path, text.encode())
    except OSError as error:
        reason = tr("cannot be written: {reason}", reason=error.strerror or error)
        raise ScenarioError([Problem(str(path), 0, "", "", reason)]) from None
    return path.name


def branch_scene(
    extends: str, folder: Path, reader: Reader, at_s: float, additions: Sequence[Addition], title: str
) -> str:
    """Return the text of a branch.

    Parameters
    ----------
    extends
        The scene of the run, as `parent_scene` returns it.
    folder
        Where the branch will lie.
    reader
        Reader of the parent run.
    at_s
        When [s].
    additions
        Interventions and edits after the cut; those with an earlier time act at the cut.
    title
        Of the branch.

    Raises
    ------
    ScenarioError
        When the run has no such time, or an addition is invalid.
    RunFileError
        When the run file is damaged.
    """
    header = reader.header
    end_s = header.end_s if reader.summary is None else reader.t_end_s
    if not 0.0 <= at_s <= end_s:
        reason = tr("the run has no time {at}", at=units.spoken(at_s))
        raise _wrong("branch", "at", reason, tr("the run covers 0 s to {end}", end=units.spoken(end_s)))
    parent = loads(_head(header.scenario, extends, "parent"), _free(folder, "parent").name, folder)
    by_hand = [request.done for request in asked_of(reader, at_s)]
    wanted = [
        addition if addition.at_s >= at_s else addition.model_copy(update={"at_s": at_s})
        for addition in additions
    ]
    done = [addition for addition in (*by_hand, *wanted) if isinstance(addition, Intervention)]
    edits = [addition for addition in (*by_hand, *wanted) if isinstance(addition, Edit)]
    events, event_hash = events_before(reader, at_s)
    cut = {"at": time_text(at_s), "run": reader.path.name[:200], "events": events, "hash": event_hash}
    if parts := own_digest(header.scenario.own_files):
        cut["parts"] = parts
    text = _head(header.scenario, extends, title)
    text += block({"notes": _notes(reader, at_s, events, event_hash)})
    text += f"branch: {flow(cut)}\n"
    if parent.scenario.seed != header.seed:
        text += f"seed: {header.seed}\n"
    text += _list("interventions", _interventions(parent.scenario, done))
    text += _list("edits", [edit_text(edit) for edit in _named(parent.scenario.edits, edits)])
    try:
        loads(text, _free(folder, "branch").name, folder)
    except ScenarioError as error:  # nobody has seen the lines of this text yet
        raise ScenarioError(
            replace(problem, file="the branch", line=0) for problem in error.problems
        ) from None
    return text


def end_of_branch(reader: Reader, at_s: float) -> float | None:
    """Return the default end of a branch cut at `at_s` [s]; None: the end of its scene [s].

    It ends where the run was made to end before its scene does, so that both are as long. A run that is not over, or
    that ended with its last job, says nothing of the kind; nor does one that is branched where it ended.

    Raises
    ------
    RunFileError
        When the run file is damaged.
    """
    header, summary, end_s = reader.header, reader.summary, reader.t_end_s
    if summary is None or not at_s < end_s < header.end_s:
        return None
    try:
        ended = [job["end_s"] is not None for job in summary["jobs"]]
    except (KeyError, TypeError) as error:
        raise RunFileError(tr("{path}: the summary of this run file is damaged", path=reader.path)) from error
    if header.scenario.ends != "duration" and ended and all(ended):
        return None
    return end_s


def start_branch(reader: Reader, at_s: float, path: Path, out: Path) -> Started:
    """Make the run file `out` that the branch at `path` continues from its cut at `at_s` [s].

    Raises
    ------
    ScenarioError
        When the branch cannot be loaded.
    RunFileError
        When the run cannot be read, or the copy not be written.
    """
    document = load(path)
    spans = settled(reader, at_s).spans
    return Started(document, out, branch_copy(reader, out, document.scenario, at_s, spans))


def time_text(at_s: float) -> str:
    """Return a time as text for a file, exact to the bit."""
    text = rendered(at_s, "duration")
    return text if units.parse(text, "duration") == at_s else f"{at_s!r} s"


def other_than(parent: Reader, simulated: Sequence[Event], until_s: float) -> Event | None:
    """Return the first event before `until_s` [s] that differs between a simulation and a run file; None: no event.

    `simulated` are its events, from any row on: those before lie behind the snapshot it went on from.
    """
    recorded_events = parent.all_events(simulated[0].row) if simulated else []
    for recorded, repeated in zip_longest(recorded_events, simulated):
        first = min(
            (event for event in (recorded, repeated) if event is not None), key=lambda event: event.t_s
        )
        if first.t_s >= until_s or recorded != repeated:
            return None if first.t_s >= until_s else first
    return None


def _name_in(scene: Path | str, folder: Path) -> str | None:
    """Return the name by which a scene in `folder` extends another; None: it cannot."""
    if isinstance(scene, str) and scene.startswith("builtin:"):
        return scene
    try:
        return Path(scene).resolve().relative_to(folder.resolve()).as_posix()
    except (ValueError, OSError):
        return None


def _means(scene: Path | str, scenario: Scenario) -> bool:
    """Return whether a scene is that of the run."""
    try:
        loaded = load(scene).scenario
    except ScenarioError:
        return False
    return loaded.model_copy(update=_OTHERWISE) == scenario.model_copy(update=_OTHERWISE)


def _free(folder: Path, name: str) -> Path:
    """Return an unused path in a folder."""
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "parent"
    names = (f"{stem}-{number}" if number else stem for number in count())
    return next(path for stem_numbered in names if not (path := folder / f"{stem_numbered}{SUFFIX}").exists())


def _head(scenario: Scenario, extends: str, title: str) -> str:
    catalog = json.dumps(scenario.catalog)
    return (
        f"format: {scenario.format}\nversion: {scenario.version}\ncatalog: {catalog}\n"
        f"extends: {scalar(extends)}\ntitle: {scalar(title)}\n"
    )


def _notes(reader: Reader, at_s: float, events: int, event_hash: str) -> str:
    return tr(
        "A branch of the run {name}, seed {seed}, branched at {at} ({at_s:g} s).\nUntil "
        "then it is that run: {events} events of hash {event_hash}.\n",
        name=reader.path.name,
        seed=reader.header.seed,
        at=units.spoken(at_s),
        at_s=at_s,
        events=events,
        event_hash=event_hash,
    )


def _interventions(parent: Scenario, done: Sequence[Intervention]) -> list[str]:
    """Return the entries of `interventions` beyond the parent's, with the parent's where they have no ids.

    Lists are merged by id where all their items have one; else a list stands instead of the one it extends.
    """
    before = parent.interventions
    whole = bool(done) and any(intervention.id is None for intervention in before)
    return [
        flow(plain(intervention, exact=True))
        for intervention in (*(before if whole else ()), *_named(before, done))
    ]


def _named(before: Sequence[T], items: Sequence[T]) -> list[T]:
    """Return items with ids that differ from those of the items before."""
    taken = {item.id for item in before}
    made = []
    for item in items:
        stem = item.id or _stem(item)
        names = (stem if item.id and not number else f"{stem[:30]}-{number or 1}" for number in count())
        id = next(name for name in names if name not in taken)
        taken.add(id)
        made.append(item.model_copy(update={"id": id}))
    return made


def _stem(addition: Addition) -> str:
    return addition.kind.replace("_", "-") if isinstance(addition, Intervention) else "edit"


def _list(key: str, entries: Sequence[str]) -> str:
    indented = (entry.replace("\n", "\n    ") for entry in entries)
    return f"{key}:\n" + "".join(f"  - {entry}\n" for entry in indented) if entries else ""


def _wrong(name: str, key: str, reason: str, hint: str) -> ScenarioError:
    return ScenarioError([Problem(name, 0, key, "", reason, hint)])


_SHOWN = 12
"""Digits of a hash that people are shown."""


def shared_past_s(a: Reader, b: Reader) -> float | None:
    """Return the time at which one of two runs branches from the other [s]; None: neither does.

    Raises
    ------
    RunFileError
        When one of them is damaged.
    """
    if (a.header.seed, a.header.redraws) != (b.header.seed, b.header.redraws):
        return None
    for parent, branch in ((a, b), (b, a)):
        point = branch.header.scenario.branch
        if point is not None and events_before(parent, point.at_s) == (point.events, point.event_hash):
            return point.at_s
    return None


def other_past(point: BranchPoint, events: Iterable[Event], own_files: tuple[OwnFile, ...] = ()) -> str:
    """Return a sentence when a branch differs from its parent before the cut; "": they are equal.

    Parameters
    ----------
    point
        The cut, with the events of the parent until then.
    events
        Of the branch, in order, from its start to beyond the cut.
    own_files
        Own parts and models of the branch.
    """
    if own_digest(own_files) != point.own_parts:
        return tr(
            "The own parts or models beside this branch are others than those of its run, {run}: what it was before "
            "the branch time {at} is not what it would be now.",
            run=point.run,
            at=spoken(point.at_s),
        )
    made = EventHash()
    for event in events:
        if event.t_s >= point.at_s:
            break
        made.update(event)
    if (made.count, made.hexdigest()) == (point.events, point.event_hash):
        return ""
    return tr(
        "This branch differs from its run, {run}, before the branch time {at}: {count:,} "
        "events with hash {hexdigest}, not {events:,} with {event_hash}. Its seed, the scene "
        "it extends, the program or the data have changed.",
        run=point.run,
        at=spoken(point.at_s),
        count=made.count,
        hexdigest=made.hexdigest()[:_SHOWN],
        events=point.events,
        event_hash=point.event_hash[:_SHOWN],
    )
