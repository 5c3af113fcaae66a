"""The result of a drill as a file: which drill, and what somebody did. It holds no score: that is recomputed."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from twin.lessons.drill import LONGEST_S, SHORTEST_S, OperatorDrill, drill_of
from twin.lessons.result import MAX_BYTES, DoneAct, Person, ResultError, Seconds
from twin.lessons.step_hall import Act
from twin.record.inputs import app_version
from twin.record.scenario_json import part_to_json
from twin.scenario import load
from twin.scenario.schema.base import DocumentPart
from twin.whole_file import write_whole

SUFFIX = ".twin-drill.json"
NOTE = (
    "What somebody did in an operator drill: a pseudonym, the drill, acts with times of the run. It holds no score: "
    "twin drill FILE runs the drill again from it."
)
Text = Annotated[str, StringConstraints(max_length=1000)]


class DrillResult(DocumentPart):
    """What somebody did in a drill."""

    format: Literal["twin/drill-result"] = "twin/drill-result"
    version: Literal[1] = 1
    note: Text = NOTE
    person: Person = Field(default="anonymous", description="pseudonym")
    scene: Annotated[str, StringConstraints(min_length=1, max_length=1000)] = Field(
        description="shipped scene by its name, else the file"
    )
    level: Annotated[str, StringConstraints(max_length=20)] = Field(description="light, medium or heavy")
    seed: int = Field(ge=0, lt=2**63, description="of the faults")
    length_s: float = Field(ge=SHORTEST_S, le=LONGEST_S, description="of the drill")
    until_s: Seconds = Field(description="how far it went")
    acts: tuple[DoneAct, ...] = Field(default=(), max_length=2000, description="in their order")
    program: Text = Field(default="", description="version of the program")

    @classmethod
    def of(
        cls, drill: OperatorDrill, acts: Sequence[Act], until_s: float, person: str = "anonymous"
    ) -> DrillResult:
        """Return the result of a drill."""
        return cls(
            person=person,
            scene=drill.scene,
            level=drill.level,
            seed=drill.seed,
            length_s=drill.length_s,
            until_s=until_s,
            acts=tuple(DoneAct.of(act) for act in acts),
            program=app_version(),
        )

    def drill(self) -> OperatorDrill:
        """Return the drill made again; raises `ScenarioError` or `DrillError`."""
        return drill_of(load(self.scene), self.level, self.seed, self.length_s)

    @property
    def done(self) -> tuple[Act, ...]:
        """Return what was done."""
        return tuple(each.act for each in self.acts)


def write_drill(result: DrillResult, path: Path) -> None:
    """Write a result, whole or not at all, for its owner's eyes only; raises `OSError`."""
    plain = json.loads(part_to_json(result))
    write_whole(path, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())
    with suppress(OSError):
        os.chmod(path, 0o600)


def read_drill(path: Path) -> DrillResult:
    """Return the result of a file.

    Raises
    ------
    ResultError
        When it cannot be read, is too large, or is no result of a drill.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ResultError(f"{path.name}: cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise ResultError(f"{path.name}: is larger than {MAX_BYTES // 1_000_000} MB, too large for a result")
    try:
        return DrillResult.model_validate_json(data)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(step) for step in first["loc"])
        raise ResultError(f"{path.name}: {key or 'the file'}: {first['msg']}") from None
    except (RecursionError, UnicodeDecodeError):
        raise ResultError(f"{path.name}: is no result of a drill") from None
