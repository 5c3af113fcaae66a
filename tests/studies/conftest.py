from __future__ import annotations

from collections.abc import Iterator

import pytest
from ready_processes import ready_processes


@pytest.fixture(scope="module", autouse=True)
def _ready_processes() -> Iterator[None]:
    with ready_processes():
        yield
