"""What all commands have in common: options that never eat options, and words of ours for what is wrong with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup


class Commands(TyperGroup):
    """A group of commands."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run a command; what is wrong with an option is told without the words of whoever read it."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix(
                "Value error, "
            )  # pydantic's, which typer reads options with
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is meant, none of whose options takes another one for its value."""
        found = super().resolve_command(ctx, args)
        _, command, words = found
        if command is not None:
            must_have_values(command.params, words)
        return found


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
