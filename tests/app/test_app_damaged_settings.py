"""Settings that somebody has written over, or a disk has damaged: the window starts as if they were not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.app.toolkit.settings import UserSettings


def settings(folder: Path, text: str) -> UserSettings:
    path = folder / "settings.ini"
    path.write_text(text)
    return UserSettings(path)


@pytest.mark.parametrize("said", ["nan", "inf", "-3", "0", "1e300", "large"])
def test_text_of_no_size_has_the_usual_one(said: str, tmp_path: Path) -> None:
    assert settings(tmp_path, f"[General]\ntext_scale={said}\n").text_scale == 1.0


def test_text_keeps_a_size_that_can_be(tmp_path: Path) -> None:
    assert settings(tmp_path, "[General]\ntext_scale=1.5\n").text_scale == 1.5


@pytest.mark.parametrize("said", ["@Invalid()", "7", "@Invalid(), a", "@ByteArray(zz)", "\\0"])
def test_lists_hold_nothing_but_text(said: str, tmp_path: Path) -> None:
    damaged = settings(tmp_path, f"[General]\nrecent={said}\n[lists]\nfavourite_parts={said}\n")
    assert damaged.recent == []
    assert all(isinstance(name, str) for name in damaged.kept("favourite_parts"))
