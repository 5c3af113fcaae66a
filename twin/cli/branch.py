"""`twin branch`: what if from here, and the tree of all that was asked so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.options import Json, Replace, a_file

if TYPE_CHECKING:
    from twin.analysis.branch import Started
    from twin.analysis.branch_tree import Branch
    from twin.record.reader import Reader
    from twin.scenario import Scenario

EXAMPLE = (
    "Example: twin branch lab.twinrun --at '5 h' --inject \"5 h power_cap all value='500 W'\" -o capped.twin.yaml "
    "--run capped.twinrun    (lab.twinrun is made by: twin run lab-16 --out lab.twinrun)"
)

_SHOWN = ("goodput", "ettr", "interruptions", "lost_gpu_h", "energy_j", "gpu_max_c")


def branch_run(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="A *.twinrun file.", show_default=False)
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Where the branch leaves the run, such as '5 h'.")
    ] = None,
    inject: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'T KIND TARGET [k=v]'", help="Do something from there on: '6 h pump_stop cdu/0 for=20s'."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Change one value at the cut: checkpoints and recovery of a job, the scheduler, or the hall: "
            "jobs[llama3].checkpoint.interval='5 min', scheduler.policy=easy.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="SCENE", parser=a_file, help="The branch, a *.twin.yaml file to write."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Of the branch; without it: what it does.")] = None,
    scene: Annotated[
        str | None,
        typer.Option(
            metavar="SCENE", help="The scene of the run; without it: found beside --out or shipped."
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            "--run", metavar="FILE", parser=a_file, help="Simulate the branch to its end into this file."
        ),
    ] = None,
    replace: Replace = False,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Where --run stops; without it where the run ended, or else at the scene's end.",
        ),
    ] = None,
    tree: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Print the tree of the scenes in a folder instead.")
    ] = None,
    json: Json = False,
) -> None:
    """Branch a run: the same until a time, other from there on.

    The branch is a scene that extends the scene of the run, with whatever people did to the run until then and with
    what is injected and set. Run from the start with the same seed it is the same run until the cut. With --run it is
    simulated at once, from the nearest snapshot, into a file that holds the whole run; where the run was stopped
    before the end of its scene, the branch stops as well.

    Exit code 0: done. 2: a file cannot be read, or what was asked for cannot be. 3: the simulation fails.
    """
    from twin.cli.errors import BadInput, told
    from twin.cli.output import print_json

    with told(run or str(tree or "")):
        if tree is not None:
            _tell_tree(tree, json)
            return
        if run is None or at is None or out is None:
            missing = "RUN" if run is None else "--at TIME" if at is None else "-o SCENE"
            raise BadInput(f"{missing} is missing: say which run, from when on, and where the branch goes")
        if record is not None:
            _must_not_lose(record, run, replace)
        elif replace:
            raise BadInput("--replace says that an older run at --run FILE may be lost; give both")
        said = _branch(run, at, inject or [], set_ or [], out, title, scene, record, until)
        if json:
            print_json(said)
        else:
            _print(said)


def _branch(
    run: str,
    at: str,
    injections: list[str],
    settings: list[str],
    out: Path,
    title: str | None,
    scene: str | None,
    record: Path | None,
    until: str | None,
) -> dict[str, Any]:
    """Write the branch and, where asked for, its run; return what is told of them."""
    from twin.analysis.branch import branch_scene, end_of_branch, parent_scene, start_branch
    from twin.analysis.branch_changes import in_words, set_from
    from twin.cli.errors import BadInput
    from twin.cli.scene import SCENE_SUFFIX, must_be_run, refusals, scene_path, time_of
    from twin.record.reader import Reader
    from twin.scenario import loads, parse_injection
    from twin.whole_file import write_whole

    must_be_run(run)
    if not out.name.endswith(SCENE_SUFFIX):
        raise BadInput(f"-o: {out} is no name of a scene; end it with {SCENE_SUFFIX}")
    if until is not None and record is None:
        raise BadInput("--until says where the branch stops that --run FILE simulates; give both")
    with Reader(run) as reader:
        start = reader.header.scenario.start
        at_s = time_of(at, "--at", reader.header.scenario, reader.t_end_s)
        until_s = end_of_branch(reader, at_s) if until is None else _end(until, at_s, reader)
        additions = [*set_from(settings, at_s), *(parse_injection(text, start) for text in injections)]
        early = next((one for one in additions if one.at_s < at_s), None)
        if early is not None:
            raise BadInput(
                f"--inject: {in_words(early)!r} is asked for before the cut at {at}; give it a later time"
            )
        known = None if scene is None else _known(scene, scene_path)
        _must_not_be_lost(out)
        extends = parent_scene(reader, out.parent, known, at_s)
        _must_not_be_lost(out, extends)
        words = [in_words(one) for one in additions]
        name = title or f"{'; '.join(words) or 'No change'} from {at} on"
        text = branch_scene(extends, out.parent, reader, at_s, additions, name[:200])
        branch = loads(text, out.name, out.parent).scenario
        refused = [one for one in refusals(branch) if one not in refusals(reader.header.scenario)]
        if refused:
            raise BadInput(f"--inject: {': '.join(refused[0])}")
        write_whole(out, text.encode())
        said: dict[str, Any] = {
            "scene": str(out),
            "extends": extends,
            "title": branch.title,
            "at_s": at_s,
            "events": branch.branch.events if branch.branch is not None else None,
            "event_hash": branch.branch.event_hash if branch.branch is not None else None,
            "changes": words,
            "until_s": until_s,
            "parent_simulated_s": reader.t_end_s,
            "parent_over": reader.summary is not None,
            "scene_end_s": reader.header.end_s,
            "run": None,
            "from_s": None,
            "parent": None,
            "summary": None,
        }
        if record is not None:
            started = start_branch(reader, at_s, out, record)
            said |= {"run": str(record), "from_s": started.from_s, "parent": reader.summary}
            said["summary"] = _simulate(reader, branch, started, at_s, until_s)
    return said


def _must_not_lose(record: Path, run: str, replace: bool) -> None:
    """Refuse to record a branch over the run that is branched, another run or somebody's file; raises `BadInput`."""
    from twin.cli.errors import BadInput
    from twin.cli.scene import is_run
    from twin.cli.target import must_not_lose_a_run

    if not record.exists():
        return
    if record.resolve() == Path(run).resolve():
        raise BadInput(f"--run: {record} is the run that is branched; name another file")
    if not record.is_file() or not is_run(str(record)):
        raise BadInput(f"--run: {record} is there, and is no recorded run; name another file")
    must_not_lose_a_run(record, "--run", replace)


