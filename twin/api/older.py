"""One sentence about a run file of an older version, whose model gives other figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twin.api.errors import Warn
    from twin.record.reader import Reader


def tell_if_older(*readers: Reader, warn: Warn) -> None:
    """Tell of each run that an older version made."""
    from twin.record.inputs import is_older

    for reader in readers:
        if is_older(reader.header.versions):
            warn(
                f"{reader.path}: an older version made this run; simulated today its scene comes to other figures "
                "(Help > Why figures changed; CHANGELOG.md)"
            )
