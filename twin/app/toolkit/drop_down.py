"""A combo box whose list has a name as well: screen readers come to it by itself."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox


class DropDown(QComboBox):
    """A combo box that names its list after itself."""

    def setAccessibleName(self, name: str) -> None:
        """Name the box and its list."""
        super().setAccessibleName(name)
        self.view().setAccessibleName(name)
