"""The scheduler, what its policies see, clouds and replication."""
