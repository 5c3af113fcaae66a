"""The app's side of the runtime pulls in neither the simulation nor Qt."""

from __future__ import annotations

import subprocess
import sys

import pytest

from twin.runtime.loading import engine_type

MODULES = ["protocol", "client", "inline", "worker"]
HEAVY = ("simpy", "PySide6", "vispy", "OpenGL", "pint", "twin.sim")


def test_imports_no_engine() -> None:
    code = f"""
import importlib, sys
for module in {MODULES!r}:
    importlib.import_module("twin.runtime." + module)
    print(module, *(name for name in sys.modules if (name + ".").startswith({tuple(f"{name}." for name in HEAVY)!r})))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [line.strip() for line in out.stdout.splitlines()] == MODULES, (
        "behind a module is what it brought along"
    )


def test_engine_by_name() -> None:
    assert engine_type("toy_engine:ToyEngine").__name__ == "ToyEngine"  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="is not an engine"):
        engine_type("toy_engine")
    with pytest.raises(AttributeError):
        engine_type("toy_engine:Nothing")
