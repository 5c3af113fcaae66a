"""One line of the action table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app_model.expressions import parse_expression
from app_model.types import Action, Icon, KeyBindingRule, MenuRule, ToggleRule

from twin.language import tr

if TYPE_CHECKING:
    from twin.app.toolkit.shortcuts import Command

HAS_SCENE = "has_scene"
NO_SCENE = tr("open a scene first")
"""Why an action that needs one is not possible."""
MENUS: dict[str, str] = {
    "file": tr("&File"),
    "edit": tr("&Edit"),
    "edit/arrange": tr("Arrange"),
    "edit/rent": tr("Rent nodes"),
    "edit/building": tr("Building"),
    "run": tr("&Run"),
    "faults": tr("F&aults"),
    "faults/random": tr("Random incidents"),
    "analyse": tr("Analy&se"),
    "view": tr("&View"),
    "view/colour": tr("Colour by"),
    "view/layers": tr("Layers"),
    "view/camera": tr("Camera"),
    "view/dimensions": tr("Dimensions"),
    "view/bookmarks": tr("Bookmarks"),
    "view/workspace": tr("Workspace"),
    "view/text": tr("Text size"),
    "run/speed": tr("Speed"),
    "run/timeline": tr("Timeline"),
    "teach": tr("&Teach"),
    "window": tr("&Window"),
    "window/theme": tr("Theme"),
    "help": tr("&Help"),
}
"""Menu id to title; a submenu is ``menu/name``."""


class Entry(Action[..., Any]):
    """An action with other words for it, by which the command palette finds it."""

    words: str = ""


def entry(
    id: str,
    title: str,
    callback: Callable[[], Any],
    *,
    menu: str,
    key: str = "",
    icon: str = "",
    group: str = "1",
    needs_scene: bool = False,
    is_on: Callable[[], bool] | None = None,
    tip: str = "",
    words: str = "",
) -> Command:
    """Return an action.

    Parameters
    ----------
    id
        ``category.verb``, for ever: settings and tests name it.
    title
        As menus and palette write it.
    menu
        A key of `MENUS`; its first word is the category in the palette.
    key
        Shortcut, such as ``Ctrl+O``.
    icon
        Name of a drawing of assets/icons.
    group
        Groups of a menu are set apart by lines, in the order of their names.
    needs_scene
        Only to be chosen while a scene is open.
    is_on
        For things that can be on or off: whether it is on now.
    tip
        What it does, in the status bar and the list of shortcuts; without one, the title.
    words
        Other words for it, as users may type them.
    """
    return Entry(
        id=id,
        title=title,
        category=MENUS[menu.split("/")[0]].replace("&", ""),
        callback=callback,
        status_tip=tip or title.rstrip("\N{HORIZONTAL ELLIPSIS}"),
        icon=Icon(dark=icon, light=icon) if icon else None,
        menus=[MenuRule(id=menu, group=group)],
        keybindings=[KeyBindingRule(primary=key)] if key else None,
        enablement=parse_expression(HAS_SCENE) if needs_scene else None,
        toggled=ToggleRule(get_current=is_on) if is_on is not None else None,
        words=words,
    )
