"""Runs for several modules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from twin.runtime.inline import InlineClient


@pytest.fixture
def inline(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InlineClient]:
    """A run of the module's `SCENE` that stands at an event, somewhere after its start."""
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path))
    client = InlineClient()
    client.load(request.module.SCENE)
    for _ in range(4):
        client.step()
    client.poll()
    yield client
    client.close()
