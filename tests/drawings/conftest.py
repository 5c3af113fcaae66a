"""Sheets are drawn with the one application of the tests: a second kind of it would break those of the window."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None:
    """Have the application."""
