"""Everything the window can do, as one table: menus, keys and the command palette are made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.analyse import analyse_actions
from twin.app.shell.actions.bookmarks import bookmark_actions
from twin.app.shell.actions.design import design_actions
from twin.app.shell.actions.drill import drill_actions
from twin.app.shell.actions.edit import edit_actions
from twin.app.shell.actions.edit import edit_uses as edit_uses
from twin.app.shell.actions.facility import facility_actions
from twin.app.shell.actions.file import file_actions
from twin.app.shell.actions.help import help_actions
from twin.app.shell.actions.lesson_writing import lesson_writing_actions
from twin.app.shell.actions.measure import measure_actions
from twin.app.shell.actions.parts import part_actions
from twin.app.shell.actions.place import place_actions
from twin.app.shell.actions.run import run_actions
from twin.app.shell.actions.study import study_actions
from twin.app.shell.actions.teach import teach_actions
from twin.app.shell.actions.timeline import timeline_actions
from twin.app.shell.actions.tour import tour_actions
from twin.app.shell.actions.view import view_actions
from twin.app.shell.actions.window import window_actions

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def all_actions(window: WindowApi) -> list[Command]:
    """Return the actions of a window, in the order of its menus."""
    parts = (
        file_actions,
        edit_actions,
        place_actions,
        design_actions,
        part_actions,
        run_actions,
        study_actions,
        timeline_actions,
        analyse_actions,
        view_actions,
        measure_actions,
        bookmark_actions,
        tour_actions,
        facility_actions,
        teach_actions,
        drill_actions,
        lesson_writing_actions,
        window_actions,
        help_actions,
    )
    return [action for part in parts for action in part(window)]
