"""Carrying things over the hall."""
