"""Timers, log, ledger, node table and weather of one run."""
