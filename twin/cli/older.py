"""One line on standard error about a run file of an older version, whose model gives other figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twin.record.reader import Reader


def tell_if_older(*readers: Reader) -> None:
    """Tell of each run that an older version made."""
    from twin.api import older
    from twin.cli.errors import warn

    older.tell_if_older(*readers, warn=warn)
