"""The JSON Schema of lesson files (draft-07), for editors that check and complete while one types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from twin import resources
from twin.lessons.schema import VERSION, Lesson
from twin.scenario.schema.schema import schema_of

FILE_NAME = f"twin-lesson-{VERSION}.schema.json"
"""In assets/schema."""


def json_schema() -> dict[str, Any]:
    """Return the schema of one whole file."""
    return schema_of(Lesson, "gpu-twin lesson", "A hall as an exercise, with tasks that the program checks.")


def main() -> None:
    """Write the schema where it is committed: ``python -m twin.lessons.lesson_schema``."""
    path = Path(str(resources.folder("assets"))) / "schema" / FILE_NAME
    path.write_text(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
