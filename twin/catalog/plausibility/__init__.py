"""Does a catalogue make sense? Physics and well-known models against every part."""

from twin.catalog.plausibility.checker import check
from twin.catalog.plausibility.finding import CatalogFinding, Severity

__all__ = ["CatalogFinding", "Severity", "check"]
