"""The shipped scenes as cards show them: title, story, size, picture. No widgets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from twin import resources
from twin.plant.build import build
from twin.scenario import ScenarioError, load
from twin.scenario.schema.document import Scenario
from twin.scenario.text.parse import child, parse

SUFFIX = ".twin.yaml"
_ORDER = (
    "llama3-16k",
    "nvl72-row",
    "superpod-h100",
    "fat-tree-1k",
    "ethernet-tcp",
    "shared-cluster",
    "recovery-policies",
    "mixed-workloads",
    "video-ingest",
    "lab-16",
)
_STORY_CHARS = 170
SCENE_WORDS = {
    "blackout": "power cut outage UPS battery generator grid utility",
    "ethernet-tcp": "network RoCE InfiniBand slow communication",
    "fat-tree-1k": "network fabric oversubscription congestion uplinks",
    "frontier": "supercomputer AMD MI250X HPC exascale validation",
    "hybrid-burst": "cloud bill cost money price disaster recovery carbon",
    "lab-16": "small first start tutorial H100",
    "llama3-16k": "Meta large training failures MTBF interruptions goodput LLM",
    "mixed-workloads": "inference serving HPC training render",
    "nvl72-row": "GB200 Blackwell liquid cooling rack",
    "pump-trip": "cooling failure CDU overheating throttling thermal coolant",
    "recovery-policies": "spares shrink drop replace elastic sweep restart",
    "repair-shop": "technicians crew spare parts MTTR maintenance",
    "shared-cluster": "queue tenants scheduler Slurm quota fair share waiting",
    "superpod-h100": "DGX NVIDIA rail InfiniBand",
    "video-ingest": "storage data loading input files cache",
}
"""Other words for a shipped scene, by which the command palette finds it."""


@dataclass(frozen=True)
class SceneCard:
    """What a card says of a scene."""

    path: Path
    title: str
    story: str
    gpus: int


def shipped_scenes() -> list[Path]:
    """Return the files of the shipped scenes, the most telling first."""
    folder = Path(str(resources.folder("scenes")))
    found = {path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"*{SUFFIX}"))}
    return [found[name] for name in dict.fromkeys((*_ORDER, *found)) if name in found]


def picture_of(path: Path) -> Path | None:
    """Return the picture of a shipped scene, when there is one."""
    picture = Path(str(resources.folder("assets"))) / "pictures" / f"{path.name.removesuffix(SUFFIX)}.png"
    return picture if picture.is_file() else None


@cache
def title_of(path: Path) -> str:
    """Return the title of a shipped scene as its file says it, with its short name; that alone where it says none."""
    name = path.name.removesuffix(SUFFIX)
    try:
        title = child(parse(path.read_text(encoding="utf-8"), path.name), "title")
    except (OSError, ValueError, ScenarioError):
        return name
    return name if title is None else f"{title.plain()} ({name})"


def read_card(path: Path) -> SceneCard:
    """Return the card of a scene.

    Raises
    ------
    ScenarioError
        When the file is no good.
    """
    scenario = load(path).scenario
    gpus = int(np.count_nonzero(build(scenario).gpus.present))
    return SceneCard(path, scenario.title, story_of(scenario), gpus)


def story_of(scenario: Scenario) -> str:
    """Return the beginning of a scene's notes, cut after a sentence where one ends late enough, else at a word."""
    story = " ".join(scenario.notes.split())
    if len(story) <= _STORY_CHARS:
        return story
    cut = story[:_STORY_CHARS]
    end = max(cut.rfind(mark) for mark in (". ", "! ", "? "))
    if end >= _STORY_CHARS // 2:
        return cut[: end + 1]
    return cut.rsplit(" ", 1)[0].rstrip(",;:") + "\N{HORIZONTAL ELLIPSIS}"
