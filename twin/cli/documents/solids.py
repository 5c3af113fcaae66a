"""`twin export SCENE|RUN -o F.glb|.usda`: a site as solids for other 3D programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twin.solids.site_solids import SiteSolids

ENDINGS = (".glb", ".usda")


def export_solids(scene_or_run: str, out: Path, colour_by: str | None, at: str | None, replace: bool) -> None:
    """Write a scene, or a run at one time with its colours, as glTF or OpenUSD; raises `BadInput`."""
    from twin.cli.errors import BadInput
    from twin.cli.scene import is_run
    from twin.cli.target import must_be_free
    from twin.solids.gltf import glb_bytes
    from twin.solids.usd import usda_text
    from twin.whole_file import write_whole

    must_be_free(out, "-o", scene_or_run, endings=ENDINGS, replace=replace)
    if is_run(scene_or_run):
        title, solids = _of_run(scene_or_run, colour_by, at)
    elif colour_by is not None or at is not None:
        option = "--colour-by" if colour_by is not None else "--at"
        raise BadInput(f"{option} is for a recorded run; make one with: twin run {scene_or_run}")
    else:
        title, solids = _of_scene(scene_or_run)
    gltf = out.suffix.lower() == ENDINGS[0]
    write_whole(out, glb_bytes(solids, title) if gltf else usda_text(solids, title).encode())
    print(f"{out}: {len(solids):,} things")


def _of_scene(name: str) -> tuple[str, SiteSolids]:
    from twin.cli.scene import load_scene
    from twin.plant.build import build
    from twin.scenario.schema.scene_catalog import catalog_of
    from twin.solids.site_solids import site_solids

    scenario = load_scene(name).scenario
    catalog = catalog_of(scenario)
    return scenario.title, site_solids(build(scenario, catalog), catalog)


def _of_run(path: str, colour_by: str | None, at: str | None) -> tuple[str, SiteSolids]:
    from twin.api.picture import channel_of
    from twin.cli.moment import must_be_within
    from twin.cli.scene import time_of
    from twin.record.reader import Reader
    from twin.report.halls import RecordedHalls
    from twin.scenario.schema.scene_catalog import catalog_of
    from twin.solids.site_solids import site_solids

    with Reader(path) as reader:
        end_s = reader.t_end_s
        at_s = end_s if at is None else time_of(at, "--at", reader.header.scenario, end_s)
        must_be_within(at_s, end_s)
        frame = reader.frame(at_s)
        scenario, plant = RecordedHalls(reader).at(frame.layout.epoch)
        channel = channel_of(colour_by or "gpu.temp_c")
        return scenario.title, site_solids(plant, catalog_of(scenario), frame, channel)
