"""The window in another language: a process of its own, as texts are translated when their modules are loaded."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from house_code import modules_with
from pseudo_language import NAME, write

WALK = Path(__file__).with_name("pseudo_walk.py")
_SAYS = {
    *("setText", "setToolTip", "setWindowTitle", "setPlaceholderText", "addItem", "addAction"),
    *("QAction", "QPushButton", "QLabel", "PlainLabel", "QCheckBox"),
}
"""What puts words on the screen."""
_MARKUP = re.compile(r"<[^<>]*>|&\w+;")
_NO_LANGUAGE = {"gpu-twin"}
"""The name of the program."""


def walk(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run tests of the walk in the language of no people."""
    write(folder)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(WALK)],
        cwd=WALK.parents[2],
        env=os.environ | {"LANGUAGE": NAME, "TWIN_LANGUAGES": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_nothing_is_english_in_another_language(tmp_path: Path) -> None:
    done = walk(tmp_path)
    assert done.returncode == 0, done.stdout


def test_no_bare_words_are_put_on_the_screen() -> None:
    bare = [
        f"{module}:{call.lineno}: {words!r}"
        for module, tree in modules_with(WALK.parents[2] / "twin" / "app", *_SAYS)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _name(call.func) in _SAYS
        for given in (*call.args, *(keyword.value for keyword in call.keywords))
        for words in _bare(given)
    ]
    assert "\n".join(bare) == ""


def test_each_text_names_the_values_that_go_with_it() -> None:
    odd = [
        f"{module}:{call.lineno}"
        for module, tree in modules_with(WALK.parents[2] / "twin", "tr(")
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _name(call.func) == "tr" and call.keywords
        for text in call.args
        if isinstance(text, ast.Constant) and _values(text.value) != {given.arg for given in call.keywords}
    ]
    assert odd == []


def _values(text: str) -> set[str | None]:
    """Return the names that a text has in braces, those inside a form such as ``{value:.{digits}f}`` too."""
    found: set[str | None] = set()
    for _, name, form, _ in Formatter().parse(text):
        if name is not None:
            found |= {name} | _values(form or "")
    return found


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _bare(given: ast.AST) -> Iterator[str]:
    """Yield literals with words that are shown as they stand: neither translated nor keys of something else."""
    if isinstance(given, (ast.Call, ast.Compare, ast.Subscript)):
        return
    if isinstance(given, ast.JoinedStr):  # its values are texts from elsewhere
        said = "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in given.values)
        given = ast.Constant(said)
    if isinstance(given, ast.Constant):
        said = given.value if isinstance(given.value, str) else ""
        if said not in _NO_LANGUAGE and re.search(r"[A-Za-z]{2,}", _MARKUP.sub(" ", said)):
            yield said
        return
    inner = (given.body, given.orelse) if isinstance(given, ast.IfExp) else ast.iter_child_nodes(given)
    for part in inner:
        yield from _bare(part)
