"""`twin branch`: what if from here, and the tree of all that was asked so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.completion import runs
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Replace, a_file

if TYPE_CHECKING:
    from twin.analysis.branch import Addition, Started
    from twin.analysis.what_if import WhatIf
    from twin.record.reader import Reader
    from twin.scenario import Scenario

EXAMPLE = (
    "Example: twin branch lab.twinrun --at '5 h' --inject \"5 h power_cap all value='500 W'\" -o capped.twin.yaml "
    "--run capped.twinrun    (lab.twinrun is made by: twin run lab-16 --out lab.twinrun)"
)
FORMAT = JsonFormat("branch")

_SHOWN = ("goodput", "ettr", "interruptions", "lost_gpu_h", "energy_j", "gpu_max_c")


def branch_run(
    run: Annotated[
        str | None,
        typer.Argument(metavar="RUN", help="A *.twinrun file.", show_default=False, autocompletion=runs),
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="Time of the branch, such as '5 h'.")] = None,
    inject: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'T KIND TARGET [k=v]'",
            help="Inject a fault or an action after that time: '6 h pump_stop cdu/0 for=20s'. May be repeated.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Change one value at the time of the branch: checkpoints and recovery of a job, the scheduler, or "
            "the hall: jobs[llama3].checkpoint.interval='5 min', scheduler.policy=easy. May be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="SCENE",
            parser=a_file,
            help="Scene of the branch to write, a *.twin.yaml file.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the branch (default: what it changes).")] = None,
    scene: Annotated[
        str | None,
        typer.Option(metavar="SCENE", help="Scene of the run (default: found beside --out, or shipped)."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            "--run", metavar="FILE", parser=a_file, help="Simulate the branch to its end, into this run file."
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="With --run: continue the run to the same end, and compare both after the branch.",
        ),
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=10_000,
            metavar="N",
            help="With --compare: over N futures. Both keep the past; from the branch on each seed draws new random "
            "events, the same for both.",
        ),
    ] = None,
    replace: Replace = False,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Stop --run at this time (default: the end of the run, or else of the scene).",
        ),
    ] = None,
    tree: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Print the tree of branches in a folder instead.")
    ] = None,
    json: Json = False,
) -> None:
    """Branch a run at a time: the same before, changed after it.

    The branch is a scene that extends the scene of the run, with whatever people did to the run until then and with
    what is injected and set. Run from the start with the same seed it is the same run until then. With --run it is
    simulated at once, from the nearest snapshot, into a file that holds the whole run; where the run was stopped
    before the end of its scene, the branch stops as well. With --run alone the scene lies beside the run.

    With --compare the run continues to the same end and both are compared: they share one past, so every difference
    comes from the change. Over --seeds N, intervals say how sure that is.

    Exit code 0: done. 2: a file cannot be read, or the branch is not possible. 3: the simulation fails.
    """
    from twin.cli.branch_tree import tell_tree
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.output import print_json

    with reporting_errors(run or str(tree or "")):
        if tree is not None:
            tell_tree(tree, json)
            return
        if out is None and record is not None:
            out = _scene_path_for(record)
        if run is None or at is None or out is None:
            missing = "RUN" if run is None else "--at TIME" if at is None else "-o SCENE or --run FILE"
            raise BadInput(f"missing {missing}")
        if compare and record is None:
            raise BadInput(
                "--compare compares the run with its branch, which --run FILE simulates; give both"
            )
        if seeds is not None and not compare:
            raise BadInput("--seeds says over how many futures --compare compares; give both")
        if record is not None:
            _must_not_lose(record, run, replace)
        elif replace:
            raise BadInput("--replace says that an older run at --run FILE may be overwritten; give both")
        report, asked, additions = _branch(
            run, at, inject or [], set_ or [], out, title, scene, record, until, compare=compare
        )
        if asked is not None:
            from twin.cli.branch_compare import answer_json, compared_futures, print_answer

            found = compared_futures(asked, report["summary"], seeds)
            report["comparison"] = answer_json(found, additions, asked, run)
        if json:
            print_json(FORMAT, report)
        elif asked is None:
            _print(report)
        else:
            _print_head(report)
            print_answer(found, additions, asked, (run, f"{record}: {report['title']}"))


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
    *,
    compare: bool,
) -> tuple[dict[str, Any], WhatIf | None, list[Addition]]:
    """Write the branch and, where asked for, its run; return their JSON and the runs to compare."""
    from twin.analysis.branch import branch_scene, end_of_branch, parent_scene, start_branch
    from twin.analysis.branch_changes import in_words, set_from
    from twin.analysis.what_if import what_if
    from twin.cli.errors import BadInput
    from twin.cli.scene import SCENE_SUFFIX, must_be_run, refusals, scene_path, time_of, warn_if_late
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
        injected = [parse_injection(text, start) for text in injections]
        end_s = reader.header.end_s if record is None or until_s is None else until_s
        for text, injection in zip(injections, injected, strict=True):
            warn_if_late(text, injection.at_s, end_s)
        additions = [*set_from(settings, at_s), *injected]
        early = next((addition for addition in additions if addition.at_s < at_s), None)
        if early is not None:
            raise BadInput(
                f"--inject: {in_words(early)!r} is before the branch at {at}; give it a later time"
            )
        known = None if scene is None else _known(scene, scene_path)
        _must_not_be_lost(out)
        extends = parent_scene(reader, out.parent, known, at_s)
        _must_not_be_lost(out, extends)
        words = [in_words(addition) for addition in additions]
        name = title or f"{'; '.join(words) or 'No change'} from {at} on"
        text = branch_scene(extends, out.parent, reader, at_s, additions, name[:200])
        branch = loads(text, out.name, out.parent).scenario
        refused = [refusal for refusal in refusals(branch) if refusal not in refusals(reader.header.scenario)]
        if refused:
            raise BadInput(f"--inject: {': '.join(refused[0])}")
        write_whole(out, text.encode())
        report: dict[str, Any] = {
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
            "comparison": None,
        }
        asked = None
        if record is not None:
            started = start_branch(reader, at_s, out, record)
            report |= {"run": str(record), "from_s": started.from_s, "parent": reader.summary}
            report["summary"] = _simulate(reader, branch, started, at_s, until_s)
            asked = what_if(reader, branch, at_s, until_s) if compare else None
    return report, asked, additions


def _scene_path_for(record: Path) -> Path:
    """Return where the scene of a branch goes whose run goes to `record`."""
    from twin.cli.scene import RUN_SUFFIX, SCENE_SUFFIX

    return record.with_name(record.name.removesuffix(RUN_SUFFIX) + SCENE_SUFFIX)


def _must_not_lose(record: Path, run: str, replace: bool) -> None:
    """Refuse to record a branch over the run that is branched, another run or somebody's file; raises `BadInput`."""
    from twin.cli.errors import BadInput
    from twin.cli.scene import is_run
    from twin.cli.target import must_have_folder, must_not_lose_a_run

    if not record.exists():
        must_have_folder(record, "--run")
        return
    if record.resolve() == Path(run).resolve():
        raise BadInput(f"--run: {record} is the run that is branched; name another file")
    if not record.is_file() or not is_run(str(record)):
        raise BadInput(f"--run: {record} exists and is no recorded run; name another file")
    must_not_lose_a_run(record, "--run", replace)


