"""The result of a drill as a file: which drill, and what somebody did. It holds no score: that is recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from twin.lessons.drill import BUILTIN, LONGEST_S, SHORTEST_S, DrillError, OperatorDrill, drill_of
from twin.lessons.drill_acts import why_not
from twin.lessons.result import DoneAct, Person, Seconds, read_private, write_private
from twin.lessons.step_hall import Act
from twin.record.inputs import app_version
from twin.scenario import load
from twin.scenario.formats.sibling_files import FileLimit, found
from twin.scenario.schema.base import DocumentPart
from twin.scenario.text.parse import MAX_BYTES as MAX_SCENE_BYTES
from twin.scenario.text.problem import Problem

SUFFIX = ".twin-drill.json"
NOTE = (
    "What somebody did in an operator drill: a pseudonym, the drill, acts with times of the run. It holds no score: "
    "twin drill FILE runs the drill again from it."
)
Text = Annotated[str, StringConstraints(max_length=1000)]
SceneName = Annotated[
    str,
    StringConstraints(max_length=255, pattern=r"^(builtin:[A-Za-z0-9_-]+|[^/\\\x00-\x1f\x7f]+\.ya?ml)$"),
]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_LIMIT = FileLimit(MAX_SCENE_BYTES, "a scene")


class DrillResult(DocumentPart):
    """What somebody did in a drill."""

    format: Literal["twin/drill-result"] = "twin/drill-result"
    version: Literal[1] = 1
    note: Text = NOTE
    person: Person = Field(default="anonymous", description="pseudonym")
    scene: SceneName = Field(description="shipped scene as builtin:NAME, else a file beside this one")
    digest: Digest = Field(description="SHA-256 of the text of the scene and of what it extends")
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
            scene=drill.scene if drill.scene.startswith(BUILTIN) else Path(drill.scene).name,
            digest=drill.digest,
            level=drill.level,
            seed=drill.seed,
            length_s=drill.length_s,
            until_s=until_s,
            acts=tuple(DoneAct.of(act) for act in acts),
            program=app_version(),
        )

    def drill(self, folder: Path | None = None) -> OperatorDrill:
        """Return the drill made again.

        Parameters
        ----------
        folder
            Where a scene lies that is not shipped: that of the result.

        Raises
        ------
        DrillError
            When it cannot be made, its scene is not that of the result any more, or an act is none of an operator.
        ScenarioError
            When the scene is missing or wrong.
        """
        refused = next((reason for act in self.done if (reason := why_not(act))), "")
        if refused:
            raise DrillError(refused)
        if self.scene.startswith(BUILTIN):
            document = load(self.scene)
        else:
            document = load(found(self.scene, folder, Problem("the result", 0, "scene", "", ""), _LIMIT).path)
        drill = drill_of(document, self.level, self.seed, self.length_s)
        if drill.digest != self.digest:
            raise DrillError(f"{self.scene}: is not the text with which the drill was done ({self.program})")
        return drill

    @property
    def done(self) -> tuple[Act, ...]:
        """Return what was done."""
        return tuple(each.act for each in self.acts)


def write_drill(result: DrillResult, path: Path) -> None:
    """Write a result, whole or not at all, for its owner's eyes only; raises `OSError`."""
    write_private(result, path)


def read_drill(path: Path) -> DrillResult:
    """Return the result of a file.

    Raises
    ------
    ResultError
        When it cannot be read, is too large, or is no result of a drill.
    """
    return read_private(path, DrillResult, "a drill")
