"""The card over the hall: chapter, text, what there is to try, and how far the tour is; read from the last row."""

from __future__ import annotations

from functools import partial

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from twin.app.hall.panel import HallPanel
from twin.app.toolkit import text
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.tour.prose_view import ProseView
from twin.app.tour.tour import Tour
from twin.language import tr
from twin.markdown_text import ProseBlock, read_markdown, with_figures
from twin.scenario.schema.chapter import ChapterTrial
from twin.shown_text import one_line

_WIDTH, _LEAST_WIDTH, _MOST_WIDTH, _MARGIN = 0.36, 0.5, 0.62, 0.014
"""Share of the hall's width, at least a share of its height; the margin round the card as a share of its height."""
_BODY, _TITLE, _SMALL, _BUTTON = 1 / 34, 1 / 24, 1 / 46, 1 / 42
"""Letters as a share of the picture's height: 9 cm on a screen of three metres, legible from twenty."""
_SHRINKS = (1.0, 0.9, 0.8, 0.72, 0.64, 0.56, 0.5)
"""Letters of a long text become smaller, before it is cut."""


class Progress(QWidget):
    """A row of marks, one a chapter; those that are over are filled."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look, self._done, self._count = look, 0, 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_progress(self, done: int, count: int) -> None:
        """Show which of how many it is."""
        self._done, self._count = done, count
        self.setAccessibleName(tr("Chapter {done} of {count}", done=done, count=count))
        self.update()

    def sizeHint(self) -> QSize:
        """Return a narrow row."""
        return QSize(40, max(6, round(self.height_px)))

    height_px = 8.0

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the marks."""
        if not self._count:
            return
        painter, theme = QPainter(self), self._look.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        gap = self.height()
        wide = (self.width() - gap * (self._count - 1)) / self._count
        for place in range(self._count):
            colour = (
                theme.ok if place < self._done - 1 else theme.accent if place < self._done else theme.border
            )
            painter.setBrush(QColor(colour))
            bar = QRectF(place * (wide + gap), 0, wide, self.height())
            painter.drawRoundedRect(bar, self.height() / 2, self.height() / 2)
        painter.end()


