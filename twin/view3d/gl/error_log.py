"""What vispy would only print: it swallows exceptions in callbacks and in drawing."""

from __future__ import annotations

import logging
from collections.abc import Callable


class ErrorLog(logging.Handler):
    """Hands the text of every error to `tell`."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Take one record of the log."""
        self._tell(self.format(record))
