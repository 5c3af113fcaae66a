from __future__ import annotations

from collections.abc import Iterator

import pytest

import twin


@pytest.fixture(scope="session")
def run() -> Iterator[twin.Run]:
    """Return half a day of the laboratory, with the failure of its file at nine."""
    with twin.load("lab-16").run(seed=3, until="12 h") as made:
        yield made
