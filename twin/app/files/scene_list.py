"""Scenes as cards and lists show them, one's own and the shipped: title, story, size, picture. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twin import resources
from twin.language import tr
from twin.plant.build import build
from twin.record.state_folder import STUDY_SUFFIX, state_folder
from twin.record.state_folder import SUFFIX as RUN_SUFFIX
from twin.scenario import ScenarioError, load
from twin.scenario.schema.document import Scenario
from twin.scenario.text.parse import child, parse
from twin.view3d.layers.overlay import save_png

SUFFIX = ".twin.yaml"
_ORDER = (
    "llama3-16k",
    "campus-100k",
    "campus-1m",
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
    "blackout": tr("power cut outage UPS battery generator grid utility"),
    "campus-100k": tr("giant hyperscale site GB200 100,000 GPUs batteries grid swings gas turbine"),
    "campus-1m": tr("largest giant hyperscale sites GB200 million 1,000,000 GPUs"),
    "ethernet-tcp": tr("network RoCE InfiniBand slow communication"),
    "fat-tree-1k": tr("network fabric oversubscription congestion uplinks"),
    "frontier": tr("supercomputer AMD MI250X HPC exascale validation"),
    "hybrid-burst": tr("cloud bill cost money price disaster recovery carbon"),
    "lab-16": tr("small first start tutorial H100"),
    "llama3-16k": tr("Meta large training failures MTBF interruptions goodput LLM"),
    "mixed-workloads": tr("inference serving HPC training render"),
    "nvl72-row": tr("GB200 Blackwell liquid cooling rack"),
    "pump-trip": tr("cooling failure CDU overheating throttling thermal coolant"),
    "recovery-policies": tr("spares shrink drop replace elastic sweep restart"),
    "repair-shop": tr("technicians crew spare parts MTTR maintenance"),
    "shared-cluster": tr("queue tenants scheduler Slurm quota fair share waiting"),
    "superpod-h100": tr("DGX NVIDIA rail InfiniBand"),
    "video-ingest": tr("storage data loading input files cache"),
}
"""Other words for a shipped scene, by which the command palette finds it."""


@dataclass(frozen=True)
class SceneCard:
    """What a card says of a scene."""

    path: Path
    title: str
    story: str
    gpus: int
    chapters: int = 0


def shipped_scenes() -> list[Path]:
    """Return the files of the shipped scenes, the most telling first."""
    folder = Path(str(resources.folder("scenes")))
    found = {path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"*{SUFFIX}"))}
    return [found[name] for name in dict.fromkeys((*_ORDER, *found)) if name in found]


def own_scenes(recent: Iterable[Path]) -> list[Path]:
    """Return which of the files that were opened last are scenes of one's own, in their order."""
    shipped = {path.resolve() for path in shipped_scenes()}
    others = (RUN_SUFFIX, STUDY_SUFFIX)
    return [path for path in recent if path.resolve() not in shipped and not path.name.endswith(others)]


def own_title(path: Path) -> str:
    """Return how a list calls a scene of one's own: its name and where it lies."""
    home, folder = Path.home(), path.parent
    place = Path("~") / folder.relative_to(home) if folder.is_relative_to(home) else folder
    return f"{path.name.removesuffix(SUFFIX)} ({place})"


def picture_of(path: Path) -> Path | None:
    """Return the picture of a scene, when there is one: of a shipped one, or one that was kept of one's own."""
    if path in shipped_scenes():
        picture = Path(str(resources.folder("assets"))) / "pictures" / f"{path.name.removesuffix(SUFFIX)}.png"
    else:
        picture = _kept_picture(path)
    return picture if picture.is_file() else None


def keep_picture(path: Path, grab: Callable[[], NDArray[np.uint8]], recent: Iterable[Path]) -> None:
    """Keep how the hall of one's own scene looks; pictures of those not among `recent` go.

    `grab` draws the hall and returns shape (height, width, 3). Without a picture the card of a scene has a drawing, so
    nothing is told where the disk takes none.
    """
    if path not in own_scenes([path]):
        return
    picture = _kept_picture(path)
    with suppress(OSError):
        picture.parent.mkdir(mode=0o700, exist_ok=True)
        save_png(grab(), picture, {})
        for old in set(picture.parent.glob("*.png")) - {_kept_picture(each) for each in (path, *recent)}:
            old.unlink()


def _kept_picture(path: Path) -> Path:
    digest = sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]
    return state_folder() / "pictures" / f"{digest}.png"


@cache
def title_of(path: Path) -> str:
    """Return the title of a shipped scene as its file says it, with its short name; that alone where it says none."""
    name = path.name.removesuffix(SUFFIX)
    try:
        text = path.read_text(encoding="utf-8")
        parts = resources.yaml_texts(text) or {}
        title = child(parse(parts.get("title", text), path.name), "title")  # the rest of it takes long
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
    if path in shipped_scenes():  # they stay, and the first page is shown again and again
        return _shipped_card(path, path.stat().st_mtime_ns)
    return _card(path)


@cache
def _shipped_card(path: Path, _mtime_ns: int) -> SceneCard:
    return _card(path)


def _card(path: Path) -> SceneCard:
    scenario = load(path).scenario
    gpus = int(np.count_nonzero(build(scenario).gpus.present))
    return SceneCard(path, scenario.title, story_of(scenario), gpus, len(scenario.chapters))


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
