"""`twin lesson`: list and check lessons, begin one, report on a class, print handouts."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli import completion
from twin.cli.commands import Commands
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Overwrite, a_file

if TYPE_CHECKING:
    from twin.lessons.class_results import ClassResults
    from twin.lessons.lesson_file import LessonFile

LIST_FORMAT = JsonFormat("lesson-list")
CHECK_FORMAT = JsonFormat("lesson-check")
REPORT_FORMAT = JsonFormat("class-report")

app = typer.Typer(
    cls=Commands,
    help="List and check lessons, begin one, and report on a class.",
    epilog="Example: twin lesson run pump-trip",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Lesson = Annotated[
    str,
    typer.Argument(
        metavar="LESSON",
        help="A *.twin-lesson.yaml file or the name of a shipped lesson.",
        show_default=False,
        autocompletion=completion.lessons,
    ),
]


class DoneBy(StrEnum):
    """Who does a lesson without a window."""

    solution = "solution"
    nothing = "nothing"


@app.command("list", epilog="Example: twin lesson list")
def list_lessons(json: Json = False) -> None:
    """List the shipped lessons by course."""
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json
    from twin.cli.tables import print_table
    from twin.lessons.class_results import known_lessons

    with reporting_errors():
        rows = [(id, file.lesson()) for id, file in known_lessons().items()]
        rows.sort(key=lambda row: (row[1].course, row[1].place))
        if json:
            listed = [
                {
                    "id": id,
                    "title": lesson.title,
                    "course": lesson.course,
                    "place": lesson.place,
                    "audience": lesson.audience,
                    "minutes": lesson.minutes,
                    "steps": len(lesson.steps),
                }
                for id, lesson in rows
            ]
            print_json(LIST_FORMAT, {"lessons": listed})
            return
        table = [(lesson.course, id, lesson.title, f"{lesson.minutes} min") for id, lesson in rows]
        print_table(("course", "lesson", "title", "takes"), table, right=1)


@app.command("check", epilog="Example: twin lesson check pump-trip")
def check_lessons(
    lessons: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LESSON]...", help="Files or names (default: all shipped lessons).", show_default=False
        ),
    ] = None,
    person: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose variants to try (default: the first of each).")
    ] = None,
    json: Json = False,
) -> None:
    """Check that a lesson can be taught: all it names exists, and each task has a solution that solves it.

    Each task is run with its solution, which must solve it, with nothing done, and with each of its mistakes, which
    must not.

    Exit code 0: nothing found. 1: something is wrong. 2: a lesson cannot be read.
    """
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.lessons.lesson_check import check_lesson
    from twin.lessons.lesson_file import shipped_lessons

    with reporting_errors():
        files = [found(name) for name in lessons or map(str, shipped_lessons())]
        problems = [(file.id, check_lesson(file, person)) for file in files]
        if json:
            listed = [
                {
                    "lesson": id,
                    "problems": [
                        {"file": p.file, "line": p.line, "key": p.key, "reason": p.reason, "hint": p.hint}
                        for p in wrong
                    ],
                }
                for id, wrong in problems
            ]
            print_json(CHECK_FORMAT, {"lessons": listed})
        else:
            from twin.shown_text import printable

            for id, wrong in problems:
                print(f"{printable(id)}: {'can be taught' if not wrong else f'{len(wrong)} problems'}")
                for problem in wrong:
                    print(f"  {printable(str(problem))}")
        raise typer.Exit(ExitCode.FINDINGS if any(wrong for _, wrong in problems) else ExitCode.DONE)


@app.command("run", epilog="Example: twin lesson run pump-trip")
def run_lesson(
    lesson: Lesson,
    person: Annotated[
        str | None, typer.Option(metavar="NAME", help="Pseudonym, with --by; the window asks for it.")
    ] = None,
    by: Annotated[
        DoneBy | None, typer.Option(help="Without a window: done by its solutions, or by doing nothing.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", parser=a_file, help="Result to write, with --by."),
    ] = None,
    replace: Overwrite = False,
) -> None:
    """Begin a lesson in the window, or go on where it was left."""
    from twin.cli.errors import BadInput, Failure, reporting_errors

    with reporting_errors():
        file = found(lesson)
        if by is not None:
            _scripted(file, person or by.value, by, out, replace)
            return
        if out is not None:
            raise BadInput("-o: the window hands results in; with --by a script writes one")
        if person is not None:
            raise BadInput("--person: the window asks for it; use it with --by")
        from twin.cli.display import has_display

        if not has_display():
            raise Failure("there is no display to open a window on; --by solution needs none")
        from twin.app.shell.start import run_app

        code = run_app(file.path)
    raise typer.Exit(code)


def _scripted(file: LessonFile, person: str, by: DoneBy, out: Path | None, replace: bool) -> None:
    """Do a lesson by script, tell how it went, and write the result where it is asked for."""
    from twin.cli.errors import BadInput
    from twin.cli.target import must_be_free
    from twin.lessons.recount import recount
    from twin.lessons.result import SUFFIX, write_result
    from twin.lessons.script import nothing_in, scripted_result, solution_of

    if out is not None:
        must_be_free(out, "-o", str(file.path), endings=(".json",), replace=replace)
        if not out.name.endswith(SUFFIX):
            raise BadInput(f"-o must end in {SUFFIX}, by which a report finds it: {out}")
    result = scripted_result(file, person, solution_of if by is DoneBy.solution else nothing_in)
    counted = recount(file, result)
    for step in counted.steps:
        print(f"{'solved' if step.solved else 'open':6}  {step.step.id}: {step.step.title}")
    print(f"{counted.points} of {counted.most_points} points")
    if out is not None:
        write_result(result, out)


@app.command("report", epilog="Example: twin lesson report results/ -o class.html")
def report_class(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="With *.twin-result.json files.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", parser=a_file, help="HTML file to write."),
    ] = None,
    lesson: Annotated[
        str | None,
        typer.Option(metavar="LESSON", help="One's own lesson, where it does not lie in the folder."),
    ] = None,
    json: Json = False,
    replace: Overwrite = False,
) -> None:
    """Run the results of a class again: who did what, where they stuck, and what does not fit.

    No score is taken from a file: each is recomputed from the recorded acts and answers.

    Exit code 0: all fits. 1: something does not. 2: nothing can be read.
    """
    from twin.cli.errors import BadInput, ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.progress import counted
    from twin.cli.target import must_be_free
    from twin.lessons.class_page import class_page
    from twin.lessons.class_results import read_class
    from twin.lessons.result import ResultError
    from twin.whole_file import write_whole

    with reporting_errors(str(folder)):
        if out is not None:
            must_be_free(out, "-o", str(folder), endings=(".html", ".htm"), replace=replace)
        try:
            with counted("results") as show:
                results = read_class(folder, found(lesson) if lesson is not None else None, show)
        except ResultError as error:
            raise BadInput(str(error)) from None
        if out is not None:
            write_whole(out, class_page(results).encode())
        if json:
            print_json(REPORT_FORMAT, _as_json(results))
        else:
            _print(results)
        doubts = results.unread or any(result.findings for result in results.recounts)
        raise typer.Exit(ExitCode.FINDINGS if doubts else ExitCode.DONE)


@app.command("handout", epilog="Example: twin lesson handout pump-trip --key -o key.html")
def write_handout(
    lesson: Lesson,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="FILE", parser=a_file, help="HTML file (default: LESSON.html here)."
        ),
    ] = None,
    key: Annotated[bool, typer.Option("--key", help="With answers and solutions, for the teacher.")] = False,
    person: Annotated[str | None, typer.Option(metavar="NAME", help="Whose variants it shows.")] = None,
    replace: Overwrite = False,
) -> None:
    """Write a lesson as a page to print: a handout, or the answer key."""
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.target import must_be_free
    from twin.lessons.handout import handout
    from twin.scenario.text.problem import ScenarioError
    from twin.whole_file import write_whole

    with reporting_errors():
        file = found(lesson)
        path = out if out is not None else Path(f"{file.id}{'-key' if key else ''}.html")
        must_be_free(path, "-o", str(file.path), endings=(".html", ".htm"), replace=replace)
        try:
            text = handout(file, person, key=key)
        except ScenarioError:
            raise
        except ValueError as error:  # a solution that cannot be run
            raise BadInput(f"{file.id}: {error}") from None
        write_whole(path, text.encode())
        print(path)


def found(name: str) -> LessonFile:
    """Return a lesson by file or name; raises `ScenarioError`."""
    from twin.lessons.lesson_file import SUFFIX, load_lesson

    if name.endswith(SUFFIX) or Path(name).is_file():
        return load_lesson(Path(name))
    return load_lesson(name if name.startswith("builtin:") else f"builtin:{name}")


def _print(results: ClassResults) -> None:
    from twin.cli.tables import print_table
    from twin.shown_text import one_line

    rows = []
    for result in results.recounts:
        stuck = result.stuck.title if result.stuck is not None else ""
        doubts = "; ".join(dict.fromkeys(finding.kind for finding in result.findings))
        points = f"{result.points}/{result.most_points}"
        rows.append((one_line(result.result.person), result.result.lesson, points, one_line(stuck), doubts))
    print_table(("person", "lesson", "points", "stuck at", "does not fit"), rows)
    for name, reason in results.unread:
        print(f"{one_line(name)}: {one_line(reason)}")


def _as_json(results: ClassResults) -> dict[str, Any]:
    return {
        "results": [
            {
                "file": result.name,
                "person": result.result.person,
                "lesson": result.result.lesson,
                "points": result.points,
                "most_points": result.most_points,
                "stuck_at": result.stuck.id if result.stuck is not None else None,
                "steps": [
                    {
                        "id": step.step.id,
                        "solved": step.solved,
                        "points": step.points,
                        "wrong_answers": step.wrong,
                    }
                    for step in result.steps
                ],
                "findings": [
                    {"kind": f.kind, "step": f.step or None, "text": f.text, "accuses": f.accuses}
                    for f in result.findings
                ],
            }
            for result in results.recounts
        ],
        "unread": [{"file": name, "reason": reason} for name, reason in results.unread],
    }
