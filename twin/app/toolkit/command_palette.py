"""The command palette: type a few letters of anything the window can do, or the id of a thing to go there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QHideEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from twin.app.toolkit import theme as themes
from twin.app.toolkit.fuzzy import likeness, meant, score, score_words
from twin.app.toolkit.look import Look, label
from twin.language import tr

_WIDTH_PX, _ROW_PX, _MAX_ROWS, _TOP_PX = 620, 34, 11, 64
_OF_BEST = 0.75
"""Entries that match less than this part of the best are left out: their letters are there by chance."""
_MOST_NEAR = 6
_FIRST = 1.0
"""What it counts more that something is called, first of all, by the whole word that is typed."""
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class PaletteEntry:
    """One thing to choose."""

    title: str
    run: Callable[[], None]
    category: str = ""
    shortcut: str = ""
    words: str = ""  # other words for it
    why_not: str = ""  # why it cannot be done now: it is found, greyed, and says so
    is_page: bool = False  # to read: it comes behind what can be done

    def score(self, typed: str) -> float | None:
        """Return how well it matches what is typed, higher is better; None where it does not."""
        found = (
            score(typed, f"{self.category} {self.title}"),
            score_words(typed, f"{self.category} {self.title} {self.words}"),
        )
        best = max((value for value in found if value is not None), default=None)
        first = self.words.partition(" ")[0].lower() == typed.lower()
        return best + _FIRST if best is not None and first else best

    def is_called(self, typed: str) -> bool:
        """Return whether what is typed is its title, without small words and dots."""
        return _name(typed) == _name(self.title)

    def likeness(self, typed: str) -> tuple[float, float]:
        """Return how like its words what is typed is, of 1.0: what is mistyped is near; then how well one word fits.

        What is to be done is mostly typed first, so the first word counts most.
        """
        words = f"{self.category} {self.title} {self.words}"
        fits = (score_words(part, words) or 0.0 for part in typed.split())
        return likeness(typed, words), max(fit / place for place, fit in enumerate(fits, 1))


def _name(title: str) -> str:
    return meant(title.lower().rstrip(".\N{HORIZONTAL ELLIPSIS} "))


class _Entries(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.shown: list[PaletteEntry] = []

    def show_entries(self, entries: list[PaletteEntry]) -> None:
        self.beginResetModel()
        self.shown = entries
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            title = f"{entry.category}: {entry.title}" if entry.category else entry.title
            return f"{title} ({entry.why_not})" if entry.why_not else title
        return entry if role == Qt.ItemDataRole.UserRole else None


class _Delegate(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(_WIDTH_PX - 40, themes.scaled(_ROW_PX))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme, entry = self._look.theme, index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.selection))
            painter.drawRoundedRect(rect.adjusted(2, 1, -2, -1), 6, 6)
        inner = rect.adjusted(14, 0, -14, 0)
        centre_left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        x = inner.left()
        if entry.category:
            painter.setFont(themes.font(12))
            painter.setPen(QColor(theme.muted))
            text = f"{entry.category}  "
            painter.drawText(inner, centre_left, text)
            x += painter.fontMetrics().horizontalAdvance(text)
        painter.setFont(themes.font(13))
        painter.setPen(QColor(theme.muted if entry.why_not else theme.text))
        room_px = (
            inner.right()
            - x
            - QFontMetrics(themes.font(11)).horizontalAdvance(
                "  " if entry.why_not else f"{entry.shortcut}  "
            )
        )
        title = painter.fontMetrics().elidedText(entry.title, Qt.TextElideMode.ElideRight, room_px)
        left_px = inner.right() - x - painter.fontMetrics().horizontalAdvance(f"{title}  ")
        note = QFontMetrics(themes.font(11)).elidedText(entry.why_not, Qt.TextElideMode.ElideRight, left_px)
        painter.drawText(QRect(x, inner.top(), room_px, inner.height()), centre_left, title)
        painter.setFont(themes.font(11))
        painter.setPen(QColor(theme.muted if entry.why_not else theme.faint))
        beside = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(inner, beside, note or entry.shortcut)
        painter.restore()


class EarlyKeys(QObject):
    """Takes what is typed to another window while the palette waits for the keyboard, and hands it to the field."""

    def __init__(self, field: QLineEdit) -> None:
        super().__init__(field)
        self._field, self._handing = field, False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let no shortcut act, and no other widget hear of the key: nor those around the field, of one it ignores."""
        elsewhere = isinstance(watched, QWidget) and watched is not self._field
        if not elsewhere or not isinstance(event, QKeyEvent):
            return False
        if event.type() == QEvent.Type.KeyPress and not self._handing:
            self._handing = True
            QApplication.sendEvent(self._field, event)
            self._handing = False
        event.accept()
        return True


