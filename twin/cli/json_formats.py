"""Formats of ``--json``: one for each command, with a version and a schema in assets/schema.

A new key keeps the version; a key that goes, or that means something else, raises it and gets a schema of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from twin import resources


class JsonFormat(NamedTuple):
    """One format: its name without ``twin/``, the commands that print it, and its version."""

    name: str
    commands: tuple[str, ...]
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


JSON_FORMATS = (
    JsonFormat("run-summary", ("run SCENE", "show RUN")),
    JsonFormat("scenario", ("show SCENE",)),
    JsonFormat("check", ("check SCENE",)),
    JsonFormat("tenant-controls", ("check --security SCENE",)),
    JsonFormat("design-rules", ("check --rules",)),
    JsonFormat("scene-diff", ("diff A B",)),
    JsonFormat("growth", ("grow SCENE",)),
    JsonFormat("incidents", ("incidents SCENE",)),
    JsonFormat("plan", ("plan SCENE",)),
    JsonFormat("estimate", ("estimate CASES.csv",)),
    JsonFormat("calibration", ("calibrate RUNS.csv",)),
    JsonFormat("risk", ("risk SCENE",)),
    JsonFormat("job-trace", ("jobs TRACE",)),
    JsonFormat("comparison", ("compare A B",)),
    JsonFormat("branch", ("branch RUN",)),
    JsonFormat("branch-tree", ("branch --tree FOLDER",)),
    JsonFormat("explanation", ("explain RUN",)),
    JsonFormat("verification", ("verify RUN",)),
    JsonFormat("catalog-list", ("catalog list",)),
    JsonFormat("catalog-part", ("catalog show PART",)),
    JsonFormat("catalog-check", ("catalog check",)),
    JsonFormat("validation", ("validate TABLE",)),
    JsonFormat("bench", ("bench",)),
)


def json_format(name: str) -> JsonFormat:
    """Return the format of a name; `KeyError` where there is none."""
    return {known_format.name: known_format for known_format in JSON_FORMATS}[name]
