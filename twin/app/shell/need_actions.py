"""From a need to designs: opens the window that asks for a need, and the scenes that it finds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.record.state_folder import NEED_SUFFIX

if TYPE_CHECKING:
    from twin.app.needs.front_rows import FoundDesign
    from twin.app.needs.need_dialog import NeedDialog
    from twin.app.shell.window_api import WindowApi


_KEPT = "unsaved_need"
"""Under which settings keep the text of a need that was not saved when the window closed."""


class NeedActions:
    """Keeps one need and its designs while the window is open.

    Attributes
    ----------
    dialog
        The window of the need; None before somebody asked for it.
    """

    def __init__(self, window: WindowApi) -> None:
        self._window = window
        self.dialog: NeedDialog | None = None
        window.files.openers[NEED_SUFFIX] = self.open_file
        window.welcome.need_wanted.connect(self.ask)

    def ask(self) -> None:
        """Show the window of the need as it was left."""
        dialog = self._made()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def open_file(self, path: Path) -> bool:
        """Open a file of a need; return whether it can be read."""
        done = self._made().open_file(path)
        if done:
            self.ask()
        return done

    def close(self) -> None:
        """End what runs; call when the window closes."""
        if self.dialog is not None:
            self._window.settings.keep(_KEPT, self.dialog.unsaved())
            self.dialog.close_search()
            self.dialog.close()

    def _made(self) -> NeedDialog:
        if self.dialog is None:
            from twin.app.needs.need_dialog import NeedDialog

            window = self._window
            self.dialog = NeedDialog(window.look, window)
            for text in window.settings.kept(_KEPT)[:1]:
                self.dialog.restore(text)
            self.dialog.open_wanted.connect(self._open)
            self.dialog.compare_wanted.connect(self._compare)
            self.dialog.told.connect(window.notifications.tell)
        return self.dialog

    def _open(self, found: FoundDesign) -> None:
        """Open the scene of a design; the designs are one click away."""
        window, checked = self._window, found.checked
        if checked is None or self.dialog is None:
            return
        if window.editing.file.begin(checked.scenes[found.name], f"{found.name}.twin.yaml"):
            self.dialog.hide()
            said = Trouble(
                tr("{design} is open", design=found.title),
                tr("It passes the design rules and is not saved yet."),
            )
            window.notifications.ask(said, {tr("Back to the designs"): self.ask})

    def _compare(self, chosen: list[FoundDesign]) -> None:
        """Show designs side by side, with the full runs of before where all have the same."""
        from twin.app.needs.front_rows import to_compare

        if self.dialog is None or self.dialog.search.answer is None:
            return
        need = self.dialog.search.answer.file.need
        designs = [to_compare(design, need) for design in chosen]
        seeds = [tuple(sorted(run.seed for run in design.runs)) for design in chosen]
        runs = None
        if seeds[0] and len(set(seeds)) == 1:
            runs = [sorted(design.runs, key=lambda run: run.seed) for design in chosen]
        self._window.run_comparing.show_designs(designs, runs)
