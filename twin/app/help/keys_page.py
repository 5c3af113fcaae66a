"""The page of the help with all keys, made of the actions of the window."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtGui import QKeySequence

from twin.app.help.pages import KEYS, HelpPage
from twin.app.toolkit.shortcuts import Shortcuts
from twin.language import tr

_MOUSE = (
    (tr("Left drag"), tr("orbit")),
    (tr("Right or middle drag"), "pan"),
    (tr("Right click"), tr("menu of the item")),
    (tr("Wheel"), tr("zoom to the pointer")),
    (tr("Double click"), tr("fly there")),
)
TITLE = tr("Keyboard shortcuts")


def keys_page(shortcuts: Shortcuts) -> HelpPage:
    """Return the page of all keys in force, by menus, and of the mouse."""
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for action in shortcuts.actions.values():
        key = QKeySequence(shortcuts.key(action.id)).toString(QKeySequence.SequenceFormat.NativeText)
        if key:
            rows.setdefault(action.category or "", []).append((key, action.title, action.status_tip or ""))
    lines = [f"# {TITLE}", "", tr("Help > Edit shortcuts changes them."), ""]
    for menu, found in rows.items():
        lines += [f"## {menu}", "", *_table(("key", "action", tr("what it does")), found), ""]
    lines += [tr("## Mouse"), "", *_table(("mouse", tr("in the hall")), _MOUSE)]
    return HelpPage(KEYS, TITLE, "\n".join(lines))


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = (" | ".join((f"**{_plain(key)}**", *map(_plain, rest))) for key, *rest in rows)
    return [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *(f"| {line} |" for line in lines)]


def _plain(text: str) -> str:
    r"""Return text as Markdown that reads so.

    >>> _plain("Ctrl+[ | *")
    'Ctrl+\\[ \\| \\*'
    """
    return re.sub(r"([\\`*_\[\]<>|~#])", r"\\\1", text)
