from __future__ import annotations

import shutil
import sys

import pytest

from twin.cli.display import has_display, in_virtual_display
from twin.cli.errors import Failure

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="X11 is Linux")


def test_a_display_is_there_only_when_somebody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert has_display()  # the Xvfb of the test run, or a person's
    for display in ("", ":65000", "nonsense"):
        monkeypatch.setenv("DISPLAY", display)
        assert not has_display()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-nosuch")
    assert not has_display()


def test_a_virtual_display_comes_and_goes(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISPLAY", ":65000")
    assert in_virtual_display(["--version"], 800, 600) == 0
    assert capfd.readouterr().out.strip()
    assert in_virtual_display(["check", "nosuch"], 800, 600) == 2


def test_without_xvfb_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(Failure, match="apt-get install xvfb"):
        in_virtual_display(["--version"], 800, 600)
