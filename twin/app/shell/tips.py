"""Tool tips of buttons that do what an action does: they name the key in force. And the title of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.language import tr
from twin.shown_text import one_line

if TYPE_CHECKING:
    from twin.app.session.session import Session
    from twin.app.shell.window_api import WindowApi

_TITLE_LETTERS = 100


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


def window_title(session: Session, lesson: str, gone: str) -> str:
    """Return the title of the window: of the lesson, the scene, and the run file that is shown.

    Parameters
    ----------
    lesson
        That is open, "" while none is.
    gone
        Says that the run file is not there any more, "" where it is.
    """
    document, run = session.document, session.recording
    of = f" \N{EM DASH} {run.name}" if run is not None else ""
    title = lesson or (document.scenario.title if document is not None else "")
    return tr("{title}[*]{of} — gpu-twin", title=one_line(title, _TITLE_LETTERS), of=of + gone)
