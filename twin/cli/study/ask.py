"""`twin ask`: questions in words of the trade, each a command of its own, made of the table of questions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli import completion
from twin.cli.commands import Commands
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Settings
from twin.questions.question import QuestionInput, TradeQuestion
from twin.questions.table import QUESTIONS

if TYPE_CHECKING:
    from twin.questions.answer import TradeAnswer

FORMAT = JsonFormat("answer")
LIST_FORMAT = JsonFormat("questions")

EXAMPLES = {
    "gpus-in": "twin ask gpus-in --power '20 MW' --redundancy N+1",
    "run-out": "twin ask run-out llama3-16k --growth '40 %'",
    "one-more-nine": "twin ask one-more-nine llama3-16k",
    "checkpoint-interval": "twin ask checkpoint-interval llama3-16k --pause '5 s'",
    "rack-size": "twin ask rack-size --big GB200-NVL72 --small DGX-B200",
    "own-or-rent": "twin ask own-or-rent llama3-16k --utilisation '60 %'",
}
app = typer.Typer(
    cls=Commands,
    help="Answer questions in words of the trade: figures with ranges, how they were worked out, what they rest on.",
    epilog="Example: twin ask gpus-in --power '20 MW' --redundancy N+1",
    invoke_without_command=True,
    rich_markup_mode=None,
)
_SCENE = typer.Argument(
    metavar="SCENE",
    help="Scene that the question is about, or that defaults are from.",
    show_default=False,
    autocompletion=completion.scenes,
)


@app.callback()
def ask_questions(
    ctx: typer.Context,
    list_: Annotated[bool, typer.Option("--list", help="List the questions with their inputs.")] = False,
    json: Json = False,
) -> None:
    """Answer questions in words of the trade: figures with ranges, how they were worked out, what they rest on."""
    from twin.cli.errors import BadInput, reporting_errors

    if ctx.invoked_subcommand is not None:
        return
    with reporting_errors():
        if not list_:
            raise BadInput("which question? twin ask --list names them")
        _list(json)


def _list(json: bool) -> None:
    from twin.cli.output import print_json
    from twin.cli.tables import print_table
    from twin.questions.answer_row import question_row

    if json:
        print_json(LIST_FORMAT, {"questions": [question_row(question) for question in QUESTIONS.values()]})
        return
    rows = [
        (key, question.title, " ".join(f"--{entry.key}" for entry in question.inputs))
        for key, question in QUESTIONS.items()
    ]
    print_table(("question", "in words", "inputs"), rows)


def command_of(question: TradeQuestion) -> Callable[..., None]:
    """Return the command that answers a question; its options are the inputs."""

    def answer_question(scene: str | None, set_: list[str] | None, json: bool, **given: str | None) -> None:
        from twin.api.ask import answered, setting_of
        from twin.cli.errors import reporting_errors
        from twin.cli.output import print_json
        from twin.cli.scene import load_scene
        from twin.questions.answer_row import answer_row
        from twin.scenario.file.set_option import set_texts

        with reporting_errors(scene or ""):
            scenario = set_texts(load_scene(scene), set_ or []).scenario if scene is not None else None
            texts = {key.replace("_", "-"): text for key, text in given.items() if text is not None}
            found = answered(question, scenario, texts)
            shown = question.defaults(setting_of(scenario, texts))
            if json:
                print_json(FORMAT, answer_row(question, shown, found))
            else:
                _print(question, shown, found)

    options = [
        inspect.Parameter(
            entry.key.replace("-", "_"),
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                str | None,
                typer.Option(f"--{entry.key}", metavar=_metavar(entry), help=f"{entry.tip}."),
            ],
        )
        for entry in question.inputs
    ]
    usual = inspect.Parameter.KEYWORD_ONLY
    scene_type = Annotated[str, _SCENE] if question.needs_scene else Annotated[str | None, _SCENE]
    none: dict[str, Any] = {} if question.needs_scene else {"default": None}
    made = [
        inspect.Parameter("scene", usual, annotation=scene_type, **none),
        *options,
        inspect.Parameter("set_", usual, default=None, annotation=Settings),
        inspect.Parameter("json", usual, default=False, annotation=Json),
    ]
    answer_question.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    answer_question.__annotations__ = {parameter.name: parameter.annotation for parameter in made}
    answer_question.__doc__ = f"{question.title}\n\n{_explained(question)}"
    return answer_question


def _metavar(of: QuestionInput) -> str:
    if isinstance(of.choices, tuple) and of.choices:
        return "|".join(of.choices)
    return {"count": "N", "choice": "NAME"}.get(of.kind, of.dimension.replace("_", "-").upper())


def _explained(question: TradeQuestion) -> str:
    """Return what stands where nobody gives an input."""
    if question.needs_scene:
        return "What is not given is as in the scene, or usual."
    return "What is not given is as in SCENE where one is named, else usual; --json tells all of it."


def _print(question: TradeQuestion, given: dict[str, str], answer: TradeAnswer) -> None:
    from rich.text import Text

    from twin.cli.tables import console, print_table
    from twin.questions.answer_row import figure_cells

    def show(words: str) -> None:
        console().print(Text(words))

    show(f"{question.title} {answer.sentence}\n")
    print_table(("input", "value"), [(f"--{key}", text or "none") for key, text in given.items()])
    show("")
    print_table(("figure", "value", "range"), figure_cells(answer))
    chart = answer.chart
    if chart.bars:
        from twin.questions.answer import worded

        show(f"\n{chart.title}")
        print_table(
            ("", chart.y_title), [(bar.title, worded(bar.value, chart.y_unit)) for bar in chart.bars], right=1
        )
    show("")
    for sentence in answer.method:
        show(f"how: {sentence}")
    for sentence in answer.rests_on:
        show(f"note: {sentence}")


for _key, _question in QUESTIONS.items():
    app.command(_key, epilog=f"Example: {EXAMPLES[_key]}")(command_of(_question))
