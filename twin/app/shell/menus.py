"""The menu bar with the scenes opened last, made like the palette's entries from the actions of an application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app_model import Application
from app_model.types import MenuItem
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget
from shiboken6 import isValid

from twin.app.shell.actions.entry import MENUS, NO_SCENE, Entry
from twin.app.toolkit.command_palette import PaletteEntry
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.settings import UserSettings
from twin.app.toolkit.shortcuts import Shortcuts
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.toolkit.shortcuts import Command


class MenuBar:
    """Fills the menu bar of a window and keeps every item's enabled and checked state true.

    Parameters
    ----------
    model
        Holds the actions, with the context that says what is possible now.
    window
        Owns the Qt actions, so that their keys act anywhere in it.
    shortcuts
        The key of every action.
    has_use
        Action id to whether it would do anything now. Asked while its menu is open: a key or the palette is answered
        with the reason instead.
    """

    def __init__(
        self,
        model: Application,
        look: Look,
        window: QMainWindow,
        shortcuts: Shortcuts,
        has_use: Mapping[str, Callable[[], bool]],
    ) -> None:
        self._model, self._look = model, look
        self.shortcuts = shortcuts
        self._tipped: list[tuple[QWidget, str, str]] = []
        self.qt_actions: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        self._has_use = has_use
        self.forbidden: Callable[[str], str] = lambda action_id: ""  # why an action may not be done
        for menu_id, title in MENUS.items():
            self.menus[menu_id] = self._menu(menu_id, title, window)
        for menu_id, menu in self.menus.items():
            self._fill(menu_id, menu, window)
        model.context.changed.connect(self._on_context)
        shortcuts.changed.connect(self._on_keys)
        self._on_keys()
        self._on_context()

    @property
    def model(self) -> Application:
        """The actions, by id."""
        return self._model

    def entries(self) -> list[PaletteEntry]:
        """Return what the palette offers: every action, and why it is not possible now."""
        made = []
        for action in self._model.registered_actions.values():
            if action.palette:
                key = self.shortcut(action.id)
                run = partial(self.execute, action.id)
                words = action.words if isinstance(action, Entry) else ""
                why_not = "" if self._is_possible(action, self._model.context) else NO_SCENE
                why_not = self.forbidden(action.id) or why_not
                made.append(PaletteEntry(action.title, run, action.category or "", key, words, why_not))
        return made

    def forbid(self, forbidden: Callable[[str], str] | None) -> None:
        """Let actions be done only where `forbidden` says no reason against it; None: all may be done again."""
        self.forbidden = (lambda action_id: "") if forbidden is None else forbidden
        for menu in self.menus.values():
            menu.setToolTipsVisible(forbidden is not None)
        self._on_context()

    def execute(self, action_id: str) -> None:
        """Do an action; what it raises is raised here."""
        self._model.commands.execute_command(action_id).result()

    def shortcut(self, action_id: str) -> str:
        """Return the key of an action as this system writes it, "" when it has none."""
        return QKeySequence(self.shortcuts.key(action_id)).toString(QKeySequence.SequenceFormat.NativeText)

    def tip(self, widget: QWidget, action_id: str, words: str = "") -> None:
        """Give the widget that does what an action does a tool tip: what it does, and the action's key."""
        self._tipped = [each for each in self._tipped if isValid(each[0]) and each[0] is not widget]
        self._tipped.append((widget, action_id, words or self._model.registered_actions[action_id].title))
        self._show_tip(*self._tipped[-1])

    def _menu(self, menu_id: str, title: str, window: QMainWindow) -> QMenu:
        parent_id, _, name = menu_id.rpartition("/")
        menu = self.menus[parent_id].addMenu(title) if parent_id else window.menuBar().addMenu(title)
        menu.setObjectName(f"menu.{name}")
        menu.aboutToShow.connect(partial(self._refresh, menu_id))
        menu.aboutToHide.connect(self._on_context)
        return menu

    def _fill(self, menu_id: str, menu: QMenu, owner: QWidget) -> None:
        before = menu.actions()[0] if menu.actions() else None  # submenus come last
        for number, group in enumerate(self._groups(menu_id)):
            if number:
                menu.insertSeparator(before)  # type: ignore[arg-type]
            for item in group:
                menu.insertAction(before, self._qt_action(item, owner))  # type: ignore[arg-type]
        if before is not None:
            menu.insertSeparator(before)

    def _groups(self, menu_id: str) -> list[list[MenuItem]]:
        groups = list(self._model.menus.iter_menu_groups(menu_id))
        return [[item for item in group if isinstance(item, MenuItem)] for group in groups]

    def _qt_action(self, item: MenuItem, owner: QWidget) -> QAction:
        rule = item.command
        made = QAction(rule.title, owner)
        made.setObjectName(rule.id)
        made.setStatusTip(rule.status_tip or "")
        if rule.icon is not None and rule.icon.dark:
            self._look.dress(made, rule.icon.dark)
        made.setCheckable(rule.toggled is not None)
        made.triggered.connect(lambda _=False, action_id=rule.id: self.execute(action_id))
        owner.addAction(made)
        self.qt_actions[rule.id] = made
        return made

    def _on_context(self) -> None:
        actions: Mapping[str, Command] = self._model.registered_actions
        for action_id, made in self.qt_actions.items():
            reason = self.forbidden(action_id)
            made.setEnabled(self._is_possible(actions[action_id], self._model.context) and not reason)
            made.setToolTip(plain_tip(reason) if reason else "")

    def _on_keys(self) -> None:
        for action_id, made in self.qt_actions.items():
            made.setShortcut(QKeySequence(self.shortcuts.key(action_id)))
        for tipped in self._tipped:
            self._show_tip(*tipped)

    def _show_tip(self, widget: QWidget, action_id: str, words: str) -> None:
        key = self.shortcut(action_id)
        widget.setToolTip(plain_tip(f"{words} ({key})" if key else words))

    def _refresh(self, menu_id: str) -> None:
        actions: Mapping[str, Command] = self._model.registered_actions
        for made in self.menus[menu_id].actions():
            action = actions.get(made.objectName())
            toggled = action.toggled if action is not None else None
            current = getattr(toggled, "get_current", None)
            if current is not None:
                made.setChecked(bool(current()))
            has_use = self._has_use.get(made.objectName())
            if action is not None and has_use is not None:
                possible = self._is_possible(action, self._model.context) and has_use()
                made.setEnabled(possible and not self.forbidden(made.objectName()))

    @staticmethod
    def _is_possible(action: Command, context: Mapping[str, object]) -> bool:
        return action.enablement is None or bool(action.enablement.eval(context))


class RecentMenu(QMenu):
    """The scenes opened last, in the menu File.

    Parameters
    ----------
    open_scene
        Opens the scene at a path.
    """

    def __init__(
        self, bar: MenuBar, settings: UserSettings, open_scene: Callable[[Path], object], parent: QWidget
    ) -> None:
        super().__init__(tr("Open recent"), parent)
        self._settings, self._open = settings, open_scene
        self.aboutToShow.connect(self._refill)
        bar.menus["file"].insertMenu(bar.qt_actions["file.scenes"], self)

    def _refill(self) -> None:
        self.clear()
        for path in self._settings.recent:
            self.addAction(f"{path.name}   ({path.parent})", partial(self._open, path))
        if self.isEmpty():
            self.addAction(tr("None yet")).setEnabled(False)
