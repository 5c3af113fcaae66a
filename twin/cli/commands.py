"""Common base of all commands: options that never consume other options, and our own error messages for options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_group

from twin.cli.completion import scenes_and_runs, shipped_scenes
from twin.cli.json_formats import JsonFormat

EXAMPLE = "Example: twin help run"
_WHOLE = 1000
"""Characters of a first sentence that are shown in a list of commands: it is wrapped, not cut."""


class CommandEntry(NamedTuple):
    """A command; its module is imported when somebody asks for the command.

    Attributes
    ----------
    name
        As people write it.
    function
        What does it, "module:name"; the `EXAMPLE` of the module is shown below its help.
    formats
        Of its ``--json``: names in the module, or "module:name".
    """

    name: str
    function: str
    formats: tuple[str, ...] = ()

    def made(self, head: str) -> Any:
        """Return the command with its parser; help shows it under `head`."""
        run, holder = (
            _named(self.function),
            typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None),
        )
        if isinstance(run, typer.Typer):
            holder.add_typer(run, name=self.name, rich_help_panel=head)
        else:
            example = _named(f"{self._module}:EXAMPLE")
            holder.command(self.name, epilog=example, rich_help_panel=head)(run)
        return get_group(holder).commands[self.name]

    def json_formats(self) -> list[JsonFormat]:
        """Return the formats of its ``--json``."""
        return [_named(name if ":" in name else f"{self._module}:{name}") for name in self.formats]

    @property
    def _module(self) -> str:
        return self.function.partition(":")[0]


def _named(name: str) -> Any:
    module, _, inner = name.partition(":")
    return getattr(import_module(module), inner)


class CommandsOnDemand(Mapping[str, Any]):
    """Commands by their names, in the order of their groups; each is made when it is asked for."""

    def __init__(self, groups: Mapping[str, Sequence[CommandEntry]]) -> None:
        self._entries = {entry.name: (entry, head) for head, group in groups.items() for entry in group}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            entry, head = self._entries[name]
            self._made[name] = entry.made(head)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def get(self, name: str, default: Any = None) -> Any:
        """Return a command, or `default` where there is none; what fails in its module is not hidden."""
        return self[name] if name in self._entries else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Commands(TyperGroup):
    """A group of commands."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run a command; errors in options are reported without the parser's own wording."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            sentence = _not_understood(error)
            if sentence:
                error.message, error.param, error.param_hint = sentence, None, None
            error.message = error.message.removeprefix(
                "Value error, "
            )  # pydantic's, which typer reads options with
            raise

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, none of which is made for that."""
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is meant, none of whose options takes another one for its value."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(self._unknown(ctx, args[0]))
        found = super().resolve_command(ctx, args)
        _, command, words = found
        if command is not None:
            must_have_values(command.params, words)
        return found

    def _unknown(self, ctx: Any, word: str) -> str:
        """Return the message for an unknown command, with similar names; the first word may also be a scene."""
        from difflib import get_close_matches

        kind, names = "command", self.list_commands(ctx)
        if ctx.parent is None:
            kind, names = "command, file or shipped scene", [*names, *shipped_scenes()]
        near = get_close_matches(word.removeprefix("builtin:"), names, n=2)
        meant = " or ".join(f"{ctx.command_path} {name}" for name in near)
        right = f"did you mean {meant}?" if near else f"see {ctx.command_path} --help"
        return f"no {kind} {word!r}; {right}"

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under the heads of their groups, each with its whole first sentence."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                head = getattr(command, "rich_help_panel", None)
                head = head if isinstance(head, str) else "Commands"  # typer has a value of its own for none
                groups.setdefault(head, []).append((name, command.get_short_help_str(_WHOLE)))
        widest = max((len(name) for rows in groups.values() for name, _ in rows), default=0)
        for head, rows in groups.items():
            with formatter.section(head):
                formatter.write_dl([(name.ljust(widest), sentence) for name, sentence in rows])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return completions of a word: commands, and for the first word also scenes and runs that the window opens."""
        found: list[Any] = list(super().shell_complete(ctx, incomplete))
        if ctx.parent is None and incomplete:
            found += [_Completion(name) for name in scenes_and_runs(incomplete)]
        return found


class _Completion(NamedTuple):
    """A word that the shell may put in."""

    value: str
    type: str = "plain"
    help: str | None = None


def show_help(
    ctx: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="Command to explain.", show_default=False)
    ] = None,
) -> None:
    """Print the help of a command, or of all."""
    at: Any = ctx.find_root()
    for word in command or []:
        if not isinstance(at.command, Commands):
            at.fail(f"{at.command_path} has no commands of its own")
        _, found, _ = at.command.resolve_command(at, [word])
        at = found.make_context(word, [], parent=at, resilient_parsing=True)
    print(at.get_help())


def _not_understood(error: Any) -> str:
    """Return our own message for a wrong number given to an option; empty: the parser's message is kept."""
    of_reader = getattr(error.__cause__, "errors", None)
    if of_reader is None or error.param is None:
        return ""
    wrong = of_reader()[0]
    option, limits = max((*error.param.opts, ""), key=len), wrong.get("ctx", {})
    for key, words in (("ge", "at least"), ("le", "at most"), ("gt", "more than"), ("lt", "less than")):
        if key in limits:
            return f"{option} must be {words} {limits[key]:,}, not {wrong['input']}"
    kind = {"int": "whole number", "float": "number"}.get(wrong["type"].partition("_")[0])
    return f"{option} needs a {kind}, not {wrong['input']!r}" if kind else ""


def must_have_values(params: Sequence[Any], words: Sequence[str]) -> None:
    """Refuse an option without its value, behind which another option of the command stands.

    ``--run --json`` would make a file named ``--json``. Such a value can be given as ``--run=--json``.

    Raises
    ------
    typer.BadParameter
        With both options.
    """
    names = {name: param for param in params for name in (*param.opts, *param.secondary_opts)}
    options = {name: param for name, param in names.items() if name.startswith("-")}
    place = 0
    while place < len(words) and words[place] != "--":
        word = words[place]
        param = options.get(word)
        takes = param is not None and not (getattr(param, "is_flag", False) or getattr(param, "count", False))
        following = words[place + 1] if place + 1 < len(words) else ""
        if takes and following.partition("=")[0] in options:
            raise typer.BadParameter(
                f"{word} lacks its value: {following} is an option itself. Give {word} {_value(param)}, "
                f"or {word}={following} if that is the value"
            )
        place += 2 if takes else 1


def _value(param: Any) -> str:
    return str(param.metavar or "VALUE")
