"""Shortcuts: the key of every action, as shipped or as the user wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from app_model import Application
from psygnal import Signal
from PySide6.QtGui import QKeySequence

from twin.app.toolkit.settings import UserSettings

if TYPE_CHECKING:
    from app_model.types import Action

    Command: TypeAlias = Action[..., Any]


class Shortcuts:
    """Says which key does what, and keeps what was changed in the settings.

    Parameters
    ----------
    model
        Holds the actions with the keys they are shipped with.
    settings
        Keeps only the keys that differ.
    """

    changed = Signal()

    def __init__(self, model: Application, settings: UserSettings) -> None:
        self._model, self._settings = model, settings
        self._own = settings.keys

    @property
    def actions(self) -> Mapping[str, Command]:
        """Return all actions by id, in the order of the menus."""
        return self._model.registered_actions

    def key(self, action_id: str) -> str:
        """Return the key of an action, as ``Ctrl+O``; "" when it has none, or when its own was given to another."""
        own = self._own.get(action_id)
        if own is not None:
            return own
        shipped = self.shipped(action_id)
        return "" if shipped in self._own.values() else shipped  # of an action newer than the user's keys

    def shipped(self, action_id: str) -> str:
        """Return the key that an action has as shipped, "" when it has none."""
        bound = self._model.keybindings.get_keybinding(action_id)
        return _portable(bound.keybinding.to_text()) if bound is not None else ""

    def is_own(self, action_id: str) -> bool:
        """Return whether the key of an action was changed."""
        return action_id in self._own

    @property
    def any_own(self) -> bool:
        """Return whether any key was changed."""
        return bool(self._own)

    def holder(self, key: str, but: str = "") -> str | None:
        """Return the action that has `key` now, other than `but`; None where the key is free."""
        wanted = _portable(key)
        if not wanted:
            return None
        return next((id for id in self.actions if id != but and self.key(id) == wanted), None)

    def assign(self, action_id: str, key: str) -> str | None:
        """Give an action a key, "" for none; returns the action that had it and has none now."""
        key = _portable(key)
        loser = self.holder(key, but=action_id)
        if loser is not None:
            self._set(loser, "")
        self._set(action_id, key)
        self._keep()
        return loser

    def reset(self, action_id: str) -> str | None:
        """Give an action the key it is shipped with; returns the action that had it and has none now."""
        return self.assign(action_id, self.shipped(action_id))

    def reset_all(self) -> None:
        """Give every action the key it is shipped with."""
        self._own.clear()
        self._keep()

    def _set(self, action_id: str, key: str) -> None:
        if key == self.shipped(action_id):
            self._own.pop(action_id, None)
        else:
            self._own[action_id] = key

    def _keep(self) -> None:
        self._settings.keys = self._own
        self.changed.emit()


def _portable(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)
