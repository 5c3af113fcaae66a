"""Work in another process: the designs of a need."""

from __future__ import annotations

from collections.abc import Generator

from twin.analysis.background_process import Aside, PartMade, Tell
from twin.designs.answer import Designs, answer
from twin.designs.design_folder import CheckedDesign, checked
from twin.designs.front import MOST
from twin.designs.need_file import NeedFile

DesignFound = PartMade[Designs | CheckedDesign]
"""What is told on the way: the answer without scenes, then each design of it."""


def designs_aside(file: NeedFile, candidates: int) -> Aside[DesignFound | int]:
    """Return the process that answers a need; its progress counts candidates, and then scenes.

    It tells `PartMade`s: the answer, then each of its designs as scenes, in their order. Its result is how many passed.
    """
    return Aside(_designs, file, candidates, name="twin-designs", alone=True)


def _designs(file: NeedFile, candidates: int, tell: Tell) -> Generator[DesignFound, None, int]:
    catalog = file.catalog
    found = answer(file, catalog, candidates, MOST, tell)
    yield PartMade(found)
    passed = 0
    for place, design in enumerate(found.designs):
        tell(place, len(found.designs))
        checked_design = checked(found, design, catalog, f"design-{place + 1:02d}")
        passed += not checked_design.reason
        yield PartMade(checked_design)
    return passed