def _must_not_be_lost(out: Path, extends: str | None = None) -> None:
    """Refuse to write a branch over a scene that is none, or over one of another parent; raises `BadInput`."""
    from twin.cli.errors import BadInput
    from twin.scenario import ScenarioError
    from twin.scenario.extend import read

    if not out.exists():
        return
    try:
        said = read(out, out.name).tree.plain()
    except ScenarioError as error:
        reason = error.problems[0].reason
        raise BadInput(f"-o: {out} is there, and is no branch ({reason}); name another file") from None
    if not isinstance(said, dict) or "branch" not in said:
        raise BadInput(f"-o: {out} is a scene and no branch, and would be lost; name another file")
    if extends is not None and said.get("extends") != extends:
        raise BadInput(
            f"-o: {out} is a branch of {said.get('extends')}, and would become one of {extends}; name another file"
        )


def _end(until: str, at_s: float, reader: Reader) -> float:
    """Return what --until means [s]; raises `BadInput` where the branch has no such time."""
    from twin.cli.errors import BadInput
    from twin.cli.scene import time_of
    from twin.units import spoken

    end_s = reader.header.end_s
    until_s = time_of(until, "--until", reader.header.scenario, end_s)
    if not at_s < until_s <= end_s:
        raise BadInput(
            f"--until: {until!r} is no time of the branch; it goes from {spoken(at_s)} to {spoken(end_s)}"
        )
    return until_s


def _known(scene: str, path_of: Any) -> Path | str:
    from twin.scenario.extend import builtin_names

    name = scene.removeprefix("builtin:")
    if not Path(scene).is_file() and name in builtin_names():
        return f"builtin:{name}"
    path: Path = path_of(scene)
    return path


def _simulate(
    parent: Reader, branch: Scenario, started: Started, at_s: float, until_s: float | None
) -> dict[str, Any]:
    """Simulate a branch to its end, or to a time [s]; return its summary."""
    from twin.analysis.branch import first_departure
    from twin.cli.errors import Failure, warn
    from twin.cli.progress import progress
    from twin.record.reader import Reader
    from twin.runtime.inline import go_on

    try:
        with progress(branch.title) as show:
            result = go_on(branch, started.run_file, until_s, show)
    except ValueError as error:
        raise Failure(str(error)) from error
    with Reader(started.run_file) as reader:
        gone = first_departure(parent, reader, at_s)
    if gone is not None:
        raise Failure(
            f"{parent.path}: this program simulates that run otherwise, from {gone.t_s:.3f} s on ({gone.kind} "
            f"{gone.subject}); see twin verify {parent.path}, and run the scene anew before branching"
        )
    for event in result.engine.events(0):
        if event.kind == "refused" and event.t_s >= at_s:
            warn(f"not done: {event.subject}: {event.text}")
    return result.engine.summary()


