"""Tool tips of buttons that do what an action does: they name the key in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi


def show_keys(window: WindowApi) -> None:
    """Let the tool tips of the window's buttons name the keys of their actions, also when those change."""
    docks, welcome = window.docks, window.welcome
    for button, action in (
        (docks.inspector.break_button, "run.break"),
        (docks.inspector.plan_button, "run.plan_job"),
        (docks.jobs.plan_button, "run.plan_job"),
        (docks.job.plan_button, "run.plan_job"),
        (welcome.open_button, "file.open"),
        (welcome.back_button, "view.clear"),
    ):
        window.menus.tip(button, action, button.toolTip())
