"""What varies: a row for each key, with its present value, the values that it takes, and why these cannot be."""

from __future__ import annotations

from collections.abc import Sequence

from psygnal import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from twin.app.study.key_finder import KeyCompleter, KnownKeys
from twin.app.study.key_words import key_words
from twin.app.study.scene_keys import key_at, proposal, scene_keys
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.scenario import Document, ScenarioError
from twin.studies.study_error import StudyError
from twin.studies.varied_key import varied_keys

_MOST_ROWS = 30


class KeyRow(QFrame):
    """One key and its values."""

    changed = Signal()
    removed = Signal(object)  # this row

    def __init__(self, look: Look, known: KnownKeys) -> None:
        super().__init__()
        self._look = look
        self.setProperty("role", "note")
        self.path, self.values = QLineEdit(), QLineEdit()
        self.path.setPlaceholderText(tr("Search a key, such as checkpoint"))
        self.path.setToolTip(tr("A key of the scene, such as jobs[llama3].checkpoint.interval"))
        self.path.setAccessibleName(tr("Key that varies"))
        completer = KeyCompleter(known, self.path)
        self.values.setPlaceholderText(tr("5min, 10min or 5..20 min"))
        self.values.setToolTip(
            tr("Values with commas between them, or the ends of a range such as 5..20 min")
        )
        self.values.setAccessibleName(tr("Values of the key"))
        self.remove_button = tool_button(look, "close", tr("Remove this key"))
        self.remove_button.clicked.connect(lambda: self.removed.emit(self))
        self.now = label("", "faint", wrap=True)
        self.told = label("", "fault", wrap=True)
        self.told.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 7, 8, 7)
        column.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.path, 1)
        head.addWidget(self.remove_button)
        nest(column, head)
        column.addWidget(self.values)
        column.addWidget(self.now)
        column.addWidget(self.told)
        self.path.textChanged.connect(lambda _: self.changed.emit())
        self.values.textChanged.connect(lambda _: self.changed.emit())
        completer.activated.connect(lambda _: self.path.editingFinished.emit())

    @property
    def text(self) -> str:
        """Return ``PATH=VALUES``."""
        return f"{self.path.text().strip()}={self.values.text().strip()}"

    @property
    def is_blank(self) -> bool:
        """Return whether nobody has typed anything."""
        return not (self.path.text().strip() or self.values.text().strip())

    def show_now(self, words: str) -> None:
        """Say how the key stands in the scene."""
        self.now.setText(words)
        self.now.setVisible(bool(words))

    def refuse(self, why: str) -> None:
        """Tell why these values cannot be, "": they can."""
        self.told.setText(f"\N{WARNING SIGN} {why}" if why else "")
        self.told.setVisible(bool(why))
        border = f"border: 1px solid {self._look.theme.alarm};" if why else ""
        for field, words in ((self.path, tr("Key that varies")), (self.values, tr("Values of the key"))):
            field.setStyleSheet(border if field is self.values else "")
            field.setAccessibleDescription(why or words)


class KeyRows(QWidget):
    """The rows of all keys that vary.

    Attributes
    ----------
    rows
        From the top down; there is always one.
    """

    changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._document: Document | None = None
        self._known = KnownKeys(self)
        self.rows: list[KeyRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self.add_button = QPushButton(tr("Add a key"))
        self.add_button.setToolTip(tr("Vary one more key of the scene"))
        self.add_button.setAutoDefault(False)
        self.add_button.clicked.connect(self._on_add)
        self._column.addWidget(self.add_button)
        self._add()

    @property
    def texts(self) -> tuple[str, ...]:
        """Return ``PATH=VALUES`` of each row that is not blank."""
        return tuple(row.text for row in self.rows if not row.is_blank)

    def set_scene(self, document: Document | None) -> None:
        """Take the scene whose keys can vary."""
        self._document = document
        self._known.take(key.path for key in (scene_keys(document.scenario) if document is not None else ()))
        for row in self.rows:
            self._say_now(row)

    def show_keys(self, keys: Sequence[tuple[str, str]]) -> None:
        """Show keys with their values."""
        for row in self.rows[max(len(keys), 1) :]:
            self._take(row)
        while len(self.rows) < len(keys):
            self._add()
        for row, (path, values) in zip(self.rows, keys or [("", "")], strict=True):
            row.path.setText(path)
            row.path.setCursorPosition(0)
            row.values.setText(values)
            self._say_now(row)

    def vary(self, path: str, values: str = "") -> None:
        """Add a key with values; without any: with those that are proposed."""
        row = next((row for row in self.rows if row.path.text().strip() in ("", path)), None) or self._add()
        row.path.setText(path)
        row.path.setCursorPosition(0)
        if values:
            row.values.setText(values)
            self._say_now(row)
        else:
            self._propose(row)
        row.values.setFocus()
        row.values.selectAll()

    def check(self) -> bool:
        """Tell at each row why its values cannot be; return whether all can."""
        document, well = self._document, True
        before: list[str] = []
        for row in self.rows:
            why = ""
            if document is not None and not row.is_blank:
                try:
                    varied_keys(document, [row.text])
                except (ScenarioError, StudyError) as error:
                    why = reason_of(error)
                if row.path.text().strip() in before:
                    why = tr("this key varies twice: give all its values once")
                before.append(row.path.text().strip())
            row.refuse(why)
            well = well and not why
        return well

    def _on_add(self) -> None:
        self._add().path.setFocus()
        self.changed.emit()

    def _add(self) -> KeyRow:
        row = KeyRow(self._look, self._known)
        row.changed.connect(self.changed.emit)
        row.removed.connect(self._on_removed)
        row.path.editingFinished.connect(lambda: self._on_path(row))
        self.rows.append(row)
        self._column.insertWidget(len(self.rows) - 1, row)
        row.show_now("")
        self._count()
        return row

    def _on_removed(self, row: KeyRow) -> None:
        if len(self.rows) > 1:
            self._take(row)
        else:
            row.path.clear()
            row.values.clear()
            row.show_now("")
        self.changed.emit()

    def _take(self, row: KeyRow) -> None:
        if len(self.rows) == 1:
            return
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._count()

    def _count(self) -> None:
        self.add_button.setEnabled(len(self.rows) < _MOST_ROWS)

    def _on_path(self, row: KeyRow) -> None:
        """Say how a key stands once it is named, and propose values where there are none."""
        path = self._known.path(row.path.text())
        if path != row.path.text().strip():
            row.path.setText(path)
        if not row.values.text().strip():
            self._propose(row)
        else:
            self._say_now(row)

    def _propose(self, row: KeyRow) -> None:
        key = key_at(self._document.scenario, row.path.text().strip()) if self._document is not None else None
        if key is not None:
            row.values.setText(proposal(key))
        self._say_now(row)

    def _say_now(self, row: KeyRow) -> None:
        path = row.path.text().strip()
        key = key_at(self._document.scenario, path) if self._document is not None and path else None
        if key is None:
            row.show_now("")
            return
        now = tr("{title}, now {value}", title=key_words(path).full, value=key.text or tr("not set"))
        row.show_now(now)
        row.path.setToolTip(plain_tip(key.field.tip))


def reason_of(error: ScenarioError | StudyError) -> str:
    """Return in a sentence what is wrong, as a field says it: without the name of an option."""
    if isinstance(error, ScenarioError):
        problem = error.problems[0]
        hint = "" if problem.hint.startswith("--") else problem.hint
        return "; ".join(filter(None, (problem.reason, hint)))
    words = str(error)
    option, colon, rest = words.partition(": ")
    return rest if colon and option.startswith("--") else words
