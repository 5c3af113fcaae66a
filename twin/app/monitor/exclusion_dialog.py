"""Why a finding may stay: the dialog that asks for it."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.language import tr
from twin.rules import BY_ID, Finding
from twin.scenario.schema.exclusion import EVERYTHING


class ExcludeDialog(QDialog):
    """Asks what is accepted, and why; the file keeps both.

    Parameters
    ----------
    finding
        What was found.
    """

    accepted_as = Signal(str, str, str)  # rule, target, reason

    def __init__(self, finding: Finding, parent: QWidget) -> None:
        super().__init__(parent)
        self._rule, rule = finding.rule, BY_ID[finding.rule]
        self.setWindowTitle(tr("Accept a finding"))
        self.setMinimumWidth(460)
        column = QVBoxLayout(self)
        column.addWidget(label(rule.title, "heading"))
        column.addWidget(label(finding.sentence, wrap=True))
        form = QFormLayout()
        self.target_box = DropDown()
        self.target_box.setAccessibleName(tr("Scope"))
        self.target_box.setToolTip(tr("Findings that the reason covers"))
        self.target_box.addItem(tr("This finding: {target}", target=finding.target), finding.target)
        if finding.subject not in ("", finding.target):
            self.target_box.addItem(tr("All of {subject}", subject=finding.subject), finding.subject)
        self.target_box.addItem(tr("All findings of this rule"), EVERYTHING)
        form.addRow(tr("Accept"), self.target_box)
        self.why = QLineEdit()
        self.why.setAccessibleName(tr("Reason"))
        self.why.setToolTip(tr("Saved in the scene file"))
        self.why.setPlaceholderText(tr("why it is acceptable"))
        self.why.setMaxLength(2000)
        form.addRow(tr("Reason"), self.why)
        nest(column, form)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self._ok.setText(tr("Accept"))
        self._ok.setEnabled(False)
        self.why.textChanged.connect(lambda text: self._ok.setEnabled(bool(text.strip())))
        column.addWidget(self.buttons)
        self.why.setFocus()
        self.finished.connect(self.deleteLater)

    def accept(self) -> None:
        """Tell what was decided."""
        if self.why.text().strip():
            self.accepted_as.emit(self._rule, str(self.target_box.currentData()), self.why.text().strip())
            super().accept()
