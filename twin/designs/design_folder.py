"""The designs of a need as a folder: a scene of each and each stage, a table, written whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from twin.catalog import Catalog
from twin.designs.answer import Designs
from twin.designs.design import Design
from twin.designs.design_rows import answer_row, markdown
from twin.designs.design_scene import DesignError, scene_of_design
from twin.plant.build import build
from twin.plant.error import PlantError
from twin.rules import check
from twin.scenario import Document, ScenarioError
from twin.scenario.file.own_copies import copy_own_files

TABLE, DATA = "designs.md", "designs.json"


@dataclass(frozen=True)
class DesignScenes:
    """Designs that became scenes.

    Attributes
    ----------
    answer
        With those designs alone of which every scene passes its checks.
    scenes
        By the names of their files without suffix.
    left_out
        Designs that did not, and why, in sentences.
    """

    answer: Designs
    names: list[str]
    scenes: dict[str, Document]
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class CheckedDesign:
    """One design of an answer as scenes.

    Attributes
    ----------
    design, name
        Which, and what the file of its last stage is called without suffix.
    scenes
        Of its stages by name, each built and held against the design rules; none where one does not pass.
    reason
        Why it does not, in a sentence.
    """

    design: Design
    name: str
    scenes: dict[str, Document]
    reason: str = ""


def checked(found: Designs, design: Design, catalog: Catalog, name: str) -> CheckedDesign:
    """Return a design as scenes, or why it is none."""
    try:
        return CheckedDesign(design, name, dict(_of_stages(found, design, catalog, name)))
    except (DesignError, ScenarioError, PlantError) as wrong:
        return CheckedDesign(design, name, {}, f"{design.choice.gpus:,} x {design.choice.part.part}: {wrong}")


def gathered(found: Designs, checks: Iterable[CheckedDesign]) -> DesignScenes:
    """Return an answer with those designs alone that became scenes."""
    tried = list(checks)
    kept = [design for design in tried if not design.reason]
    return DesignScenes(
        replace(found, designs=tuple(design.design for design in kept), failed=0 if kept else len(tried)),
        [design.name for design in kept],
        {name: document for design in kept for name, document in design.scenes.items()},
        tuple(design.reason for design in tried if design.reason),
    )


def scenes_of(found: Designs, catalog: Catalog) -> DesignScenes:
    """Return the scenes of all designs; each was built and held against the design rules."""
    tried: list[CheckedDesign] = []
    for design in found.designs:
        number = sum(not before.reason for before in tried) + 1
        tried.append(checked(found, design, catalog, f"design-{number:02d}"))
    return gathered(found, tried)


def _of_stages(found: Designs, design: Design, catalog: Catalog, name: str) -> Iterator[tuple[str, Document]]:
    last = len(design.stages) - 1
    for stage in range(len(design.stages)):
        called = name if stage == last else f"{name}-stage-{stage + 1}"
        title = f"{found.file.need.title}: {called}"
        document = scene_of_design(found.file, design, catalog, title[:200], stage)
        report = check(document.scenario, build(document.scenario, catalog), catalog)
        if report.failed:
            worst = next(finding for finding in report.findings if finding.severity != "notice")
            raise DesignError(f"{called} does not pass its checks: {worst.target} {worst.reason}")
        yield called, document


def new_folder(folder: Path) -> Path:
    """Return the place of a folder that is to be written.

    Raises
    ------
    FileExistsError
        When there is something at this place that is no empty folder.
    """
    target = folder.resolve()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise FileExistsError(17, "is there already, and not an empty folder", str(folder))
    return target


def write_folder(made: DesignScenes, folder: Path) -> None:
    """Write scenes, own parts and models that they name, and tables into a new folder; it is whole or not there.

    Raises
    ------
    FileExistsError
        When there is something at this place that is no empty folder.
    OSError
        When the disk refuses.
    """
    target = new_folder(folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        for name, document in made.scenes.items():
            (beside / f"{name}.twin.yaml").write_text(document.text, encoding="utf-8")
            copy_own_files(document.scenario, beside)
        (beside / TABLE).write_text(markdown(made.answer, made.names), encoding="utf-8")
        text = json.dumps(answer_row(made.answer, made.names), indent=2, ensure_ascii=False)
        (beside / DATA).write_text(text + "\n", encoding="utf-8")
        os.chmod(beside, 0o755)
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(beside)
        raise
