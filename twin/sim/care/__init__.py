"""Health checks, repairs, degraded nodes and shutdowns."""
