"""The engine: jobs, failures, recovery, heat and power of one run. The only importer of simpy."""
