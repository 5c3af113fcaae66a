"""What a run leaves behind: channels, frames, events, ledger accounts, the run file."""
