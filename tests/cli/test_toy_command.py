"""A new command takes one entry and its function: help, completion, mistyped words and formats of JSON follow."""

from __future__ import annotations

import json as json_of
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
import typer
from test_docs import help_pages
from typer.testing import CliRunner, Result

from twin.cli.app import GROUPS, command_names, json_formats, make_app, with_command
from twin.cli.commands import CommandEntry, CommandsOnDemand
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json
from twin.cli.output import print_json

EXAMPLE = "Example: twin toybox --count 3"
TOYS = JsonFormat("toys", 3)


def count_toys(
    count: Annotated[int, typer.Option("--count", metavar="N", help="How many toys.")] = 2, json: Json = False
) -> None:
    """Count toys."""
    if json:
        print_json(TOYS, {"toys": count})
    else:
        print(f"{count} toys")


def __getattr__(name: str) -> object:
    raise KeyError(f"of the module: {name}") if name == "broken" else AttributeError(name)


ENTRY = CommandEntry("toybox", f"{__name__}:count_toys", ("TOYS",))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return what runs a command line of the program with the toy."""
    monkeypatch.setitem(GROUPS, "Toys", (ENTRY,))
    made = make_app()
    monkeypatch.setattr("twin.cli.app.app", made)

    def run(*words: str, code: int = 0, **more: str) -> Result:
        found = CliRunner().invoke(made, with_command(list(words)), prog_name="twin", env=more)
        assert found.exit_code == code, found.output
        return found

    return run


def test_it_runs_with_its_options(
    toy: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert toy("toybox", "--count", "3").stdout == "3 toys\n"
    assert json_of.loads(toy("toybox", "--json").stdout) == {"format": "twin/toys", "version": 3, "toys": 2}
    assert TOYS in json_formats()
    assert "--count lacks its value" in toy("toybox", "--count", "--json", code=2).stderr


def test_the_help_has_it_under_its_head(toy: Callable[..., Result]) -> None:
    assert command_names()[-1] == "toybox"
    listed = toy("--help").stdout
    assert listed.index("Toys:") < listed.index("toybox")
    assert "Count toys." in listed
    for words in (("toybox", "--help"), ("help", "toybox")):
        shown = toy(*words).stdout
        assert "--count N" in shown
        assert "Example: twin toybox --count 3" in shown
    assert "toybox" in help_pages.commands()


def test_a_mistyped_word_is_told_it(toy: Callable[..., Result]) -> None:
    assert "did you mean twin toybox?" in toy("toybax", code=2).stderr


def test_a_mistyped_word_makes_no_command(
    toy: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(entry: CommandEntry, _head: str) -> None:
        raise AssertionError(f"{entry.name} is made")

    monkeypatch.setattr(CommandEntry, "made", made)
    assert "did you mean twin toybox?" in toy("toybax", code=2).stderr


def test_what_fails_in_the_module_of_a_command_is_not_taken_for_an_unknown_command() -> None:
    commands = CommandsOnDemand({"Toys": (CommandEntry("toybox", f"{__name__}:broken"),)})
    assert "toybox" in commands
    assert commands.get("toybax") is None
    with pytest.raises(KeyError, match="of the module"):
        commands.get("toybox")


def test_without_the_entry_there_is_none() -> None:
    assert "toybox" not in command_names()
