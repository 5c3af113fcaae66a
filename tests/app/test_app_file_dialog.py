"""The dialog of files in the colours of the theme."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton

from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import ThemeChoice

_BUTTONS = ("toParentButton", "newFolderButton", "listModeButton", "detailModeButton")


@pytest.mark.parametrize("choice", ["dark", "light", "contrast"])
def test_the_buttons_of_the_dialog_of_files_can_be_seen(qapp: QApplication, choice: ThemeChoice) -> None:
    """A dozen pixels of each and more stand out from the button; Qt's own were dots."""
    before = qapp.styleSheet()
    look = Look(qapp, choice)
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    try:
        dialog.show()
        for name in _BUTTONS:
            button = dialog.findChild(QToolButton, name)
            assert button is not None
            picture = button.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
            rgb = np.frombuffer(picture.constBits(), np.uint8).reshape(picture.height(), -1)
            rgb = rgb[:, : 3 * picture.width()].reshape(-1, 3).astype(np.int32)
            inside = rgb.reshape(picture.height(), -1, 3)[4:-4, 4:-4]  # without the border
            assert (np.abs(inside - inside[0, 0]).max(axis=2) > 40).sum() > 12, name
    finally:
        dialog.close()
        dialog.deleteLater()
        look.close()
        qapp.setStyleSheet(before)