class ChapterCard(QFrame):
    """Follows a tour; hidden while there is none.

    Attributes
    ----------
    buttons
        What there is to try, in its order.
    """

    tried = Signal(object)  # ChapterTrial

    def __init__(self, look: Look, hall: HallPanel, tour: Tour) -> None:
        super().__init__(hall)
        self._look, self._hall, self._tour = look, hall, tour
        self._shown: object = None
        self._blocks: tuple[ProseBlock, ...] = ()  # of the text, figures by name
        self._body_px = 18
        self.buttons: list[QPushButton] = []
        self.setObjectName("chapter card")
        self.setProperty("role", "note")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = QVBoxLayout(self)
        self.progress = Progress(look)
        self.title, self.moment, self.hint = label("", "", wrap=True), label(), label()
        self.words = ProseView(look)
        self._tries = QVBoxLayout()
        self._foot = QHBoxLayout()
        self._foot.addWidget(self.moment, 1)
        self._foot.addWidget(self.hint)
        self._column.addWidget(self.progress)
        self._column.addWidget(self.title)
        self._column.addWidget(self.words)
        nest(self._column, self._tries)
        nest(self._column, self._foot)
        self.hide()
        hall.cards.append(self)
        hall.installEventFilter(self)
        look.changed.connect(self._on_look)

    def follow(self) -> None:
        """Show the chapter of the tour, and the figures of the moment in it."""
        stop = self._tour.stop
        self.setVisible(stop is not None)
        if stop is None:
            self._shown = None
            self._hall.place_overlays()
            return
        chapter = stop.chapter
        if self._shown is not stop:
            self._shown, self._blocks = stop, read_markdown(chapter.text)
            self.title.setText(one_line(chapter.title))
            self.progress.show_progress(stop.number, stop.count)
            self._offer(chapter.trials)
        self.tell()
        self.place()

    def tell(self) -> None:
        """Show the figures and the time of the moment."""
        stop, tour, session = self._tour.stop, self._tour, self._tour.session
        if stop is None or session.document is None:
            return
        self.words.show_blocks(with_figures(self._blocks, tour.figure), self._body_px)
        clock = session.clock.says(session.shown_s)
        if tour.phase == "ahead":
            told = tr("simulating to {time}", time=session.clock.says(stop.at_s))
        elif tour.phase == "paused":
            told = tr("{time}  paused", time=clock)
        elif tour.phase == "over":
            told = clock
        else:
            told = tr("{time}  {speed}", time=clock, speed=text.speed(stop.piece_at(session.shown_s)[0]))
        self.moment.setText(told)
        last = tour.following is None
        over = tr("end: Esc leaves") if last else tr("next \N{RIGHTWARDS ARROW}")
        self.hint.setText(over if tour.phase == "over" else "")

    def place(self) -> None:
        """Stand on the right of the hall, as high as the words are, in letters that fit."""
        native, mark, stop = self._hall.view.native.geometry(), self._hall.mark, self._tour.stop
        if stop is None:
            return
        high, wide = native.height(), native.width()
        margin = max(round(_MARGIN * high), 10)
        width = round(min(max(_WIDTH * wide, _LEAST_WIDTH * high), _MOST_WIDTH * wide))
        top = mark.geometry().bottom() + margin if mark.isVisibleTo(self._hall) else native.top() + margin
        room = native.bottom() - margin - top
        blocks = with_figures(self._blocks, self._tour.figure)
        inner = width - 2 * _pad(high)
        for share in _SHRINKS:
            self._size(high, share, inner)
            self._body_px = round(share * _BODY * high)
            self.words.show_blocks(blocks, self._body_px)
            self.words.setFixedHeight(self.words.height_at(inner) + 2 if blocks else 0)
            needed = self._column.totalHeightForWidth(width)
            if needed <= room:
                break
        if needed > room:
            self.words.setFixedHeight(max(self.words.height() - (needed - room), 40))
        height, left = min(needed, room), native.right() - margin - width + 1
        self.setGeometry(left, native.bottom() - margin - height + 1, width, height)
        self.raise_()
        self._hall.place_overlays()

    def press(self, number: int) -> bool:
        """Press a button by its number, from 1; return whether there is one."""
        if not 1 <= number <= len(self.buttons):
            return False
        self.buttons[number - 1].click()
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep its place as the hall changes its size."""
        if event.type() == QEvent.Type.Resize and self.isVisibleTo(self._hall):
            self.place()
        return super().eventFilter(watched, event)

    def _size(self, high: int, share: float, inner: int) -> None:
        """Give all words letters that go with the height of the picture, buttons such that fit in a width [px]."""
        pad = _pad(high)
        self._column.setContentsMargins(pad, pad, pad, pad)
        self._column.setSpacing(max(round(share * pad) // 2, 5))
        self._tries.setSpacing(max(round(share * pad) // 3, 4))
        self.progress.setFixedHeight(max(round(high / 140), 4))
        theme = self._look.theme
        for words, part, weight, colour in (
            (self.title, _TITLE, 600, theme.text),
            (self.moment, _SMALL, 400, theme.muted),
            (self.hint, _SMALL, 600, theme.accent),
        ):
            px = max(round(share * part * high), 11)
            words.setStyleSheet(
                f"font-size: {px}px; font-weight: {weight}; color: {colour}; background: transparent;"
            )
        for button in self.buttons:
            px = max(round(share * _BUTTON * high), 11)
            needed = QFontMetrics(themes.font(px, as_is=True)).horizontalAdvance(button.text()) + 2.4 * px
            px = max(round(px * min(inner / needed, 1.0)), 9)
            button.setStyleSheet(f"font-size: {px}px; padding: {px // 2}px {px}px; text-align: left;")

    def _offer(self, trials: tuple[ChapterTrial, ...]) -> None:
        for button in self.buttons:
            self._tries.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = []
        for number, trial in enumerate(trials, 1):
            words = f"{number}  {one_line(trial.label)}".replace("&", "&&")
            button = QPushButton(words)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setAccessibleName(one_line(trial.label))
            button.setToolTip(plain_tip(tr("Try it (key {number})", number=number)))
            button.clicked.connect(partial(self.tried.emit, trial))
            self._tries.addWidget(button)
            button.show()  # what is hidden takes no room in the layout
            self.buttons.append(button)

    def _on_look(self, _theme: object) -> None:
        if self.isVisibleTo(self._hall):
            self.place()


def _pad(high: int) -> int:
    return max(round(high / 44), 10)
