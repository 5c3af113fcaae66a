"""Nobody with a mouse is shown a word of the file: labels of fields, findings, and all that stands in the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from twin.app.inspector.property_fields import properties
from twin.app.planner.fields import FIELDS, workload_fields
from twin.app.shell.main_window import MainWindow
from twin.commands.edit.command import EditedScene
from twin.rules import check
from twin.scenario import load, loads
from twin.scenario.schema.work import Inference, LlmTraining, Load, VisionTraining

_SCENES = Path(__file__).parents[2] / "scenes"
_KEY = re.compile(r"\b[a-z]+_[a-z_]+\b|\b[a-z]+(?:\.[a-z_]+){1,}\b|\bunder [a-z_]+ of\b")
"""What only a file is written in: snake_case, dotted paths, "under serves of"."""
_FILES = re.compile(r"\S+\.(?:yaml|yml|twin|twinrun|png|md|io|com|org|ai)\b|\S*/\S*")
_WRONG = re.compile(r"\b(?:Gpus?|Cpus?|Mig|Iops|Nics?|Flops?|gpus?|cpus?|iops)\b")
"""Abbreviations in small letters, as a key becomes a label by itself."""

_BARE = """\
format: twin/scenario
version: 1
catalog: "2026.11"
title: Nothing is joined
duration: 1 h
halls: [{id: hall, rows: [{id: gpu, racks: {count: 2, nodes: [{part: DGX-H100, count: 2, first_u: 3}]}}]}]
"""


def keys_in(text: str) -> list[str]:
    """Return the words of files in a text."""
    return _KEY.findall(_FILES.sub("", text))


@pytest.mark.parametrize("name", ["hybrid-burst", "mixed-workloads", "nvl72-row", "shared-cluster"])
def test_fields_of_the_inspector_have_the_words_of_the_field(name: str) -> None:
    scene = EditedScene.of(load(_SCENES / f"{name}.twin.yaml"))
    scenario = scene.scenario
    kinds = {(id.partition("/")[0], id.count("/")): id for id in scene.plant.slots}
    named = (
        scenario.jobs,
        scenario.tenants,
        scenario.partitions,
        scenario.storage,
        scenario.fabrics,
        scenario.power,
    )
    ids = ["", *kinds.values(), *(item.id for items in named for item in items)]
    for id in ids:
        for field in properties(scene, id):
            words = f"{field.heading} {field.title}"
            assert not keys_in(words), (id, field.key, words)
            assert not _WRONG.search(words), (id, field.key, words)


@pytest.mark.parametrize("workload", [LlmTraining, VisionTraining, Inference, Load])
def test_fields_of_the_planner_have_them_too(workload: type) -> None:
    assert FIELDS
    for field in workload_fields(workload):
        assert not keys_in(field.title), field.key
        assert not _WRONG.search(field.title), (field.key, field.title)


def test_findings_and_refusals_of_a_hall_where_nothing_is_joined() -> None:
    from twin.catalog import load_catalog
    from twin.plant.build import build

    scenario = loads(_BARE, "bare.twin.yaml").scenario
    report = check(scenario, build(scenario), load_catalog())
    assert report.findings
    for finding in report.findings:
        assert not keys_in(f"{finding.sentence} {finding.fix}"), finding


def texts_of(widget: QWidget) -> Iterator[str]:
    """Yield all words in sight below a widget."""
    for child in widget.findChildren(QWidget):
        if not child.isVisible():
            continue
        if isinstance(child, QLabel | QAbstractButton):
            yield child.text()
        elif isinstance(child, QComboBox):
            yield child.currentText()


@pytest.mark.gl
def test_no_dock_shows_a_key(use_window: Callable[[Path], MainWindow], lab: Path, qtbot: QtBot) -> None:
    window = use_window(lab)
    qtbot.waitUntil(lambda: window.session.frame is not None)
    thing = window.docks.inspector
    for entry in window.docks.table:
        window.docks.show(entry.name)
        assert not [text for text in texts_of(window) if keys_in(text)], entry.name
    for id in (None, "gpu/0/0", "gpu/0/1/0", "crah/0", "llama3"):
        thing.show_thing(id)
        assert not [text for text in texts_of(thing) if keys_in(text)], id
