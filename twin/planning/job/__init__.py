"""A job on hardware, by kind of workload."""
