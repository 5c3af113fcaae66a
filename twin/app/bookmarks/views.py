"""How each scene is looked at: bookmarks of the camera and of time, and the file beside the scene that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QTimer

from twin.app.bookmarks.view_file import (
    MOST_BOOKMARKS,
    MOST_LETTERS,
    MOST_NOTE_LETTERS,
    Bookmark,
    Camera,
    TimeMark,
    View,
    ViewFileError,
    read_view,
    view_path,
    write_view,
)
from twin.app.files.scene_file import SceneFile
from twin.app.hall.panel import HallPanel
from twin.app.session.recording import is_recording
from twin.app.session.save_folder import is_shipped
from twin.language import counted, tr

KEPT_AFTER_MS = 1000
"""Bookmarks and notes are on the disk so soon after the last change: a crash takes no more."""
Choices = tuple[object, ...]
"""What a person has set of the view beside bookmarks."""


class Views:
    """Bookmarks of the open scene, read with it and written with it.

    A file is written only where a person has set something: a bookmark, what colours, a layer. The camera goes along.

    Parameters
    ----------
    show
        Puts words in the status bar.
    """

    changed = Signal()  # the bookmarks, of camera or time

    def __init__(self, hall: HallPanel, scene: SceneFile, show: Callable[[str], None]) -> None:
        self._hall, self._scene, self._show = hall, scene, show
        self.bookmarks: tuple[Bookmark, ...] = ()
        self.moments: tuple[TimeMark, ...] = ()
        self._place = -1  # of the bookmark gone to last
        self._at_first = self._set
        self._path: Path | None = None  # of the scene; None while it has none of its own
        self._kept: View | None = None  # as it is on the disk
        self._strange = ""  # why the file that lies there is not ours
        self._soon = QTimer(hall, singleShot=True, interval=KEPT_AFTER_MS)
        self._soon.timeout.connect(self.keep)
        self.changed.connect(lambda: self._soon.start())

    # -- the file ----

    def opened(self, path: Path) -> None:
        """Keep what was set of the scene before, and look at this one as its file says."""
        self.keep()
        self._path = None if self._scene.is_new and not is_recording(path) else path
        self._kept, self._strange, self._place = None, "", -1
        try:
            self._kept = read_view(view_path(path)) if self._path is not None else None
        except ViewFileError as error:
            self._strange = f"{view_path(path).name} {error}"
            self._show(tr("View not loaded: {strange}", strange=self._strange))
        self.bookmarks = self._kept.bookmarks if self._kept is not None else ()
        self.moments = self._kept.moments if self._kept is not None else ()
        marks, state = self._kept or View(), self._hall.state
        state.hidden, state.only = frozenset(marks.hidden), frozenset(marks.only)
        state.locked = frozenset(marks.locked)
        self._take_dimensions(marks)
        if self._kept is not None:
            self._kept.show(self._hall.state)
        self._at_first = self._set
        self.changed.emit()

    def saved(self, path: Path) -> None:
        """The scene was saved there: keep how it is looked at beside it."""
        moved = path != self._path
        if moved:
            self._path, self._strange = path, ""
            try:
                read_view(view_path(path))
            except ViewFileError as error:
                self._strange = f"{view_path(path).name} {error}"
        if self.is_set or self._kept is not None:
            self._write()

    def keep(self) -> None:
        """Keep what a person has set, where the scene has a file of its own; harmless when nothing was."""
        if self.is_set and self._path is not None and not is_shipped(self._path) and self._path.is_file():
            self._write()

    @property
    def is_set(self) -> bool:
        """Return whether a person has set anything since it was read."""
        return self._set != self._at_first

    @property
    def _set(self) -> tuple[tuple[Bookmark, ...], tuple[TimeMark, ...], Choices]:
        return self.bookmarks, self.moments, self._choices

    @property
    def _choices(self) -> Choices:
        state = self._hall.state
        return (
            *(state.colour_by, state.cables_by, state.layers, state.hidden, state.only, state.locked),
            *(state.rulers, state.dimensions, state.tiles_by),
        )

    def _write(self) -> None:
        assert self._path is not None
        path, view = view_path(self._path), View.of(self._hall.state, self.bookmarks, self.moments)
        if self._strange:
            self._show(tr("Bookmarks and layers are not saved: {strange}", strange=self._strange))
            return
        if view == self._kept:
            return
        try:
            write_view(path, view)
        except OSError as error:
            self._show(tr("{name} cannot be saved: {reason}", name=path.name, reason=error.strerror or error))
            return
        self._kept = view
        self._at_first = self._set

    def _take_dimensions(self, view: View) -> None:
        """Show the dimensions of things that are there, and say how many are not."""
        kept = [each.dimension for each in view.dimensions]
        known = [
            each for each in kept if all(self._hall.has(end.id) for end in (each.start, each.stop) if end.id)
        ]
        self._hall.state.dimension_chosen = -1
        self._hall.state.dimensions = tuple(known)
        if len(known) < len(kept):
            gone = counted(len(kept) - len(known), "dimension")
            self._show(tr("{gone} left out: what it measured is not in this scene", gone=gone))

    # -- bookmarks ----

    def add(self) -> int | None:
        """Keep where the camera stands; return the place of the new bookmark, None where no more can be kept."""
        pose = self._hall.view.pose
        if len(self.bookmarks) >= MOST_BOOKMARKS:
            self._show(
                tr(
                    "A scene holds at most {most_bookmarks} bookmarks: delete one first",
                    most_bookmarks=MOST_BOOKMARKS,
                )
            )
            return None
        names = {bookmark.name for bookmark in self.bookmarks}
        number = next(n for n in range(1, MOST_BOOKMARKS + 2) if f"View {n}" not in names)
        self._take((*self.bookmarks, Bookmark(name=f"View {number}", camera=Camera.of(pose))))
        self._place = len(self.bookmarks) - 1
        self._show(
            tr("Bookmark {name}{where_kept}", name=self.bookmarks[-1].name, where_kept=self._where_kept)
        )
        return self._place

    def go(self, place: int) -> None:
        """Fly to a bookmark."""
        if 0 <= place < len(self.bookmarks):
            self._place = place
            bookmark = self.bookmarks[place]
            self._hall.view.go(bookmark.camera.pose)
            self._show(bookmark.name)

    def step(self, by: int) -> None:
        """Fly to the bookmark `by` places on from the last, round and round."""
        if not self.bookmarks:
            self._show(tr("This scene has no bookmarks yet"))
            return
        start = self._place if self._place >= 0 or by < 0 else -1
        self.go((start + by) % len(self.bookmarks))

    def rename(self, place: int, name: str) -> bool:
        """Give a bookmark another name; return whether it is one."""
        name = " ".join(name.split())[:MOST_LETTERS]
        if not name or not name.isprintable():
            return False
        renamed = self.bookmarks[place].model_copy(update={"name": name})
        self._take((*self.bookmarks[:place], renamed, *self.bookmarks[place + 1 :]))
        return True

    def delete(self, place: int) -> None:
        """Forget a bookmark."""
        if 0 <= place < len(self.bookmarks):
            self._take((*self.bookmarks[:place], *self.bookmarks[place + 1 :]))
            self._place = min(self._place, len(self.bookmarks) - 1)

    def _take(self, bookmarks: tuple[Bookmark, ...]) -> None:
        self.bookmarks = bookmarks
        self.changed.emit()

    # -- bookmarks of time ----

    def add_moment(self, t_s: float, note: str) -> TimeMark | None:
        """Keep a time with a note; return the bookmark, None where no more can be kept. One time is kept once."""
        if len(self.moments) >= MOST_BOOKMARKS:
            self._show(
                tr(
                    "A scene holds at most {most_bookmarks} bookmarked times: delete one first",
                    most_bookmarks=MOST_BOOKMARKS,
                )
            )
            return None
        made = TimeMark(t_s=round(t_s, 3), note=_clean(note))
        kept = [moment for moment in self.moments if moment.t_s != made.t_s]
        self.take_moments((*kept, made))
        self._show(tr("Time bookmarked{where_kept}", where_kept=self._where_kept))
        return made

    def take_moments(self, moments: Iterable[TimeMark]) -> None:
        """Keep these bookmarks of time, in their order of time."""
        self.moments = tuple(sorted(moments, key=lambda moment: moment.t_s))
        self.changed.emit()

    def note(self, moment: TimeMark, note: str) -> None:
        """Say something else about a time that is kept."""
        self.take_moments(
            kept.model_copy(update={"note": _clean(note)}) if kept is moment else kept
            for kept in self.moments
        )

    @property
    def _where_kept(self) -> str:
        return (
            "" if self._path is not None and not is_shipped(self._path) else tr("; save the scene to keep it")
        )


def _clean(note: str) -> str:
    words = " ".join(note.split())
    return "".join(letter for letter in words if letter.isprintable())[:MOST_NOTE_LETTERS]
