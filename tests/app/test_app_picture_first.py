"""What can wait lets the picture of a changed hall go first."""

import pytest
from pytestqt.qtbot import QtBot

from twin.app.picture_due import PictureDue
from twin.view3d.hall_view import HallView
from twin.view3d.state import ViewState

pytestmark = pytest.mark.gl


def test_a_picture_is_due_from_the_change_until_behind_its_drawing(qtbot: QtBot) -> None:
    view = HallView(ViewState(), size=(320, 200))
    qtbot.addWidget(view.native)
    due = PictureDue(view)
    due.expect()
    assert not due(), "nobody sees it"
    with qtbot.waitExposed(view.native):
        view.native.show()
    qtbot.waitUntil(lambda: not due())
    due.expect()
    assert due()
    view.canvas.update()
    qtbot.waitUntil(lambda: not due())
    view.close()
