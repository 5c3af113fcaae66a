"""What layers give to the graphics card: nothing piles up of what is never drawn, nor of a hall that is gone."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest
from vispy import gloo
from vispy.gloo.glir import _GlirQueueShare

from twin.record.frame import Frame
from twin.view3d.base.edit_shapes import TONES, Ghost, GhostBox, GuideLine, Tone
from twin.view3d.base.state import ViewState
from twin.view3d.gl.antialias import seen
from twin.view3d.gl.program_pool import forget_idle
from twin.view3d.view.bench_hall import hall_of
from twin.view3d.view.hall_view import HallView


def test_a_ghost_that_is_never_drawn_keeps_its_last_place_alone(make_view: Callable[..., HallView]) -> None:
    layer = make_view().edit.layer
    boxes = [GhostBox((float(n), 0.0, 0.0), (n + 1.0, 1.0, 2.0), "warn") for n in range(100)]
    for box in boxes[:2]:
        layer.set_ghost(Ghost((box,), ()))
    before = _waiting()
    for box in boxes:
        layer.set_ghost(Ghost((box,), ()))
    assert _waiting() == before


def test_ghosts_of_all_tones_after_each_other_make_no_more_programs_than_one(
    make_view: Callable[..., HallView],
) -> None:
    view = make_view()

    def programs() -> int:
        seen(view.native)
        gc.collect()
        return sum(type(one) is gloo.Program for one in gc.get_objects())

    counts = []
    for tone in TONES:
        line = GuideLine((0.0, 0.0, 0.0), (3.0, 0.0, 0.0), tone=tone)
        view.edit.layer.set_ghost(Ghost((GhostBox((0.0, 0.0, 0.0), (2.0, 2.0, 2.0), tone),), (line,)))
        counts.append(programs())
        view.edit.layer.set_ghost(Ghost())
    assert len(set(counts)) == 1


def test_a_layer_that_is_gone_leaves_no_buffer_however_many_there_were(
    make_view: Callable[..., HallView],
) -> None:
    from OpenGL import GL

    view = make_view()

    def buffers() -> int:
        gc.collect()
        seen(view.native)
        view.canvas.set_current()
        newest = int(GL.glGenBuffers(1))  # some drivers never give a name twice
        GL.glDeleteBuffers(1, [newest])
        return sum(bool(GL.glIsBuffer(name)) for name in range(1, newest + 100))

    def show(*tones: Tone) -> None:
        boxes = [GhostBox((float(n), 0.0, 0.0), (n + 1.0, 1.0, 2.0), tone) for n, tone in enumerate(tones)]
        lines = [GuideLine((0.0, 0.0, 0.0), (3.0, 0.0, 0.0), tone=tone) for tone in tones]
        view.edit.layer.set_ghost(Ghost(tuple(boxes), tuple(lines)))
        seen(view.native)
        view.edit.layer.set_ghost(Ghost())

    show("warn")
    before = buffers()
    show(*TONES)
    assert buffers() == before


def test_programs_that_no_layer_has_go_with_the_scene(make_view: Callable[..., HallView]) -> None:
    view = make_view()

    def programs() -> int:
        seen(view.native)
        gc.collect()
        return sum(type(one) is gloo.Program for one in gc.get_objects())

    before = programs()
    line = GuideLine((0.0, 0.0, 0.0), (3.0, 0.0, 0.0), tone="warn")
    view.edit.layer.set_ghost(Ghost((GhostBox((0.0, 0.0, 0.0), (2.0, 2.0, 2.0), "warn"),), (line,)))
    assert programs() > before
    view.edit.layer.set_ghost(Ghost())
    assert programs() > before  # they wait for the next ghost
    forget_idle(view.canvas)
    assert programs() == before


def test_a_ghost_is_drawn_where_it_was_put_last(make_view: Callable[..., HallView]) -> None:
    view = make_view()
    bare = seen(view.native).astype(int)
    pictures = []
    for x_m in (0.0, 3.0):
        view.edit.layer.set_ghost(Ghost((GhostBox((x_m, 0.0, 0.0), (x_m + 2.0, 2.0, 2.0), "bad"),), ()))
        view.look(view.pose)
        pictures.append(seen(view.native).astype(int))
    changed = [(np.abs(picture - bare).max(axis=2) > 20).mean() for picture in pictures]
    assert min(changed) > 1e-4
    assert (pictures[0] != pictures[1]).any()


def test_what_was_kept_for_a_drag_goes_with_its_hall(make_view: Callable[..., HallView]) -> None:
    from OpenGL import GL

    view = make_view()

    def kept() -> int:
        view.canvas.set_current()
        newest = int(GL.glGenRenderbuffers(1))  # other tests have had names before
        GL.glDeleteRenderbuffers(1, [newest])
        return sum(bool(GL.glIsRenderbuffer(name)) for name in range(1, newest + 100))

    seen(view.native)
    before = kept()
    view.edit.layer.set_ghost(Ghost((GhostBox((0.0, 0.0, 0.0), (2.0, 2.0, 2.0), "bad"),), ()))
    seen(view.native)
    if view.capability.software:
        assert kept() == before + 4
    view.edit.layer.set_ghost(Ghost())
    view.set_plant(hall_of(256))
    seen(view.native)
    assert kept() == before


def _waiting() -> int:
    """Return how many commands wait for programs to be drawn."""
    gc.collect()
    return sum(len(one._commands) for one in gc.get_objects() if type(one) is _GlirQueueShare)


def test_a_picture_like_the_one_before_sets_nothing_anew(
    make_view: Callable[..., HallView], frame: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = make_view(ViewState())
    view.set_frame(frame)
    first = view.grab()
    set_: list[str] = []
    put = gloo.Program.__setitem__
    monkeypatch.setattr(
        gloo.Program, "__setitem__", lambda self, name, value: (set_.append(name), put(self, name, value))
    )
    assert np.array_equal(view.grab(), first)
    still = [name for name in set_ if name in ("u_light", "u_shape", "u_values", "u_recess")]
    assert still == []
    view.state.theme = "light"
    assert not np.array_equal(view.grab(), first)
    assert {"u_light", "u_ground", "u_recess"} <= set(set_)
    view.state.theme = "dark"
    assert np.array_equal(view.grab(), first)
