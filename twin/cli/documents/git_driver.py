"""`twin install-git-driver`: git shows and merges scenes by what they mean; and what git then calls."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from twin.scenario import Document

EXAMPLE = """Example: twin install-git-driver

Then git diff, git log -p --ext-diff and git merge go by what scenes mean. To take it away: git config --remove-section
diff.twin, the same with merge.twin, and the line of .gitattributes. What git calls itself:

Example: twin git-diff hall.twin.yaml old.yaml 1a2b 100644 new.yaml 3c4d 100644

Example: twin git-merge base.yaml ours.yaml theirs.yaml hall.twin.yaml"""
_ATTRIBUTES = "*.twin.yaml diff=twin merge=twin"
_SETTINGS = {
    "diff.twin.command": "twin git-diff",
    "merge.twin.name": "racks, loops and jobs of gpu-twin scenes",
    "merge.twin.driver": "twin git-merge %O %A %B %P",
}
_NOTHING = "/dev/null"


def install_driver(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="In the repository.")] = Path(),
) -> None:
    """Let git show and merge the scenes of a repository by racks, loops and jobs instead of by lines.

    Writes settings of the repository (diff.twin, merge.twin) and a line of its .gitattributes, which others then have
    too; the settings each installs for themselves, or git goes by lines as before.
    """
    from twin.cli.errors import BadInput, reporting_errors
    from twin.whole_file import write_whole

    with reporting_errors():
        top = Path(_git(folder, "rev-parse", "--show-toplevel"))
        attributes = top / ".gitattributes"
        try:
            text = attributes.read_text(encoding="utf-8") if attributes.exists() else ""
            if _ATTRIBUTES not in text.splitlines():
                end = "" if not text or text.endswith("\n") else "\n"
                write_whole(attributes, f"{text}{end}{_ATTRIBUTES}\n".encode())
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{attributes}: {error}") from None
        for key, value in _SETTINGS.items():
            _git(top, "config", key, value)
        print(f"{top}: git diff and git merge go by what scenes mean")


def show_difference(
    path: Annotated[str, typer.Argument(help="Path of the scene in the repository.")],
    old_file: Annotated[str, typer.Argument(help="File with the old text.")],
    old_hex: Annotated[str, typer.Argument(help="Hash of the old text.")],
    old_mode: Annotated[str, typer.Argument(help="Mode of the old file.")],
    new_file: Annotated[str, typer.Argument(help="File with the new text.")],
    new_hex: Annotated[str, typer.Argument(help="Hash of the new text.")],
    new_mode: Annotated[str, typer.Argument(help="Mode of the new file.")],
    new_path: Annotated[str | None, typer.Argument(help="New path, of a scene that was renamed.")] = None,
    similarity: Annotated[str | None, typer.Argument(help="How alike both are, of such a one.")] = None,
) -> None:
    """Show what differs between two revisions of a scene; git calls it (diff.twin.command)."""
    from twin.analysis.difference_words import sentence
    from twin.scenario import ScenarioError
    from twin.scenario.file.diff import differences
    from twin.shown_text import printable

    print(printable(f"scene {new_path or path}"))
    if _NOTHING in (old_file, new_file):
        print("  added" if old_file == _NOTHING else "  removed")
        return
    try:
        before, after = (_revision(file, path) for file in (old_file, new_file))
    except ScenarioError as error:
        print(printable(f"  cannot be read, so by lines: {error.problems[0]}"))
        _by_lines(old_file, new_file)
        return
    found = differences(before.scenario, after.scenario)
    for difference in found:
        print(printable(f"  {sentence(difference)}"))
    if not found:
        print("  means the same: comments or layout changed")


def merge_revisions(
    base: Annotated[str, typer.Argument(help="File with the text of the base.")],
    ours: Annotated[str, typer.Argument(help="File with our text; the result goes there.")],
    theirs: Annotated[str, typer.Argument(help="File with their text.")],
    path: Annotated[str, typer.Argument(help="Path of the scene in the repository.")],
) -> None:
    """Merge two revisions of a scene into the first; git calls it (merge.twin.driver).

    Exit code 1: both changed the same, and ours is left as it was; `twin merge` can decide.
    """
    import sys

    from twin.analysis.difference_words import sentence
    from twin.cli.errors import ExitCode
    from twin.scenario import ScenarioError
    from twin.scenario.file.merge import merged
    from twin.shown_text import printable
    from twin.whole_file import write_whole

    def say(words: str) -> None:
        print(printable(f"{path}: {words}"), file=sys.stderr)

    try:
        found = merged(_revision(base, path), _revision(ours, path), _revision(theirs, path))
    except ScenarioError as error:
        say(f"not merged: {error.problems[0]}")
        raise typer.Exit(ExitCode.FINDINGS) from None
    for conflict in found.undecided:
        say(f"both changed {conflict.path}")
        for side, changed in (("ours", conflict.a), ("theirs", conflict.b)):
            for difference in changed:
                say(f"{side}: {sentence(difference)}")
    if found.undecided:
        say("decide with: twin merge BASE OURS THEIRS --take a|b -o FILE")
        raise typer.Exit(ExitCode.FINDINGS)
    write_whole(ours, found.document.text.encode())


def _revision(file: str, path: str) -> Document:
    """Return a revision that git has put somewhere, as the scene that it is in the repository."""
    from twin.scenario.file.load import loads
    from twin.scenario.text.parse import decode

    place = Path(path)
    return loads(decode(Path(file).read_bytes(), path), place.name, place.parent)


def _by_lines(old_file: str, new_file: str) -> None:
    from difflib import unified_diff

    from twin.shown_text import printable

    old, new = (Path(file).read_text(encoding="utf-8", errors="replace") for file in (old_file, new_file))
    for line in unified_diff(old.splitlines(), new.splitlines(), lineterm=""):
        print(printable(line))


def _git(folder: Path, *words: str) -> str:
    from twin.cli.errors import BadInput

    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BadInput("git is not installed") from None
    if done.returncode:
        raise BadInput(f"{folder}: {done.stderr.strip() or 'is in no git repository'}")
    return done.stdout.strip()
