"""Under which name a person does lessons: asked once, kept, and to be changed."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.settings import UserSettings
from twin.language import tr
from twin.lessons.result import Person

_KEPT = "lesson_person"
_WIDTH_PX = 440
_PERSON: TypeAdapter[str] = TypeAdapter(Person)


def person_of(settings: UserSettings) -> str:
    """Return the pseudonym that was given, "" when nobody was asked yet."""
    kept = settings.kept(_KEPT)
    return kept[0] if kept and is_pseudonym(kept[0]) else ""


def is_pseudonym(text: str) -> bool:
    """Return whether a text can be a pseudonym."""
    try:
        _PERSON.validate_python(text.strip())
    except ValidationError:
        return False
    return True


class PersonDialog(QDialog):
    """Asks for a pseudonym, and says what is kept under it and where."""

    def __init__(self, settings: UserSettings, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setObjectName("lesson_person")
        self.setWindowTitle(tr("Your pseudonym"))
        self.setMinimumWidth(_WIDTH_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(10)
        column.addWidget(label(tr("Under which name do you do lessons and drills?"), "title", wrap=True))
        column.addWidget(
            label(
                tr(
                    "Take a pseudonym that your teacher knows, not your full name. "
                    "Numbers and things of a lesson are drawn from it: the same name gets the same lesson."
                ),
                "muted",
                wrap=True,
            )
        )
        self.field = QLineEdit(person_of(settings))
        self.field.setMaxLength(60)
        self.field.setAccessibleName(tr("Pseudonym"))
        self.field.setPlaceholderText(tr("Pseudonym"))
        self.field.setToolTip(tr("A name that your teacher knows you by"))
        column.addWidget(self.field)
        words = tr(
            "Kept on this computer alone, for you alone to read: what you do in the hall, your answers, the hints "
            "you take, and when. Nothing is sent anywhere; you hand in a file yourself.\n{folder}",
            folder=str(folder),
        )
        kept = label(words, "muted", wrap=True)
        kept.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(kept)
        column.addStretch(1)
        row = QHBoxLayout()
        row.addStretch(1)
        cancel = QPushButton(tr("Cancel"))
        cancel.setToolTip(tr("Begin no lesson (Esc)"))
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        self.ok_button = QPushButton(tr("Take this name"))
        self.ok_button.setToolTip(tr("Do lessons under this name (Enter)"))
        self.ok_button.setProperty("role", "primary")
        self.ok_button.setDefault(True)
        self.ok_button.clicked.connect(self.accept)
        row.addWidget(cancel)
        row.addWidget(self.ok_button)
        nest(column, row)
        self.field.textChanged.connect(self._on_typed)
        self._on_typed(self.field.text())

    def accept(self) -> None:
        """Keep the name."""
        self._settings.keep(_KEPT, [self.field.text().strip()])
        super().accept()

    def _on_typed(self, text: str) -> None:
        self.ok_button.setEnabled(is_pseudonym(text))
