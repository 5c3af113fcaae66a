"""Text of documents is plain text in the window: no label, tool tip or menu reads it as rich text."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from house_code import modules_with
from patience import HANG_S
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

import twin.app
from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.plain_text import PlainLabel, make_plain, plain_tip

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl

MARKUP = "<img src=/etc/outside.png> <b>b</b>"
NAMED = (
    ("title: A laboratory with 16 GPUs", "title: 'A {} lab'"),
    ("  Two air-cooled DGX", "  {} Two air-cooled DGX"),
    ("sources:\n", "sources:\n  - '{}'\n"),
    ("name: University basement", "name: 'basement {}'"),
    ("title: Machine room", "title: 'room {}'"),
    ("title: Chair of computational linguistics", "title: 'chair {}'"),
    ("title: Llama 3 8B, continued training", "title: 'job {}'"),
    ("comment: two nodes are the whole lab", "comment: '{}'\n    # "),
    ("interventions:", "groups:\n  - {{id: all, title: 'group {}', members: [gpu]}}\ninterventions:"),
    (
        "      - id: gpu # a gen",
        "      - id: gpu\n        label: 'ROW {}' # a gen",
    ),
)


def hostile(lab: Path, folder: Path) -> Path:
    """Write the lab with markup in everything that people name."""
    text = lab.read_text()
    for old, new in NAMED:
        assert text.count(old) == 1, old
        text = text.replace(old, new.format(MARKUP))
    text += (
        "edits:\n  - {id: turn, at: 1 h, title: 'edit " + MARKUP + "', changes: [{path: title, value: x}]}\n"
    )
    path = folder / "lab <b>16.twin.yaml"
    path.write_text(text)
    return path


def widgets(app: QApplication) -> Iterator[QWidget]:
    for top in app.topLevelWidgets():
        yield top
        yield from top.findChildren(QWidget)


def indices(model: QAbstractItemModel, below: QModelIndex, most: int = 200) -> Iterator[QModelIndex]:
    for row in range(min(model.rowCount(below), most)):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount(below)):
            index = model.index(row, column, below)
            yield index
            if column == 0:
                yield from indices(model, index, most)


def rich(app: QApplication) -> list[str]:
    """Return the labels, tool tips and items in which a document's markup would be read."""
    found = []
    for widget in widgets(app):
        where = f"{type(widget).__name__} {widget.objectName()!r} in {type(widget.parentWidget()).__name__}"
        # Labels inside widgets of libraries read markup where they find some; none of them may show a document.
        label = widget if isinstance(widget, QLabel) and "<img" in widget.text() else None
        if label is not None and label.textFormat() != Qt.TextFormat.PlainText:
            found.append(f"{where}: {label.textFormat()} {label.text()!r}")
        tips = [widget.toolTip()]
        if isinstance(widget, QMenu) and widget.toolTipsVisible():
            tips += [action.toolTip() for action in widget.actions()]
        if isinstance(widget, QAbstractItemView | QComboBox) and widget.model() is not None:
            model = widget.model()
            role = Qt.ItemDataRole.ToolTipRole
            tips += [str(index.data(role) or "") for index in indices(model, QModelIndex())]
            columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
            tips += [str(model.headerData(n, Qt.Orientation.Horizontal, role) or "") for n in range(columns)]
        found += [f"{where}: tip {tip!r}" for tip in tips if "<img" in tip]
    return found


def test_no_widget_reads_what_a_document_says_as_rich_text(
    use_window: UseWindow, qtbot: QtBot, qapp: QApplication, lab: Path, tmp_path: Path
) -> None:
    window = use_window(hostile(lab, tmp_path))
    session = window.session
    shown = " ".join(widget.text() for widget in widgets(qapp) if isinstance(widget, QLabel))
    assert MARKUP in shown
    assert rich(qapp) == []
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600.0)
    session.pause()
    for thing in ("gpu/0/0/0/3", "gpu/0/0", "pdu/0", "crah/0", "llama3"):
        window.go_to(thing)
        assert rich(qapp) == []


