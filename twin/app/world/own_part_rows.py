"""What the inspector says of an own part before its figures: where it lies, and whose step times it borrows."""

from __future__ import annotations

from twin.catalog import Catalog, GpuPart, NodePart
from twin.language import tr
from twin.planning.profile.adapted import base_name
from twin.planning.profile.hardware_profile import profile_on
from twin.planning.profile.profiles import load_calibrated


def own_part_words(catalog: Catalog, id: str) -> list[tuple[str, str, str]]:
    """Return label, value and hint of what is to know of an own part; nothing of a shipped one."""
    if id not in catalog.own_parts:
        return []
    found = [
        (tr("Own part"), catalog.place(id), tr("From a file beside the scene, not of the shipped catalogue"))
    ]
    part = catalog.part(id)
    if isinstance(part, GpuPart | NodePart):
        gpu, node = (id, "") if isinstance(part, GpuPart) else (part.gpu, id)
        profile = profile_on(gpu, catalog, node)
        if profile.borrowed:
            base = ", ".join(load_calibrated(base_name(profile.name)).gpus)
            found.append((tr("Step times"), tr("borrowed from {base}", base=base), profile.borrowed))
    return found
