"""A worker keeps nothing of a run that is over."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest
from replies import one_client, until

from twin.plant import build
from twin.record import inputs
from twin.runtime.client import Client
from twin.runtime.memory import give_back
from twin.runtime.protocol import Died, Failed, Ready
from twin.scenario.file.load import load
from twin.scenario.schema.document import Scenario

_SCENES = Path(__file__).parents[2] / "scenes"
_MIB = 2.0**20


def _scene(name: str) -> Scenario:
    return load(_SCENES / f"{name}.twin.yaml").scenario


def _begin(client: Client, scenario: Scenario, folder: Path) -> float:
    """Begin a run; return the memory of the worker when it stands at its start [MiB]."""
    session = client.load(scenario, run_file=folder / f"{client.session + 1}.twinrun")
    messages = until(client, lambda message: isinstance(message, (Ready, Failed, Died)))
    assert not [message for message in messages if isinstance(message, (Failed, Died))]
    assert next(message for message in messages if isinstance(message, Ready)).session == session
    (worker,) = (child for child in psutil.Process().children() if "spawn_main" in str(child.cmdline()))
    return worker.memory_info().rss / _MIB


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no malloc_trim")
def test_a_small_run_after_large_ones_is_small_again(tmp_path: Path) -> None:
    with one_client(tmp_path) as client:
        small, large = _scene("lab-16"), [_scene(name) for name in ("superpod-h100", "nvl72-row")]
        for scenario in (small, *large):  # what comes once: code, data that is read, memory of C libraries
            _begin(client, scenario, tmp_path)
        before = _begin(client, small, tmp_path)
        for _ in range(3):
            for scenario in large:
                _begin(client, scenario, tmp_path)
            after = _begin(client, small, tmp_path)
        assert after < 1.05 * before


def test_what_is_forgotten_is_made_anew() -> None:
    scenario = _scene("lab-16")
    plant, hashes = build.plant_of(scenario), inputs.input_hashes(scenario)
    assert build.plant_of(scenario) is plant
    build.forget()
    inputs.forget()
    again = build.plant_of(scenario)
    assert again is not plant
    assert again.slots == plant.slots
    assert inputs.input_hashes(scenario) == hashes


def test_names_made_by_the_way_are_not_held() -> None:
    class Plain:
        pass

    give_back()
    before = sys.getallocatedblocks()
    names = ["".join(("nothing_", str(number))) for number in range(3_000)]
    for name in names:
        getattr(Plain, name, None)
    del name, names
    assert sys.getallocatedblocks() > before + 200
    give_back()
    assert sys.getallocatedblocks() < before + 50