class CommandPalette(QFrame):
    """A field and a list over the window.

    Parameters
    ----------
    entries
        Returns what can be chosen now.
    more
        Returns further entries for a typed text, such as a place to go to.
    otherwise
        Returns entries for a typed text that nothing else matches.
    tell
        Says why what was chosen cannot be done now.
    """

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        entries: Callable[[], Sequence[PaletteEntry]],
        more: Callable[[str], Sequence[PaletteEntry]],
        otherwise: Callable[[str], Sequence[PaletteEntry]] = lambda _: (),
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self._before: QWidget | None = None  # had the keyboard, and gets it back
        self._entries, self._more, self._otherwise, self._tell = entries, more, otherwise, tell
        self._all: list[PaletteEntry] = []
        self.setProperty("role", "popup")
        self.setAccessibleName(tr("Command palette"))
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 8)
        column.setSpacing(8)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Type a command, scene, figure, part or the id of an item"))
        self.field.setAccessibleName(tr("Command or item"))
        self.field.setToolTip(tr("Up and Down select, Enter runs, Esc closes"))
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self._early = EarlyKeys(self.field)
        self._model = _Entries()
        self.list = QListView()
        self.list.setModel(self._model)
        self.list.setAccessibleName(tr("Commands"))
        self.list.setItemDelegate(_Delegate(look, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.clicked.connect(lambda index: self._run(index.row()))
        self.nothing = label(tr("Nothing is called that. Perhaps:"), "muted")
        self.nothing.setContentsMargins(14, 0, 14, 0)
        column.addWidget(self.field)
        column.addWidget(self.nothing)
        column.addWidget(self.list)
        self.hide()

    @property
    def shown(self) -> list[PaletteEntry]:
        """Return the entries in the list, best first."""
        return list(self._model.shown)

    def open(self) -> None:
        """Show the palette with everything that can be done now."""
        self._all = list(self._entries())
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        self.field.clear()
        self._filter("")
        self.show()
        self.raise_()
        self._window.activateWindow()  # a floating dock is a window of its own, and may have the keyboard
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        if not self._window.isActiveWindow():  # the window manager takes its time, and people type on
            _application().installEventFilter(self._early)

    def hideEvent(self, event: QHideEvent) -> None:
        """Take nothing from others any more."""
        _application().removeEventFilter(self._early)
        super().hideEvent(event)

    def run_current(self) -> None:
        """Do what is marked in the list."""
        self._run(self.list.currentIndex().row())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Steer the list from the field."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                event.accept()
                return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._steer(event.key())
        elif event.type() == QEvent.Type.FocusIn:
            _application().removeEventFilter(self._early)
        elif event.type() == QEvent.Type.FocusOut:
            self.hide()
        return super().eventFilter(watched, event)

    def _steer(self, key: int) -> bool:
        row = self.list.currentIndex().row()
        if key == Qt.Key.Key_Escape:
            self._leave()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_current()
        elif key == Qt.Key.Key_Down:
            self._mark(row + 1)
        elif key == Qt.Key.Key_Up:
            self._mark(row - 1)
        else:
            return False
        return True

    def _filter(self, typed: str) -> None:
        scored, wanted = [], meant(typed)
        page_asked = wanted.lower().startswith(tr("Help").lower())
        for number, entry in enumerate(self._all):
            found = entry.score(wanted) if typed or not entry.why_not else None
            if found is not None:
                other = not entry.is_called(typed)
                behind = entry.is_page and not page_asked
                scored.append((-found, (other, behind, -found, bool(entry.why_not), number), entry))
        extra = list(self._more(typed)) if typed else []
        best = min((found[0] for found in scored), default=0.0)
        scored = [found for found in scored if found[0] <= _OF_BEST * best or not found[1][0]]
        shown = [*extra, *(entry for *_, entry in sorted(scored, key=lambda found: found[1]))]
        self.nothing.setVisible(not shown)
        if not shown:
            likeness = [(entry.likeness(wanted), entry) for entry in self._all]
            near = [found for found in likeness if found[0] > (0.0, 0.0)]
            near.sort(key=lambda found: (not found[1].is_page, found[0]), reverse=True)
            shown = [*(entry for _, entry in near[:_MOST_NEAR]), *self._otherwise(typed)]
        self._model.show_entries(shown)
        self._mark(0)
        rows = min(max(len(self._model.shown), 1), _MAX_ROWS)
        self.list.setFixedHeight(rows * themes.scaled(_ROW_PX) + 4)
        self.setFixedWidth(min(_WIDTH_PX, self._window.width() - 40))
        self.adjustSize()
        self.move((self._window.width() - self.width()) // 2, _TOP_PX)

    def _mark(self, row: int) -> None:
        count = len(self._model.shown)
        if count:
            self.list.setCurrentIndex(self._model.index(row % count))

    def _run(self, row: int) -> None:
        if 0 <= row < len(self._model.shown):
            entry = self._model.shown[row]
            self._leave()
            if entry.why_not:
                self._tell(f"{entry.title}: {entry.why_not}")
            else:
                entry.run()

    def _leave(self) -> None:
        before = self._before if self._before is not None and isValid(self._before) else self._window
        self.hide()
        back = before if before.isVisible() else self._window
        back.activateWindow()
        back.setFocus(Qt.FocusReason.PopupFocusReason)


def _application() -> QCoreApplication:
    application = QApplication.instance()
    assert application is not None
    return application
