"""The page that stands there before a scene is open: scenes as picture cards, recent files, what to press."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.app.files.scene_list import (
    SUFFIX,
    own_scenes,
    own_title,
    picture_of,
    read_card,
    shipped_scenes,
)
from twin.app.session.scene_errors import SCENE_ERRORS, problems_of
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import clear, nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.settings import UserSettings
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.state_folder import STUDY_SUFFIX
from twin.record.state_folder import SUFFIX as RUN_SUFFIX
from twin.shown_text import one_line

_CARD_PX, _WORDS_PX = 348, 126
_TITLE_LETTERS = 60
"""Two lines of a card."""
_PICTURE_PX = QSize(346, 178)
_MOST_COLUMNS, _MOST_LINKS = 3, 4
_BETWEEN_PX, _SIDE_PX = 16, 24
_PICTURE_SHARE = 0.84  # of a scene's picture: without the captions at its edges
_HINTS = (
    (tr("Space"), tr("play and pause")),
    (tr("Drag"), tr("orbit")),
    (tr("Wheel"), tr("zoom to the pointer")),
    (tr("Click"), tr("select")),
    ("F", tr("frame the selection")),
    ("Ctrl+Shift+P", tr("every command")),
)


class CardPicture(QWidget):
    """A picture with round upper corners; a drawn row of racks where there is none yet."""

    def __init__(self, path: Path | None) -> None:
        super().__init__()
        self.setFixedSize(_PICTURE_PX)
        self._path = path
        self._pixmap: QPixmap | None = (
            None  # read when it is first painted: most starts go straight to a hall
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture, cut to fill."""
        if self._pixmap is None:
            self._pixmap = _card_picture(self._path) if self._path is not None else QPixmap()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(0, 0, self.width(), self.height() + 12), 11, 11)
        painter.setClipPath(outline)
        if self._pixmap.isNull():
            self._paint_racks(painter)
        else:
            painter.drawPixmap(self.rect(), self._pixmap)
        painter.end()

    def _paint_racks(self, painter: QPainter) -> None:
        ground = QLinearGradient(0, 0, 0, self.height())
        ground.setColorAt(0, QColor("#0b1220"))
        ground.setColorAt(1, QColor("#13223a"))
        painter.fillRect(self.rect(), ground)
        painter.setPen(Qt.PenStyle.NoPen)
        for rack in range(9):
            for tile in range(12):
                shade = QColor.fromHsvF(
                    0.5 + 0.012 * ((rack * 5 + tile * 7) % 11), 0.72, 0.5 + 0.03 * (tile % 4)
                )
                painter.setBrush(shade)
                painter.drawRoundedRect(QRectF(28 + rack * 34, 30 + tile * 11, 28, 8), 1.5, 1.5)


def _card_picture(path: Path) -> QPixmap:
    try:
        return QPixmap.fromImage(_middle(path, path.stat().st_mtime_ns))
    except OSError:
        return QPixmap()


@lru_cache(maxsize=32)
def _middle(path: Path, _mtime_ns: int) -> QImage:
    """Return the middle of a scene's picture, at twice the size it is shown: sharp on any screen."""
    image = QImage(str(path))
    if image.isNull():
        return image
    width = min(image.width(), image.height() * _PICTURE_PX.width() / _PICTURE_PX.height()) * _PICTURE_SHARE
    height = width * _PICTURE_PX.height() / _PICTURE_PX.width()
    middle = QRect(0, 0, round(width), round(height))
    middle.moveCenter(image.rect().center())
    smooth = Qt.TransformationMode.SmoothTransformation
    return image.copy(middle).scaledToWidth(2 * _PICTURE_PX.width(), smooth)


class _Framed(QFrame):
    """A card of the page: as wide as its picture, as high as words of this size need."""

    def fit(self) -> None:
        """Take the size of text that is in force: larger words are higher, and fill more lines of the same width."""
        words_px = round(_WORDS_PX * (scaled(100) / 100) ** 1.5)
        self.setFixedSize(_CARD_PX, _PICTURE_PX.height() + words_px)


