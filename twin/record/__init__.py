"""The record of a run: channels, frames, events, ledger accounts, the run file."""
