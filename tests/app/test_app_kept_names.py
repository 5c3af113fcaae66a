"""Actions of the window and their keys are those of before, or more: the lists of `tests/kept_names.yaml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kept_names import KEPT, gone

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


def test_actions_and_their_keys_are_kept(window: MainWindow) -> None:
    shortcuts = window.menus.shortcuts
    assert gone("actions", shortcuts.actions) == []
    told = {id: shortcuts.shipped(id) for id in KEPT["shortcuts"]}
    assert told == KEPT["shortcuts"]
