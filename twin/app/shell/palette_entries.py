"""What the command palette finds beside actions: scenes, figures of the run, parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from twin.app.files.scene_list import SCENE_WORDS, SUFFIX, own_scenes, own_title, shipped_scenes, title_of
from twin.app.palette.model import GROUPS, KINDS, can_stand
from twin.app.session.plot_pages import FIGURE_WORDS, page_of
from twin.app.toolkit.command_palette import PaletteEntry
from twin.catalog import Catalog
from twin.commands.room.prefabs import PREFABS
from twin.language import tr
from twin.record.channels import CHANNELS

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi


def palette_entries(window: WindowApi) -> list[PaletteEntry]:
    """Return what the palette offers now."""
    return [
        *window.menus.entries(),
        *window.faults.entries(),
        *window.drains.entries(),
        *window.help.entries(),
        *figure_entries(window),
        *scene_entries(window, window.files.open_and_play),
        *part_entries(window),
        *window.lessons.entries(),
        *window.questions.entries(),
    ]


def scene_entries(window: WindowApi, open_scene: Callable[[Path], None]) -> Iterator[PaletteEntry]:
    """Yield the scenes that can be opened: those opened last, then the shipped ones."""
    for path in own_scenes(window.settings.recent):
        yield PaletteEntry(
            own_title(path), partial(open_scene, path), tr("Open scene"), words=tr("recent own")
        )
    for path in shipped_scenes():
        words = SCENE_WORDS.get(path.name.removesuffix(SUFFIX), "")
        yield PaletteEntry(
            title_of(path),
            partial(open_scene, path),
            tr("Open scene"),
            words=tr("sample {words}", words=words),
        )


def figure_entries(window: WindowApi) -> Iterator[PaletteEntry]:
    """Yield the figures of the whole site: each leads to its plot, or to the page of the site."""
    if window.session.document is None:
        return
    for channel in CHANNELS:
        if channel.entity == "site":
            title = channel.title[:1].upper() + channel.title[1:]
            yield PaletteEntry(
                title,
                partial(_show_figure, window, channel.id),
                tr("Figure"),
                words=FIGURE_WORDS.get(channel.id, ""),
            )


def part_entries(window: WindowApi) -> Iterator[PaletteEntry]:
    """Yield the parts that can be put into a hall: each is looked up in the dock of parts."""
    if window.session.document is None:
        return
    for title, words in _parts(window.session.catalog):
        yield PaletteEntry(title, partial(_show_part, window, title), tr("Part"), words=words)


def _show_figure(window: WindowApi, channel: str) -> None:
    page = page_of(channel)
    if page is not None:
        window.docks.show("plots")
        window.docks.plots.page_box.setCurrentText(page)
    else:
        window.going.nowhere()
        window.docks.show("inspector")


def _show_part(window: WindowApi, title: str) -> None:
    window.docks.show("palette")
    window.docks.palette.look_up(title)


@lru_cache(maxsize=2)
def _parts(catalog: Catalog) -> tuple[tuple[str, str], ...]:
    """Return title and other words of each part and prefab."""
    kinds = [(group, kind) for group, kinds in GROUPS for kind in kinds if kind != "prefab"]
    parts = [
        (part.title, f"{part.id.replace('-', ' ')} {group} {KINDS[kind]}")
        for group, kind in kinds
        for part in map(catalog.part, catalog.ids(kind))
        if can_stand(part)
    ]
    return (*((prefab.title, "prefab") for prefab in PREFABS.values()), *parts)
