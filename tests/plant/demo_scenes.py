"""Scenes for the tests of the plant, as documents."""

from __future__ import annotations

from typing import Any

from twin.scenario.schema.document import Scenario


def scene(**parts: Any) -> Scenario:
    """Return a scenario of one hall from parts of a document."""
    head = {"format": "twin/scenario", "version": 3, "catalog": "2026.11", "title": "test"}
    return Scenario.model_validate(head | parts)


def superpod(units: int = 4, **more: Any) -> Scenario:
    """Return a DGX H100 SuperPOD: `units` scalable units of 32 nodes, 4 nodes a rack, 8 racks a row."""
    rows = {
        "id": "gpu",
        "count": units,
        "racks": {"count": 8, "nodes": [{"part": "DGX-H100", "count": 4, "first_u": 3}]},
    }
    network = {
        "id": "net",
        "label": "NET",
        "at": {"x": "6 m", "y": "0 m"},
        "racks": {"count": 4, "role": "network"},
    }
    fabric = {
        "id": "ib",
        "kind": "rail-optimised",
        "unit_nodes": 32,
        "leaf": {"part": "QM9700", "racks": "net"},
        "spine": {"part": "QM9700", "racks": "net"},
    }
    cooling = {
        "plants": [{"id": "fws"}],
        "loops": [
            {
                "id": "crah",
                "kind": "air",
                "part": "CRAH-chilled",
                "count": 2,
                "units": 4,
                "plant": "fws",
                "serves": ["gpu", "net"],
            }
        ],
    }
    power = [
        {"id": "utility", "kind": "utility"},
        {"id": "ups-a", "kind": "ups", "part": "UPS-double-conversion", "count": 2, "from": "utility"},
        {"id": "ups-b", "kind": "ups", "part": "UPS-double-conversion", "count": 2, "from": "utility"},
        {
            "id": "pdu-a",
            "kind": "pdu",
            "part": "floor-PDU",
            "count": units,
            "from": "ups-a",
            "feeds": ["gpu", "net"],
        },
        {
            "id": "pdu-b",
            "kind": "pdu",
            "part": "floor-PDU",
            "count": units,
            "from": "ups-b",
            "feeds": ["gpu", "net"],
        },
    ]
    document: dict[str, Any] = {
        "halls": [{"id": "hall", "title": "Hall 1", "rows": [rows, network]}],
        "fabrics": [fabric],
        "cooling": cooling,
        "power": power,
        "storage": [{"id": "pfs", "read": "40 GB/s", "write": "20 GB/s", "count": 2}],
    }
    return scene(**(document | more))


def nvl72_rows(rows: int = 2, racks: int = 4, loops: int = 2) -> Scenario:
    """Return rows of GB200 NVL72 racks on liquid, with room air beside."""
    return scene(
        halls=[
            {
                "id": "hall",
                "rows": [{"id": "nvl", "count": rows, "racks": {"count": racks, "part": "GB200-NVL72"}}],
            }
        ],
        fabrics=[
            {
                "id": "ib",
                "kind": "rail-optimised",
                "unit_nodes": 18,
                "leaf": {"part": "QM9700"},
                "spine": {"part": "QM9700"},
            }
        ],
        cooling={
            "plants": [{"id": "fws"}],
            "loops": [
                {
                    "id": "cdu",
                    "kind": "liquid",
                    "part": "CDU-inrow-1350",
                    "count": loops,
                    "plant": "fws",
                    "serves": ["nvl"],
                },
                {
                    "id": "crah",
                    "kind": "air",
                    "part": "CRAH-chilled",
                    "units": 3,
                    "plant": "fws",
                    "serves": ["nvl"],
                },
            ],
        },
    )


def hall_of(nodes: int) -> Scenario:
    """Return air-cooled H100 nodes, 4 a rack, 34 racks a row, with fabric, power and cooling."""
    racks = -(-nodes // 4)
    per_row = 34
    rows = {
        "id": "gpu",
        "count": -(-racks // per_row),
        "racks": {"count": per_row, "nodes": [{"part": "DGX-H100", "count": 4}]},
    }
    return superpod(
        1,
        halls=[
            {
                "id": "hall",
                "rows": [
                    rows,
                    {
                        "id": "net",
                        "at": {"x": "30 m", "y": "0 m"},
                        "racks": {"count": 40, "role": "network"},
                        "count": 12,
                    },
                ],
            }
        ],
    )
