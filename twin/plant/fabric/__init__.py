"""Scale-out fabrics: where their switches stand, and which cable goes where; one module per family of topologies."""

from __future__ import annotations

from twin.plant.fabric.connect import FabricCables, connect_fabrics, fabric_table

__all__ = ["FabricCables", "connect_fabrics", "fabric_table"]
