"""Ids and jobs that generators of a scene make."""