def _must_not_be_lost(out: Path, extends: str | None = None) -> None:
    """Refuse to write a branch over a scene that is none, or over one of another parent; raises `BadInput`."""
    from twin.cli.errors import BadInput
    from twin.cli.target import must_have_folder
    from twin.scenario import ScenarioError
    from twin.scenario.reading.extend import read

    must_have_folder(out, "-o")
    if not out.exists():
        return
    try:
        document = read(out, out.name).tree.plain()
    except ScenarioError as error:
        reason = error.problems[0].reason
        raise BadInput(f"-o: {out} exists and is no branch ({reason}); name another file") from None
    if not isinstance(document, dict) or "branch" not in document:
        raise BadInput(f"-o: {out} is a scene and no branch, and would be overwritten; name another file")
    if extends is not None and document.get("extends") != extends:
        raise BadInput(
            f"-o: {out} is a branch of {document.get('extends')}, and would become one of {extends}; name another file"
        )


def _end(until: str, at_s: float, reader: Reader) -> float:
    """Return the time of --until [s]; raises `BadInput` where the branch has no such time."""
    from twin.cli.errors import BadInput
    from twin.cli.scene import time_of
    from twin.units import spoken

    end_s = reader.header.end_s
    until_s = time_of(until, "--until", reader.header.scenario, end_s)
    if not at_s < until_s <= end_s:
        raise BadInput(
            f"--until: {until!r} is outside the branch, which lasts from {spoken(at_s)} to {spoken(end_s)}"
        )
    return until_s


