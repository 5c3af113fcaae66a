"""Actions on files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.language import tr
from twin.view3d.base.dimension import measure

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def file_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the File menu."""
    files, scene = window.files, window.editing.file
    return [
        entry(
            "file.new",
            tr("New scene"),
            window.new_scene,
            menu="file",
            key="Ctrl+N",
            tip=tr("Start with an empty hall"),
            words=tr("empty hall create design"),
        ),
        entry(
            "file.need",
            tr("New from a need\N{HORIZONTAL ELLIPSIS}"),
            window.needs.ask,
            menu="file",
            key="Ctrl+Shift+N",
            icon="target",
            tip=tr("Say what a site is wanted for, and find designs that meet it"),
            words=tr(
                "need requirement size a cluster budget deadline designs architect how many GPUs tokens RFP"
            ),
        ),
        entry(
            "file.open", tr("Open\N{HORIZONTAL ELLIPSIS}"), files.ask, menu="file", key="Ctrl+O", icon="open"
        ),
        entry("file.scenes", tr("Scenes"), window.show_welcome, menu="file", key="Ctrl+H", icon="scenes"),
        entry(
            "file.save",
            tr("Save"),
            scene.save,
            menu="file",
            key="Ctrl+S",
            icon="save",
            group="2",
            needs_scene=True,
            tip=tr("Writes the changed lines to the scene's file; comments stay"),
            words=tr("samples examples welcome start page"),
        ),
        entry(
            "file.save_as",
            tr("Save as\N{HORIZONTAL ELLIPSIS}"),
            scene.ask_save_as,
            menu="file",
            key="Ctrl+Shift+S",
            group="2",
            needs_scene=True,
        ),
        entry(
            "file.reload",
            tr("Revert to the saved scene"),
            scene.revert,
            menu="file",
            key="Ctrl+R",
            icon="restart",
            group="2",
            needs_scene=True,
            tip=tr("Reads the file again; unsaved changes are lost"),
        ),
        entry(
            "file.compare",
            tr("Compare with…"),
            window.comparing.ask,
            menu="file",
            group="2",
            needs_scene=True,
            tip=tr("Differences from another scene: changes, figures, both halls side by side"),
        ),
        entry(
            "file.compare_saved",
            tr("Compare with the saved file"),
            window.comparing.with_saved,
            menu="file",
            key="Ctrl+Shift+D",
            group="2",
            needs_scene=True,
            tip=tr("Differences from the file on disk"),
        ),
        entry(
            "file.picture",
            tr("Save a picture\N{HORIZONTAL ELLIPSIS}"),
            files.ask_picture,
            menu="file",
            key="Ctrl+P",
            icon="camera",
            group="3",
            needs_scene=True,
            words=tr("screenshot image PNG"),
        ),
        entry(
            "file.report",
            tr("Save a report\N{HORIZONTAL ELLIPSIS}"),
            files.ask_report,
            menu="file",
            icon="book",
            group="3",
            needs_scene=True,
            tip=tr(
                "The run so far as one HTML page: figures, GPU time by account, causes, curves, pictures, sources"
            ),
            words=tr("HTML PDF print summary"),
        ),
        entry(
            "file.design_report",
            tr("Save a report of the design\N{HORIZONTAL ELLIPSIS}"),
            files.ask_scene_report,
            menu="file",
            icon="book",
            group="3",
            needs_scene=True,
            tip=tr(
                "The scene as one HTML page, without a run: money, power budget, availability, design rules, sources"
            ),
            words=tr("HTML PDF print hand over as designed costs budget without a run"),
        ),
        entry(
            "file.handout",
            tr("Save a handout of the chapters\N{HORIZONTAL ELLIPSIS}"),
            files.ask_handout,
            menu="file",
            icon="text",
            group="3",
            needs_scene=True,
            tip=tr(
                "The chapters of the scene as one HTML page: pictures, text, figures of their moments, sources"
            ),
            words=tr("print paper PDF HTML students audience chapters"),
        ),
        entry(
            "file.drawings",
            tr("Drawings\N{HORIZONTAL ELLIPSIS}"),
            partial(_show_drawings, window),
            menu="file",
            icon="layout",
            group="3",
            needs_scene=True,
            tip=tr(
                "Plan, rack elevations, one-line diagram, piping, network: on paper A4 to A0, as PDF or SVG"
            ),
            words=tr(
                "PDF SVG print plan elevation one-line single-line piping P&ID floor plan blueprint CAD drawing"
            ),
        ),
        entry(
            "file.lists",
            tr("Lists\N{HORIZONTAL ELLIPSIS}"),
            partial(_show_lists, window),
            menu="file",
            icon="list",
            group="3",
            needs_scene=True,
            tip=tr(
                "Bill of materials, cables, ports, addresses, rack loads: to read, as CSV or as a workbook of Excel"
            ),
            words=tr(
                "BOM bill materials parts order cables labels ports IP VLAN racks loads phases CSV Excel XLSX"
            ),
        ),
        entry(
            "file.handover",
            tr("Hand over\N{HORIZONTAL ELLIPSIS}"),
            files.ask_handover,
            menu="file",
            icon="save",
            group="3",
            needs_scene=True,
            tip=tr("The scene with all it needs, report, drawings, lists and 3D as one zip file"),
            words=tr("package zip share send archive deliver contractor bundle anonymise anonymous"),
        ),
        entry(
            "file.solids",
            tr("Export 3D\N{HORIZONTAL ELLIPSIS}"),
            files.ask_solids,
            menu="file",
            icon="hall",
            group="3",
            needs_scene=True,
            tip=tr("The hall as glTF or OpenUSD, coloured as it is shown now"),
            words=tr("glTF GLB USD OpenUSD USDA 3D model mesh Blender Omniverse CAD BIM"),
        ),
        entry(
            "file.video",
            tr("Export video\N{HORIZONTAL ELLIPSIS}"),
            partial(_show_video, window),
            menu="file",
            icon="camera",
            group="3",
            needs_scene=True,
            tip=tr("A video of the recorded run from the current camera position"),
            words=tr("film movie animation MP4 GIF"),
        ),
        entry(
            "file.quit",
            tr("Quit"),
            lambda: window.close(),  # a method of Qt itself has no signature, which app-model asks for
            menu="file",
            key="Ctrl+Q",
            icon="power",
            group="9",
        ),
    ]


# What is loaded for one of these alone is loaded when that is asked for: the window is there sooner.


def _show_video(window: WindowApi) -> None:
    from twin.app.files.video_dialog import VideoDialog

    VideoDialog(window.look, window.session, window.hall, window).open()


def _show_drawings(window: WindowApi) -> None:
    from twin.app.documents.drawings_dialog import DrawingsDialog
    from twin.drawings.plan import PlanDimension

    view = window.hall.view
    taken = [measure(each, view.part_box) for each in view.state.dimensions if "z" not in each.along]
    dimensions = [
        PlanDimension(
            each.start[:2], each.stop[:2], each.length_m, tuple((a[:2], b[:2]) for a, b in each.ways)
        )
        for each in taken
        if each is not None
    ]
    DrawingsDialog(window.look, window.session, window, dimensions).show()


def _show_lists(window: WindowApi) -> None:
    from twin.app.documents.lists_dialog import ListsDialog

    dialog = ListsDialog(window.look, window.session, window)
    dialog.chosen.connect(window.go_to)
    dialog.show()
