"""Questions of one sentence before something is lost, and under which name a file is saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from twin.app.toolkit.plain_text import make_plain
from twin.language import tr


def sure(parent: QWidget, name: str, question: str, yes: str, *, title: str = "") -> bool:
    """Return whether a person wants what a question asks; Cancel is what Enter does.

    Parameters
    ----------
    name
        Of the box, for the program.
    question, yes
        As the person reads them.
    title
        Of the box.
    """
    box = QMessageBox(parent)
    box.setObjectName(name)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setText(question)
    make_plain(box)
    go = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is go


def path_to_save(
    parent: QWidget, title: str, offered: Path, kinds: str, suffix: str, *, own: Path | None = None
) -> Path | None:
    """Return where a person wants a file, with its ending; None: nowhere.

    It is asked before a file that is there is written over, also where its ending was added to what was chosen.

    Parameters
    ----------
    offered
        Folder and name to begin with.
    kinds, suffix
        Filter of the dialog, and the ending of such files.
    own
        A file that is written again without a question.
    """
    chosen, _ = QFileDialog.getSaveFileName(
        parent, title, str(offered), kinds, "", QFileDialog.Option.DontConfirmOverwrite
    )
    if not chosen:
        return None
    stem = chosen.removesuffix(suffix).removesuffix(Path(suffix).suffix)
    path = Path(f"{stem}{suffix}")
    question = tr("{name} is there already. Overwrite it?", name=path.name)
    if path.exists() and path != own and not sure(parent, "sure", question, tr("Overwrite")):
        return None
    return path