def _known(scene: str, path_of: Any) -> Path | str:
    from twin.scenario.reading.extend import builtin_names

    name = scene.removeprefix("builtin:")
    if not Path(scene).is_file() and name in builtin_names():
        return f"builtin:{name}"
    path: Path = path_of(scene)
    return path


def _simulate(
    parent: Reader, branch: Scenario, started: Started, at_s: float, until_s: float | None
) -> dict[str, Any]:
    """Simulate a branch to its end, or to a time [s]; return its summary."""
    from twin.analysis.branch import other_than
    from twin.cli.errors import Failure, warn
    from twin.cli.progress import progress
    from twin.runtime.inline import go_on

    try:
        with progress(branch.title) as show:
            result = go_on(branch, started.run_file, until_s, show)
    except ValueError as error:
        raise Failure(str(error)) from error
    gone = other_than(parent, result.engine.events(0), at_s)
    if gone is not None:
        raise Failure(
            f"{parent.path}: this program simulates that run differently from {gone.t_s:.3f} s on ({gone.kind} "
            f"{gone.subject}); see twin verify {parent.path}, and run the scene again before branching"
        )
    for event in result.engine.events(0):
        if event.kind == "refused" and event.t_s >= at_s:
            warn(f"not done: {event.subject}: {event.text}")
    return result.engine.summary()


def _say(text: str) -> None:
    from twin.cli.tables import console

    console().print(text, markup=False, soft_wrap=True)


def _print_head(report: dict[str, Any]) -> None:
    """Print the time at which the branch leaves its run, and its changes."""
    from twin.units import spoken

    at = spoken(report["at_s"])
    _say(
        f"{report['scene']}: extends {report['extends']}, branches at {at} (after {report['events']:,} events)"
    )
    for words in report["changes"] or ["no change: the branch repeats its run"]:
        _say(f"  {words}")


def _print(report: dict[str, Any]) -> None:
    from twin.analysis.branch import time_text
    from twin.analysis.figures import FIGURES
    from twin.analysis.run_mismatch import lengths_apart
    from twin.cli.tables import print_table
    from twin.units import spoken

    _print_head(report)
    until_s, stopped_s, end_s = report["until_s"], report["parent_simulated_s"], report["scene_end_s"]
    if report["run"] is None:
        _say(
            f"run it with: twin run {report['scene']}"
            + (f" --until '{time_text(until_s)}'" if until_s else "")
        )
        return
    parent, branch = report["parent"], report["summary"]
    begun = f"from its snapshot at {spoken(report['from_s'])}" if report["from_s"] else "from the start"
    reached_s = branch["simulated_s"]
    why = ""
    if until_s == stopped_s:
        why = f", where the run was stopped; its scene lasts {spoken(end_s)}"
    elif reached_s >= end_s > stopped_s:
        why = ", the end of its scene"
    _say(f"{report['run']}: simulated {begun} to {spoken(reached_s)}{why}")
    if not report["parent_over"]:
        _say(f"The run is not over: it is recorded up to {spoken(stopped_s)}, and its figures are not known.")
    elif apart := lengths_apart(stopped_s, reached_s, "The run", "the branch"):
        _say(apart)
    shown = [figure for figure in FIGURES if figure.key in _SHOWN]
    rows = [("simulated", spoken(stopped_s), spoken(reached_s))]
    rows += [(figure.title, _figure(figure, parent), _figure(figure, branch)) for figure in shown]
    print_table(("", "run", "branch"), rows, right=2)


def _figure(figure: Any, summary: dict[str, Any] | None) -> str:
    from twin.analysis.figure_words import value_words

    value = None if summary is None else figure.of(summary)
    return "-" if value is None else value_words(figure, value)
