"""What holds for all tests: property tests draw the same examples on every machine and are not timed."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")
