"""Nobody reads the sentence of an event: figures and ids are read from its values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from house_code import modules_with

import twin

ROOT = Path(twin.__file__).parent
READS = {
    *(
        "count",
        "endswith",
        "find",
        "index",
        "isdigit",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "replace",
    ),
    *(
        "rfind",
        "rindex",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "translate",
    ),
    *("findall", "finditer", "fullmatch", "match", "search", "sub"),
}
"""Methods of strings, and of regular expressions, that take a text to pieces or look something up in it."""
OTHERS = {
    "app/diagrams/diagram.py": {"self"},
    "app/world/part_figures.py": {"figure"},  # of the catalogue
    "app/files/journal.py": {"document"},
    "app/form/row.py": {"now", "self", "self._now", "words"},
    "app/help/pages.py": {"self"},
    "app/inspector/property_row.py": {"self"},
    "view3d/place/hall_names.py": {"labels"},  # over the hall
    "app/inspector/property_values.py": {"first", "now", "value"},
    "app/files/recovery.py": {"draft.file", "run.document"},
    "app/needs/need_dialog.py": {"draft.source", "self.draft.source"},
    "app/needs/need_draft.py": {"self.source"},
    "app/study/window.py": {"opened.document", "self.document"},
    "app/files/scene_file.py": {"draft.file"},
    "catalog/load.py": {"branch", "found", "given"},
    "cli/bench/edits.py": {"draft.file"},
    "cli/tables.py": {"segment"},  # of the terminal
    "commands/edit/draft.py": {"self.file"},
    "commands/jobs.py": {"self"},
    "app/teach/hall_run.py": {"text"},
    "app/teach/lesson_editor_conditions.py": {"text"},
    "app/teach/lesson_editor_rows.py": {"self._now"},
    "app/teach/step_page.py": {"said"},
    "lessons/draft.py": {"condition"},
    "markdown_text.py": {"span"},
}
"""Things with a text that are no events, where it is compared or taken to pieces."""


def sentences(node: ast.AST, named: set[str]) -> Iterator[str]:
    """Yield whose text an expression holds: attributes called `text` that are not methods, and names given one."""
    called = {id(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr == "text" and id(part) not in called:
            yield ast.unparse(part.value)
        elif isinstance(part, ast.Name) and part.id in named and isinstance(part.ctx, ast.Load):
            yield part.id


def given(function: ast.AST) -> set[str]:
    """Return the names that hold nothing but a text of something, or a piece of it, in a function."""
    named: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(sentences(node.value, set())):
            value = node.value
            while isinstance(value, ast.Call | ast.Subscript | ast.Attribute) and not (
                isinstance(value, ast.Attribute) and value.attr == "text"
            ):
                value = value.func if isinstance(value, ast.Call) else value.value
            if isinstance(value, ast.Attribute):
                named |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return named


def read(function: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield line, whose text, and how, wherever a function takes one to pieces or looks into it."""
    named = given(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READS:
            for part in (node.func.value, *node.args):
                yield from ((node.lineno, whose, node.func.attr) for whose in sentences(part, named))
        elif isinstance(node, ast.Compare):
            for part in (node.left, *node.comparators):
                if isinstance(part, ast.Attribute | ast.Name):
                    yield from ((node.lineno, whose, "compared") for whose in sentences(part, named))
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute | ast.Name):
            yield from ((node.lineno, whose, "cut") for whose in sentences(node.value, named))


def test_the_check_sees_how_sentences_were_read_before() -> None:
    before = """
def lines(event, job, pattern):
    words = event.text.removeprefix(job)
    lost = pattern.search(words)
    if event.subject in event.text or re.search(event.subject, event.text):
        return words[: -len(lost.group())], event.text.split()[0]
"""
    assert [(whose, how) for _, whose, how in sorted(set(read(ast.parse(before))))] == [
        ("event", "removeprefix"),
        ("words", "search"),
        ("event", "compared"),
        ("event", "search"),
        ("event", "split"),
        ("words", "cut"),
    ]


def _has_text(lines: list[str]) -> bool:
    return any(".text" in line for line in lines)


def test_no_sentence_of_an_event_is_read() -> None:
    found = []
    for file, tree in modules_with(ROOT, ".text"):
        name, lines = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8").splitlines()
        if name.startswith("scenario/"):  # documents are texts
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and _has_text(
                lines[function.lineno - 1 : function.end_lineno]
            ):
                found += [
                    f"{name}:{line} {whose} ({how})"
                    for line, whose, how in sorted(set(read(function)))
                    if whose not in OTHERS.get(name, ())
                ]
    assert found == []


def test_only_things_that_are_no_events_may_be_read() -> None:
    """An exception that nothing needs any more would hide what comes later."""
    for name, owners in OTHERS.items():
        tree = ast.parse((ROOT / name).read_text())
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        used = {whose for function in functions for _, whose, _ in read(function)}
        assert owners <= used, (name, owners - used)