def test_dialogs_read_nothing_as_rich_text(
    use_window: UseWindow, qtbot: QtBot, qapp: QApplication, lab: Path, tmp_path: Path
) -> None:
    window = use_window(hostile(lab, tmp_path))
    window.go_to("gpu/0/0/0/3")
    for action in ("run.break", "run.plan_job"):
        window.menus.execute(action)
        qtbot.wait(50)
        assert rich(qapp) == [], action
    for dialog in window.findChildren(QDialog):
        dialog.close()
    box = QMessageBox(window)
    box.setText(MARKUP)
    box.setInformativeText(MARKUP)
    make_plain(box)
    assert rich(qapp) == []
    box.deleteLater()


def test_a_scene_that_cannot_be_opened_is_told_plainly(
    use_window: UseWindow, qtbot: QtBot, qapp: QApplication, lab: Path, tmp_path: Path
) -> None:
    window = use_window(lab)
    bad = tmp_path / "bad.twin.yaml"
    bad.write_text(lab.read_text().replace("seed: 1", f"seed: '{MARKUP}'"))
    assert not window.files.open(bad)
    assert rich(qapp) == []
    assert window.files.problems is not None
    window.files.problems.close()
    qtbot.waitUntil(lambda: window.files.problems is None)


def test_a_tool_tip_says_the_same_words() -> None:
    label = QLabel(plain_tip("<b>Lab</b> & <img src='/etc/outside.png'>\nsecond  line"))
    label.setTextFormat(Qt.TextFormat.RichText)
    from PySide6.QtGui import QTextDocument

    document = QTextDocument()
    document.setHtml(label.text())
    assert document.toPlainText() == "<b>Lab</b> & <img src='/etc/outside.png'>\nsecond  line"
    assert plain_tip("7 < 8, 9 > 3") == "7 < 8, 9 > 3"
    assert PlainLabel("<b>x").textFormat() == Qt.TextFormat.PlainText


ACTS = "\x1b[31mRED \u202egnp"
ESCAPED = "\\x1b[31mRED \\u202egnp"


def test_what_acts_instead_of_being_read_is_shown_as_its_escape(
    use_window: UseWindow, tmp_path: Path
) -> None:
    assert plain_tip(ACTS) == ESCAPED
    scene = tmp_path / "esc.twin.yaml"
    scene.write_text(
        'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: builtin:lab-16\n'
        'title: "\\e[31mRED \\u202egnp"\n'
    )
    window = use_window(scene)
    assert window.session.document is not None
    assert window.session.document.scenario.title == ACTS
    assert window.windowTitle().startswith(f"{ESCAPED}[*]")
    assert window.hall.strip.scene_label.text() == ESCAPED
    assert not any(ACTS in label.text() for label in window.findChildren(QLabel))


def test_labels_and_tips_are_made_in_one_place() -> None:
    """No module makes a label of Qt's own, or gives a tool tip that is neither its own words nor plain."""
    folder = Path(next(iter(twin.app.__path__)))
    found = []
    for path, tree in modules_with(folder, "QLabel", "setToolTip", "setTabToolTip"):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name == "QLabel" or (name in ("setToolTip", "setTabToolTip") and not _own(node.args[-1])):
                found.append(f"{path.name}:{node.lineno}")
    assert found == []


def _own(words: ast.expr) -> bool:
    """Return whether the words of a tip are written in the program, or made plain."""
    if isinstance(words, ast.IfExp):
        return _own(words.body) and _own(words.orelse)
    if isinstance(words, ast.Name):
        return words.id.isupper()
    if isinstance(words, ast.Call) and isinstance(words.func, ast.Name):
        return words.func.id == "plain_tip" or (
            words.func.id == "tr" and not words.keywords and _own(words.args[0])
        )
    return isinstance(words, ast.Constant)


@pytest.mark.slow  # the tests above assert that no widget reads a title as rich text
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_title_with_a_picture_opens_no_file(tmp_path: Path) -> None:
    scene = Path(__file__).parents[1] / "findings" / "img.twin.yaml"
    trace = tmp_path / "trace"
    command = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-e",
        "trace=open,openat,stat,newfstatat,access",
        "-o",
        str(trace),
    ]
    opener = Path(__file__).with_name("hostile_open.py")
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    environment.pop("TWIN_STATE_DIR", None)
    done = subprocess.run(
        [*command, sys.executable, str(opener), str(scene), str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=HANG_S,
        check=False,
    )
    if "ptrace" in done.stderr and not done.stdout:
        pytest.skip(f"strace may not trace here: {done.stderr.strip().splitlines()[0]}")
    assert "<img src=" in done.stdout, done.stderr
    assert "outside.png" not in trace.read_text(errors="replace")
