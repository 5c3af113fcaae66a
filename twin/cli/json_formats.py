"""What ``--json`` prints: formats, each with a version and a schema in assets/schema, listed with their command.

A new key keeps the version; a key that goes, or that means something else, raises it and gets a schema of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from twin import resources


class JsonFormat(NamedTuple):
    """One format: its name without ``twin/``, and its version."""

    name: str
    version: int = 1

    @property
    def id(self) -> str:
        """Return the value of `format` at the top of the output."""
        return f"twin/{self.name}"

    @property
    def file(self) -> str:
        """Return the name of its schema in assets/schema."""
        return f"twin-{self.name}-{self.version}.schema.json"

    def schema(self) -> dict[str, Any]:
        """Return its schema."""
        path = Path(str(resources.folder("assets"))) / "schema" / self.file
        schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return schema
