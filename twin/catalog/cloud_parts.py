"""Part type of what clouds rent out: shapes with their GPUs, network, disks, billed unit and prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.part import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapePart(Part):
    """One shape of a cloud; `price_usd` is that of the whole shape and hour, on demand."""

    KIND: ClassVar[str] = "shapes"

    gpu: str = fields.reference("The GPU", "gpu")
    n_gpu: int = fields.count("GPUs of a shape; less is not to be had")
    nics_bandwidth_bytes_s: float = fields.quantity("bandwidth", "Network of a shape, per direction")
    nvme_bytes: float | None = fields.quantity("data", "Local NVMe", optional=True)
    billed_unit_s: float = fields.quantity("duration", "Time is billed in whole ones")
    billed_least_s: float = fields.quantity("duration", "Least time that is billed")
    reserved: float = fields.quantity("fraction", "Price of a year's contract over that on demand")
    spot: float = fields.quantity("fraction", "Price of what can be reclaimed over that on demand")
    reclaim_per_s: float = fields.quantity("rate", "Reclaims of one shape on spot")
    notice_s: float = fields.quantity("duration", "From the notice to the reclaim")
