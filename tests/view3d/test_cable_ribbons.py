"""Cables from far away are strips: they look like the tubes, and those are made only when somebody comes near."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.plant.tray_runs import lay_runs
from twin.record.frame import Frame
from twin.view3d.base.state import ViewState
from twin.view3d.gl import ribbons
from twin.view3d.layers.cables import drop_pieces, trunk_pieces
from twin.view3d.view.hall_view import HallView

pytestmark = pytest.mark.gl


def _far(view: HallView) -> None:
    view.preset("overview", animate=False)
    view.look(replace(view.pose, distance_m=2.2 * view.pose.distance_m))


@pytest.mark.parametrize("layers", [{"racks", "cables"}, {"racks", "cables", "collective"}])
def test_from_far_away_strips_look_like_tubes(
    make_view: Callable[..., HallView], frame: Frame, monkeypatch: pytest.MonkeyPatch, layers: set[str]
) -> None:
    pictures = []
    for far_px in (ribbons.FAR_PX, 0.0):
        monkeypatch.setattr(ribbons, "FAR_PX", far_px)
        view = make_view(ViewState(layers=frozenset(layers)))
        view.set_frame(frame)
        bundles = np.ones(len(view.plant.bundles.rail)) if view.plant is not None else np.zeros(0)
        view.show_traffic(bundles, bundles * 0.5, np.zeros(0, np.int64), (1.0, 1.0, 1.0))
        _far(view)
        pictures.append(view.grab().astype(float))
        view.state.layers = frozenset(layers - {"cables", "collective"})
        without = view.grab().astype(float)
    strips, tubes = pictures
    shown, apart = np.abs(tubes - without).sum(), np.abs(strips - tubes).sum()
    assert shown > 0
    assert apart < 0.35 * shown
    # As much light, and as many pixels.
    assert np.abs(strips - without).sum() == pytest.approx(shown, rel=0.15)


def test_tubes_are_made_only_for_who_comes_near(make_view: Callable[..., HallView]) -> None:
    view = make_view(ViewState(layers=frozenset({"racks", "cables"})))
    _far(view)
    view.grab()
    cables = view.scene.cables
    assert "_far_trunks" in vars(cables)
    view.look(replace(view.pose, distance_m=4.0))
    view.grab()
    assert {"_trunks", "_drops"} <= set(vars(cables))


def test_a_strip_goes_from_end_to_end_as_wide_as_its_cable(hall: Plant, geometry: Geometry) -> None:
    drawn = geometry.bundles
    runs = lay_runs(hall, drawn)
    for pieces in (trunk_pieces(drawn, runs), drop_pieces(drawn, runs)):
        mesh, indices = ribbons.ribbon_mesh(drawn, runs, pieces, np.zeros(len(pieces)))
        corners = mesh.reshape(-1, 4)
        assert len(corners) == len(pieces) == len(indices) // 6
        np.testing.assert_allclose(corners["a_position"][:, 0], runs.start_m[pieces], atol=1e-4)
        np.testing.assert_allclose(corners["a_position"][:, 2], runs.stop_m[pieces], atol=1e-4)
        np.testing.assert_allclose(corners["a_side"][:, 2], drawn.radius_m[runs.line[pieces]], rtol=1e-6)
        assert (corners["a_piece"][:, :, 0] == pieces[:, None]).all()
