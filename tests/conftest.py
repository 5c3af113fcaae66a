"""What holds for all tests: property tests draw the same examples on every machine and are not timed, and nothing
that a person keeps is read or written."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")


def pytest_configure() -> None:
    """Collect no garbage among thousands of tests that stay, neither while they are found nor while they run.

    Hypothesis would read all modules that are loaded, for the numbers in them: that takes seconds, and which examples
    it draws would hang on the tests before.
    """
    gc.disable()
    providers.is_local_module_file = lambda _path: False


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)  # what tests make goes mostly by itself
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _state_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep runs and journals in a folder of the tests, also in the programs that they start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TWIN_STATE_DIR", raising=False)  # it would go before the other
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
