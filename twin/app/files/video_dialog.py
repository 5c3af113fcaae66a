"""Export of a film: which part of the run, how long, how large; made picture by picture, the window stays awake."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from twin.app.hall.panel import HallPanel
from twin.app.session.save_folder import save_folder
from twin.app.session.session import Session
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.language import tr
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.report.film import (
    INSTALL,
    Film,
    FilmCut,
    FilmInMaking,
    Frames,
    Mp4,
    NoEncoder,
    Sink,
    can_encode,
)
from twin.report.studio import NoPicture, Shot
from twin.report.tour_film import TourFilm, caption_file
from twin.report.tour_times import NoChapters
from twin.units import spoken
from twin.whole_file import write_whole

HOUR_S = 3600.0
SIZES = ((1280, 720), (1920, 1080), (960, 540))
_MOST_SECONDS, _FPS = 600, (30, 60, 24, 15)
_VIDEO, _PICTURES, _CHAPTERS = "video", "pictures", "chapters"


class VideoDialog(QDialog):
    """Asks for a film, and makes it.

    Attributes
    ----------
    film
        What is being made; None: nothing is.
    made
        What was made; None: nothing yet.
    """

    def __init__(self, look: Look, session: Session, hall: HallPanel, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._session, self._hall = look, session, hall
        self.film: FilmInMaking | None = None
        self.made: Path | None = None
        self._reader: Reader | None = None
        self.setWindowTitle(tr("Export video"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(420)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addWidget(label(tr("Export video"), "title"))
        self.range, self.kind, self.size_box, self.fps = DropDown(), DropDown(), DropDown(), DropDown()
        self.seconds = CountBox(1, _MOST_SECONDS, doubles=False)
        self._fill()
        form = QFormLayout()
        for title, field in (
            (tr("Part of the run"), self.range),
            (tr("Length"), self.seconds),
            (tr("Frames per second"), self.fps),
            (tr("Size"), self.size_box),
            (tr("Format"), self.kind),
        ):
            field.setAccessibleName(title)
            form.addRow(title, field)
        nest(column, form)
        self._form = (self.range, self.seconds, self.fps, self.size_box, self.kind)
        self.words = label("", "muted")
        self.words.setWordWrap(True)
        column.addWidget(self.words)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Frames rendered"))
        self.bar.hide()
        column.addWidget(self.bar)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.make_button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.make_button.setText(tr("Export\N{HORIZONTAL ELLIPSIS}"))
        self.make_button.setProperty("role", "primary")
        for button in self.buttons.buttons():
            button.setIcon(QIcon())
        self.buttons.accepted.connect(self.ask)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)
        self.range.currentIndexChanged.connect(self._on_range)
        self._on_range()
        self._turns = QTimer(self)
        self._turns.setSingleShot(True)
        self._turns.timeout.connect(self._turn)
        self._stepping = self._leaving = False
        if not can_encode():
            self.words.setText(
                tr("Video files need an encoder: {install}. Numbered pictures always work.", install=INSTALL)
            )

    def _on_range(self, _index: int = 0) -> None:
        """Chapters last as long as they do."""
        self.seconds.setEnabled(self.range.currentData() != _CHAPTERS)

    def ask(self) -> None:
        """Let the person choose where it goes, and begin."""
        stem = self._session.path.name.partition(".")[0] if self._session.path is not None else "run"
        folder = save_folder(self._session.path)
        if self.kind.currentData() == _VIDEO:
            chosen, _ = QFileDialog.getSaveFileName(
                self, tr("Export video"), str(folder / f"{stem}.mp4"), tr("Videos (*.mp4)")
            )
            chosen = f"{chosen}.mp4" if chosen and not chosen.endswith(".mp4") else chosen
        else:
            chosen = QFileDialog.getExistingDirectory(self, tr("Folder for the pictures"), str(folder))
        if chosen:
            self.make(Path(chosen))

    def make(self, path: Path) -> None:
        """Begin to make the film at `path`, a file or a folder."""
        run_file = self._session.run_file
        if run_file is None:
            self.words.setText(tr("Nothing is recorded yet: start the run first."))
            return
        try:
            self._reader = Reader(run_file)
            sink: Sink = (
                Mp4(path, self.fps.currentData()) if self.kind.currentData() == _VIDEO else Frames(path)
            )
            self._path = path
            self.film = self._begun(self._reader, sink)
        except (RunFileError, NoEncoder, NoPicture, NoChapters, OSError) as error:
            self._end(str(error))
            return
        self.bar.setRange(0, self.film.count)
        self.bar.setValue(0)
        self.bar.show()
        self.words.setText("")
        for field in (*self._form, self.make_button):
            field.setEnabled(False)
        self._turns.start(0)

    def _begun(self, reader: Reader, sink: Sink) -> FilmInMaking:
        """Return the film that was asked for."""
        fps, part = self.fps.currentData(), self.range.currentData()
        if part == _CHAPTERS:
            beside = caption_file(self._path)
            if beside.exists() and not self._path.is_file():  # a film that may be lost loses its captions too
                raise FileExistsError(tr("{path} exists already: choose another name", path=beside))
            return TourFilm(reader, self._shot(), fps, sink)
        cut = FilmCut(part[0], min(part[1], reader.t_end_s), self.seconds.value(), fps)
        return Film(reader, self._shot(), cut, sink)

    def _keep_captions(self, film: FilmInMaking) -> str:
        """Write the captions of chapters beside their film; return why that failed."""
        if not isinstance(film, TourFilm):
            return ""
        try:
            write_whole(caption_file(self._path), film.vtt.encode())
        except OSError as error:
            return tr("Captions not written: {error}", error=error)
        return ""

    def reject(self) -> None:
        """Close; what is being made is broken off, and nothing half made is left."""
        self._turns.stop()
        self._leaving = True
        if (
            self._stepping
        ):  # a picture is taken, or what draws is closed: both let events in, such as this one
            return
        if self.film is not None:
            film, self.film = self.film, None
            self._stepping = True
            film.cancel()
            self._stepping = False
            self._end("")
        super().reject()

    def _turn(self) -> None:
        """Make one picture, then let the window do what else it has to do."""
        film = self.film
        if film is None:
            return
        self._stepping, failed = True, ""
        try:
            more = film.step()
        except (RunFileError, NoPicture, OSError) as error:
            film.cancel()
            more, failed = False, tr("Video not made: {error}", error=error)
        finally:
            self._stepping = False
        self.bar.setValue(film.done)
        if not more:
            if failed:
                self._end(failed)
            else:
                self.made = self._path
                made = tr("{count:,} pictures: {path}", count=film.count, path=self._path)
                self._end("\n".join(filter(None, (made, self._keep_captions(film)))))
        if self._leaving:
            self.reject()
        elif more:
            self._turns.start(0)

    def _end(self, words: str) -> None:
        self._turns.stop()
        self.film = None
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        self.words.setText(words)
        for field in (*self._form, self.make_button):
            field.setEnabled(True)
        self._on_range()
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(tr("Close"))

    def _shot(self) -> Shot:
        """Return how the hall is looked at now."""
        state = self._hall.state
        return Shot(
            camera=self._hall.view.pose,
            colour_by=state.colour_by,
            cables_by=state.cables_by,
            tiles_by=state.tiles_by,
            theme=state.theme,
            size=tuple(self.size_box.currentData()),
            layers=state.layers,
        )

    def _fill(self) -> None:
        session = self._session
        end_s, now_s, loop = session.t_s, session.shown_s, session.replay.loop
        if loop is not None:
            self.range.addItem(tr("Loop range, {second_loop}", second_loop=spoken(loop[1] - loop[0])), loop)
        self.range.addItem(tr("Whole run so far, {end}", end=spoken(end_s)), (0.0, end_s))
        if now_s > HOUR_S:
            self.range.addItem(tr("The hour before the time on screen"), (now_s - HOUR_S, now_s))
        document = session.document
        if document is not None and document.scenario.chapters:
            self.range.addItem(tr("The chapters of the scene, with captions"), _CHAPTERS)
        self.seconds.setValue(20)
        self.seconds.setSuffix(" s")
        for fps in _FPS:
            self.fps.addItem(str(fps), fps)
        for wide, high in SIZES:
            self.size_box.addItem(f"{wide} \N{MULTIPLICATION SIGN} {high}", (wide, high))
        if can_encode():
            self.kind.addItem(tr("Video file (MP4)"), _VIDEO)
        self.kind.addItem(tr("Numbered pictures (PNG)"), _PICTURES)
