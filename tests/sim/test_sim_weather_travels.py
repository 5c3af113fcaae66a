"""A run of a scene with weather and grid files goes on, and is replayed, where those files are not."""

from __future__ import annotations

import numpy as np
import pytest

from twin.record.reader import Reader
from twin.record.writer import Writer
from twin.resources import folder
from twin.scenario import load
from twin.sim.engine.engine import Engine


def scene(tmp_path):
    hour = np.arange(8760)
    dry = 10 + 8 * np.sin(hour / 24 * 2 * np.pi)
    rows = [f"{air:.2f},{air - 3:.2f}" for air in dry.tolist()]
    (tmp_path / "w.csv").write_text("\n".join(["dry_bulb,wet_bulb", *rows]))
    (tmp_path / "g.csv").write_text("\n".join(["price [USD/MWh]", *(f"{h % 24}" for h in range(8760))]))
    text = (folder("scenes") / "lab-16.twin.yaml").read_text()
    head, _, rest = text.partition("  climate:")
    rest = rest.partition("\n")[2].partition("\n")[2]  # climate and grid have a line each
    path = tmp_path / "a.twin.yaml"
    path.write_text(f"{head}  climate: {{file: w.csv}}\n  grid: {{file: g.csv}}\n{rest}")
    made = load(path).scenario
    for name in ("w.csv", "g.csv"):
        (tmp_path / name).unlink()
    return made


def test_a_run_file_holds_the_hours_of_its_weather(tmp_path):
    original = scene(tmp_path)
    engine = Engine(original)
    assert engine.weather.at(6 * 3600.0).dry_c == pytest.approx(18.0, abs=0.01)
    assert engine.weather.price_usd_j(7 * 3600.0) == pytest.approx(7 / 3.6e9)
    path = tmp_path / "a.twinrun"
    Writer(path, original, 1, engine.layout, original.duration_s, {"site": ["site"]}).close()
    with Reader(path) as run:
        again = run.header.scenario
    assert again == original
    other = Engine(again)
    for one in (engine, other):
        one.advance(7200.0)
    assert other.event_hash() == engine.event_hash()
    assert other.heat.integrator.state.flat() == pytest.approx(engine.heat.integrator.state.flat(), abs=0)
    back = Engine.restore(again, engine.snapshot())
    assert back.weather.at(7200.0) == engine.weather.at(7200.0)