class OwnSceneCard(_Framed):
    """The place that says that one can bring a scene of one's own."""

    chosen = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setProperty("role", "owncard")
        self.fit()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Open a scene of your own"))
        column = QVBoxLayout(self)
        column.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.setSpacing(10)
        mark = tool_button(look, "open", tr("Open a file"), colour="accent")
        mark.setIconSize(QSize(34, 34))
        mark.clicked.connect(lambda: self.chosen.emit())
        column.addWidget(mark, 0, Qt.AlignmentFlag.AlignCenter)
        column.addWidget(label(tr("Your own hall"), "title"), 0, Qt.AlignmentFlag.AlignCenter)
        words = label(tr("Drop a .twin.yaml file anywhere on this window"), "muted", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(words)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask for a file."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit()


class Card(_Framed):
    """One scene; a click or Enter opens it, a button presents its chapters."""

    chosen = Signal(object)  # Path
    present_wanted = Signal(object)  # Path

    def __init__(self, look: Look, path: Path) -> None:
        super().__init__()
        self.path = path
        self.setProperty("role", "card")
        self.fit()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(path.name.removesuffix(SUFFIX))  # until it is read
        self.setToolTip(tr("Open this scene (Enter)"))
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 12)
        column.setSpacing(0)
        column.addWidget(CardPicture(picture_of(path)))
        words = QVBoxLayout()
        words.setContentsMargins(15, 11, 15, 0)
        words.setSpacing(4)
        self.title = label(path.name.removesuffix(SUFFIX), "title", wrap=True)
        self.story = label("", "muted", wrap=True)
        self.size_label = label("", "faint")
        words.addWidget(self.title)
        words.addWidget(self.story)
        words.addStretch(1)
        self.present_button = tool_button(look, "play", tr("Present the chapters of this scene"))
        self.present_button.clicked.connect(lambda: self.present_wanted.emit(self.path))
        self.present_button.hide()
        foot = QHBoxLayout()
        foot.addWidget(self.size_label, 1)
        foot.addWidget(self.present_button)
        nest(words, foot)
        nest(column, words, 1)

    def read(self) -> None:
        """Fill in title, story and size from the file."""
        try:
            card = read_card(self.path)
        except SCENE_ERRORS as error:
            self.story.setText(
                tr("This scene has problems: {reason}", reason=problems_of(error, self.path.name)[0].reason)
            )
            return
        self.title.setText(one_line(card.title, _TITLE_LETTERS))
        self.title.setToolTip(plain_tip(one_line(card.title)) if len(card.title) > _TITLE_LETTERS else "")
        self.story.setText(card.story)
        self.size_label.setText(
            tr(
                "{gpus:,} GPUs  ·  {removesuffix}",
                gpus=card.gpus,
                removesuffix=self.path.name.removesuffix(SUFFIX),
            )
        )
        self.setAccessibleName(tr("{title}, {gpus:,} GPUs", title=card.title, gpus=card.gpus))
        self.present_button.setVisible(card.chapters > 0)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the scene."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit(self.path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the scene by Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.path)
        else:
            super().keyPressEvent(event)


