"""Failures and recovery of a job, sampled; random incidents."""
