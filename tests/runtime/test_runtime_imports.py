"""The app's side of the runtime pulls in neither the simulation nor Qt."""

from __future__ import annotations

import subprocess
import sys

import pytest

from twin.runtime.loading import engine_type


@pytest.mark.parametrize("module", ["client", "inline", "worker", "protocol"])
def test_imports_no_engine(module: str) -> None:
    code = f"import sys, twin.runtime.{module}; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(out.stdout.split())
    assert f"twin.runtime.{module}" in loaded
    assert not {
        name for name in loaded if name.split(".")[0] in ("simpy", "PySide6", "vispy", "OpenGL", "pint")
    }
    assert not {name for name in loaded if name.startswith("twin.sim")}


def test_engine_by_name() -> None:
    assert engine_type("toy_engine:ToyEngine").__name__ == "ToyEngine"  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="is not an engine"):
        engine_type("toy_engine")
    with pytest.raises(AttributeError):
        engine_type("toy_engine:Nothing")
