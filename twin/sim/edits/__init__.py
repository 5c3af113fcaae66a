"""A hall edited while it runs, and snapshots of its state."""
