"""A fault of a rack in a hall that could not follow an edit of the scene: its row is gone from the scene."""

from __future__ import annotations

from pathlib import Path

from twin.catalog import load_catalog
from twin.scenario import load
from twin.scenario.checks.interventions import wrong
from twin.scenario.schema.faults import Intervention

LAB = Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml"


def test_a_rack_whose_row_is_gone_is_said_to_be_gone() -> None:
    scenario = load(LAB).scenario
    one = Intervention(at=10.0, kind="psu_loss", target="gone/0/0")
    found = list(wrong(scenario, one, lambda id: "", load_catalog()))
    assert ("target", "is no longer in the scene", "") in found
