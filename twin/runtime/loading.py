"""The engine by dotted name, so that nothing that imports the runtime imports the simulation."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from twin.runtime.protocol import EngineType


def engine_type(name: str) -> EngineType:
    """Return the engine class called `name`, such as ``twin.sim.engine:Engine``.

    Raises
    ------
    ValueError
        When the name has no colon.
    ImportError, AttributeError
        When there is no such module, or nothing of that name in it.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(f"{name!r} is no engine; it is named like package.module:Class")
    return cast(EngineType, getattr(import_module(module), attribute))