def _print(said: dict[str, Any]) -> None:
    from twin.analysis.branch import time_text
    from twin.analysis.figures import FIGURES
    from twin.analysis.unlike import lengths_apart
    from twin.cli.tables import console, print_table
    from twin.units import spoken

    def say(text: str) -> None:
        console().print(text, markup=False, soft_wrap=True)

    at = spoken(said["at_s"])
    say(f"{said['scene']}: extends {said['extends']}, leaves it at {at} behind {said['events']:,} events")
    for words in said["changes"] or ["nothing is changed: as far as that goes it is the same run"]:
        say(f"  {words}")
    until_s, stopped_s, end_s = said["until_s"], said["parent_simulated_s"], said["scene_end_s"]
    if said["run"] is None:
        say(
            f"run it with: twin run {said['scene']}" + (f" --until '{time_text(until_s)}'" if until_s else "")
        )
        return
    parent, branch = said["parent"], said["summary"]
    begun = f"from its snapshot at {spoken(said['from_s'])}" if said["from_s"] else "from the start"
    reached_s = branch["simulated_s"]
    why = ""
    if until_s == stopped_s:
        why = f", where the run was stopped; its scene lasts {spoken(end_s)}"
    elif reached_s >= end_s > stopped_s:
        why = ", the end of its scene"
    say(f"{said['run']}: simulated {begun} to {spoken(reached_s)}{why}")
    if not said["parent_over"]:
        say(f"The run is not over: it is recorded up to {spoken(stopped_s)}, and its figures are not known.")
    elif apart := lengths_apart(stopped_s, reached_s, "The run", "the branch"):
        say(apart)
    shown = [one for one in FIGURES if one.key in _SHOWN]
    rows = [("simulated", spoken(stopped_s), spoken(reached_s))]
    rows += [(one.title, _figure(one, parent), _figure(one, branch)) for one in shown]
    print_table(("", "run", "branch"), rows, right=2)


def _figure(figure: Any, summary: dict[str, Any] | None) -> str:
    from twin.analysis.figure_words import value_words

    value = None if summary is None else figure.of(summary)
    return "-" if value is None else value_words(figure, value)


# --- the tree


def _tell_tree(folder: Path, json: bool) -> None:
    from twin.analysis.branch_tree import tree_of
    from twin.cli.errors import BadInput
    from twin.cli.output import print_json

    if not folder.is_dir():
        raise BadInput(f"--tree: {folder} is no folder; name the one in which the scenes lie")
    roots = tree_of(folder)
    if json:
        print_json({"folder": str(folder), "scenes": [_as_json(one) for one in roots]})
    else:
        _print_tree(folder, roots)


def _as_json(one: Branch) -> dict[str, Any]:
    run = one.outcome
    return {
        "scene": one.name,
        "title": one.title,
        "at_s": one.at_s,
        "changes": list(one.changes),
        "run": None if run is None else run.path.name,
        "simulated_s": None if run is None else run.t_s,
        "over": None if run is None else run.over,
        "goodput": None if run is None else run.goodput,
        "energy_j": None if run is None else run.energy_j,
        "branches": [_as_json(child) for child in one.branches],
    }


def _print_tree(folder: Path, roots: list[Branch]) -> None:
    from twin.analysis.figure_words import quantity_words
    from twin.cli.tables import console, print_table
    from twin.units import spoken

    if not roots:
        console().print(f"{folder}: no *.twin.yaml lies here", markup=False, soft_wrap=True)
        return
    rows = []
    for root in roots:
        for depth, one in root.all():
            run = one.outcome
            cut = "" if one.at_s is None else spoken(one.at_s)
            goodput = "" if run is None or run.goodput is None else f"{100 * run.goodput:.2f} %"
            energy = "" if run is None or run.energy_j is None else quantity_words(run.energy_j, "energy")
            lasts = "" if run is None else spoken(run.t_s) + ("" if run.over else ", not over")
            name = "  " * depth + _called(one, run is not None)
            changes = "; ".join(one.changes) if one.at_s is not None else ""
            rows.append((name, cut, changes, lasts, goodput, energy))
    print_table(("scene", "cut at", "what it changes", "simulated", "goodput", "energy"), rows, right=3)
    for sentence in _apart(roots):
        console().print(sentence, markup=False, soft_wrap=True)


def _called(one: Branch, with_run: bool = False) -> str:
    """Return how people call a scene; of a shipped one also from which run what stands beside it is."""
    if not one.name.startswith("builtin:"):
        return one.name.removesuffix(".twin.yaml") + ("" if one.path is not None else " (not in this folder)")
    run = f", {one.outcome.path.name}" if with_run and one.outcome is not None else ""
    return f"{one.name.removeprefix('builtin:')} (shipped{run})"


def _apart(roots: list[Branch]) -> list[str]:
    """Return a sentence on each branch whose run is not as long as that of the scene it extends."""
    from twin.analysis.unlike import lengths_apart

    found = []
    for one in (one for root in roots for _, one in root.all()):
        for child in one.branches:
            if child.at_s is not None and one.outcome is not None and child.outcome is not None:
                names = (_called(other) for other in (one, child))
                found.append(lengths_apart(one.outcome.t_s, child.outcome.t_s, *names))
    return [sentence for sentence in found if sentence]