class Welcome(QScrollArea):
    """Cards of one's own scenes, opened last, and of the shipped ones, open button, first keys."""

    chosen = Signal(object)  # Path
    present_wanted = Signal(object)  # Path
    refreshed = Signal()
    open_wanted = Signal()
    back_wanted = Signal()
    new_wanted = Signal()
    need_wanted = Signal()

    def __init__(self, look: Look, settings: UserSettings) -> None:
        super().__init__()
        self.setAccessibleName(tr("Scenes"))
        self._look, self._settings = look, settings
        self.setWidgetResizable(True)
        self.cards = [Card(look, path) for path in shipped_scenes()]
        content = QWidget()
        outer = QHBoxLayout(content)
        outer.addStretch(1)
        page = QVBoxLayout()
        page.setContentsMargins(_SIDE_PX, 34, _SIDE_PX, 28)
        page.setSpacing(16)
        nest(page, self._head())
        self._grid = QGridLayout()
        self._grid.setSpacing(_BETWEEN_PX)
        self._own_grid = QGridLayout()
        self._own_grid.setSpacing(_BETWEEN_PX)
        self.own_cards: list[Card] = []
        self._in_grid = self._all_cards()
        self._columns = 0
        self._lay_cards(_MOST_COLUMNS)
        self._own_heading, self._samples_heading = (
            label(tr("YOUR SCENES"), "section"),
            label(tr("SAMPLES"), "section"),
        )
        self._recent = QVBoxLayout()
        self._recent.setSpacing(4)
        page.addWidget(self._own_heading)
        nest(page, _kept_together(self._own_grid))
        nest(page, self._recent)
        self._sections = QVBoxLayout()
        self._sections.setSpacing(10)
        nest(page, self._sections)
        page.addWidget(self._samples_heading)
        nest(page, _kept_together(self._grid))
        nest(page, self._hints())
        page.addStretch(1)
        nest(outer, page)
        outer.addStretch(1)
        self.setWidget(content)
        self._unread = list(self.cards)
        look.changed.connect(self._fit_cards)
        self._reader = QTimer(self)
        self._reader.setInterval(0)
        self._reader.timeout.connect(self._read_next)

    def refresh(self) -> None:
        """Show the recent files as they are now, and read the cards not yet read, one at a time."""
        recent = self._settings.recent
        own = own_scenes(recent)
        clear(self._own_grid)
        self._unread = [card for card in self._unread if card in self.cards]
        self.own_cards = [Card(self._look, path) for path in own[:_MOST_COLUMNS]]
        for number, card in enumerate(self.own_cards):
            card.chosen.connect(self._choose)
            card.present_wanted.connect(self._present)
            self._own_grid.addWidget(card, number // self._columns, number % self._columns)
        self._unread = [*self.own_cards, *self._unread]
        clear(self._recent)
        runs = [path for path in recent if path.name.endswith((RUN_SUFFIX, STUDY_SUFFIX))]
        self._own_heading.setVisible(bool(own or runs))
        self._samples_heading.setVisible(bool(own or runs) or self._sections.count() > 0)
        for path in [*own[_MOST_COLUMNS:], *runs][:_MOST_LINKS]:
            button = QPushButton(own_title(path))
            button.setProperty("role", "link")
            button.clicked.connect(lambda _=False, p=path: self.chosen.emit(p))
            self._recent.addWidget(button)
        self.refreshed.emit()
        if self._unread:
            self._reader.start()

    def add_section(self, title: str, content: QWidget) -> None:
        """Put something else that can be begun between one's own scenes and the samples."""
        self._sections.addWidget(label(title, "section"))
        self._sections.addWidget(content)

    @property
    def is_read(self) -> bool:
        """Return whether all cards say what their scenes are."""
        return not self._unread

    def _choose(self, path: Path) -> None:
        self.chosen.emit(path)

    def _present(self, path: Path) -> None:
        self.present_wanted.emit(path)

    def stop(self) -> None:
        """Stop reading cards: a scene opens, or the window closes."""
        self._reader.stop()

    def _read_next(self) -> None:
        if self._unread:
            self._unread.pop(0).read()
        else:
            self._reader.stop()

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(label(tr("GPU data centre twin"), "display"))
        words.addWidget(
            label(
                tr("Open a hall, press Space, and watch it train, heat up, fail and recover."),
                "lead",
                wrap=True,
            )
        )
        nest(row, words, 1)
        self.open_button = button = QPushButton(tr("Open a file\N{HORIZONTAL ELLIPSIS}"))
        button.setProperty("role", "primary")
        button.setToolTip(tr("Open a scene of your own"))
        button.clicked.connect(lambda: self.open_wanted.emit())
        self.back_button = QPushButton(tr("Back to the hall"))
        self.back_button.setToolTip(tr("Return to the open scene"))
        self.back_button.clicked.connect(lambda: self.back_wanted.emit())
        self.back_button.hide()
        self.new_button = QPushButton(tr("New scene"))
        self.new_button.setToolTip(tr("Start with an empty hall"))
        self.new_button.clicked.connect(lambda: self.new_wanted.emit())
        self.need_button = QPushButton(tr("From a need"))
        self.need_button.setToolTip(tr("Say what a site is wanted for, and find designs that meet it"))
        self.need_button.clicked.connect(lambda: self.need_wanted.emit())
        row.addWidget(self.back_button, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.need_button, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.new_button, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        return row

    def _all_cards(self) -> list[_Framed]:
        for card in self.cards:
            card.chosen.connect(self._choose)
            card.present_wanted.connect(self._present)
        own = OwnSceneCard(self._look)
        own.chosen.connect(lambda: self.open_wanted.emit())
        return [*self.cards, own]

    def _fit_cards(self, *_theme: object) -> None:
        for card in (*self.own_cards, *self._in_grid):
            card.fit()

    def _lay_cards(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for grid, cards in ((self._own_grid, self.own_cards), (self._grid, self._in_grid)):
            for number, card in enumerate(cards):  # adding a widget again moves it
                grid.addWidget(card, number // columns, number % columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay as many cards beside each other as there is room for."""
        super().resizeEvent(event)
        room_px = event.size().width() - 2 * _SIDE_PX + _BETWEEN_PX
        columns = room_px // (_CARD_PX + _BETWEEN_PX)
        self._lay_cards(min(max(columns, 1), _MOST_COLUMNS))

    def _hints(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(7)
        for keys, what in _HINTS:
            row.addWidget(label(keys, "badge"))
            row.addWidget(label(what, "faint"))
            row.addSpacing(10)
        row.addStretch(1)
        return row


def _kept_together(grid: QGridLayout) -> QHBoxLayout:
    """Return a row in which cards keep together under the headline where few are beside each other."""
    row = QHBoxLayout()
    nest(row, grid)
    row.addStretch(1)
    return row
