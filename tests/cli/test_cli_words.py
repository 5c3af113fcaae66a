"""How people and shells speak to `twin`: groups of commands, help, mistyped words, completion, pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import Result
from usual_cases import usually

from twin.cli.app import app, command_names, with_command
from twin.cli.completion import ASKED, scenes_and_runs, shipped_scenes

Twin = Callable[..., Result]
TWIN = [sys.executable, "-m", "twin.cli"]


def test_commands_stand_under_the_heads_of_their_groups(twin: Twin) -> None:
    lines = twin("--help").stdout.splitlines()
    heads = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert heads[1:] == [
        "See and run",
        "Check and edit",
        "Plan a job",
        "Compare and explain",
        "Decide",
        "Reports and export",
        "Teach and train",
        "This installation",
    ]
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].isalpha()]
    assert set(command_names()) <= set(listed)


def test_help_tells_the_exit_codes_and_fits_80_columns(twin: Twin) -> None:
    text = twin("--help").stdout
    for code in ("0    done", "1    ", "2    ", "3    ", "130  interrupted"):
        assert f"\n    {code}" in text
    assert "..." not in text.partition("See and run")[2].partition("Exit codes")[0].replace("*.twin", "")
    for words in ([], *([command] for command in command_names()), ["catalog", "show"]):
        help = twin(*words, "--help").stdout
        assert max(map(len, help.splitlines())) <= 80, words


@pytest.mark.parametrize("words", [("run",), ("catalog",), ("catalog", "list")])
def test_h_and_help_are_the_same(twin: Twin, words: tuple[str, ...]) -> None:
    assert twin(*words, "-h").stdout == twin(*words, "--help").stdout == twin("help", *words).stdout


def test_help_alone_is_that_of_all(twin: Twin) -> None:
    assert twin("help").stdout == twin("--help").stdout == twin("-h").stdout
    assert "did you mean twin run?" in twin("help", "runn", code=2).stderr
    assert "twin run has no commands" in twin("help", "run", "lab-16", code=2).stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("runn", "lab-16"), "no command, file or shipped scene 'runn'; did you mean twin run?"),
        (("lab-61",), "no command, file or shipped scene 'lab-61'; did you mean twin lab-16?"),
        (("nothing-like-it",), "no command, file or shipped scene 'nothing-like-it'; see twin --help"),
        (("catalog", "lst"), "no command 'lst'; did you mean twin catalog list?"),
    ],
)
def test_a_mistyped_command_is_no_scene(twin: Twin, words: tuple[str, ...], told: str) -> None:
    assert told in " ".join(twin(*words, code=2).stderr.split())


def test_a_file_or_scene_alone_still_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.twin.yaml").touch()
    (tmp_path / "other.yaml").touch()
    names = ("mine.twin.yaml", "mine", "other.yaml", "./run", "lab-16", "builtin:lab-16", "gone.twinrun")
    for word in names:
        assert with_command([word]) == ["open", word]
    assert with_command(["--seed", "3"]) == ["open", "--seed", "3"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "lab-16", "--seed", "abc"), "--seed needs a whole number, not 'abc'"),
        (("run", "lab-16", "--seed", "-1"), "--seed must be at least 0, not -1"),
        (("compare", "a", "b", "--seeds", "1"), "--seeds must be at least 2, not 1"),
        (("run", "lab-16", "--inject", "1 h explode gpu/0"), "unknown fault kind 'explode'"),
        (("run", "lab-16", "--inject", "1 h pump_stopp cdu/0"), "did you mean 'pump_stop'?"),
        (("run", "lab-16", "--set", "foo=1"), "foo = 1: unknown key 'foo'; known: format"),
        (("jobs", "nosuch.swf"), "error: nosuch.swf: no such file"),
        (("run", "lab-16", "--out", "nowhere/a.twinrun"), "--out: no folder nowhere; create it first"),
        (("branch", "lab.twinrun"), "missing --at TIME"),
    ],
)
def test_errors_are_short_and_name_what_is_wrong(twin: Twin, words: tuple[str, ...], told: str) -> None:
    assert told in " ".join(twin(*words, code=2).stderr.split())


def parameters() -> dict[str, list[str]]:
    """Return the options of every command that help shows."""
    group = typer.main.get_command(app)
    found = {}
    for name in command_names():
        command = group.commands[name]  # type: ignore[attr-defined]
        for own in getattr(command, "commands", {"": command}).values():
            options = [one for one in own.params if one.param_type_name == "option" and not one.hidden]
            found[f"{name} {own.name}"] = [word for one in options for word in one.opts]
            for one in own.params:
                assert one.help, (name, one.name)
                assert one.help[0].isupper() or one.help.startswith("*"), (name, one.name, one.help)
                assert not one.help.startswith(("Of ", "Whether ")), (name, one.name, one.help)
    return found


def test_one_thing_has_one_option_in_all_commands() -> None:
    options = parameters()
    for command, words in options.items():
        assert ("-o" in words) == ("--out" in words), command
        assert "--html" not in words, command
    for option, commands in {
        "--json": "run check diff show incidents estimate plan risk jobs grow calibrate validate compare branch "
        "explain verify bench",
        "--set": "run check show incidents plan risk grow compare branch report shot",
        "--seed": "open run incidents risk compare report shot",
        "--until": "run incidents compare branch report",
        "-o": "run estimate calibrate compare branch report export shot video",
    }.items():
        for name in commands.split():
            assert any(option in words for key, words in options.items() if key.startswith(f"{name} ")), (
                option,
                name,
            )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("twin ru", {"run"}),
        ("twin lab", {"lab-16"}),
        ("twin run lab", {"lab-16"}),
        ("twin run lab-16 --see", {"--seed", "--seeds"}),
        ("twin run lab-16 --policy con", {"conservative"}),
        ("twin catalog s", {"show"}),
    ],
)
def test_a_shell_is_offered_words(tmp_path: Path, typed: str, offered: set[str]) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1), ASKED: "complete_bash"}
    done = subprocess.run(
        TWIN, env={**os.environ, **words}, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) == offered


def test_completion_loads_nothing_heavy() -> None:
    words = {"COMP_WORDS": "twin run lab", "COMP_CWORD": "2", ASKED: "complete_bash"}
    code = (
        "import sys, atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        "from twin.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **words}, capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "simpy", "PySide6", "vispy", "pint", "ruamel.yaml", "twin.scenario", "rich.console"}
    assert not heavy & set(done.stderr.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_twin(twin: Twin, shell: str) -> None:
    script = twin("completion", shell).stdout
    assert f"{ASKED}=complete_{shell}" in script
    assert "twin" in script


def test_files_of_scenes_and_runs_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lake").mkdir()
    for name in ("lake/a.twin.yaml", "lab.twinrun", "lab.csv", ".hidden.twin.yaml"):
        (tmp_path / name).touch()
    assert scenes_and_runs("la") == ["lab-16", "lab.twinrun", "lake/"]
    assert scenes_and_runs("lake/") == ["lake/a.twin.yaml"]
    assert scenes_and_runs("none/") == []
    assert "lab-16" in shipped_scenes()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize(
    "words", usually([(("catalog", "list", "--json"),), (("--help",),), (("check", "--rules"),)], 1)
)
def test_a_reader_that_leaves_is_no_finding(words: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*TWIN, *words], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words",
    usually([(("catalog", "list", "--kind", "gpu"),), (("check", "lab-16"),), (("run", "--sed"),)], 1),
)
def test_nothing_is_coloured_or_boxed_in_a_pipe(words: tuple[str, ...]) -> None:
    done = subprocess.run([*TWIN, *words], capture_output=True, text=True, check=False)
    assert "\x1b" not in done.stdout + done.stderr
    assert not set("╭│╰┃") & set(done.stdout + done.stderr)
