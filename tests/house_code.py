"""The program's own modules as trees, for tests that look at how it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def modules_with(folder: Path, *words: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules of a folder in whose text one of some words stands; the others are not worth the parsing."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield path, ast.parse(text)
