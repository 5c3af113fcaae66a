"""Opening, saving, journal, recovery and export."""
